// Weight tables in 8 bits: integers times a power of two, the exponent in a row's last byte.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/view.h"

namespace caesura::parse {

// Largest exponent of a row: 127 << 15 a thousand times fits into 32 bits.
constexpr int most_shift = 14;

// Rounds to the nearest integer of 8 bits, halves to even; not a number becomes -127.
inline std::int8_t to_byte(float value) {
    constexpr float halfway = 3 << 22;  // sums this large have no fraction
    const float limited = std::min(127.0f, std::max(-127.0f, value));
    return static_cast<std::int8_t>(static_cast<std::int32_t>((limited + halfway) - halfway));
}

// The factor of weights that gives integers in units of unit * 2^shift.
inline float inverse_scale(double unit, int shift) {
    return static_cast<float>(1.0 / (unit * (1 << shift)));
}

// Writes the largest absolute value of each row.
void largest(Floats2 weights, View<float> tops);

// Rounds rows to multiples of unit * 2^shift; the shift goes into the last column.
void round_rows(Floats2 weights, Signs shifts, double unit, Matrix<std::int8_t> table);

}  // namespace caesura::parse

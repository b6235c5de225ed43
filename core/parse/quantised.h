// Weight tables in 8 bits: integers times a power of two, the exponent in a row's last byte.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::parse {

// Largest exponent of a row: 127 << 15 a thousand times fits into 32 bits.
constexpr int most_shift = 14;

// Writes the largest absolute value of each row.
void largest(Matrix<const float> weights, View<float> tops);

// Rounds rows to multiples of unit * 2^shift; the shift goes into the last column.
void round_rows(Matrix<const float> weights, View<const std::int8_t> shifts, double unit,
                Matrix<std::int8_t> table);

}  // namespace caesura::parse

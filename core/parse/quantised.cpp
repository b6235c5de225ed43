#include "parse/quantised.h"

#include <algorithm>
#include <cmath>

namespace caesura::parse {
namespace {

// Rounds to the nearest integer of 8 bits, halves to even; not a number becomes -127.
std::int8_t rounded(float value) {
    constexpr float halfway = 3 << 22;  // sums this large have no fraction
    const float limited = std::min(127.0f, std::max(-127.0f, value));
    return static_cast<std::int8_t>(static_cast<std::int32_t>((limited + halfway) - halfway));
}

}  // namespace

void largest(Matrix<const float> weights, View<float> tops) {
    for (std::size_t r = 0; r < weights.rows(); ++r) {
        float top = 0.0f;
        for (const float weight : weights[r]) top = std::max(top, std::fabs(weight));
        tops[r] = top;
    }
}

void round_rows(Matrix<const float> weights, View<const std::int8_t> shifts, double unit,
                Matrix<std::int8_t> table) {
    const std::size_t last = weights.columns() - 1;
    for (std::size_t r = 0; r < weights.rows(); ++r) {
        const auto inverse = static_cast<float>(1.0 / (unit * (1 << shifts[r])));
        const auto from = weights[r];
        const auto to = table[r];
        for (std::size_t a = 0; a < last; ++a)
            to[a] = rounded(from[a] * inverse);
        to[last] = shifts[r];
    }
}

}  // namespace caesura::parse

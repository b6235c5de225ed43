#include "parse/quantised.h"

#include <algorithm>
#include <cmath>

namespace caesura::parse {
void largest(Floats2 weights, View<float> tops) {
    for (std::size_t r = 0; r < weights.rows(); ++r) {
        float top = 0.0f;
        for (const float weight : weights[r]) top = std::max(top, std::fabs(weight));
        tops[r] = top;
    }
}

void round_rows(Floats2 weights, Signs shifts, double unit, Matrix<std::int8_t> table) {
    const std::size_t last = weights.columns() - 1;
    for (std::size_t r = 0; r < weights.rows(); ++r) {
        const float inverse = inverse_scale(unit, shifts[r]);
        const auto from = weights[r];
        const auto to = table[r];
        for (std::size_t a = 0; a < last; ++a)
            to[a] = to_byte(from[a] * inverse);
        to[last] = shifts[r];
    }
}

}  // namespace caesura::parse

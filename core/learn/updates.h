// Steps that linear learners make: AdaGrad, passive-aggressive, perceptron; lazy averaging.
// Averaging keeps no history: `total` collects tick times step, so that the average of the weights
// over ticks 1..n is weight - total / n for a step made at tick t and seen from t + 1 on. A tick
// passes with each instance, whether or not it caused an update.
//
// Weights have 32 bits. The step decides in which type a sum is computed: a step of type double is
// added in double, and the sum is rounded when it is stored.
#pragma once

#include <algorithm>
#include <cmath>

namespace caesura::learn {

// Make a step on one weight, and record it for the average.
template <class Step, class Tick>
inline void add_step(float& weight, float& total, Step step, Tick tick) {
    weight = static_cast<float>(weight + step);
    total = static_cast<float>(total + tick * step);
}

// The step uphill that AdaGrad makes on one weight (Duchi, Hazan & Singer 2011). `square` collects
// the squares of its slopes. The caller gives the square of this slope, too: it is the same for all
// features of an instance, and rounded as the caller needs it. The result has the widest of the
// types.
template <class Square, class Slope, class Squared, class Rate>
inline auto adagrad(Square& square, Slope slope, Squared squared, Rate rate, Rate offset) {
    square = static_cast<Square>(square + squared);
    return rate * slope / (offset + std::sqrt(square));
}

// The step tau = min(C, loss / |delta|^2) of PA-I (Crammer et al. 2006, section 4).
inline double passive_aggressive(double loss, double norm, double bound) {
    if (norm <= 0.0 || loss <= 0.0) return 0.0;
    return std::min(bound, loss / norm);
}

}  // namespace caesura::learn

// Parameters in training: weights, and what AdaGrad and averaging record of each (updates.h).
#pragma once

#include <cstdint>

#include "base/view.h"
#include "learn/updates.h"

namespace caesura::learn {

struct Parameters {
    View<float> weight, square, total;

    // Make a step on one parameter.
    void add(Long at, double step, double tick) const {
        add_step(weight[at], total[at], step, tick);
    }
    // Make a step of AdaGrad uphill.
    void climb(Long at, double slope, double squared, double rate, double offset,
               double tick) const {
        add(at, adagrad(square[at], slope, squared, rate, offset), tick);
    }
};

}  // namespace caesura::learn

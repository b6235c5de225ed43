// Where words begin in text without blanks: a network of one hidden layer reads the vectors of the
// characters around a place.
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "base/view.h"
#include "network/memory.h"

namespace caesura::network {

class WordBoundaries {
   public:
    // Characters to each side of a place that are read.
    static constexpr std::int64_t kNear = 2;

    // `first` is [inputs][hidden], where inputs are the vectors of 2 * kNear characters one after
    // the other; `second` has one number more than hidden, its bias, at the end.
    WordBoundaries(Matrix<const float> first, View<const float> bias, View<const float> second);

    std::int64_t inputs() const { return inputs_; }

    WordBoundaries(const WordBoundaries&) = delete;

    // The log-odds that a word begins before each character. Characters beyond the ends are zeros.
    void odds(Matrix<const float> vectors, View<float> out, Cancel& cancel) const;

   private:
    const Kernels& kernels_;
    std::int64_t inputs_, hidden_;
    Arena arena_;
    float *first_, *bias_, *second_;  // first_ is [hidden / 16][inputs][16]
};

}  // namespace caesura::network

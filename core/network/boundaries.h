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
    static constexpr Long kNear = 2;

    // `first` is [inputs][hidden], where inputs are the vectors of 2 * kNear characters one after
    // the other; `second` has one number more than hidden, its bias, at the end.
    WordBoundaries(Floats2 first, Floats bias, Floats second);

    Long inputs() const { return inputs_; }

    WordBoundaries(const WordBoundaries&) = delete;

    // The log-odds that a word begins before each character. Characters beyond the ends are zeros.
    void odds(Floats2 vectors, View<float> out, Cancel& cancel) const;

   private:
    const Kernels& kernels_;
    Long inputs_, hidden_;
    Arena arena_;
    float *first_, *bias_, *second_;  // first_ is [hidden / 16][inputs][16]
};

}  // namespace caesura::network

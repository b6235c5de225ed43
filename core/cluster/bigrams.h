// Counts of words and of neighbouring words: all that clustering sees of a text.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::cluster {

using Long = std::int64_t;

// The rows of the sentence boundary and of all rare words together; other words follow.
constexpr Long rare_row = 1;
constexpr Long first_word = rare_row + 1;

// One direction of neighbours as sparse rows: those of word w are at[w]..at[w + 1].
struct Neighbours {
    View<const Long> at;
    View<const std::int32_t> word;
    View<const Long> count;
};

struct Bigrams {
    View<const Long> counts;
    Neighbours next, last;

    Long size() const { return static_cast<Long>(counts.size()); }
};

}  // namespace caesura::cluster

// Counts of words and of neighbouring words: all that clustering sees of a text.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::cluster {

// The rows of the sentence boundary and of all rare words together; other words follow.
constexpr Long rare_row = 1;
constexpr Long first_word = rare_row + 1;

// One direction of neighbours as sparse rows: those of word w are at[w]..at[w + 1].
struct Neighbours {
    Longs at;
    Ints word;
    Longs count;
};

struct Bigrams {
    Longs counts;
    Neighbours next, last;

    Long size() const { return std::ssize(counts); }
};

}  // namespace caesura::cluster

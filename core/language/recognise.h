// Language recognition: n-grams of words as rows of a table, and the sums of those rows.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::language {

// The longest n-gram, and the longest word that is looked up as a whole.
constexpr Long longest = 4;
constexpr Long longest_word = 16;

// Writes the rows of all n-grams of all words; returns their number. `out` has room for
// (longest + 1) * (size + 1) rows.
Long rows_of(Codes folded, Flags letters, std::uint64_t mask, View<std::int32_t> out);

// The weights that are not zero: those of row r from begin[r] on. Common rows stand once more with
// their zeros in `table`, at `place` (0: not there).
struct Weights {
    Longs begin;
    View<const std::uint16_t> label;
    Signs value;
    View<const std::int16_t> place;
    Matrix<const std::int8_t> table;
};

void add_rows(Ints rows, const Weights& weights, View<Long> out);

}  // namespace caesura::language

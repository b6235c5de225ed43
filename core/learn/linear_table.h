// A sparse linear table: features to rows of weights, as a model file holds them. A weight is its
// value times the scale of its row, a power of two, so the product is exact.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/view.h"
#include "learn/index.h"

namespace caesura::learn {

// Rows as lists, one behind another: how many weights each has, their columns and values. Counts,
// columns and values have 8 or 16 bits; of each pair of views, one is used.
struct SparseRows {
    Bytes count8;
    View<const std::uint16_t> count16;
    Bytes column8;
    View<const std::uint16_t> column16;
    Signs value8;
    View<const std::int16_t> value16;
    Signs exponent;

    std::uint32_t count(Long row) const {
        return count16.empty() ? count8[row] : count16[row];
    }
    // Whether there are as many columns and values as all counts say, and no count is above `most`.
    bool fit(std::uint32_t most) const;
};

class LinearTable {
   public:
    LinearTable() = default;
    // Throws DamagedModel if the arrays do not fit together or a column is not below `width`.
    LinearTable(Codes keys, const SparseRows& rows, Long width);

    Long width() const { return width_; }

    // A row of weights and the scores that it is added to.
    struct Term {
        Long row;
        float* scores;
    };
    // Adds the rows of the features of several words to their scores, in the order of the features.
    // A row of `hashes` belongs to a word; 0 is no feature. Memory is requested before it is needed,
    // so that waits overlap. `terms` is room for one of each feature.
    void add(Hashes2 hashes, View<Term> terms, View<float* const> scores) const;
    // The same for one word.
    void add(Hashes hashes, View<Term> terms, View<float> scores) const {
        float* const one[] = {scores.data()};
        add(Matrix(hashes.data(), 1, hashes.size()), terms, View<float* const>(one, 1));
    }

   private:
    void add_row(const Term& term) const;

    FeatureIndex index_;
    SparseRows rows_;
    std::vector<std::uint32_t> begin_;  // the first weight of each row, and the end of the last
    Long width_ = 0;
};

}  // namespace caesura::learn

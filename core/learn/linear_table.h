// A sparse linear table: features to rows of weights, as a model file holds them. A weight is its
// value times the scale of its row, a power of two, so the product is exact.
#pragma once

#include <array>
#include <cstdint>

#include "base/view.h"
#include "learn/index.h"

namespace caesura::learn {

// Rows as lists: the weights of row r are those from begin[r] to begin[r + 1]. Columns have 8 or 16
// bits, and so have values; of each pair of views, one is used.
struct SparseRows {
    View<const std::uint32_t> begin;
    View<const std::uint8_t> column8;
    View<const std::uint16_t> column16;
    View<const std::int8_t> value8;
    View<const std::int16_t> value16;
    View<const std::int8_t> exponent;
};

class LinearTable {
   public:
    LinearTable() = default;
    // Throws DamagedModel if the arrays do not fit together or a column is not below `width`.
    LinearTable(View<const std::uint32_t> keys, const SparseRows& rows, std::int64_t width);

    std::int64_t width() const { return width_; }

    // Adds the rows of the features with these hashes (0: no feature) to scores, in their order.
    // Memory is requested before it is needed, so that waits overlap. `found` is room for the rows.
    void add(View<const std::uint64_t> hashes, View<std::int64_t> found, View<float> scores) const;

   private:
    void add_row(std::int64_t row, View<float> scores) const;

    FeatureIndex index_;
    SparseRows rows_;
    std::int64_t width_ = 0;
};

}  // namespace caesura::learn

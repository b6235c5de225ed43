// The weights that a linear parser learns, with the totals from which their average follows
// (learn/updates.h). A table has 2^bits rows, of which only those that updates touch take memory;
// all others are 0.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sparse_array.h"
#include "base/view.h"

namespace caesura::parse {

class Weights {
   public:
    // `width` is a multiple of 32.
    Weights(int bits, Long width)
        : width_(width), rows_(Long{1} << bits, 2 * width) {}

    Long size() const { return rows_.size(); }
    std::uint64_t mask() const { return static_cast<std::uint64_t>(size()) - 1; }
    Long width() const { return width_; }

    void prefetch(std::uint64_t row) const { rows_.prefetch(row); }
    // The weights of a row, followed by their totals; null for a row without memory.
    const float* find(std::uint64_t row) const { return rows_.find(row); }
    // The same; a row without memory gets some.
    float* touch(std::uint64_t row) { return rows_.touch(row); }

    // Adds a share of all weights and totals of another table of the same size.
    void add(const Weights& other, float share);

    // The rows that take memory, rising; the functions below list values in this order.
    std::vector<std::uint32_t> rows() const { return rows_.indices(); }
    std::size_t n_rows() const { return rows_.touched(); }
    // The largest absolute value of each row's average over ticks; infinite if one is not a number.
    std::vector<float> largest(Long ticks) const;
    // The averages in 8 bits, without zeros: how many each row has, their columns and values.
    // There is a shift for each row (see quantised.h).
    struct Rounded {
        std::vector<std::uint32_t> counts;
        std::vector<std::uint16_t> columns;
        std::vector<std::int8_t> values;
    };
    Rounded round(Long ticks, Signs shifts, double unit) const;
    // Weights and totals, without those of which both are 0; a place is row * width + column.
    struct Entries {
        std::vector<std::uint64_t> places;
        std::vector<float> weights, totals;
    };
    Entries entries() const;

   private:
    template <class Visit, class End>
    void visit(Visit visit, End end) const;

    Long width_;
    SparseArray<float> rows_;
};

}  // namespace caesura::parse

// The weights that a linear parser learns, with the totals from which their average follows
// (learn/updates.h). A table has 2^bits rows, of which only those that updates touch take memory;
// all others are 0.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/view.h"
#include "parse/compact.h"

namespace caesura::parse {

class Weights {
   public:
    // `width` is a multiple of 32.
    Weights(int bits, std::int64_t width);

    std::int64_t size() const { return size_; }
    std::uint64_t mask() const { return static_cast<std::uint64_t>(size_) - 1; }
    std::int64_t width() const { return width_; }
    // The rows that take memory, in no order.
    View<const std::uint32_t> rows() const { return rows_; }

    void prefetch(std::uint64_t row) const { caesura::prefetch(&place_of_[row]); }
    // The weights of a row, followed by their totals; null for a row without memory.
    const float* find(std::uint64_t row) const {
        const std::uint32_t place = place_of_[row];
        return place == 0 ? nullptr : at(place - 1);
    }
    // The same; a row without memory gets some.
    float* touch(std::uint64_t row);

    // Adds a share of all weights and totals of another table of the same size.
    void add(const Weights& other, float share);

    // The rows that take memory, rising; the functions below list values in this order.
    std::vector<std::uint32_t> sorted_rows() const;
    // The largest absolute value of each row's average over ticks; infinite if one is not a number.
    std::vector<float> largest(std::int64_t ticks) const;
    // The averages in 8 bits, without zeros: how many each row has, their columns and values.
    // There is a shift for each row (see quantised.h).
    struct Rounded {
        std::vector<std::uint32_t> counts;
        std::vector<std::uint16_t> columns;
        std::vector<std::int8_t> values;
    };
    Rounded round(std::int64_t ticks, View<const std::int8_t> shifts, double unit) const;
    // Weights and totals, without those of which both are 0; a place is row * width + column.
    struct Entries {
        std::vector<std::uint64_t> places;
        std::vector<float> weights, totals;
    };
    Entries entries() const;

   private:
    static constexpr std::uint32_t page_rows = 256;
    template <class Visit, class End>
    void visit(Visit visit, End end) const;
    float* at(std::uint32_t place) const {
        return pages_[place / page_rows].data() + place % page_rows * 2 * width_;
    }

    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::int64_t size_, width_;
    // The place of each row plus 1, or 0: pages of the system, which take memory when written.
    std::unique_ptr<std::uint32_t[], Free> place_of_;
    std::vector<std::uint32_t> rows_;
    std::vector<Aligned<float>> pages_;
};

}  // namespace caesura::parse

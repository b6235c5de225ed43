// The 8-bit weights of a parser as a search reads them.
//
// A trained table is nearly empty, and the rows that states request most are its fullest ones. So
// full rows lie side by side, the fullest first, whole cache lines each; a row of a few weights is
// two numbers that hold its columns and values; and an entry for every hash says where its row is,
// or is itself the row if that has three weights at most, as most rows have. That is an eighth of
// the memory of the whole table, and what is rare is read at once. All weights count in one unit,
// so that sums of integers are exact in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned.h"
#include "base/prefetch.h"
#include "base/view.h"
#include "learn/linear_table.h"
#include "parse/entry.h"
#include "parse/rows.h"

namespace caesura::parse {

class CompactRows {
   public:
    CompactRows() = default;
    // The rows of a model file, whose `value8` is used. `width` is a multiple of 32 above all
    // columns. Throws DamagedModel if the arrays do not fit together, or if their number is not a
    // power of two.
    CompactRows(const learn::SparseRows& rows, Long width);
    // Rows of a table of `size` rows that have these numbers, which rise; the others are empty. The
    // last column holds the exponents (0 to 14).
    CompactRows(Long size, Codes numbers, Matrix<const std::int8_t> table, double unit);

    Long size() const { return std::ssize(lookup_); }
    Long width() const { return width_; }
    std::size_t bytes() const {
        return 8 * lookup_.size() + full_.size() + sizeof(ShortRow) * shorts_.size();
    }
    // What the integers count in.
    double unit() const { return unit_; }

    RowTable view() const { return {lookup(), full(), shorts(), width_}; }
    const std::uint64_t* lookup() const { return lookup_.data(); }
    const std::int8_t* full() const { return full_.data(); }
    const ShortRow* shorts() const { return shorts_.data(); }

    // Writes a row of the dense table.
    void unfold(Long row, std::int8_t* out) const;
    // The rows that are not empty.
    struct Filled {
        std::vector<std::uint32_t> numbers;
        std::vector<std::int8_t> table;
    };
    Filled filled() const;

    // sums = the sum of rows (a list of numbers below size(), overwritten). The last column is
    // undefined. Memory is requested before it is needed.
    void sum(View<std::uint64_t> rows, std::int32_t* sums) const;

    // Adds `count` weights, of which each has a byte of either number.
    static void add(std::uint64_t columns, std::uint64_t values, int count, int shift,
                    std::int32_t* sums) {
        for (int k = 0; k < count; ++k) {
            const std::int32_t value = static_cast<std::int8_t>(values & 0xFF);
            sums[columns & 0xFF] += value * (1 << shift);
            columns >>= 8;
            values >>= 8;
        }
    }
    void add_entry(Entry entry, std::int32_t* sums) const {
        add(entry.bits(), entry.bits() >> Entry::values, Entry::held, entry.shift(), sums);
    }
    void add_short(Entry entry, std::int32_t* sums) const {
        const ShortRow& row = shorts_.data()[entry.number()];
        add(row.columns, row.values, ShortRow::held, entry.shift(), sums);
    }

   private:
    void lay_out(const learn::SparseRows& rows, int lowest);

    Long width_ = 0;
    double unit_ = 1.0;
    Aligned<std::uint64_t> lookup_;
    Aligned<std::int8_t> full_;
    Aligned<ShortRow> shorts_;
};

}  // namespace caesura::parse

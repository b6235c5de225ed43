// How the 8-bit weights of a parser lie in memory (see compact.h).
#pragma once

#include <cstdint>

namespace caesura::parse {

// What a lookup entry says. Its lower half is the number of a full row or of a short one if one of
// the flags is set. Else it holds up to three weights: a byte for each column, from bit 24 on one
// for each value.
class Entry {
   public:
    static constexpr int held = 3;
    static constexpr int values = 24, exponent = 56, highest = 32;
    static constexpr std::uint64_t full = 1ull << 60, in_short = 1ull << 61;
    static constexpr std::uint64_t held_values = 0xFFFFFFull << values;

    explicit Entry(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t bits() const { return bits_; }
    bool is_full() const { return bits_ & full; }
    bool is_short() const { return bits_ & in_short; }
    bool is_empty() const { return (bits_ & (full | in_short | held_values)) == 0; }
    std::uint64_t number() const { return bits_ & 0xFFFFFFFF; }
    int shift() const { return static_cast<int>(bits_ >> exponent & 15); }
    // The largest absolute value of a full row.
    std::uint64_t most() const { return bits_ >> highest & 0xFFFFFF; }

   private:
    std::uint64_t bits_;
};

// Eight columns as one number and eight values as another.
struct ShortRow {
    static constexpr int held = 8;
    std::uint64_t columns, values;
};

// Entries of a table and its rows, one behind another.
struct RowTable {
    const std::uint64_t* lookup;
    const std::int8_t* full;
    const ShortRow* shorts;
    std::int64_t width;
};

// Rows of features by kind: the numbers of full rows, and the entries of the others that are not
// empty, with the place of the sum that they belong to. Each list has room for `spare` more than there are features.
struct RowLists {
    static constexpr std::int64_t spare = 8;

    std::uint64_t *full, *few, *few_at, *held, *held_at;
    std::int64_t n_full = 0, n_few = 0, n_held = 0;
};

}  // namespace caesura::parse

// Sums over rows of weights and reductions over the scores of transitions: the inner loops of all
// scoring. There is a variant for each instruction set; all give the same bits. A row has a width
// that is a multiple of 32, and so has a row of sums or scores.
#pragma once

#include <cstdint>

#include "parse/entry.h"

namespace caesura::parse {

struct RowFunctions {
    // sums = the sum of the n named rows of a table of bytes, each shifted by its last byte (0-14).
    void (*sum_bytes)(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
                      std::int64_t n, std::int32_t* sums);
    // The same if the sums of all columns but the last fit into 16 bits; that one wraps.
    void (*sum_low_bytes)(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
                          std::int64_t n, std::int32_t* sums);
    // Adds the rows of n features to the lists and requests their memory; they belong to the sum at
    // a place. Returns how far from 0 the sum of the full ones may be.
    std::uint64_t (*sort)(const RowTable& table, const std::uint64_t* features, std::int64_t n,
                          std::uint64_t place, RowLists& lists);
    // sums = the sum of n rows of floats, in their order from 0 on.
    void (*sum_floats)(const float* const* rows, std::int64_t n, std::int64_t width, float* sums);
    // kept = the sum of n named rows of integer sums; scores = the same times the unit.
    void (*join)(const std::int32_t* sums, std::int64_t width, const std::int64_t* rows,
                 std::int64_t n, float unit, std::int32_t* kept, float* scores);
    // The highest of n scores, or -3e38; a score that is not a number is left out.
    float (*highest)(const float* scores, std::int64_t n);
    // Which of 32 scores are at least as high as a floor, as bits.
    std::uint32_t (*at_least)(const float* scores, float floor);
};

// The variant of the largest instruction set that may be used.
const RowFunctions& row_functions();

namespace portable {
extern const RowFunctions rows;
std::uint64_t sort(const RowTable& table, const std::uint64_t* features, std::int64_t n,
                   std::uint64_t place, RowLists& lists);
}
#if defined(__x86_64__) || defined(_M_X64)
namespace avx2 {
extern const RowFunctions rows;
}
namespace avx512 {
extern const RowFunctions rows;
}
#endif

}  // namespace caesura::parse

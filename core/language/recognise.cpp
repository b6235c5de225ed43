#include "language/recognise.h"

#include <algorithm>

namespace caesura::language {
namespace {

constexpr std::uint64_t seed = 0xCBF29CE484222325ull;
constexpr std::uint64_t prime = 0x100000001B3ull;
constexpr std::uint64_t edge = 1;
constexpr std::uint64_t whole = 2;

std::int32_t row_of(std::uint64_t key, std::uint64_t mask) {
    return static_cast<std::int32_t>((key ^ (key >> 31)) & mask);
}

}  // namespace

Long rows_of(Codes folded, Flags letters, std::uint64_t mask, View<std::int32_t> out) {
    const Long size = std::ssize(folded);
    Long n = 0;
    for (Long begin = 0; begin < size;) {
        if (!letters[begin]) {
            begin++;
            continue;
        }
        Long end = begin;
        while (end < size && letters[end]) end++;
        // From the edge before the word to the edge behind it.
        for (Long first = begin - 1; first <= end; first++) {
            std::uint64_t key = seed;
            for (Long last = first; last < std::min(first + longest, end + 1); last++) {
                const bool inside = begin <= last && last < end;
                key = (key ^ (inside ? folded[last] : edge)) * prime;
                if (last > first || inside) out[n++] = row_of(key, mask);
            }
        }
        if (end - begin <= longest_word) {
            std::uint64_t key = seed ^ whole;
            for (Long at = begin; at < end; at++) key = (key ^ folded[at]) * prime;
            out[n++] = row_of(key, mask);
        }
        begin = end;
    }
    return n;
}

void add_rows(Ints rows, const Weights& weights, View<Long> out) {
    for (const std::int32_t row : rows) {
        if (const std::int16_t place = weights.place[row]) {
            const Signs full = weights.table[place];
            for (std::size_t label = 0; label < out.size(); label++) out[label] += full[label];
        } else {
            for (Long at = weights.begin[row]; at < weights.begin[row + 1]; at++)
                out[weights.label[at]] += weights.value[at];
        }
    }
}

}  // namespace caesura::language

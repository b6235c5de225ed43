// A text prepared so that the hash of any short stretch of it costs two multiplications. The hash is
// a polynomial in 2**64 arithmetic, taken from prefix sums (Karp & Rabin 1987); it depends on the
// characters alone and not on where they stand.
#pragma once

#include <array>
#include <vector>

#include "text/characters.h"

namespace caesura::text {

// No feature looks further than this to either side.
constexpr Long window = 64;
// Positions on either side of the text that a window may touch; they have the class EDGE.
constexpr Long margin = 72;

constexpr std::uint64_t hash_base = 0x9E3779B97F4A7C15ull;
inline constexpr auto hash_powers = [] {
    std::array<std::uint64_t, 2 * margin + 2> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * hash_base;
    return powers;
}();

// The hash of two strings, one behind the other, from those of each.
inline std::uint64_t joined_hash(std::uint64_t left, std::uint64_t right, Long length) {
    return left * hash_powers[static_cast<std::size_t>(length)] + right;
}
std::uint64_t hash_of(Codes codes);

// Per position: class, lower-case twin, prefix hash, end of the run of letters or digits that it is
// in (itself if it is neither), and the next white space.
struct Text {
    Kinds classes;
    Codes folded;
    Hashes prefix;
    Ints run_end, next_space;

    // Of the characters start..end-1, of which there are at most 2 * margin.
    std::uint64_t hash(Long start, Long end) const {
        return prefix[end] - prefix[start] * hash_powers[static_cast<std::size_t>(end - start)];
    }
};

class PreparedText {
   public:
    // Classifies characters, all of which the table must know.
    void classify(Codes codes, const CharacterTable& table);
    // The blanks between groups of digits, as positions: one to three digits before, three behind.
    std::vector<Long> blanks_in_numbers() const;
    // Fills the rest. Positions `inside` numbers count as digits; with `join`, newlines that stand
    // alone between ink count as blanks: whether such a line is wrapped prose is not known where
    // tokens are cut, and a word is the same word at the end of a line.
    void prepare(bool join, Offsets inside = {});

    // The text with inner blanks and lone newlines changed.
    Text joined() const { return {kinds_, codes_, prefix_, run_end_, next_space_}; }
    // The text as it is written, with the hashes of the other.
    Text written() const { return {classes_, folded_, prefix_, run_end_, next_space_}; }

   private:
    std::vector<std::uint8_t> classes_;
    std::vector<std::uint32_t> folded_;
    std::vector<std::uint8_t> kinds_;
    std::vector<std::uint32_t> codes_;
    std::vector<std::uint64_t> prefix_;
    std::vector<std::int32_t> run_end_, next_space_;
};

// Turns the values of templates, from `number` on, into rows of a table of 2**bits rows.
inline void to_rows(View<std::uint64_t> values, std::uint64_t number, int bits) {
    constexpr std::uint64_t a = 0xBF58476D1CE4E5B9ull, b = 0x94D049BB133111EBull;
    std::uint64_t salt = (number + 1) * b;
    for (std::uint64_t& value : values) {
        std::uint64_t x = (value + salt) * a;
        x = (x ^ (x >> 32)) * b;
        x ^= x >> 29;
        value = x >> (64 - bits);
        salt += b;
    }
}

}  // namespace caesura::text

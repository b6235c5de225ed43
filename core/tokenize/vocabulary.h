// What a tokeniser knows of strings: bits of word types, words of a language without spaces between
// them, and chunks that are always cut the same way. Strings are looked up by the hash of their
// lower-case twins.
#pragma once

#include <cstdint>

#include "text/prepared.h"
#include "tokenize/key_table.h"

namespace caesura::tokenize {

using text::Kinds;
using text::Offsets;
using text::Text;

// The longest strings that are looked up: types, chunks, words that were seen, and those of a
// dictionary.
constexpr Long longest_type = 24, longest_chunk = 20, longest_seen = 5, longest_named = 12;

// Strings as code points, one behind the other, and where each ends.
struct Strings {
    Codes codes;
    Offsets ends;
};

// Bits of a type that belong together; `caesura.stages.token_knowledge` has them one by one.
namespace type_bits {
constexpr int n_kinds = 14, n_shown = 3;
constexpr std::uint32_t beginning = 1u << (n_kinds + n_shown), prefix = beginning << 1,
                        unit = beginning << 2, ordinary = beginning << 3, common = beginning << 4,
                        name = beginning << 5;
constexpr std::uint32_t abbreviation = (beginning - 1) | ordinary;
constexpr std::uint32_t inside = abbreviation | beginning;
constexpr std::uint32_t cases = common | name;
// An address, which is recognised by its characters.
constexpr std::uint32_t address = 1u << 30;
}  // namespace type_bits

using Words = KeyTable<Nothing>;

class Vocabulary {
   public:
    // Throws DamagedModel if too many strings collide. Bit i of the cuts of a chunk tells whether a
    // token begins at character i; `bits` are those of types. `whole` words are made whole where
    // they are hyphenated at the end of a line.
    Vocabulary(const text::CharacterTable& characters, Strings seen, Strings named, Strings types,
               Codes bits, Strings chunks, Codes cuts, Strings whole);

    bool knows_types() const { return !types_.empty(); }
    bool knows_chunks() const { return !chunks_.empty(); }
    const Words& seen() const { return seen_; }
    const Words& named() const { return named_; }

    // What is known of the characters start..end-1 as a type; 0 if nothing is.
    std::uint32_t bits(const Text& text, Long start, Long end) const {
        if (end - start > longest_type || end <= start) return 0;
        const std::uint32_t* found = types_.find(text.hash(start, end));
        return found ? *found : 0;
    }
    // Where the chunk start..end-1 is cut; null if it is not remembered.
    const std::uint32_t* cuts(const Text& text, Long start, Long end) const {
        return chunks_.find(chunk_key(text, start, end));
    }
    // Whether a hyphenated word whose parts have these hashes is one word: it is known as one, or
    // neither part is known.
    bool is_whole(std::uint64_t left, std::uint64_t right, Long right_length) const {
        return whole_.contains(text::joined_hash(left, right, right_length)) ||
               !(whole_.contains(left) || whole_.contains(right));
    }
    bool knows_whole() const { return !whole_.empty(); }

   private:
    static std::uint64_t chunk_key(const Text& text, Long start, Long end);

    Words seen_, named_, whole_;
    KeyTable<std::uint32_t> types_, chunks_;
};

}  // namespace caesura::tokenize

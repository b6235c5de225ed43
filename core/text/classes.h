// What kind of character a code point is. The numbers are those of `caesura.document.characters`,
// which has the tables.
#pragma once

#include <cstdint>

namespace caesura::text {

enum Class : std::uint8_t {
    EDGE, SPACE, NEWLINE, UPPER, LOWER, TITLE, LETTER, HAN, HIRAGANA, KATAKANA,
    HANGUL, MARK, DIGIT, NUMBER, STOP, COMMA, QUOTE, APOSTROPHE, DASH, OPEN,
    CLOSE, SLASH, AT, OTHER_PUNCTUATION, CURRENCY, SYMBOL, MODIFIER, JOINER, CONTROL, ASKING,
    UNASSIGNED
};

constexpr std::uint32_t set_of(auto... kinds) { return (0u | ... | (1u << kinds)); }

constexpr std::uint32_t letters =
    set_of(UPPER, LOWER, TITLE, LETTER, HAN, HIRAGANA, KATAKANA, HANGUL, MARK, MODIFIER);
constexpr std::uint32_t wordlike = letters | set_of(DIGIT, NUMBER);

// Classes are below 32; a larger number is in no set.
constexpr bool is_in(std::uint32_t set, std::uint8_t kind) {
    return kind < 32 && ((set >> kind) & 1) != 0;
}
constexpr bool is_letter(std::uint8_t kind) { return is_in(letters, kind); }
constexpr bool is_wordlike(std::uint8_t kind) { return is_in(wordlike, kind); }

}  // namespace caesura::text

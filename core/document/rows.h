// Lines of CoNLL-U and CoNLL-X from the columns of a document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/view.h"

namespace caesura {

// What a MISC value says about the spaces around its token: nothing, that no space follows and
// nothing else, or something else.
enum class SpacesSaid : std::uint8_t { Nothing, NoneAfter, Other };

SpacesSaid spaces_said(std::string_view misc);

// The strings of a document's table as UTF-8, encoded when they are first used.
class EncodedStrings {
public:
    // Forget all strings; the table now has `size` strings.
    void reset();
    void grow(std::size_t size);
    bool has(std::int32_t number) const { return entries_[number].start >= 0; }
    void add(std::int32_t number, std::string_view utf8);
    std::size_t size() const { return entries_.size(); }

    std::string_view operator[](std::int32_t number) const {
        const Entry& entry = entries_[number];
        return {bytes_.data() + entry.start, entry.length};
    }
    SpacesSaid said(std::int32_t number) const { return entries_[number].said; }
    bool is_broken(std::int32_t number) const { return entries_[number].broken; }

private:
    struct Entry {
        Long start = -1;
        std::uint32_t length = 0;
        SpacesSaid said = SpacesSaid::Nothing;
        bool broken = false;  // holds a tab or a line end
    };
    std::vector<Entry> entries_;
    std::string bytes_;
};

// The columns of the words of a document. Strings are numbers of the table, or -1 - k for the
// k-th of `others`.
struct WordColumns {
    Ints form, lemma, upos, xpos, feats, head, deprel, deps, misc;
};

// What is written besides the words: the comments of each sentence and the lines before and after
// some words. Lines do not end with a line end. Words rise.
struct OtherLines {
    View<const std::string> comments;
    std::vector<std::pair<Long, std::string>> before, after;
};

inline constexpr std::int32_t kNoHead = -1, kUnknownHead = -2;

// Append the lines of all sentences; `starts` are the first words of the sentences and the number
// of words. Returns the first word whose head is in another sentence, or -1.
Long write_rows(const EncodedStrings& strings, View<const std::string> others,
                const WordColumns& words, Longs starts, const OtherLines& lines, std::string& out);

// The tokens of a document, for their spaces. `misc` is the MISC value of each token, `first_word`
// has one more number than there are tokens.
struct SpacedTokens {
    Codes text;
    Longs start, end, first_word;
    Ints misc, form;
    Flags paragraph;
    Signs sentence;
    bool text_before = false;  // whether text stands before the first token that MISC must say
};

// Tokens whose MISC must be SpaceAfter=No, and those that need a closer look; of all others MISC
// says what the text says.
struct Respaced {
    std::vector<Long> glued, unclear;
};

Respaced respace(const EncodedStrings& strings, const SpacedTokens& tokens);

}  // namespace caesura

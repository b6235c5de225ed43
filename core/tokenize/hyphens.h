// Words that are hyphenated at the end of a line: where they are, and which of them are one word.
//
// The last word of a line ends in a hyphen, the next line goes on in lower case: that is one word if
// it is known as one, or if neither part is known as a word. `well-` and `known` are two. Whether the
// lines are wrapped prose at all is for the layout to say.
#pragma once

#include <utility>
#include <vector>

#include "tokenize/vocabulary.h"

namespace caesura::tokenize {

// A word in two parts, by offsets: where it begins, where its second part does, its end.
struct Hyphenated {
    Long start, second, end;
};

// Appends the words that go on in the next line, of those whose hyphen ends one of some tokens. The
// ends of tokens are positions in the text; offsets are less by `shift`.
void find_hyphenated(const Text& text, Offsets ends, Long shift,
                     const Vocabulary& vocabulary, std::vector<Hyphenated>& found);

// First and last of tokens that are one word.
using Pairs = std::vector<std::pair<Long, Long>>;

// The tokens that are one word, as far as the layout is known.
Pairs pairs_of(const std::vector<Hyphenated>& found, Offsets begins, Offsets ends, Kinds breaks);

}  // namespace caesura::tokenize

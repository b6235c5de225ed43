// What is known of each token where sentence starts are decided.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/codes.h"
#include "tokenize/vocabulary.h"

namespace caesura::tokenize {

// Tokens that the features of a gap look back and ahead. Rows of marks have so many more.
constexpr Long behind = 3, ahead = 8;

// The gap before a token.
enum Gap : std::uint8_t { GLUED, BLANK, LINE_END = 3, PARAGRAPH };

struct Mark {
    std::uint64_t form = 0, ending = 0, shape = 0;
    std::uint32_t known = 0;  // bits of the type
    std::uint8_t gap = GLUED;
    std::uint8_t width = 0;  // of the line so far, in steps

    // The classes of the first and the last character.
    std::uint64_t head() const { return shape >> 12; }
    std::uint64_t tail() const { return (shape >> 7) & 31; }
};
using Marks = View<Mark>;
using ConstMarks = View<const Mark>;

// Where the gap and the line before the next token began.
struct Position {
    Long gap, line;
};

// Where the line began before it was wrapped, and whether it goes on from one before.
struct Joined {
    Long line = 0;
    bool goes_on = false;
};

// Fills the rows of tokens, which are at these positions of the text; the first is rows[0].
void mark_tokens(const Text& text, Offsets begins, Offsets ends, Position& at,
                 const Vocabulary& vocabulary, Marks rows);

// Makes gaps at which a document states that a paragraph starts those of paragraphs.
void set_paragraphs(Offsets begins, Offsets paragraphs, Marks rows);

// Makes the rows of wrapped prose, from the token `first` on, what they were before it was wrapped:
// there the end of a line is a blank, or nothing behind a hyphen, and lines go on. Tokens begin at
// rows[behind].
void join_lines(Offsets begins, Kinds breaks, Long first, Joined& joined, Marks rows);

// The marks of the tokens of a whole text, by offset, with rows before and behind. Without `breaks`
// it is not known which lines are wrapped prose.
std::vector<Mark> marks_of(const Text& text, Offsets begins, Offsets ends, Offsets paragraphs,
                           Kinds breaks, const Vocabulary& vocabulary);
// The codes of the layout as models learn from them: to them wrapped prose is what it was before.
std::vector<std::uint8_t> learned(Kinds breaks);

// Whether `[6]` begins at row i on the line of the token before: it is a note to that sentence.
bool is_note(ConstMarks rows, Long i);
// Whether the token before row i may end a note.
bool is_behind_note(ConstMarks rows, Long i);
// Copies the rows around a note, and around others that follow it at once, as if there were none.
void without_note(ConstMarks rows, Long i, Marks into);

}  // namespace caesura::tokenize

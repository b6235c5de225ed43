// The lines of a text, found in one pass over its characters, which may come in blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"

namespace caesura::layout {

using Kinds = Bytes;
// Characters of a line that are examined. Of a longer line only its length and its end are known:
// so a line is known after so many characters, and one of megabytes costs no more than its length.
constexpr Long longest_line = 400;

enum LineFlag : std::uint32_t {
    IS_BLANK = 1,
    IS_LONG = 2,
    IS_ITEM = 4,
    IS_RULE = 8,
    IS_TITLE = 16,
    IS_LABELLED = 32,
    BEGINS_LOWER = 64,
    BEGINS_UPPER = 128,
    ENDS_FINAL = 256,
    ENDS_COMMA = 512,
    ENDS_COLON = 1024,
    ENDS_HYPHEN = 2048,
};

struct Line {
    Long offset = 0;      // of its first character in the text
    Long indent = 0;      // column at which its ink begins
    Long width = 0;       // column behind its last ink
    Long first_word = 0;  // width of the first word
    Long body = 0;        // column at which its text begins after a list mark
    // Characters into the line at which the text begins behind `>`, a mark and a label, if any.
    Long quoted = 0, mark = 0, label = 0;
    std::uint32_t flags = 0;

    bool is(std::uint32_t any) const { return (flags & any) != 0; }
    bool is_one_word() const { return width == indent + first_word; }
};

// Finds lines. The state is what a block must know of those before it.
class Scanner {
   public:
    // Appends the lines that end in these characters, or are known to be long. They begin at the
    // offset `base` and hold the open line, unless it is long; those from `at` on are new.
    void scan(Kinds kinds, Codes codes, Long base, Long at, std::vector<Line>& lines);
    // The same for the last line, which no newline ends.
    void finish(Kinds kinds, Codes codes, Long base, std::vector<Line>& lines) const;

    Long line() const { return line_; }
    // Whether the open line is among the lines already, since it is long.
    bool is_written() const { return written_; }

   private:
    void close(Line& line) const;

    Long line_ = 0;  // where the open line begins
    bool written_ = false;
    Long ink_end_ = -1;   // the offset behind the last ink of the line
    std::uint32_t ink_ = 0;       // the code of that ink
    std::uint8_t before_ = 0;     // the class of the character before it
    std::uint8_t inner_ = 0;      // the class of the last ink that closes nothing
    std::uint32_t last_ = 0;      // the last character
    std::uint8_t last_kind_ = 0;
};

}  // namespace caesura::layout

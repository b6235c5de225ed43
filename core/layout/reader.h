// A code for the gap before each token of a text, which may come in blocks.
//
// The evidence is local: eight lines and less than four thousand characters to each side. So a text
// that comes in blocks gets the codes of the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"
#include "layout/ended.h"
#include "layout/gaps.h"

namespace caesura::layout {

using Offsets = Longs;

class Reader {
   public:
    // A document may state at which offsets paragraphs start; these rise.
    explicit Reader(Offsets paragraphs = {});

    // Takes the next characters.
    void feed(Kinds kinds, Codes codes, bool last);
    // Takes all characters at once, and copies none.
    void feed_whole(Kinds kinds, Codes codes);
    // The codes of the next tokens, as far as enough of the text is known. Tokens without one are
    // given again with the next call.
    std::vector<std::uint8_t> take(Offsets begins, Offsets ends);

   private:
    void note_tabs(Codes codes, Long base);
    void note_ended(Kinds kinds, Codes codes, Long base, Long first, bool last);
    Long read_off(Offsets begins, Offsets ends, View<std::uint8_t> out);

    // The line that the last token ends on, and what is known of it.
    struct Position {
        Long line = 0;
        Long end = 0;  // of the token
        bool opened = false;   // whether there was a token
        Break kind = SAME;     // before the line
        bool alone = false;    // whether the line stands for itself
    };

    Scanner scanner_;
    std::vector<Line> lines_;  // the last may be that of the open line
    Long known_ = 0;
    Position at_;
    Long base_ = 0;  // the offset of the first character that is kept
    std::vector<std::uint8_t> kinds_;
    std::vector<std::uint32_t> codes_;
    std::vector<Long> tabs_;
    std::vector<std::uint8_t> recent_kinds_;  // of the last characters
    std::vector<std::uint32_t> recent_codes_;
    std::vector<Ended> places_;  // sure places behind the last token
    std::vector<Long> paragraphs_;
    bool ended_ = false;
};

// The codes of the tokens of a whole text.
std::vector<std::uint8_t> layout_of(Kinds kinds, Codes codes, Offsets begins, Offsets ends,
                                    Offsets paragraphs);

}  // namespace caesura::layout

// What the gap before a line is, decided by the lines around it.
//
// Whether a block of lines is wrapped prose is a tally over its pairs of lines: in wrapped prose
// the first word of a line would not have fitted on the line before, and most lines begin in lower
// case. A block reaches `reach` lines to each side of a gap and ends at blank, ruled and long lines.
#pragma once

#include <utility>

#include "layout/codes.h"
#include "layout/lines.h"

namespace caesura::layout {

// Lines to each side of a gap that count, and lines before it that show the usual width.
constexpr Long reach = 8, back = 40;

// The lines of a text that are known. One more, which is still open, may stand behind them.
class Lines {
   public:
    Lines(View<const Line> lines, Long known) : lines_(lines), known_(known) {}

    Long known() const { return known_; }
    // The code of the gap before line i, which has ink; `opened` if tokens came before.
    Break decide(Long i, bool opened) const;
    // Whether enough lines are known to decide about line i, though more may come.
    bool is_ready(Long i) const;
    // Whether line i stands for itself, since the next one does and is no heading.
    bool goes_on_alone(Long i) const;
    // Whether what opens line i, before which is a gap of some kind, reaches up to an offset. In
    // wrapped prose only the mark of a quoted mail does; a label does if another line has one.
    bool is_opened(Long i, Break kind, Long at) const;

   private:
    using Range = std::pair<Long, Long>;

    bool fits(Long before, Long i, Long width) const;
    bool is_parted(Long before, Long i) const;
    int tally(Long before, Long i, Long width, int capital) const;
    bool is_wrapped(Range block, Long width) const;
    bool are_full(Range block, Long width) const;
    bool is_full(Long i) const;
    bool is_quoted_alone(Long i) const;
    bool is_heading(Range block, Long i, Long width) const;
    bool is_head_break(Range block, Long i, Long width) const;
    bool has_fellow(Range block, Long i, std::uint32_t flag) const;
    bool is_verse(Range block, Long width) const;
    bool is_double_spaced(Long i, Long before) const;
    Long width_of(Range block, Long step = 1) const;
    Range block(Long low, Long high, Long i) const;
    Break line_break(Long i) const;

    View<const Line> lines_;
    Long known_;
};

}  // namespace caesura::layout

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
constexpr std::int64_t reach = 8, back = 40;

// The lines of a text that are known. One more, which is still open, may stand behind them.
class Lines {
   public:
    Lines(View<const Line> lines, std::int64_t known) : lines_(lines), known_(known) {}

    std::int64_t known() const { return known_; }
    // The code of the gap before line i, which has ink; `opened` if tokens came before.
    Break decide(std::int64_t i, bool opened) const;
    // Whether enough lines are known to decide about line i, though more may come.
    bool is_ready(std::int64_t i) const;
    // Whether line i stands for itself, since the next one does and is no heading.
    bool goes_on_alone(std::int64_t i) const;
    // Whether what opens line i, before which is a gap of some kind, reaches up to an offset. In
    // wrapped prose only the mark of a quoted mail does; a label does if another line has one.
    bool is_opened(std::int64_t i, Break kind, std::int64_t at) const;

   private:
    using Range = std::pair<std::int64_t, std::int64_t>;

    bool fits(std::int64_t before, std::int64_t i, std::int64_t width) const;
    bool is_parted(std::int64_t before, std::int64_t i) const;
    int tally(std::int64_t before, std::int64_t i, std::int64_t width, int capital) const;
    bool is_wrapped(Range block, std::int64_t width) const;
    bool are_full(Range block, std::int64_t width) const;
    bool is_full(std::int64_t i) const;
    bool is_quoted_alone(std::int64_t i) const;
    bool is_heading(Range block, std::int64_t i, std::int64_t width) const;
    bool is_head_break(Range block, std::int64_t i, std::int64_t width) const;
    bool has_fellow(Range block, std::int64_t i, std::uint32_t flag) const;
    bool is_verse(Range block, std::int64_t width) const;
    bool is_double_spaced(std::int64_t i, std::int64_t before) const;
    std::int64_t width_of(Range block, std::int64_t step = 1) const;
    Range block(std::int64_t low, std::int64_t high, std::int64_t i) const;
    Break line_break(std::int64_t i) const;

    View<const Line> lines_;
    std::int64_t known_;
};

}  // namespace caesura::layout

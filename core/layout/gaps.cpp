#include "layout/gaps.h"

#include <algorithm>
#include <cstdlib>

namespace caesura::layout {
namespace {

// Prose is not wrapped narrower or wider than this, nor prose that is typed with double spacing,
// nor verse. In narrow columns words are hyphenated.
constexpr Long narrow = 28, wide = 160;
constexpr Long narrow_column = 12;
constexpr Long narrow_double = 40, wide_double = 104;
constexpr Long narrow_verse = 20, wide_verse = 56;
// The least width of a long line, and of a long word that is one.
constexpr Long long_line = 60, long_word = 20;
constexpr Long indent_step = 2;
// So many pairs of lines without room for a word are wrapped.
constexpr Long full_pairs = 3;
// What a capital counts for wrapped prose in the block itself, and in the text around it.
constexpr int against = -1, no_matter = 0;
constexpr std::uint32_t ends_block = IS_BLANK | IS_RULE;

}  // namespace

// Whether the first word of line i had fitted on the line before.
bool Lines::fits(Long before, Long i, Long width) const {
    return lines_[before].width + 1 + lines_[i].first_word <= width;
}

// Whether a word is hyphenated between two lines, of which the first is no word alone.
bool Lines::is_parted(Long before, Long i) const {
    const Line& last = lines_[before];
    return last.is(ENDS_HYPHEN) && lines_[i].is(BEGINS_LOWER) &&
           last.width > last.indent + last.first_word;
}

// What a pair of lines counts for (positive) or against wrapped prose. `capital` is what one counts
// that begins the second after a line that is full but not long.
int Lines::tally(Long before, Long i, Long width, int capital) const {
    const Line &line = lines_[i], &last = lines_[before];
    if (line.is(IS_ITEM) || line.indent > last.body + 1) return 0;
    // A word that is hyphenated goes on, whatever room there was.
    if (is_parted(before, i)) return 4;
    if (fits(before, i, width)) return -2;
    if (line.is(BEGINS_LOWER)) return last.is(ENDS_HYPHEN) ? 4 : 3;
    if (line.is(BEGINS_UPPER) && !last.is(ENDS_FINAL))
        // What stands for itself is rarely so long, except for a title.
        return last.width >= long_line && !last.is(IS_TITLE) ? 1 : capital;
    return 1;
}

// Whether the lines of a block are prose that was wrapped at about this width.
bool Lines::is_wrapped(Range block, Long width) const {
    if (width < narrow_column || width > wide) return false;
    int total = 0;
    bool too_narrow = width < narrow;
    for (Long j = block.first + 1; j < block.second; ++j) {
        if ((lines_[j - 1].flags | lines_[j].flags) & IS_LONG) continue;
        total += tally(j - 1, j, width, against);
        too_narrow = too_narrow && !is_parted(j - 1, j);
    }
    return total > 0 && !too_narrow;
}

// Whether no line of several had room for the first word of the next, whatever its case. Titles,
// names and capitals are wrapped, too; lines that stand for themselves differ in length.
bool Lines::are_full(Range block, Long width) const {
    if (block.second - block.first <= full_pairs || width < narrow || width > wide) return false;
    for (Long j = block.first + 1; j < block.second; ++j)
        if (lines_[j].is(IS_ITEM | IS_LABELLED) || fits(j - 1, j, width)) return false;
    return true;
}

// Whether line i begins since the line before was full, by the width of the text around it. A block
// of names and numbers does not show by itself that it is wrapped; the blocks around it do.
bool Lines::is_full(Long i) const {
    Long first = i - 1, last = i + 1;
    while (first > 0 && first > i - back && !lines_[first - 1].is(IS_LONG)) --first;
    while (last < known_ && last < i + reach && !lines_[last].is(IS_LONG)) ++last;
    Long width = 0;
    for (Long j = first; j < last; ++j)
        // One word alone may be longer than lines are.
        if (!lines_[j].is(ends_block) && lines_[j].width > lines_[j].indent + lines_[j].first_word)
            width = std::max(width, lines_[j].width);
    if (width < narrow || width > wide || fits(i - 1, i, width)) return false;
    int total = 0;
    for (Long j = first + 1; j < last; ++j)
        // Names and capitals may begin any line of a text that is wrapped elsewhere.
        if (!((lines_[j - 1].flags | lines_[j].flags) & ends_block))
            total += tally(j - 1, j, width, no_matter);
    return total > 0;
}

// Whether no line beside line i has the mark of a quoted mail, and no line introduces it. Then it
// is what closes a bracket: `<< File: map.doc >>`.
bool Lines::is_quoted_alone(Long i) const {
    const Line& last = lines_[i - 1];
    if (lines_[i].quoted == 0 || last.quoted > 0 || last.is(ENDS_COLON)) return false;
    return i + 1 >= known_ || lines_[i + 1].quoted == 0;
}

// Whether line i is like a title and stands where one may: first, last, or short.
bool Lines::is_heading(Range block, Long i, Long width) const {
    if (!lines_[i].is(IS_TITLE)) return false;
    if (i == block.first || i + 1 == block.second) return true;
    if (lines_[i - 1].is(IS_TITLE) || lines_[i + 1].is(IS_TITLE)) return true;
    return lines_[i - 1].is(ENDS_FINAL) && fits(i, i + 1, width);
}

// Whether a heading ends or begins between line i - 1 and line i.
bool Lines::is_head_break(Range block, Long i, Long width) const {
    if (lines_[i].is(BEGINS_LOWER)) return false;
    const bool first = is_heading(block, i - 1, width), second = is_heading(block, i, width);
    if (first && second) return true;
    // One line of a wrapped paragraph may hold nothing but names.
    if (first) return fits(i - 1, i, width) || !lines_[i].is(BEGINS_UPPER);
    return second && lines_[i - 1].is(ENDS_FINAL) && i + 1 < block.second;
}

// Whether another line of the block has a flag, too.
bool Lines::has_fellow(Range block, Long i, std::uint32_t flag) const {
    for (Long j = block.first; j < block.second; ++j)
        if (j != i && lines_[j].is(flag)) return true;
    return false;
}

// The lines around low..high-1 that count for line i.
Lines::Range Lines::block(Long low, Long high, Long i) const {
    while (low > 0 && low > i - reach && !lines_[low - 1].is(ends_block | IS_LONG)) --low;
    while (high < known_ && high < i + reach && !lines_[high].is(ends_block | IS_LONG)) ++high;
    return {low, high};
}

Long Lines::width_of(Range block, Long step) const {
    Long width = 0;
    for (Long j = block.first; j < block.second; j += step)
        width = std::max(width, lines_[j].width);
    return width;
}

bool Lines::is_opened(Long i, Break kind, Long at) const {
    const Line& line = lines_[i];
    const Long inside = at - line.offset;
    // What no line before it has is no margin.
    if (kind == WRAP || kind == SHORT) return inside <= line.quoted && lines_[i - 1].quoted > 0;
    if (inside <= line.mark) return true;
    if (inside > line.label) return false;
    return has_fellow(block(i, i + 1, i), i, IS_LABELLED);
}

// Whether the lines of a block, which are not wrapped, are verse. Many lines of verse end in
// commas, in this stanza or the ones next to it. Or they are about as long as each other, begin
// with capitals, and more go on over the end of a line than stop there, but the last stops.
// `Kind regards,` closes a letter: lines are about as long as each other.
bool Lines::is_verse(Range block, Long width) const {
    if (width < narrow_verse) return false;
    const auto [low, high] = block;
    Long first = low, last = high;
    while (first > 0 && first > high - reach && !lines_[first - 1].is(IS_RULE | IS_LONG)) --first;
    while (last < known_ && last < low + reach && !lines_[last].is(IS_RULE | IS_LONG)) ++last;
    int commas = 0, inked = 0;
    for (Long j = first; j < last; ++j) {
        if (lines_[j].is(IS_BLANK)) continue;
        ++inked;
        if (lines_[j].is(ENDS_COMMA) && 2 * lines_[j].width >= width) ++commas;
    }
    if (4 * commas >= inked) return true;
    if (width > wide_verse || !lines_[high - 1].is(ENDS_FINAL)) return false;
    int over = 0;
    for (Long j = low; j < high; ++j) {
        const Line& line = lines_[j];
        if (2 * line.width < width || !line.is(BEGINS_UPPER) || line.is(IS_ITEM | IS_LABELLED))
            return false;
        if (!line.is(ENDS_FINAL)) ++over;
    }
    return 2 * over >= high - low;
}

// The code between two lines with ink, i - 1 and i.
Break Lines::line_break(Long i) const {
    const Line &line = lines_[i], &last = lines_[i - 1];
    if ((line.flags | last.flags) & IS_RULE) return INDENT;
    if ((line.flags | last.flags) & IS_LONG) return PARAGRAPH;
    const Range block = this->block(i - 1, i + 1, i);
    const Long width = width_of(block);
    const auto is_long_word = [](const Line& l) {
        return l.first_word >= long_word && l.is_one_word();
    };
    if (is_long_word(last) && is_long_word(line)) return LINE;
    const bool full = is_full(i) || are_full(block, width);
    const bool wrapped = full || is_wrapped(block, width);
    // A word that is hyphenated goes on, whatever room there was.
    const bool parted = last.is(ENDS_HYPHEN) && line.is(BEGINS_LOWER);
    const bool fits = !full && !parted && this->fits(i - 1, i, width);
    if (full && is_quoted_alone(i)) return WRAP;
    // A dash or a number may open a line of wrapped prose, too.
    const bool opens = fits || !wrapped || last.is(ENDS_FINAL | IS_ITEM);
    if (line.is(IS_ITEM) && (opens || has_fellow(block, i, IS_ITEM))) return ITEM;
    const bool labelled = line.is(IS_LABELLED) && (fits || !wrapped || last.is(IS_LABELLED));
    if (labelled && has_fellow(block, i, IS_LABELLED)) return FIELD;
    if (!full && is_head_break(block, i, width)) return HEAD;
    if (width > wide) return PARAGRAPH;
    if (last.is(IS_ITEM)) {
        // What hangs below the text of an item goes on with it.
        const bool hangs = std::abs(line.indent - last.body) <= 1;
        if (!hangs && line.indent <= last.indent) return fits || !wrapped ? LINE : WRAP;
        return fits ? SHORT : WRAP;
    }
    const Long step = line.indent - last.indent;
    if (step >= indent_step) return INDENT;
    if (step <= -indent_step) {
        // The first line of a paragraph may be indented, and the others less.
        const bool opened =
            i - 1 == block.first || last.indent - lines_[i - 2].indent >= indent_step;
        if (!opened) return INDENT;
    }
    if (wrapped) return fits ? SHORT : WRAP;
    return is_verse(block, width) ? VERSE : LINE;
}

bool Lines::goes_on_alone(Long i) const {
    if (i + 1 >= known_ || (lines_[i].flags | lines_[i + 1].flags) & (ends_block | IS_LONG))
        return false;
    // No more lines need be known.
    return Lines(lines_, std::min(known_, i + reach)).line_break(i + 1) == LINE;
}

// Whether prose was typed with a blank line after each line, around the lines before and i.
bool Lines::is_double_spaced(Long i, Long before) const {
    if (i - before != 2 || (lines_[i].flags | lines_[before].flags) & (IS_LONG | ends_block))
        return false;
    Long low = before, high = i;
    while (low > 1 && low > i - reach && !lines_[low - 2].is(ends_block | IS_LONG)) {
        if (lines_[low - 1].is(IS_LONG)) break;
        if (!lines_[low - 1].is(IS_BLANK)) return false;
        low -= 2;
    }
    while (high + 2 < known_ && high < i + reach - 2 &&
           !lines_[high + 2].is(ends_block | IS_LONG)) {
        if (lines_[high + 1].is(IS_LONG)) break;
        if (!lines_[high + 1].is(IS_BLANK)) return false;
        high += 2;
    }
    const Long width = width_of({low, high + 1}, 2);
    if (width < narrow_double || width > wide_double || high - low < 4) return false;
    int total = 0, finals = 0, lowers = 0, pairs = 0;
    for (Long j = low + 2; j <= high; j += 2) {
        total += tally(j - 2, j, width, against);
        ++pairs;
        if (lines_[j - 2].is(ENDS_FINAL)) ++finals;
        if (lines_[j].is(BEGINS_LOWER)) ++lowers;
    }
    if (total <= 0 || 2 * finals > pairs || 2 * lowers < pairs) return false;
    // Where a paragraph ends its last line is short, and the next begins with a capital.
    return lines_[i].is(BEGINS_LOWER) || !fits(before, i, width);
}

bool Lines::is_ready(Long i) const {
    if (i >= known_) return false;
    for (Long j = i; j < std::min(known_, i + reach); ++j)
        if (lines_[j].is(IS_LONG)) return true;
    return i + reach <= known_;
}

Break Lines::decide(Long i, bool opened) const {
    if (!opened) return START;
    Long before = i - 1;
    while (before >= 0 && before > i - reach && lines_[before].is(IS_BLANK)) --before;
    if (before < 0 || before == i - reach || lines_[before].is(IS_BLANK)) return BLANK;
    if (before == i - 1) return line_break(i);
    return is_double_spaced(i, before) ? DOUBLE : BLANK;
}

}  // namespace caesura::layout

#include "layout/lines.h"

#include <algorithm>
#include <string_view>

#include "text/classes.h"

namespace caesura::layout {
namespace {

using namespace text;

// Characters that open a list item if a blank follows, that make a rule, and that a label holds.
constexpr std::u32string_view bullets = U"-–—*+•·◦▪■□●○‣⁃►▸✓✔☐☑→#§";
constexpr std::u32string_view rules = U"-–—=_*~#+.·•─━═";
constexpr std::u32string_view inside_label = U"-_.'’()[]#@&/";
constexpr std::u32string_view numerals = U"ivxlIVXL";
constexpr std::u32string_view hyphens = U"-\u00AD\u2010";
constexpr Long longest_label = 32, longest_remark = 40, longest_title = 90;
constexpr Long big_word = 4, tab_width = 4;

bool among(std::uint32_t code, std::u32string_view known) {
    return known.find(static_cast<char32_t>(code)) != std::u32string_view::npos;
}

// The characters of one line. Functions named `after` return where something that begins at p
// ends, or p if it is not there.
struct Characters {
    Kinds kinds;
    Codes codes;
    Long end;

    Long after_blanks(Long p) const {
        while (p < end && kinds[p] == SPACE) ++p;
        return p;
    }
    // `-`, `##`, `12.`, `3)`, `(iv)`, `a)`.
    Long after_mark(Long p) const;
    // A letter with a number, `Q1. What`, or a note, `[6] See`.
    Long after_number(Long p) const;
    // Up to four words and a colon: `Subject:`, `[00:01] ANNA:`.
    Long after_label(Long p) const;
    // Blanks behind a label, and a remark: `ANNA: (laughing) No.`
    Long after_remark(Long p) const;
    // Whether nothing but a drawn line is there.
    bool is_rule(Long p) const;
    // Whether every longer word begins with a capital or digit, or all letters are capitals.
    bool is_title(Long p) const;
};

Long Characters::after_mark(Long p) const {
    Long q = p;
    while (q < end && q - p < 3 && codes[q] == codes[p] && among(codes[p], bullets)) ++q;
    if (q == p) {
        const bool bracket = codes[q] == '(';
        if (bracket) ++q;
        const Long inner = q;
        bool numeral = true, digits = true;
        while (q < end && q - inner < 4 && is_wordlike(kinds[q])) {
            numeral = numeral && among(codes[q], numerals);
            digits = digits && kinds[q] == DIGIT;
            ++q;
        }
        if (q == inner || q >= end) return p;
        const bool single = q - inner == 1;
        if (!digits && !(numeral && !single) && !single) return p;
        if (codes[q] != ')') {
            // `J. Smith` may open a line of prose, and so may a year.
            if (bracket || codes[q] != '.' || (kinds[inner] == UPPER && single)) return p;
            if (digits && q - inner > 2) return p;
        }
        ++q;
    }
    return q < end && kinds[q] == SPACE ? q : p;
}

Long Characters::after_number(Long p) const {
    if (codes[p] == '[') {
        Long q = p + 1;
        while (q < end && q - p < 4 && kinds[q] == DIGIT) ++q;
        const bool ends = q > p + 1 && q + 1 < end && codes[q] == ']' && kinds[q + 1] == SPACE;
        return ends ? q + 1 : p;
    }
    if (p + 2 >= end || kinds[p] != UPPER || kinds[p + 1] != DIGIT) return p;
    Long q = p + 2;
    if (kinds[q] == DIGIT) ++q;
    return q + 1 < end && codes[q] == '.' && kinds[q + 1] == SPACE ? q + 1 : p;
}

Long Characters::after_remark(Long p) const {
    p = after_blanks(p);
    if (p >= end || codes[p] != '(') return p;
    Long q = p + 1;
    while (q < end && q - p < longest_remark && codes[q] != '(' && codes[q] != ')') ++q;
    if (q + 1 >= end || codes[q] != ')' || kinds[q + 1] != SPACE) return p;
    return after_blanks(q + 1);
}

Long Characters::after_label(Long p) const {
    int blanks = 0, letters_seen = 0;
    for (Long q = p; q < std::min(end, p + longest_label); ++q) {
        if (codes[q] == ':') {
            if (q + 1 >= end || kinds[q + 1] == SPACE) return letters_seen > 0 ? q + 1 : p;
            if (kinds[q + 1] != DIGIT) return p;
        } else if (kinds[q] == SPACE) {
            if (++blanks > 3) return p;
        } else if (is_letter(kinds[q])) {
            ++letters_seen;
        } else if (kinds[q] != DIGIT && !among(codes[q], inside_label)) {
            return p;
        }
    }
    return p;
}

bool Characters::is_rule(Long p) const {
    Long drawn = 0;
    for (Long q = p; q < end; ++q) {
        if (among(codes[q], rules))
            ++drawn;
        else if (kinds[q] != SPACE)
            return false;
    }
    return drawn >= 3;
}

bool Characters::is_title(Long p) const {
    if (end - p > longest_title) return false;
    int uppers = 0, lowers = 0, small = 0, words = 0;
    for (Long q = p;; ++words) {
        while (q < end && !is_wordlike(kinds[q])) ++q;
        if (q >= end) break;
        const std::uint8_t first = kinds[q];
        const Long start = q;
        for (; q < end && kinds[q] != SPACE; ++q) {
            if (kinds[q] == UPPER || kinds[q] == TITLE)
                ++uppers;
            else if (kinds[q] == LOWER)
                ++lowers;
        }
        if (first == LOWER && (words == 0 || q - start >= big_word)) ++small;
    }
    return uppers > 0 && (small == 0 || lowers == 0);
}

// What the characters from a on, the whole line, show of its beginning.
void read_beginning(const Characters& in, Long a, Line& line) {
    const Long b = in.end;
    Long p = a, tabs = 0;
    bool quoted = false;
    for (; p < b; ++p) {
        if (in.codes[p] == '\t') {
            ++tabs;
        } else if (in.codes[p] == '>') {
            // The mark of a quoted mail is a margin, and so are marks of direction.
            if (p + 1 < b && in.kinds[p + 1] != SPACE && in.codes[p + 1] != '>') break;
            quoted = true;
        } else if (in.kinds[p] != SPACE && in.kinds[p] != JOINER) {
            break;
        }
    }
    line.indent = line.body = p - a + tabs * (tab_width - 1);
    if (p == b) {
        line.flags = IS_BLANK;
        return;
    }
    Long q = p;
    while (q < b && in.kinds[q] != SPACE) ++q;
    line.first_word = q - p;
    if (in.is_rule(p)) {
        line.flags = IS_RULE;
        return;
    }
    Long text = in.after_mark(p);
    if (text > p) {
        line.flags |= IS_ITEM;
        text = in.after_blanks(text);
        if (text < b && among(in.codes[p], bullets) && in.kinds[text] == DIGIT)
            text = in.after_blanks(in.after_mark(text));  // `• 10. The`
        line.body += text - p;
    }
    // Two hyphens open a signature rather than an item.
    const bool is_signature = in.codes[p] == '-' && p + 1 < b && in.codes[p + 1] == '-';
    const Long behind = in.after_blanks(is_signature ? p : std::max(text, in.after_number(p)));
    line.quoted = quoted ? p - a : 0;
    line.mark = behind > p ? behind - a : line.quoted;
    while (p < b && !is_wordlike(in.kinds[p])) ++p;
    if (p < b && in.kinds[p] == LOWER) line.flags |= BEGINS_LOWER;
    if (p < b && (in.kinds[p] == UPPER || in.kinds[p] == TITLE)) line.flags |= BEGINS_UPPER;
    const Long label = in.after_label(text);
    if (label > text) {
        line.flags |= IS_LABELLED;
        line.label = in.after_remark(label) - a;
    }
    if (in.is_title(text)) line.flags |= IS_TITLE;
}

}  // namespace

// Adds where the ink of a line ends, and in what mark.
void Scanner::close(Line& line) const {
    if (ink_end_ < 0) {
        line.flags |= IS_BLANK;  // a long line of blanks, too
        return;
    }
    line.width = ink_end_ - line_;
    if (among(ink_, hyphens) && is_letter(before_)) {
        line.flags |= ENDS_HYPHEN;
    } else if (ink_ == ':') {
        line.flags |= ENDS_COLON;
    } else if (ink_ == ';' || inner_ == COMMA || inner_ == DASH) {
        // A colon before a bracket is the eyes of a smile.
        if (ink_ != ')') line.flags |= ENDS_COMMA;
    } else if (inner_ == STOP || inner_ == ASKING) {
        line.flags |= ENDS_FINAL;
    }
    if (line.is(ENDS_COMMA | ENDS_HYPHEN) || ink_ == '.')
        line.flags &= ~static_cast<std::uint32_t>(IS_TITLE);
}

void Scanner::scan(Kinds kinds, Codes codes, Long base, Long at, std::vector<Line>& lines) {
    const Long size = std::ssize(kinds);
    for (Long p = at; p < size; ++p) {
        const std::uint8_t kind = kinds[p];
        const std::uint32_t code = codes[p];
        if (kind == NEWLINE) {
            if (code == '\n' && last_ == '\r') {
                line_ = base + p + 1;
                last_ = code;
                continue;
            }
            if (!written_) {
                lines.push_back({.offset = line_});
                read_beginning({kinds, codes, p}, line_ - base, lines.back());
            }
            close(lines.back());
            line_ = base + p + 1;
            written_ = false;
            ink_end_ = -1;
            inner_ = 0;
        } else {
            if (kind != SPACE) {
                ink_end_ = base + p + 1;
                ink_ = code;
                before_ = last_kind_;
                if (kind != QUOTE && kind != CLOSE && kind != APOSTROPHE) inner_ = kind;
            }
            if (base + p - line_ == longest_line && !written_) {
                lines.push_back({.offset = line_, .flags = IS_LONG});
                written_ = true;
            }
        }
        last_ = code;
        last_kind_ = kind;
    }
}

void Scanner::finish(Kinds kinds, Codes codes, Long base, std::vector<Line>& lines) const {
    if (!written_) {
        lines.push_back({.offset = line_});
        read_beginning({kinds, codes, std::ssize(kinds)}, line_ - base, lines.back());
    }
    close(lines.back());
}

}  // namespace caesura::layout

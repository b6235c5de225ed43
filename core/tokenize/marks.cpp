#include "tokenize/marks.h"

#include <algorithm>

namespace caesura::tokenize {
namespace {

using enum text::Class;
using text::window;

// Lines are told apart up to this width, in steps.
constexpr Long widest = 160, width_step = 10;
// The forms `[` and `]`, and the first and last class of a number in a shape.
constexpr std::uint64_t opening = '[' + 1, closing = ']' + 1, number = 33 * DIGIT;

std::uint8_t width_of(Long length) {
    return static_cast<std::uint8_t>(std::min(length, widest) / width_step);
}

// The gap of the next token, which begins at `begin`; moves the line.
Gap gap_before(const Text& text, Long begin, Position& at) {
    Long lines = 0;
    for (Long p = std::max(at.gap, begin - window); p < begin; ++p) {
        if (text.classes[p] != text::NEWLINE) continue;
        if (text.folded[p] == '\n' && text.folded[p - 1] == '\r') continue;
        ++lines;
        at.line = p + 1;
    }
    if (begin - at.gap >= window || lines > 1) return PARAGRAPH;
    if (lines == 1) return LINE_END;
    return begin > at.gap ? BLANK : GLUED;
}

std::uint64_t shape_of(const Text& text, Long begin, Long end) {
    bool inner = false;
    Long upper = 0, lower = 0, digits = 0;
    for (Long p = begin; p < end; ++p) {
        const std::uint8_t kind = text.classes[p];
        upper += kind == UPPER;
        lower += kind == LOWER;
        digits += kind == DIGIT;
        inner |= kind == STOP && p > begin && p + 1 < end;
    }
    std::uint64_t shape = text.classes[begin] * 32ull + text.classes[end - 1];
    shape = shape * 8 + static_cast<std::uint64_t>(std::min<Long>(end - begin, 4));
    shape = (shape * 2 + inner) * 8;
    if (lower == 0 && upper > 1) shape += 1;
    if (digits > 0) shape += 2;
    if (upper > 1 && lower > 0) shape += 4;
    return shape + 1;
}

// Whether a token is the address of a page or of a mailbox: with ://, www. or an inner @.
bool is_address(const Text& text, Long start, Long end) {
    const auto f = text.folded;
    if (f[start] == 'w' && f[start + 1] == 'w' && f[start + 2] == 'w') return true;
    for (Long p = start + 1; p < end - 2; ++p)
        if (f[p] == '@' || (f[p] == ':' && f[p + 1] == '/' && f[p + 2] == '/')) return true;
    return false;
}

// Whether the token before, at the end of a line, is the hyphen of a word that goes on.
bool is_hyphenated(ConstMarks rows, Long i) {
    const Mark& before = rows[i - 1];
    const bool glued = before.gap == GLUED || before.head() != DASH;
    return glued && before.tail() == DASH && rows[i].head() == LOWER;
}

}  // namespace

void mark_tokens(const Text& text, Offsets begins, Offsets ends, Position& at,
                 const Vocabulary& vocabulary, Marks rows) {
    const Long n = std::ssize(begins);
    for (Long i = 0; i < n; ++i) {
        const Long a = begins[i], b = ends[i], c = std::min(b, a + window);
        Mark& mark = rows[i];
        mark.gap = gap_before(text, a, at);
        mark.width = width_of(a - at.line);
        mark.form = text.hash(a, c);
        mark.ending = text.hash(std::max(a, c - 3), c);
        mark.shape = shape_of(text, a, c);
        mark.known = 0;
        if (vocabulary.knows_types()) {
            Long begin = a;
            // A period of its own: what it makes of the word that it is behind.
            if (b == a + 1 && mark.gap == GLUED && text.classes[a] == STOP)
                while (begin > a - longest_type && (text::is_wordlike(text.classes[begin - 1]) ||
                                                    text.classes[begin - 1] == STOP))
                    --begin;
            mark.known = vocabulary.bits(text, begin, b);
            if (b - a > 6 && is_address(text, a, c)) mark.known |= type_bits::address;
        }
        at.gap = b;
    }
}

void set_paragraphs(Offsets begins, Offsets paragraphs, Marks rows) {
    for (const Long paragraph : paragraphs) {
        const auto t = std::lower_bound(begins.begin(), begins.end(), paragraph) - begins.begin();
        if (t < std::ssize(begins) && rows[t].gap != GLUED)
            rows[t].gap = PARAGRAPH;
    }
}

void join_lines(Offsets begins, Kinds breaks, Long first, Joined& joined, Marks rows) {
    for (Long i = first; i < std::ssize(breaks); ++i) {
        Mark& mark = rows[i + behind];
        if (mark.gap == LINE_END && breaks[i] == layout::WRAP) {
            mark.gap = is_hyphenated(rows, i + behind) ? GLUED : BLANK;
            joined.goes_on = true;
        } else if (mark.gap > BLANK) {
            joined.line = begins[i] - width_step * mark.width;
            joined.goes_on = false;
        }
        if (joined.goes_on) mark.width = width_of(begins[i] - joined.line);
    }
}

std::vector<Mark> marks_of(const Text& text, Offsets begins, Offsets ends, Offsets paragraphs,
                           Kinds breaks, const Vocabulary& vocabulary) {
    std::vector<Mark> rows(begins.size() + behind + ahead);
    std::vector<Long> firsts(begins.begin(), begins.end()), lasts(ends.begin(), ends.end());
    for (Long& first : firsts) first += text::margin;
    for (Long& last : lasts) last += text::margin;
    Position at{text::margin, text::margin};
    const Marks own(rows.data() + behind, begins.size());
    mark_tokens(text, firsts, lasts, at, vocabulary, own);
    set_paragraphs(begins, paragraphs, own);
    Joined joined;
    join_lines(begins, breaks, 0, joined, rows);
    return rows;
}

std::vector<std::uint8_t> learned(Kinds breaks) {
    std::vector<std::uint8_t> found(breaks.begin(), breaks.end());
    for (std::uint8_t& code : found)
        if (code >= layout::OPENED || code == layout::WRAP) code = layout::SAME;
    return found;
}

bool is_note(ConstMarks rows, Long i) {
    if (rows[i].form != opening || rows[i + 2].form != closing || rows[i].gap > BLANK) return false;
    return rows[i + 1].shape >> 7 == number && rows[i + 1].gap == GLUED && rows[i + 2].gap == GLUED;
}

bool is_behind_note(ConstMarks rows, Long i) { return rows[i - 1].form == closing; }

void without_note(ConstMarks rows, Long i, Marks into) {
    Long after = i + 3;
    while (after + 3 < i + ahead && is_note(rows, after)) after += 3;
    for (Long row = 0; row < behind + ahead; ++row) {
        const Long k = row < behind ? i - behind + row : after + row - behind;
        into[row] = k < i + ahead ? rows[k] : Mark{};
    }
}

}  // namespace caesura::tokenize

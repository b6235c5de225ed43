#include "layout/ended.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "text/classes.h"

namespace caesura::layout {
namespace {

using enum text::Class;
using Code = std::uint32_t;

// Marks that end sentences in every text: those of Chinese and Japanese, Arabic, Ethiopic, Armenian
// and the scripts of India and Central Asia. The Myanmar sign U+104A is a comma in texts.
constexpr std::u32string_view full =
    U"\u0589\u061D\u061E\u061F\u06D4\u0700\u0701\u0702\u0964\u0965\u0F0D\u0F0E\u104B\u1362\u1367"
    U"\u1368\u166E\u17D4\u17D5\u1803\u1809\u2047\u2048\u2049\u3002\uA4FF\uA60E\uA6F7\uAAF0\uABEB"
    U"\uFF01\uFF1F\uFF61";
// Of these, the marks of statements.
constexpr std::u32string_view stops = U"\u06D4\u0964\u0965\u1362\u3002\uFF61";
constexpr std::u32string_view opening = U"“„«「『‘‹", closing = U"”»」』’›";
// Signs of Japanese particles: they never begin a sentence, and follow names such as `モーニング娘。`.
constexpr std::u32string_view particles = U"のをとっ";
// English verbs of speech, and words that begin a sentence rather than name who speaks.
constexpr std::u32string_view speech[] = {
    U"said",    U"says",     U"asked",    U"asks",   U"cried",    U"replied",   U"shouted", U"yelled",
    U"called",  U"answered", U"screamed", U"begged", U"wondered", U"exclaimed", U"gasped",  U"added",
    U"laughed", U"muttered", U"demanded", U"sighed", U"murmured", U"whispered", U"groaned", U"urged",
};
constexpr std::u32string_view openers[] = {
    U"he", U"she", U"it", U"they", U"we", U"you", U"i", U"the", U"a", U"an", U"this", U"that",
    U"these", U"those", U"who", U"what", U"when", U"then", U"so", U"and", U"but", U"some", U"people",
    U"nobody", U"everyone", U"someone", U"no", U"his", U"her", U"their", U"my", U"our", U"your",
};
// Abbreviations before names.
constexpr std::u32string_view titles[] = {
    U"dr", U"mr", U"mrs", U"ms", U"st", U"sr", U"jr", U"prof", U"sen", U"rep", U"gov", U"gen",
    U"col", U"capt", U"rev", U"hon", U"sgt", U"lt", U"mt", U"ft", U"frl", U"hr", U"sra", U"mme",
};
// Blanks between a mark and the next sentence, and marks and quotes of a place.
constexpr Long widest = 2, longest = 12;
// Spaced dots that are an ellipsis; one more ends a sentence.
constexpr Long few_dots = 3;

bool among(Code code, std::u32string_view known) {
    return known.find(static_cast<char32_t>(code)) != std::u32string_view::npos;
}

bool is_greek(Code code) {
    return (code >= 0x386 && code < 0x400) || (code >= 0x1F00 && code < 0x2000);
}

// Whether a period, with a blank behind it, ends sentences beside letters of a script without case:
// Arabic, Ethiopic and Korean abbreviations with a period are single letters.
bool is_plain(Code code) {
    return (code >= 0x600 && code < 0x780) || (code >= 0x1200 && code < 0x1380) ||
           (code >= 0xAC00 && code < 0xD7B0);
}

// Whether a letter is of a script of South-East Asia, where a period is no final mark.
bool is_unmarked(Code code) { return code >= 0xE00 && code < 0x1100; }

struct Place {
    Kinds kinds;
    Codes codes;
    Long begin, behind, end;  // of the marks, behind the closing quotes, the next ink

    bool is_mark(Long p) const {
        const std::uint8_t kind = kinds[p];
        if (kind == ASKING || kind == STOP) return true;
        if (codes[p] == ';') return p > 0 && is_greek(codes[p - 1]);
        return (kind == OTHER_PUNCTUATION || kind == COMMA) && among(codes[p], full);
    }
    bool is_closing(Long p) const {
        if (kinds[p] == CLOSE) return true;
        return codes[p] == '"' || among(codes[p], closing);
    }
    bool has_case(Long p) const { return kinds[p] == UPPER || kinds[p] == LOWER; }
    // Letters of the word that ends before p, and of that at p: up to two.
    Long before(Long p) const {
        Long n = 0;
        while (n < 2 && p - n > 0 && text::is_letter(kinds[p - n - 1])) ++n;
        return n;
    }
    Long after(Long p) const {
        Long n = 0;
        while (n < 2 && p + n < std::ssize(kinds) && text::is_letter(kinds[p + n])) ++n;
        return n;
    }
    bool is_address() const;
    bool is_inside() const;
    bool is_spaced_dots();
    bool is_sure() const;
    bool is_spoken() const;
};

// A word in lower case, up to some length.
struct Word {
    Word(Kinds kinds, Codes codes, Long at) {
        for (; at < std::ssize(kinds) && text::is_letter(kinds[at]) && n < letters.size(); ++at)
            letters[n++] = static_cast<char32_t>(codes[at] < 128 ? codes[at] | 0x20 : codes[at]);
    }
    bool is_in(std::span<const std::u32string_view> known) const {
        return std::ranges::count(known, std::u32string_view(letters.data(), n)) > 0;
    }

    std::array<char32_t, 12> letters;
    std::size_t n = 0;
};

// Whether the chunk before the marks looks like that of an address, a file or a name in a program,
// or is the title of a name.
bool Place::is_address() const {
    Long word = begin;
    while (word > 0 && text::is_letter(kinds[word - 1]) && begin - word < 8) --word;
    if (Word(kinds, codes, word).is_in(titles)) return true;
    for (Long p = begin - 1; p >= std::max<Long>(0, end - place_behind); --p) {
        if (kinds[p] <= NEWLINE) break;
        if (kinds[p] == SLASH || kinds[p] == AT || kinds[p] == DIGIT || codes[p] == '_') return true;
        if (codes[p] == 'w' && p > 1 && codes[p - 1] == 'w' && codes[p - 2] == 'w') return true;
    }
    return false;
}

// Whether a quotation or bracket is open at the marks.
bool Place::is_inside() const {
    Long closed = 0, straight = 0;
    for (Long p = behind - 1; p >= std::max<Long>(0, end - place_behind); --p) {
        if (kinds[p] == NEWLINE) break;
        if (codes[p] == '"') {
            ++straight;
        } else if (is_closing(p)) {
            ++closed;
        } else if (kinds[p] == OPEN || among(codes[p], opening)) {
            if (closed == 0) return true;
            --closed;
        }
    }
    return straight % 2 != 0;
}

// Whether dots with blanks between them begin here; moves the end behind them.
bool Place::is_spaced_dots() {
    if (codes[begin] != '.') return false;
    Long p = begin;
    while (p + 2 < std::ssize(kinds) && kinds[p + 1] == SPACE && codes[p + 2] == '.') p += 2;
    if (p < begin + 2 * (few_dots - 1) || p + 2 >= std::ssize(kinds) || kinds[p + 1] != SPACE)
        return false;
    behind = p + 1;
    end = p + 2;
    return true;
}

// Whether a name and a verb of speech follow: `Tom said`, `Mr. Brown wondered`.
bool Place::is_spoken() const {
    const std::uint32_t closer = codes[behind - 1];
    if (kinds[begin] != ASKING || end != behind + 1 || (closer != '"' && closer != U'”')) return false;
    Long p = end;
    for (int words = 0; words < 4; ++words) {
        const Word word(kinds, codes, p);
        if (word.n == 0) return false;
        if (kinds[p] == LOWER) return words > 0 && word.is_in(speech);
        if (words == 0 && word.is_in(openers)) return false;
        p += static_cast<Long>(word.n);
        if (p < std::ssize(kinds) && codes[p] == '.') ++p;
        if (p + 1 >= std::ssize(kinds) || kinds[p] != SPACE) return false;
        ++p;
    }
    return false;
}

bool Place::is_sure() const {
    const std::uint8_t next = kinds[end];
    const Code mark = codes[begin];
    if (begin == 0 || next == LOWER || !(text::is_wordlike(next) || next == OPEN ||
                                         among(codes[end], opening) || codes[end] == '"'))
        return false;
    const bool quoted = std::any_of(codes.begin() + begin, codes.begin() + behind, [](Code code) {
        return code == '"' || among(code, closing);
    });
    const bool glued = end == behind, closed = !is_mark(behind - 1);
    // The letter before the mark, which may stand apart or behind a quotation.
    Long ink = begin;
    if (ink > 1 && kinds[ink - 1] == SPACE) --ink;
    while (ink > 1 && is_closing(ink - 1)) --ink;
    const std::uint8_t left = kinds[ink - 1];
    if (among(mark, full)) {
        if (among(codes[end], particles)) return false;
        if (has_case(ink - 1) && !has_case(end)) return false;  // `Yahoo！ニュース`
        if (quoted && !among(mark, stops)) return false;
        return !is_inside();
    }
    if (!text::is_letter(left) || !text::is_letter(next) || closed) return false;
    if (mark == ';') return next == UPPER && is_greek(codes[end]);
    if (mark != '.' && mark != '!' && mark != '?' && mark != U'．') return false;
    if (mark == '.' && behind - begin > 1 && codes[begin + 1] == '.') return false;
    if (has_case(ink - 1) != has_case(end)) return false;
    if (before(ink) < 2 || after(end) < 2) return false;
    if (!glued && (has_case(end) || (mark == '.' && !(is_plain(codes[ink - 1]) &&
                                                      is_plain(codes[end])))))
        return false;
    if (is_unmarked(codes[ink - 1])) return false;
    if (next == UPPER && (left != LOWER || kinds[end + 1] != LOWER || is_address())) return false;
    return !is_inside();
}

}  // namespace

void find_ended(Kinds kinds, Codes codes, Long first, bool last,
                std::vector<Ended>& places) {
    constexpr std::uint32_t marks = text::set_of(STOP, ASKING, COMMA, OTHER_PUNCTUATION);
    const Long size = std::ssize(codes);
    Long p = std::max<Long>(0, first - place_behind);
    for (; p < size; ++p) {
        if (!text::is_in(marks, kinds[p])) continue;
        Place place{kinds, codes, p, p, p};
        if (place.is_spaced_dots()) {
            const std::uint8_t next = kinds[place.end];
            const bool near = place.end >= first && place.end - p <= longest;
            const bool many = place.behind - p > 2 * few_dots - 1;
            if (near && (next == LOWER || (next == UPPER && many)) &&
                place.end + (last ? 0 : place_ahead) < size)
                places.push_back({p, place.end, next == UPPER});
            p = place.behind - 1;
            continue;
        }
        if (!place.is_mark(p)) continue;
        Long& behind = place.behind;
        while (behind < size && place.is_mark(behind)) ++behind;
        const Long run = behind;
        while (behind < size && place.is_closing(behind)) ++behind;
        place.end = behind;
        while (place.end < size && kinds[place.end] == SPACE && place.end < behind + widest)
            ++place.end;
        const bool known = place.end + (last ? 0 : place_ahead) < size;
        if (!known || place.end < first || place.end - p > longest) {
            // Other places follow.
        } else if (place.is_sure()) {
            places.push_back({p, p, false});  // none starts at the mark itself
            places.push_back({p, place.end, true});
        } else if (place.is_spoken()) {
            places.push_back({p, place.end, false});
        }
        p = run - 1;
    }
}

}  // namespace caesura::layout

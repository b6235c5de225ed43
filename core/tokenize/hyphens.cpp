#include "tokenize/hyphens.h"

#include <algorithm>

#include "layout/codes.h"

namespace caesura::tokenize {
namespace {

using enum text::Class;
using text::is_letter;
using text::margin;
using text::window;

// The shortest part of a word on either line.
constexpr Long shortest = 2;

bool is_hyphen(std::uint32_t code) { return code == '-' || code == 0x2010 || code == 0xAD; }

}  // namespace

void find_hyphenated(const Text& text, Offsets ends, Long shift,
                     const Vocabulary& vocabulary, std::vector<Hyphenated>& found) {
    const auto k = text.classes;
    const auto f = text.folded;
    const Long size = std::ssize(k);
    for (const Long end : ends) {
        if ((k[end - 1] != DASH && k[end - 1] != JOINER) || !is_hyphen(f[end - 1])) continue;
        const Long limit = std::min(end + window, size - margin);
        Long second = end, newlines = 0;
        for (; second < limit && (k[second] == SPACE || k[second] == NEWLINE); ++second)
            newlines += k[second] == NEWLINE && !(f[second] == '\n' && f[second - 1] == '\r');
        if (newlines != 1 || k[second] != LOWER) continue;
        Long start = end - 1, last = second;
        while (start > std::max(margin, end - window) && is_letter(k[start - 1])) --start;
        while (last < limit && is_letter(k[last])) ++last;
        if (end - 1 - start < shortest || last - second < shortest || k[start - 1] > NEWLINE)
            continue;
        if (vocabulary.is_whole(text.hash(start, end - 1), text.hash(second, last), last - second))
            found.push_back({start - shift, second - shift, last - shift});
    }
}

Pairs pairs_of(const std::vector<Hyphenated>& found, Offsets begins, Offsets ends, Kinds breaks) {
    Pairs pairs;
    const auto rank = [&](Long offset) {
        return std::lower_bound(begins.begin(), begins.end(), offset) - begins.begin();
    };
    for (const Hyphenated& word : found) {
        const Long first = rank(word.start), last = rank(word.second);
        if (first < last && last < std::ssize(breaks) &&
            begins[first] == word.start && begins[last] == word.second && ends[last] == word.end &&
            breaks[last] == layout::WRAP)
            pairs.emplace_back(first, last);
    }
    return pairs;
}

}  // namespace caesura::tokenize

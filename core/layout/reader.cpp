#include "layout/reader.h"

#include <algorithm>

namespace caesura::layout {
namespace {

// Blanks on one line that make a gap wide.
constexpr Long wide_gap = 3;

Long rank(const std::vector<Long>& values, Long value) {
    return std::lower_bound(values.begin(), values.end(), value) - values.begin();
}

}  // namespace

Reader::Reader(Offsets paragraphs) : paragraphs_(paragraphs.begin(), paragraphs.end()) {
    std::sort(paragraphs_.begin(), paragraphs_.end());
}

void Reader::note_tabs(Codes codes, Long base) {
    for (std::size_t i = 0; i < codes.size(); ++i)
        if (codes[i] == '\t') tabs_.push_back(base + static_cast<Long>(i));
}

// Notes the places with an end at `first` or later.
void Reader::note_ended(Kinds kinds, Codes codes, Long base, Long first, bool last) {
    const std::size_t known = places_.size();
    find_ended(kinds, codes, first, last, places_);
    for (std::size_t i = known; i < places_.size(); ++i) places_[i].end += base;
}

void Reader::feed_whole(Kinds kinds, Codes codes) {
    note_tabs(codes, 0);
    note_ended(kinds, codes, 0, 0, true);
    scanner_.scan(kinds, codes, 0, 0, lines_);
    scanner_.finish(kinds, codes, 0, lines_);
    known_ = std::ssize(lines_);
    ended_ = true;
}

void Reader::feed(Kinds kinds, Codes codes, bool last) {
    const Long kept = std::ssize(codes_);
    kinds_.insert(kinds_.end(), kinds.begin(), kinds.end());
    codes_.insert(codes_.end(), codes.begin(), codes.end());
    note_tabs(codes, base_ + kept);
    const auto before = static_cast<Long>(recent_codes_.size());
    recent_kinds_.insert(recent_kinds_.end(), kinds.begin(), kinds.end());
    recent_codes_.insert(recent_codes_.end(), codes.begin(), codes.end());
    note_ended(recent_kinds_, recent_codes_, base_ + kept - before, before - place_ahead, last);
    const std::ptrdiff_t old = std::max<std::ptrdiff_t>(
        0, std::ssize(recent_codes_) - place_behind - place_ahead);
    recent_kinds_.erase(recent_kinds_.begin(), recent_kinds_.begin() + old);
    recent_codes_.erase(recent_codes_.begin(), recent_codes_.begin() + old);
    lines_.resize(known_);
    scanner_.scan(kinds_, codes_, base_, kept, lines_);
    if (last) {
        scanner_.finish(kinds_, codes_, base_, lines_);
        ended_ = true;
    }
    known_ = std::ssize(lines_);
    // What is kept is the open line, unless it is long.
    auto drop = static_cast<std::ptrdiff_t>(codes_.size());
    if (!last && !scanner_.is_written()) {
        lines_.push_back({.offset = scanner_.line()});
        drop = scanner_.line() - base_;
    }
    kinds_.erase(kinds_.begin(), kinds_.begin() + drop);
    codes_.erase(codes_.begin(), codes_.begin() + drop);
    base_ += drop;
}

// Fills the codes of tokens as far as they are known; returns how many are.
Long Reader::read_off(Offsets begins, Offsets ends, View<std::uint8_t> out) {
    const Lines lines(lines_, known_);
    const Long n = std::ssize(lines_);
    const Long size = std::ssize(begins);
    for (Long t = 0; t < size; ++t) {
        Long line = at_.line;
        while (line + 1 < n && lines_[line + 1].offset <= begins[t]) ++line;
        if (at_.opened && line == at_.line) {
            out[t] = begins[t] - at_.end >= wide_gap ? WIDE : SAME;
            if (lines.is_opened(line, at_.kind, begins[t]))
                out[t] = OPENED;
            else if (out[t] == SAME && at_.alone)
                out[t] = INSIDE;
        } else if (ended_ || lines.is_ready(line)) {
            out[t] = at_.kind = lines.decide(line, at_.opened);
            at_.alone = at_.kind == LINE || lines.goes_on_alone(line);
        } else {
            return t;
        }
        at_.opened = true;
        at_.end = ends[t];
        while (line + 1 < n && lines_[line + 1].offset < at_.end) {
            // A token over two lines: what goes on is not opened.
            ++line;
            at_.kind = WRAP;
            at_.alone = false;
        }
        at_.line = line;
    }
    return size;
}

std::vector<std::uint8_t> Reader::take(Offsets begins, Offsets ends) {
    std::vector<std::uint8_t> found(begins.size());
    const Long before = at_.opened ? at_.end : 0;
    const Long done = found.empty() ? 0 : read_off(begins, ends, found);
    found.resize(done);
    if (done == 0) return found;
    // Where the gap before a token begins.
    const auto since = [&](Long t) { return t > 0 ? ends[t - 1] : before; };
    if (!tabs_.empty()) {
        for (Long t = 0; t < done; ++t)
            if ((found[t] == SAME || found[t] == INSIDE) &&
                rank(tabs_, begins[t]) > rank(tabs_, since(t)))
                found[t] = WIDE;
        tabs_.erase(tabs_.begin(), tabs_.begin() + rank(tabs_, at_.end));
    }
    const Offsets tokens = begins.slice(0, done);
    Long passed = 0;
    for (; passed < std::ssize(places_) && places_[passed].end < at_.end; ++passed) {
        const auto [_, end, starts] = places_[passed];
        const Long t = std::lower_bound(tokens.begin(), tokens.end(), end) - tokens.begin();
        if (t < done && tokens[t] == end && (found[t] == SAME || found[t] == INSIDE))
            found[t] = starts ? ENDED : GOES_ON;
    }
    places_.erase(places_.begin(), places_.begin() + passed);
    // Where a document states that paragraphs start; not inside a chunk, nor where blank lines mean
    // nothing.
    for (const Long paragraph : paragraphs_) {
        const auto t = std::lower_bound(tokens.begin(), tokens.end(), paragraph) - tokens.begin();
        if (t == done) break;
        if (begins[t] > since(t) && found[t] != DOUBLE && found[t] != START) found[t] = BLANK;
    }
    paragraphs_.erase(paragraphs_.begin(), std::upper_bound(paragraphs_.begin(), paragraphs_.end(),
                                                            begins[done - 1]));
    if (const Long surplus = at_.line - back; surplus > 0) {
        lines_.erase(lines_.begin(), lines_.begin() + surplus);
        known_ -= surplus;
        at_.line -= surplus;
    }
    return found;
}

std::vector<std::uint8_t> layout_of(Kinds kinds, Codes codes, Offsets begins, Offsets ends,
                                    Offsets paragraphs) {
    Reader reader(paragraphs);
    reader.feed_whole(kinds, codes);
    return reader.take(begins, ends);
}

}  // namespace caesura::layout

#include "tokenize/decoder.h"

#include <algorithm>

namespace caesura::tokenize {
namespace {

using text::margin;
using text::window;

// Characters behind a blank that tell whether it is inside of a number, and some more.
constexpr Long group = 8;

Long size_of(const auto& values) { return std::ssize(values); }

void shift_by(std::vector<Long>& values, std::size_t from, Long by) {
    for (std::size_t i = from; i < values.size(); ++i) values[i] += by;
}

// Removes the first n values, and returns them.
template <class T>
std::vector<T> take_front(std::vector<T>& values, Long n) {
    std::vector<T> front(values.begin(), values.begin() + n);
    values.erase(values.begin(), values.begin() + n);
    return front;
}

// Keeps the values of tokens that are not dropped.
template <class T>
void keep(std::vector<T>& values, const std::vector<bool>& dropped) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < values.size(); ++t)
        if (!dropped[t]) values[kept++] = values[t];
    values.resize(kept);
}

// Makes tokens that are one word one token.
void merge(const Pairs& pairs, Decided& decided) {
    std::vector<bool> dropped(decided.starts.size());
    for (const auto& [first, second] : pairs) {
        std::fill(dropped.begin() + first + 1, dropped.begin() + second + 1, true);
        decided.hyphenated[first] = 1;
        decided.ends[first] = decided.ends[second];
    }
    keep(decided.starts, dropped);
    keep(decided.ends, dropped);
    keep(decided.evidence, dropped);
    keep(decided.breaks, dropped);
    keep(decided.hyphenated, dropped);
}

template <class T>
void append_to(std::vector<T>& values, const std::vector<T>& more) {
    values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

void Decided::append(const Decided& more) {
    append_to(starts, more.starts);
    append_to(ends, more.ends);
    append_to(evidence, more.evidence);
    append_to(breaks, more.breaks);
    append_to(hyphenated, more.hyphenated);
}

bool Given::has_start(Long offset) const {
    return std::binary_search(starts.begin(), starts.end(), offset);
}

std::int8_t Given::at(Long offset) const {
    if (has_start(offset)) return 1;
    if (std::binary_search(no_starts.begin(), no_starts.end(), offset)) return 0;
    return all_starts ? 0 : -1;
}

Decoder::Decoder(const Model& model, const DecoderOptions& options, Given given)
    : model_(model), options_(options), given_(std::move(given)), marks_(behind + ahead) {
    std::sort(given_.starts.begin(), given_.starts.end());
    std::sort(given_.no_starts.begin(), given_.no_starts.end());
}

void Decoder::start_at(Offsets offsets) {
    const Long done = tokens_.begins.empty() ? base_ : std::min(base_, tokens_.begins[0]);
    auto& starts = given_.starts;
    starts.erase(starts.begin(), std::lower_bound(starts.begin(), starts.end(), done));
    starts.insert(starts.end(), offsets.begin(), offsets.end());
    std::sort(starts.begin(), starts.end());
}

void Decoder::take(Codes codes) {
    codes_.insert(codes_.end(), codes.begin(), codes.end());
    fresh_ += codes.size();
}

Decided Decoder::decide(Signs known, std::optional<Floats> odds, bool last) {
    const bool whole = last && !layout_;
    if (!whole) {
        if (!layout_) layout_.emplace(given_.paragraphs);
        const Codes fresh = Codes(codes_).slice(size_of(codes_) - static_cast<Long>(fresh_),
                                                size_of(codes_));
        std::vector<std::uint8_t> kinds;
        kinds.reserve(fresh.size());
        for (const std::uint32_t code : fresh) kinds.push_back(model_.characters.classes[code]);
        layout_->feed(kinds, fresh, last);
    }
    fresh_ = 0;
    text_.classify(codes_, model_.characters);
    find(known, odds, last);
    if (whole) {
        const Long end = margin + size_of(codes_);
        breaks_ = layout::layout_of(text_.written().classes.slice(margin, end),
                                    text_.written().folded.slice(margin, end), tokens_.begins,
                                    tokens_.ends, given_.paragraphs);
    }
    forget();
    return settle(last);
}

// Finds tokens in the characters that are kept, and fills their marks.
void Decoder::find(Signs known, std::optional<Floats> odds, bool last) {
    std::vector<Long> inside;
    const Long shift = margin - base_;
    if (options_.numbers) {
        inside = text_.blanks_in_numbers();
        std::erase_if(inside, [&](Long at) { return given_.has_start(at + 1 - shift); });
    }
    text_.prepare(true, inside);
    Long end = base_ + size_of(codes_) + (last ? 1 : -window - group);
    if (odds && !last) end = std::min(end, base_ + size_of(*odds));
    if (end <= at_) return;
    const std::vector<std::int8_t> force = forced(known, inside, shift, last);
    std::vector<float> added;
    if (odds) {
        added.resize(codes_.size() + 2 * margin);
        std::copy_n(odds->begin(), std::min(odds->size(), codes_.size()), added.begin() + margin);
    }
    const std::size_t before = tokens_.begins.size();
    open_.token += shift;
    open_.chunk += shift;
    at_ = find_tokens(text_.joined(), at_ + shift, end + shift, {force, added}, model_.vocabulary,
                      model_.cuts, open_, tokens_) -
          shift;
    open_.token -= shift;
    open_.chunk -= shift;
    const auto fresh = [before](const std::vector<Long>& values) {
        return Offsets(values).slice(static_cast<std::ptrdiff_t>(before), size_of(values));
    };
    const Text written = text_.written();
    const auto n = fresh(tokens_.begins).size();
    Marks rows;
    if (options_.weigh) {
        const std::size_t first = marks_.size() - ahead;
        marks_.resize(first);
        marks_.resize(first + n + ahead);
        rows = Marks(marks_).slice(static_cast<std::ptrdiff_t>(first), size_of(marks_));
        position_.gap += shift;
        position_.line += shift;
        mark_tokens(written, fresh(tokens_.begins), fresh(tokens_.ends), position_,
                    model_.vocabulary, rows);
        position_.gap -= shift;
        position_.line -= shift;
    }
    if (model_.vocabulary.knows_whole())
        find_hyphenated(written, fresh(tokens_.ends), shift, model_.vocabulary, hyphenated_);
    shift_by(tokens_.begins, before, -shift);
    shift_by(tokens_.ends, before, -shift);
    if (options_.weigh && n > 0 && !given_.paragraphs.empty()) {
        const auto& all = given_.paragraphs;
        const auto passed = std::upper_bound(all.begin(), all.end(), tokens_.begins.back());
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(paragraph_);
        if (passed > first)
            set_paragraphs(fresh(tokens_.begins),
                           Offsets(all).slice(first - all.begin(), passed - all.begin()), rows);
        paragraph_ = static_cast<std::size_t>(passed - all.begin());
    }
}

// Where a token must begin since a sentence does, or must and may not by its signs.
std::vector<std::int8_t> Decoder::forced(Signs known, Offsets inside, Long shift,
                                         bool last) const {
    std::vector<std::int8_t> force;
    std::vector<layout::Ended> places;
    const Long end = margin + size_of(codes_);
    layout::find_ended(text_.written().classes.slice(margin, end),
                       text_.written().folded.slice(margin, end), at_ - base_, last, places);
    if (known.empty() && inside.empty() && places.empty() && given_.starts.empty()) return force;
    force.resize(codes_.size() + 2 * margin);
    std::copy(known.begin(), known.end(), force.begin() + margin);
    for (const Long at : inside) force[at] = force[at + 1] = -1;
    for (const layout::Ended& place : places)
        for (const Long at : {place.begin, place.end})
            if (place.starts && force[at + margin] == 0) force[at + margin] = 1;
    for (const Long start : given_.starts)
        if (const Long at = start + shift; 0 <= at && at < size_of(force)) force[at] = 1;
    return force;
}

// Drops the characters that nothing will look at again.
void Decoder::forget() {
    Long keep = at_ - margin;
    if (open_.any) keep = std::min(keep, open_.token - margin);
    keep = std::max(keep, base_);
    codes_.erase(codes_.begin(), codes_.begin() + (keep - base_));
    base_ = keep;
}

// Decides about sentence starts as far as enough tokens are known.
Decided Decoder::settle(bool last) {
    const auto& [begins, ends] = tokens_;
    const Long n = size_of(begins);
    if (const Long coded = size_of(breaks_); coded < n && layout_) {
        const auto more = layout_->take(Offsets(begins).slice(coded, n),
                                        Offsets(ends).slice(coded, n));
        breaks_.insert(breaks_.end(), more.begin(), more.end());
    }
    if (options_.weigh && model_.layout)
        join_lines(begins, breaks_, joined_, joined_line_, marks_);
    // What follows a token must be known, and so must its lines.
    Long done = last ? n : std::max<Long>(0, size_of(breaks_) - ahead);
    Pairs pairs = pairs_of(hyphenated_, begins, ends, breaks_);
    for (const Hyphenated& word : hyphenated_) {
        // Both parts are decided together.
        const auto rank = [&begins = begins](Long offset) {
            return std::lower_bound(begins.begin(), begins.end(), offset) - begins.begin();
        };
        if (const Long first = rank(word.start);
            !last && first < done && done <= rank(word.second))
            done = first;
    }
    Decided decided;
    decided.breaks = take_front(breaks_, done);
    joined_ = size_of(breaks_);
    std::vector<std::int8_t> known(done, -1);
    for (Long t = 0; t < done; ++t) {
        if (given_.decides()) known[t] = given_.at(begins[t]);
        if (known[t] >= 0) continue;
        const std::uint8_t code = decided.breaks[t];
        if (code == layout::BLANK || code == layout::ENDED) known[t] = 1;
        if (code == layout::OPENED || code == layout::GOES_ON) known[t] = 0;
    }
    std::erase_if(pairs, [&](const auto& pair) {
        return pair.second >= done || known[pair.second] == 1;
    });
    for (const auto& [first, second] : pairs)
        std::fill(known.begin() + first + 1, known.begin() + second + 1, 0);
    decided.evidence.resize(done);
    if (options_.weigh) {
        const auto breaks = model_.layout ? learned(decided.breaks) : std::vector<std::uint8_t>{};
        find_starts(marks_, breaks, known, model_.begins, options_.threshold, state_,
                    decided.evidence);
        marks_.erase(marks_.begin(), marks_.begin() + done);
    }
    const Long held = done < n ? begins[done] : Long{1} << 62;
    std::erase_if(hyphenated_, [held](const Hyphenated& word) { return word.start < held; });
    decided.starts = take_front(tokens_.begins, done);
    decided.ends = take_front(tokens_.ends, done);
    decided.hyphenated.resize(done);
    if (!pairs.empty()) merge(pairs, decided);
    return decided;
}

}  // namespace caesura::tokenize

#include "network_text/subwords.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "learn/index.h"

namespace caesura::network_text {
namespace {

// A longer part of a word is unknown to WordPiece.
constexpr std::size_t longest_part = 100;
// Stands for a blank in the pieces of Unigram.
constexpr std::uint32_t blank_sign = 0x2581;

bool is_letter(std::uint32_t c) { return (c | 32u) >= 'a' && (c | 32u) <= 'z'; }
bool is_digit(std::uint32_t c) { return c >= '0' && c <= '9'; }

// Ends a word: at most so many pieces, at least the unknown one.
void close_word(Pieces& found, std::int32_t unknown) {
    const auto begin = static_cast<std::size_t>(found.first.back());
    found.numbers.resize(std::min<std::size_t>(found.numbers.size(), begin + most_pieces));
    if (found.numbers.size() == begin) found.numbers.push_back(unknown);
    found.first.push_back(std::ssize(found.numbers));
}

}  // namespace

PieceTable::PieceTable(Codes text, Longs bounds)
    : text_(text.begin(), text.end()), bounds_(bounds.begin(), bounds.end()) {
    const Long n = size();
    std::size_t places = 16;
    while (places < 2 * static_cast<std::size_t>(n) + 1) places *= 2;
    slots_.resize(places);
    mask_ = places - 1;
    Long left = learn::most_places * (n + learn::most_places);
    const Codes codes(text_);
    for (Long number = 0; number < n; ++number) {
        const auto piece = codes.slice(bounds[number], bounds[number + 1]);
        longest_ = std::max<Long>(longest_, std::ssize(piece));
        std::uint64_t key = seed;
        for (const std::uint32_t code : piece) key = extended(key, code);
        std::uint64_t slot = slot_of(key);
        while (slots_[slot] != 0) {
            const Long other = slots_[slot] - 1;
            if (std::ranges::equal(piece, codes.slice(bounds[other], bounds[other + 1])))
                throw DamagedModel("its sub-word vocabulary names a piece twice");
            slot = (slot + 1) & mask_;
            if (--left < 0)
                throw DamagedModel("the model's sub-words all want the same place of their table");
        }
        slots_[slot] = static_cast<std::int32_t>(number + 1);
    }
}

std::int32_t PieceTable::find(std::uint64_t key, Codes prefix, Codes part) const {
    const std::size_t size = prefix.size() + part.size();
    for (std::uint64_t slot = slot_of(key); slots_[slot] != 0; slot = (slot + 1) & mask_) {
        const std::int32_t found = slots_[slot] - 1;
        const auto at = static_cast<std::size_t>(found);
        if (static_cast<std::size_t>(bounds_[at + 1] - bounds_[at]) != size) continue;
        const std::uint32_t* piece = text_.data() + bounds_[at];
        if (std::equal(prefix.begin(), prefix.end(), piece) &&
            std::equal(part.begin(), part.end(), piece + prefix.size()))
            return found;
    }
    return -1;
}

std::int32_t PieceTable::find(Codes piece) const {
    std::uint64_t key = seed;
    for (const std::uint32_t code : piece) key = extended(key, code);
    return find(key, {}, piece);
}

// ------------------------------------------------------------------------------ WordPiece

WordPiece::WordPiece(const PieceTable& table, Options options)
    : table_(table), options_(std::move(options)), prefix_key_(PieceTable::seed) {
    for (const std::uint32_t code : options_.prefix)
        prefix_key_ = PieceTable::extended(prefix_key_, code);
}

// The longest pieces of a part, or the unknown one.
void WordPiece::add_part(Codes part, std::vector<std::uint64_t>& keys,
                         std::vector<std::int32_t>& out) const {
    const Long n = std::ssize(part);
    const std::size_t before = out.size();
    if (part.size() > longest_part) {
        out.push_back(options_.unknown);
        return;
    }
    for (Long at = 0; at < n;) {
        const Codes prefix = at ? Codes(options_.prefix) : Codes();
        std::uint64_t key = at ? prefix_key_ : PieceTable::seed;
        const Long reach = std::min<Long>(n, at + table_.longest() - std::ssize(prefix));
        keys.clear();
        for (Long end = at; end < reach; ++end)
            keys.push_back(key = PieceTable::extended(key, part[end]));
        Long end = reach;
        std::int32_t found = -1;
        for (; end > at; --end) {
            found = table_.find(keys[static_cast<std::size_t>(end - at - 1)], prefix,
                                part.slice(at, end));
            if (found >= 0) break;
        }
        if (found < 0) {
            out.resize(before);
            out.push_back(options_.unknown);
            return;
        }
        out.push_back(found);
        at = end;
    }
}

Pieces WordPiece::cut(const WordForms& words) const {
    Pieces found;
    std::vector<std::uint32_t> part;
    std::vector<std::uint64_t> keys;
    const auto end_part = [&] {
        if (!part.empty()) add_part(part, keys, found.numbers);
        part.clear();
    };
    for (Long word = 0; word < words.size(); ++word) {
        for (std::uint32_t c : words[word]) {
            if (c >= 0x80 || is_digit(c) || is_letter(c)) {
                const bool upper = c >= 'A' && c <= 'Z';
                part.push_back(options_.lowercase && upper ? c + 32u : c);
            } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                end_part();
            } else if (c > ' ' && c != 0x7F) {  // punctuation is a part of its own
                end_part();
                part.push_back(c);
                end_part();
            }
        }
        end_part();
        close_word(found, options_.unknown);
    }
    return found;
}

// -------------------------------------------------------------------------------- Unigram

Unigram::Unigram(const PieceTable& table, std::vector<double> scores,
                 std::vector<std::uint8_t> usable, std::int32_t unknown, double worst)
    : table_(table),
      scores_(std::move(scores)),
      usable_(std::move(usable)),
      unknown_(unknown),
      worst_(worst) {}

// Of several ways with the same sum, the one whose last piece begins first is taken. Unknown
// characters that follow each other are one piece.
void Unigram::add_part(Codes part, std::vector<Step>& steps, std::vector<std::int32_t>& out) const {
    const Long n = std::ssize(part);
    steps.assign(part.size() + 1, {});
    steps[0].begin = 0;
    const View<Step> best(steps);
    const auto offer = [&](Long begin, Long end, std::int32_t piece, double score) {
        const double sum = best[begin].sum + score;
        if (best[end].begin < 0 || sum > best[end].sum) best[end] = {sum, piece, begin};
    };
    for (Long at = 0; at < n; ++at) {
        // Every place is reached, at the worst by an unknown character.
        bool single = false;
        std::uint64_t key = PieceTable::seed;
        const Long reach = std::min(n, at + table_.longest());
        for (Long end = at + 1; end <= reach; ++end) {
            key = PieceTable::extended(key, part[end - 1]);
            const std::int32_t piece = table_.find(key, {}, part.slice(at, end));
            if (piece < 0 || !usable_[static_cast<std::size_t>(piece)]) continue;
            single = single || end == at + 1;
            offer(at, end, piece, scores_[static_cast<std::size_t>(piece)]);
        }
        if (!single) offer(at, at + 1, unknown_, worst_);
    }
    const std::size_t first = out.size();
    std::int32_t before = -1;
    for (Long at = n; at > 0; at = best[at].begin) {  // a piece begins before it ends
        if (best[at].piece != unknown_ || before != unknown_) out.push_back(best[at].piece);
        before = best[at].piece;
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

Pieces Unigram::cut(const WordForms& words) const {
    Pieces found;
    std::vector<std::uint32_t> part;
    std::vector<Step> steps;
    for (Long word = 0; word < words.size(); ++word) {
        part.clear();
        if (words.blank[word]) part.push_back(blank_sign);
        bool written = false;  // whether the part has more than the sign
        bool in_blanks = false;
        const auto end_part = [&](bool first) {
            if (written || !first) add_part(part, steps, found.numbers);
        };
        bool first = true;
        for (const std::uint32_t c : words[word]) {
            if (c != ' ') {
                part.push_back(c);
                written = true;
            } else if (!in_blanks) {  // every blank begins a part, the last one too
                end_part(first);
                part.assign(1, blank_sign);
                first = written = false;
            }
            in_blanks = c == ' ';
        }
        end_part(first);
        close_word(found, unknown_);
    }
    return found;
}

}  // namespace caesura::network_text

#include "tokenize/boundaries.h"

#include <algorithm>
#include <array>

namespace caesura::tokenize {
namespace {

using enum text::Class;
using text::window;

// The numbers of the first templates of a kind: those of every position, of chunks that are seen as
// a whole, of seen words, of types and of a dictionary.
constexpr std::uint64_t at_near = 0, at_whole = 27, at_seen = 40, at_type = 60, at_named = 65;

constexpr std::uint64_t beyond_codes = 2097152;  // more than there are code points

// Collects the features of one position.
class Collector {
   public:
    Collector(Features& out, int bits) : out_(out), bits_(bits) {}

    void add(std::uint64_t value) { out_[n_++] = value; }
    // Turns the values since the last call into rows; the first is of template `number`.
    void finish(std::uint64_t number) {
        text::to_rows({out_.data() + done_, n_ - done_}, number, bits_);
        done_ = n_;
    }
    Hashes rows() const { return {out_.data(), n_}; }

   private:
    Features& out_;
    int bits_;
    std::size_t n_ = 0, done_ = 0;
};

// What a chunk looks like: 1 an address with ://, 2 www., 4 with @, 8 with a digit, 16 a slash.
std::uint64_t chunk_kind(const Text& text, Long start, Long end) {
    std::uint64_t found = 0;
    bool at = false;
    const auto f = text.folded;
    for (Long i = start; i < end; ++i) {
        const std::uint8_t kind = text.classes[i];
        if (f[i] == ':' && i + 2 < end && f[i + 1] == '/') {
            if (f[i + 2] == '/') found |= 1;
        } else if (f[i] == 'w' && i + 3 < end && text.classes[i + 3] == STOP) {
            if (f[i + 1] == 'w' && f[i + 2] == 'w') found |= 2;
        } else if (kind == AT) {
            at = true;
        } else if (kind == STOP && at && i + 1 < end) {
            found |= 4;
        } else if (kind == SLASH && i > start) {
            found |= 16;
        } else if (kind == DIGIT) {
            found |= 8;
        }
    }
    return found;
}

// Features of the known words around p, for scripts without spaces.
void add_seen(const Text& text, Long p, Long token, const Words& words, Collector& out) {
    const auto knows = [&](Long a, Long b) {
        return words.contains(text.hash(a, b));
    };
    std::uint64_t after = 0, before = 0, across = 0, bit = 1;
    for (Long size = 1; size <= longest_seen; ++size) {
        after |= static_cast<std::uint64_t>(knows(p, p + size)) << size;
        before |= static_cast<std::uint64_t>(knows(p - size, p)) << size;
    }
    for (Long size = 2; size <= longest_seen; ++size)
        for (Long start = p - size + 1; start < p; ++start, bit <<= 1)
            if (knows(start, start + size)) across |= bit;
    std::uint64_t longest = p - token <= longest_seen && knows(token, p);
    for (Long size = 1; size <= longest_seen && p - token < longest_seen; ++size)
        if (knows(token, p + size)) longest |= 2;
    const std::uint64_t first = text.folded[p] + 1ull, last = text.folded[p - 1] + 1ull;
    const auto length = static_cast<std::uint64_t>(std::min<Long>(p - token, 7));
    const std::uint64_t masks = before * 64 + after, state = length * 4 + longest;
    out.add(after);
    out.add(before);
    out.add(across);
    out.add(masks);
    out.add(masks * 4096 + across);
    out.add(across * beyond_codes + first);
    out.add(across * beyond_codes + last);
    out.add(state * 128 + after);
    out.add(state * 4096 + across);
    out.add((masks * 8 + length) * 4 + longest);
    out.finish(at_seen);
}

// Features of the longest words of the dictionary that end, begin and lie at p.
void add_named(const Text& text, Long p, Long token, const Words& words, Collector& out) {
    const auto knows = [&](Long a, Long b) {
        return words.contains(text.hash(a, b));
    };
    Long after = 0, before = 0, across = 0, left = 0;
    for (Long size = longest_named; size > 0; --size) {
        if (after == 0 && knows(p, p + size)) after = size;
        if (before == 0 && knows(p - size, p)) before = size;
        for (Long start = p - size + 1; across == 0 && start < p; ++start) {
            if (!knows(start, start + size)) continue;
            across = size;
            left = p - start;
        }
    }
    // The longest word from where the token began: shorter, as long, longer than it.
    std::uint64_t own = 0;
    for (Long size = longest_named; size > 0 && p - token <= longest_named; --size) {
        if (!knows(token, token + size)) continue;
        own = size < p - token ? 1 : size == p - token ? 2 : 3;
        break;
    }
    const auto ends = static_cast<std::uint64_t>(after * 16 + before);
    const auto over = static_cast<std::uint64_t>(across * 16 + left);
    const std::uint64_t length =
        static_cast<std::uint64_t>(std::min<Long>(p - token, 12)) * 4 + own;
    out.add(ends);
    out.add(over);
    out.add(ends * 256 + over);
    out.add(length * 256 + static_cast<std::uint64_t>(after));
    out.add(length * 256 + over);
    out.add((length * 256 + ends) * 256 + over);
    out.add(over * beyond_codes + text.folded[p] + 1);
    out.add(over * beyond_codes + text.folded[p - 1] + 1);
    out.add(text.hash(p, p + after) * 31 + static_cast<std::uint64_t>(before));
    out.add(text.hash(p - before, p) * 31 + static_cast<std::uint64_t>(after));
    out.finish(at_named);
}

// Features of position p at a period, at a hyphen and after a digit. The token began at `token`,
// and the run of letters from p on ends at `right`.
void add_types(const Text& text, Long p, Long token, Long right,
               const Vocabulary& vocabulary, Collector& out) {
    const auto k = text.classes;
    std::uint32_t known = 0, following = 0;
    std::uint64_t where = 0;
    if (k[p] == STOP) {
        known = vocabulary.bits(text, token, p + 1) & type_bits::inside;
        where = 1;
    } else if (k[p - 1] == STOP) {
        known = vocabulary.bits(text, token, p) & type_bits::inside;
        where = 2;
    } else if (k[p] == DASH) {
        known = vocabulary.bits(text, token, p + 1) & type_bits::prefix;
        where = 3;
    } else if (k[p - 1] == DASH) {
        known = vocabulary.bits(text, token, p) & type_bits::prefix;
        following = vocabulary.bits(text, p, right) & type_bits::cases;
        where = 4;
    } else if (k[p - 1] == DIGIT && text::is_wordlike(k[p])) {
        known = vocabulary.bits(text, p, right) & type_bits::unit;
        where = 5;
    } else {
        return;
    }
    const Long space = text.next_space[p], limit = p + window;
    const auto tail = static_cast<std::uint64_t>(std::min<Long>(space - p, 4));
    Long i = std::min(space, limit);
    std::uint64_t lines = 0;
    for (; i < limit && (k[i] == SPACE || k[i] == NEWLINE); ++i)
        if (k[i] == NEWLINE) lines = 1;
    if (where <= 2 && i < limit)
        following = vocabulary.bits(text, i, std::min<Long>(text.run_end[i], limit)) &
                    type_bits::cases;
    const std::uint64_t after = (k[i] * 2ull + lines) * 8 + tail;
    const std::uint64_t value = (known * 8ull + where) * 1024;
    const std::uint64_t pair = k[p - 1] * 32ull + k[p];
    out.add(value + pair);
    out.add(value + after);
    out.add((value + after) * (1 << 24) + following);
    out.add((value + pair) * 32 + k[p + 1]);
    out.add((value + pair) * 1024 + after);
    out.finish(at_type);
}

// The white space after a chunk, which ends at `space`, and what begins after it.
std::uint64_t follower(const Text& text, Long p, Long space) {
    const auto k = text.classes;
    std::uint64_t after = 1;
    Long i = space;
    for (; i < p + window && (k[i] == SPACE || k[i] == NEWLINE); ++i)
        if (k[i] == NEWLINE) after += 32;
    return std::min<std::uint64_t>(after, 65) * 32 + k[std::min(i, p + window)];
}

// The features of the position before character p.
Hashes features_of(const Text& text, Long p, const Open& open,
                                      const Vocabulary& vocabulary, int bits, Features& room) {
    Collector out(room, bits);
    const auto k = text.classes;
    const auto f = text.folded;
    const auto hash = [&](Long a, Long b) { return text.hash(a, b); };
    const Long t = std::max(open.token, p - window), a = std::max(open.chunk, p - window);
    const Long space = text.next_space[p], b = std::min(space, p + window);
    const bool whole = p - open.chunk < window && b - p < window;
    std::uint64_t narrow = 0;
    for (Long i = p - 2; i < p + 2; ++i) narrow = (narrow << 5) | k[i];
    const std::uint64_t middle = (std::uint64_t{k[p - 3]} << 30) | (narrow << 5) | k[p + 2];
    const std::uint64_t wide = (std::uint64_t{k[p - 4]} << 45) | (middle << 5) | k[p + 3];
    const std::uint64_t pair = k[p - 1] * 32ull + k[p];
    const std::uint64_t so_far = hash(t, p), mixed = so_far * 31;
    const auto length = static_cast<std::uint64_t>(std::min<Long>(p - t, 9));
    const std::uint64_t first = f[p] + 1ull, last = f[p - 1] + 1ull;
    const std::uint64_t flags = open.kind * 2 + (t > a);
    const std::uint64_t across = hash(p - 1, p + 1);
    out.add(pair);
    out.add(last);
    out.add(first);
    out.add(across);
    out.add(hash(p - 2, p));
    out.add(hash(p, p + 2));
    out.add(hash(p - 2, p + 1));
    out.add(hash(p - 1, p + 2));
    out.add(hash(p - 2, p + 2));
    out.add(hash(p - 3, p));
    out.add(hash(p, p + 3));
    out.add(hash(p - 3, p + 3));
    out.add(hash(p - 4, p));
    out.add(hash(p, p + 4));
    out.add(narrow);
    out.add(middle);
    out.add(wide);
    out.add(so_far);
    out.add(mixed + first);
    out.add(mixed + hash(p, p + 2));
    out.add(pair * 16 + length);
    out.add(wide * 16 + length);
    out.add(f[p + 1]);
    out.add(f[p - 2]);
    out.add(f[p - 2] * beyond_codes + f[p]);
    out.add(f[p - 1] * beyond_codes + f[p + 1]);
    out.add(narrow * 64 + flags);
    out.finish(at_near);
    if (!vocabulary.seen().empty()) {
        add_seen(text, p, open.token, vocabulary.seen(), out);
        if (!vocabulary.named().empty())
            add_named(text, p, open.token, vocabulary.named(), out);
        return out.rows();
    }
    if (!whole) return out.rows();
    Long left = p;
    while (left > t && left > p - 24 && text::is_wordlike(k[left - 1])) --left;
    const Long right = std::max(std::min<Long>(text.run_end[p], p + window), p + 1);
    const std::uint64_t after = follower(text, p, space);
    const auto tail = static_cast<std::uint64_t>(std::min<Long>(b - p, 4));
    const std::uint64_t rest = hash(p, b), lefts = hash(left, p), rights = hash(p, right);
    out.add(mixed + rest);
    out.add(rest * 31 + k[p - 1]);
    out.add(hash(a, p));
    out.add(hash(a, b) * 31 + static_cast<std::uint64_t>(p - a));
    out.add(lefts * 31 + rights);
    out.add(lefts * 31 + first);
    out.add(rights * 31 + last);
    out.add(across * 64 + flags);
    out.add((pair * 8 + tail) * 8192 + after);
    out.add((mixed + first) * 31 + after * 8 + tail);
    out.add(narrow * 8 + tail);
    out.add((rest * 31 + first) * 64 + flags);
    out.add(open.kind * 64 + tail * 8 + first);
    out.finish(at_whole);
    if (vocabulary.knows_types()) add_types(text, p, t, right, vocabulary, out);
    return out.rows();
}

// Opens a chunk at p.
void open_chunk(const Text& text, Long p, Open& open) {
    open.token = open.chunk = p;
    open.any = true;
    open.kind = chunk_kind(text, p, std::min<Long>(text.next_space[p], p + window));
}

// Appends the tokens of the chunk start..end-1 if it is remembered.
bool recall(const Text& text, Long start, Long end, const Hints& hints,
            const Vocabulary& vocabulary, Open& open, Spans& found) {
    if (!vocabulary.knows_chunks() || end - start > longest_chunk) return false;
    for (Long i = start + 1; i < end && !hints.forced.empty(); ++i)
        if (hints.forced[i] != 0) return false;
    const std::uint32_t* const cuts = vocabulary.cuts(text, start, end);
    if (!cuts) return false;
    open.token = open.chunk = start;
    for (Long i = start + 1; i <= end; ++i) {
        if (i < end && (*cuts >> (i - start) & 1) == 0) continue;
        found.begins.push_back(open.token);
        found.ends.push_back(i);
        if (i < end) open.token = i;
    }
    return true;
}

}  // namespace

Long find_tokens(const Text& text, Long first, Long last, const Hints& hints,
                 const Vocabulary& vocabulary, const Weights& weights, Open& open, Spans& found) {
    Rows<Open> rows(weights);
    const auto features = [&](Long at, const Open& state, Features& room) {
        return features_of(text, at, state, vocabulary, weights.bits(), room);
    };
    const auto close = [&](Long end) {
        found.begins.push_back(open.token);
        found.ends.push_back(end);
    };
    Long p = first;
    while (p < last) {
        if (text.classes[p] <= NEWLINE) {
            if (open.any) close(p);
            open.any = false;
            ++p;
        } else if (!open.any) {
            const Long space = text.next_space[p];
            if (recall(text, p, space, hints, vocabulary, open, found)) {
                p = space;
            } else {
                open_chunk(text, p, open);
                ++p;
            }
        } else {
            bool split;
            if (!hints.forced.empty() && hints.forced[p] != 0) {
                split = hints.forced[p] > 0;
            } else {
                const auto found = rows.get(p, open, features);
                if (p + 1 < last && text.classes[p + 1] > NEWLINE)
                    rows.expect(p + 1, open, features);
                double score = weights.score(found);
                if (!hints.odds.empty()) score += hints.odds[p];
                split = score > 0.0;
            }
            if (split) {
                close(p);
                open.token = p;
            }
            ++p;
        }
    }
    return p;
}

void learn_tokens(const Text& text, Bytes begins, const Vocabulary& vocabulary,
                  const Pass& how, LearningTable& table, Progress& progress, Cancel& cancel) {
    Features room;
    Open open;
    for (Long p = 0; p < std::ssize(text.classes); ++p) {
        if (p % 4096 == 0) cancel.poll();
        if (text.classes[p] <= NEWLINE) {
            open.any = false;
            continue;
        }
        if (!open.any) {
            open_chunk(text, p, open);
            continue;
        }
        const auto features = features_of(text, p, open, vocabulary, how.bits, room);
        bool split = begins[p] != 0;
        if (how.rate < 0.0) {
            tally(features, table);
        } else {
            const bool decided = step(features, split, how.rate, table, progress);
            if (how.own) split = decided;
        }
        if (split) open.token = p;
    }
}

}  // namespace caesura::tokenize

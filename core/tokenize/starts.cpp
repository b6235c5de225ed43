#include "tokenize/starts.h"

#include <algorithm>
#include <array>

namespace caesura::tokenize {
namespace {

using enum text::Class;

// The numbers of the first template of edited text, and of text without punctuation and capitals,
// which has weights of its own: what is learned from one kind leaves the other alone.
constexpr std::uint64_t edited = 100, bare = 200;
// The templates of every gap, and where others begin.
constexpr std::uint64_t n_plain = 44, at_abbreviation = 48, at_address = 58, at_layout = 64;

constexpr std::uint32_t signs = text::set_of(STOP, COMMA, ASKING, QUOTE, OPEN, CLOSE, UPPER);

// Whether a token begins with punctuation or a capital, which transcripts lack.
bool is_sign(const Mark& mark) { return mark.head() < 32 && (signs >> mark.head() & 1) != 0; }

bool is_end(std::uint64_t tail) { return tail == STOP || tail == ASKING; }

std::uint64_t bucket(Long n) {
    if (n < 5) return static_cast<std::uint64_t>(n);
    return n < 8 ? 5 : n < 13 ? 6 : n < 21 ? 7 : n < 41 ? 8 : 9;
}

// How many bits are set, up to three.
std::uint64_t up_to_three(std::uint64_t bits) {
    std::uint64_t n = 0;
    for (; bits != 0 && n < 3; bits &= bits - 1) ++n;
    return n;
}

std::uint64_t pair(std::uint64_t x, std::uint64_t y) {
    return (x ^ (x >> 31)) * 0x9E3779B97F4A7C15ull + y;
}

// Writes the features of the gap before row i, of which the layout says so much; returns how many
// there are. Inside a line the layout says nothing that is not said already.
Hashes features_of(ConstMarks rows, Long i, std::uint8_t layout,
                                      const StartState& state, int bits, Features& out) {
    const Mark* const m = &rows[i];
    const Mark &m0 = m[0], &m1 = m[1], &p1 = m[-1], &p2 = m[-2];
    const std::uint64_t g = m0.gap;
    const std::uint64_t since = bucket(state.since);
    const std::uint64_t mode =
        (up_to_three(state.stops) * 4 + up_to_three(state.capitals)) * 2 + (state.count >= 12);
    const auto quotes = static_cast<std::uint64_t>(state.quotes & 1);
    const auto brackets = static_cast<std::uint64_t>(std::clamp<Long>(state.brackets, 0, 2));
    const std::uint64_t line = bucket(state.line);
    std::uint64_t next = 0;  // tokens to the next end of a line or a sentence
    bool has_signs = state.signs != 0 || is_sign(m0), beyond = false;
    for (Long j = 1; j < ahead; ++j) {
        beyond = beyond || m[j].gap >= PARAGRAPH;
        has_signs = has_signs || (!beyond && is_sign(m[j]));
        if (next == 0 && (m[j].gap > BLANK || is_end(m[j].tail())))
            next = static_cast<std::uint64_t>(j);
    }
    const std::uint64_t base = has_signs ? edited : bare;
    const std::uint64_t both = pair(p1.shape, m0.shape);
    const std::uint64_t shapes = both * 8 + g;
    const std::uint64_t forms = pair(p1.form, m0.form);
    const std::uint64_t left = pair(p1.form, g), right = pair(m0.form, g);
    const std::uint64_t far = pair(m1.shape, shapes);
    const std::uint64_t width = m0.width * 8ull + g;
    std::size_t n = 0;
    const auto add = [&](std::uint64_t value) { out[n++] = value; };
    const auto finish = [&](std::size_t from, std::uint64_t number) {
        text::to_rows({out.data() + from, n - from}, base + number, bits);
    };
    add(g);
    add(shapes);
    add(left);
    add(right);
    add(forms * 8 + g);
    add(pair(p2.form, left));
    add(pair(m1.form, right));
    add(pair(m0.shape, left));
    add(pair(p1.shape, right));
    add(pair(p2.shape, shapes));
    add(far);
    add(pair(p2.shape, far));
    add(pair(p2.form, shapes));
    add(pair(p2.form, pair(m0.shape, left)));
    add(pair(p1.ending, m0.shape) * 8 + g);
    add(pair(p1.shape, m0.ending) * 8 + g);
    add(pair(since, p1.shape) * 8 + g);
    add(pair(since, shapes));
    add(since * 64 + mode);
    add(pair(mode, left));
    add(pair(mode, right));
    add(pair(mode, shapes));
    add(pair(mode, forms));
    add(pair(state.first, shapes));
    add(pair(quotes + 2 * brackets, shapes));
    add(pair(quotes, left));
    add(pair(p2.form, forms));
    add(pair(m1.form, forms));
    add(pair(m1.form, shapes));
    add(pair(width, m0.shape));
    add(pair((m1.gap * 8ull + m[2].gap) * 8 + g, m0.shape));
    add(pair(p1.gap * 8ull + g, both));
    add(pair(line * 8 + g, shapes));
    add(pair(next, shapes));
    add(pair(next * 16 + since, m0.shape) * 8 + g);
    add(pair(m[2].shape, far));
    add(pair(since, right));
    add(pair(m[-3].form, pair(p2.form, left)));
    add(pair(since * 64 + mode, forms));
    add(pair(p2.ending, pair(p1.ending, m0.shape)));
    add(pair(p1.ending, m0.ending) * 64 + mode);
    add(pair(mode * 16 + since, p1.ending));
    add(pair(p2.form, right) * 64 + mode);
    add(pair(m0.ending, m1.ending) * 64 + mode);
    finish(0, 0);
    const std::uint64_t cases = m0.known & type_bits::cases;
    if (cases != 0) {
        const std::size_t from = n;
        add(pair(cases, shapes));
        add(pair(cases, far));
        add(pair(cases, pair(since, shapes)));
        add(pair(cases, left) * 64 + mode);
        finish(from, n_plain);
    }
    const std::uint32_t addresses =
        (p1.known & type_bits::address) | ((m0.known & type_bits::address) >> 1);
    if (addresses != 0) {
        const std::size_t from = n;
        const std::uint64_t value = addresses * 8ull + g;
        add(value);
        add(pair(value, both));
        add(pair(value, pair(state.first, since)));
        add(pair(value, line));
        finish(from, at_address);
    }
    if (std::uint64_t kinds = p1.known & type_bits::abbreviation; kinds != 0) {
        const std::size_t from = n;
        const std::uint64_t next_kinds = m0.known & type_bits::abbreviation;
        kinds = kinds * 8 + g;
        add(kinds);
        add(pair(kinds, m0.shape));
        add(pair(kinds, m0.form));
        add(pair(kinds, pair(m0.shape, cases)));
        add(pair(kinds, pair(p1.shape, pair(m0.shape, cases))));
        add(pair(kinds, pair(m0.shape, m1.shape)));
        add(pair(kinds, pair(p2.shape, m0.shape)));
        add(pair(kinds, pair(m0.shape, next_kinds)));
        add(pair(kinds, pair(m0.shape, cases * 16 + since)));
        add(pair(kinds, pair(p1.form, cases)));
        finish(from, at_abbreviation);
    }
    if (layout != layout::SAME) {
        const std::size_t from = n;
        const std::uint64_t b = layout;
        add(b);
        add(pair(b, p1.shape));
        add(pair(b, m0.shape));
        add(pair(b, both));
        add(pair(b, p1.form));
        add(pair(b, m0.form));
        add(pair(b * 16 + since, p1.shape));
        add(b * 64 + mode);
        add(pair(b, pair(p1.ending, m0.shape)));
        add(pair(b * 16 + next, m0.shape));
        add(pair(b, pair(m0.shape, m1.shape)));
        finish(from, at_layout);
    }
    return {out.data(), n};
}

// Whether a paragraph begins with words that have neither punctuation nor capitals.
bool is_bare(ConstMarks rows, Long i) {
    for (Long j = 0; j < ahead; ++j)
        if (is_sign(rows[i + j]) || (j > 0 && rows[i + j].gap >= PARAGRAPH)) return false;
    return rows[i + ahead - 1].shape != 0;
}

// Takes token i, which starts a sentence or does not, into the state.
void advance(ConstMarks rows, Long i, bool start, StartState& state) {
    const Mark& mark = rows[i];
    if (mark.gap >= PARAGRAPH && is_bare(rows, i)) {
        state.stops = state.signs = state.capitals = 0;
        state.count = 0;
    }
    if (start) {
        state.since = 0;
        state.first = mark.form >> 2;
        state.brackets = 0;
        if (mark.gap >= PARAGRAPH) state.quotes = 0;
    }
    if (mark.gap > BLANK) state.line = 0;
    ++state.since;
    ++state.line;
    ++state.count;
    const std::uint64_t head = mark.head();
    state.quotes += head == QUOTE;
    state.brackets += head == OPEN;
    state.brackets -= head == CLOSE;
    constexpr std::uint64_t keep = (1ull << 40) - 1;
    const auto push = [](std::uint64_t bits, bool bit) { return ((bits << 1) | bit) & keep; };
    state.stops = push(state.stops, is_end(mark.tail()));
    state.signs = push(state.signs, is_sign(mark));
    state.capitals = push(state.capitals, head == UPPER);
}

}  // namespace

void find_starts(ConstMarks rows, Kinds breaks, Signs given, const Weights& weights,
                 double threshold, StartState& state, View<float> evidence) {
    // Probabilities behind notes are kept in steps of 2**-40.
    constexpr double steps = 1ll << 40;
    const Long size = std::ssize(evidence);
    Features room;
    std::array<Mark, behind + ahead> others;
    Rows<StartState> found(weights);
    const auto features = [&](Long n, const StartState& at, Features& own) {
        const std::uint8_t layout = breaks.empty() ? std::uint8_t{layout::SAME} : breaks[n];
        return features_of(rows, n + behind, layout, at, weights.bits(), own);
    };
    const auto judge = [&](Long n) {
        const auto own = found.get(n, state, features);
        if (n + 1 < size) {
            StartState next = state;
            advance(rows, n + behind, false, next);
            found.expect(n + 1, next, features);
        }
        return probability_of(weights.score(own));
    };
    for (Long n = 0; n < size; ++n) {
        const Long i = n + behind;
        double probability = state.count == 0 ? 1.0 : judge(n);
        double carried = 0.0;
        if (state.note > 0.0 && is_behind_note(rows, i)) {
            // Evidence for a start without the note counts for a start after it.
            carried = state.note;
            probability = std::max(probability, carried);
            state.note = 0.0;
        }
        if (given[n] >= 0) {
            probability = given[n];
        } else if (is_note(rows, i)) {
            without_note(rows, i, others);
            const auto own = features_of(others, behind, layout::SAME, state, weights.bits(), room);
            weights.request(own);
            const double past = probability_of(weights.score(own));
            state.note = std::floor(std::max(past, carried) * steps) / steps;
            probability = 0.0;
        }
        evidence[n] = static_cast<float>(probability);
        advance(rows, i, probability > threshold, state);
    }
}

void learn_starts(ConstMarks rows, Kinds breaks, Signs truth, const Pass& how,
                  LearningTable& table, Progress& progress, Cancel& cancel) {
    Features features;
    StartState state;
    for (Long n = 0; n < std::ssize(truth); ++n) {
        const Long i = n + behind;
        bool start = (truth[n] & 1) != 0;
        if (n > 0 && truth[n] < pass) {
            const std::uint8_t layout = breaks.empty() ? std::uint8_t{layout::SAME} : breaks[n];
            const auto found = features_of(rows, i, layout, state, how.bits, features);
            if (how.rate < 0.0) {
                tally(found, table);
            } else {
                const bool decided = step(found, start, how.rate, table, progress);
                if (how.own) start = decided;
            }
        }
        advance(rows, i, start, state);
        if (n % 4096 == 0) cancel.poll();
    }
}

}  // namespace caesura::tokenize

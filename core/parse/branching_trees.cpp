#include "parse/branching_trees.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.h"

namespace caesura::parse::hybrid {
namespace {

// Whether `high` is `low` or above it.
bool reaches(const State& state, std::int32_t low, std::int32_t high) {
    for (std::int32_t step = 0; step <= state.n && low > 0 && low != high; ++step)
        low = state.heads[low];
    return low > 0 && low == high;
}

bool has_root_head(const State& state, std::int32_t word) { return state.heads[word] <= 0; }

bool is_given_root(const State& state, std::int32_t word) {
    return state.limits.any() && state.limits.heads[word] == 0;
}

// A number with commas between thousands.
std::string grouped(std::size_t number) {
    std::string text = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

// How much of all sequences, weighted by their probabilities, agrees with each arc of the tree.
void write_shares(Search& search, const Trees& out) {
    const Sequences& found = search.found();
    double highest = found[0].log_probability, total = 0.0;
    for (std::size_t r = 0; r < found.size(); ++r)
        highest = std::max(highest, found[r].log_probability);
    const Long words = std::ssize(out.heads);
    for (float& share : out.shares) share = 0.0f;
    for (std::size_t r = 0; r < found.size(); ++r) {
        const double weight = std::exp(found[r].log_probability - highest);
        total += weight;
        const State& state = search.replay(r);
        for (Long w = 0; w < words; ++w)
            if (state.heads[w + 1] - 1 == out.heads[w] && state.labels[w + 1] == out.labels[w])
                out.shares[w] = static_cast<float>(out.shares[w] + weight);
    }
    for (float& share : out.shares) share = static_cast<float>(share / total);
}

}  // namespace

// The likeliest arc to a word that was second best where no arc was made.
struct Brancher::SecondBest {
    std::int32_t head = -1, label = -1;
    double probability = 0.0;
};

std::vector<Brancher::SecondBest> Brancher::second_best(const Words& words, const Limits& limits,
                                                        const Sequences& sequences,
                                                        std::size_t number,
                                                        Scratch& scratch) const {
    const System system(options_.single_root);
    const auto n = static_cast<std::int32_t>(words.n);
    std::vector<SecondBest> second(static_cast<std::size_t>(n) + 1);
    State state;
    state.reset(n, limits);
    for (std::size_t at = 0; at < sequences.length(number); ++at) {
        const Transition made = classifier_.transition(sequences.step(number, at).action);
        if (!is_arc(made.kind)) {
            scratch.slots.fill(words, state);
            classifier_.choose(state, system.legal(state), 2, scratch);
            const auto& best = scratch.best;
            const Transition other =
                best.size() > 1 ? classifier_.transition(best[1].action) : made;
            if (is_arc(other.kind)) {
                const std::int32_t word = state.dependent(other.kind);
                const std::int32_t head = is_left(other.kind) ? state.next : state.top();
                if (second[word].head < 0 || best[1].probability > second[word].probability)
                    second[word] = {head, other.label, best[1].probability};
            }
        }
        System::apply(state, made);
    }
    return second;
}

// Finds a head for one word, as ClearNLP does.
void Brancher::hang(const Words& words, State& state, std::int32_t word, const SecondBest& second,
                    Scratch& scratch) const {
    if (second.head >= 0 && !reaches(state, second.head, word)) {
        state.heads[word] = second.head;
        state.labels[word] = second.label;
        return;
    }
    const std::int32_t given = state.limits.label(word);
    double best = -1.0;
    std::int32_t head = 0, label = root_label_;
    for (std::int32_t k = 0; k <= state.n; ++k) {
        if (k == word || reaches(state, k, word)) continue;
        const auto [found, probability] = classifier_.pair(words, state, k, word, given, scratch);
        if (probability > best) {
            best = probability;
            head = k;
            label = found;
        }
    }
    state.heads[word] = head;
    state.labels[word] = label;
}

// Keeps the likeliest of the words on the root, and attaches the others to it.
void Brancher::one_root(const Words& words, State& state, Scratch& scratch, Floats made) const {
    std::int32_t keep = 0;
    double most = -1.0;
    for (std::int32_t w = 1; w <= state.n; ++w) {
        if (!has_root_head(state, w)) continue;
        double found;
        if (is_given_root(state, w))
            found = 3.0;
        else if (state.heads[w] == 0)
            found = 1.0 + made[w - 1];
        else
            found = classifier_.pair(words, state, 0, w, -1, scratch).second;
        if (found > most) {
            keep = w;
            most = found;
        }
    }
    if (state.heads[keep] == no_head) {
        state.labels[keep] = root_label_;
        state.heads[keep] = 0;
    }
    for (std::int32_t w = 1; w <= state.n; ++w) {
        if (w == keep || !has_root_head(state, w) || is_given_root(state, w)) continue;
        state.labels[w] =
            classifier_.pair(words, state, keep, w, state.limits.label(w), scratch).first;
        state.heads[w] = keep;
    }
}

void Brancher::write_tree(const Words& words, const Limits& limits, const Sequences& sequences,
                          std::size_t number, Scratch& scratch, const Trees& out,
                          Cancel& cancel) const {
    const auto n = static_cast<std::int32_t>(words.n);
    State state;
    state.reset(n, limits);
    for (float& probability : out.probabilities) probability = 0.0f;
    for (std::size_t at = 0; at < sequences.length(number); ++at) {
        const Step& step = sequences.step(number, at);
        const Transition made = classifier_.transition(step.action);
        if (is_arc(made.kind))
            out.probabilities[state.dependent(made.kind) - 1] = step.probability;
        System::apply(state, made);
    }
    const bool missing = state.attached() < n;
    if (headless_ == Headless::single_root) {
        const auto roots = std::count(state.heads.begin() + 1, state.heads.end(), 0);
        if (missing || roots != 1) one_root(words, state, scratch, out.probabilities);
    } else if (missing && headless_ == Headless::clearnlp) {
        const auto second = second_best(words, limits, sequences, number, scratch);
        for (std::int32_t w = 1; w <= n; ++w) {
            if (state.heads[w] != no_head) continue;
            cancel.poll();
            hang(words, state, w, second[w], scratch);
        }
    }
    for (std::int32_t w = 1; w <= n; ++w) {
        const bool headless = state.heads[w] == no_head;
        out.heads[w - 1] = (headless ? 0 : state.heads[w]) - 1;
        out.labels[w - 1] = headless ? root_label_ : state.labels[w];
    }
}

void Brancher::run(Search& search, const Words& words, const Limits& limits, Counts& counts,
                   Cancel& cancel) const {
    cancel.poll();
    if (search.run(words, limits, counts, cancel)) return;
    throw DamagedModel("the parser makes " + grouped(most_steps(words.n, false)) +
                       " transitions for " + grouped(static_cast<std::size_t>(words.n)) +
                       " words and goes nowhere");
}

void Brancher::decode(const Batch& batch, bool confidence, const Trees& trees, Counts& counts,
                      Cancel& cancel) const {
    Search search(classifier_, options_);
    for (Long k = 0; k < batch.size(); ++k) {
        const Words words = batch.words(k);
        const Limits limits = batch.limits(k);
        run(search, words, limits, counts, cancel);
        const Trees out = trees.slice(batch.bounds[k], batch.bounds[k + 1]);
        write_tree(words, limits, search.found(), search.found().best(), search.scratch(), out,
                   cancel);
        if (confidence) write_shares(search, out);
    }
}

Brancher::Every Brancher::all_trees(const Batch& batch, Counts& counts, Cancel& cancel) const {
    Search search(classifier_, options_);
    const Words words = batch.words(0);
    const Limits limits = batch.limits(0);
    run(search, words, limits, counts, cancel);
    const auto n = static_cast<std::size_t>(batch.length(0));
    const std::size_t number = search.found().size();
    Every every;
    every.heads.resize(number * n);
    every.labels.resize(number * n);
    every.probabilities.resize(number * n);
    for (std::size_t r = 0; r < number; ++r) {
        every.scores.push_back(search.found()[r].score);
        const Trees out{{every.heads.data() + r * n, n},
                        {every.labels.data() + r * n, n},
                        {every.probabilities.data() + r * n, n},
                        {}};
        write_tree(words, limits, search.found(), r, search.scratch(), out, cancel);
    }
    return every;
}

}  // namespace caesura::parse::hybrid

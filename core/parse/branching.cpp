#include "parse/branching.h"

#include <algorithm>
#include <cmath>

namespace caesura::parse::hybrid {
namespace {
// A branch with this score cannot win.
constexpr double refused = -1e30;
}  // namespace

std::size_t Sequences::best() const {
    std::size_t best = 0;
    for (std::size_t r = 1; r < sequences_.size(); ++r)
        if (sequences_[r].score > sequences_[best].score) best = r;
    return best;
}

std::size_t most_steps(Long words, bool given) {
    const Long most = words * (words + 3) / 2;
    return static_cast<std::size_t>(given ? most : std::min(most, 1000 + 64 * words));
}

void Search::Total::add(double probability) {
    probabilities += probability;
    logs += std::log(std::max(probability, 1e-30));
}

bool Search::is_unsure(std::size_t a) const {
    const auto& best = scratch_.best;
    if (a >= best.size() || best[0].probability - best[a].probability > options_.margin)
        return false;
    return !options_.skip_labels || classifier_.transition(best[a].action).kind !=
                                        classifier_.transition(best[0].action).kind;
}

Decision Search::decision() const {
    return {scratch_.best[0], is_unsure(1) ? scratch_.best[1] : Choice{}};
}

// Keeps a fork if it is among the likeliest.
void Search::insert(const Fork& fork, std::size_t most) {
    std::size_t at = forks_.size();
    while (at > 0 && forks_[at - 1].probability < fork.probability) --at;
    if (at >= most) return;
    if (forks_.size() == most) forks_.pop_back();
    forks_.insert(forks_.begin() + static_cast<std::ptrdiff_t>(at), fork);
}

double Search::score(const Total& total, std::size_t steps) const {
    if (!options_.mean) return total.logs;
    return total.probabilities / static_cast<double>(std::max<std::size_t>(steps, 1));
}

const State& Search::replay(std::size_t number) {
    state_.reset(state_.n, state_.limits);
    for (std::size_t at = 0; at < sequences_.length(number); ++at)
        System::apply(state_, classifier_.transition(sequences_.step(number, at).action));
    return state_;
}

bool Search::first(const Words& words, Counts& counts, Cancel& cancel) {
    Total total;
    std::size_t length = 0;
    for (; !state_.is_terminal(); ++length) {
        if (length >= most_) return false;
        if (length % 1024 == 1023) cancel.poll();
        const Kinds can = system_.legal(state_);
        scratch_.slots.fill(words, state_);
        classifier_.choose(state_, can, options_.beam > 1 ? options_.k : 1, scratch_);
        ++counts[evaluations];
        const auto& best = scratch_.best;
        if (options_.beam > 1) {
            if (options_.memory) memo_.put(scratch_.slots.signature(can), decision());
            for (std::size_t a = 1; a < best.size(); ++a) {
                if (!is_unsure(a)) continue;
                ++counts[unsure];
                insert({length, best[a].action, best[a].probability}, options_.beam - 1);
            }
        }
        sequences_.add({best[0].action, static_cast<float>(best[0].probability), no_action, 0.0f});
        total.add(best[0].probability);
        System::apply(state_, classifier_.transition(best[0].action));
    }
    sequences_.finish(0, score(total, length), total.logs);
    attached_ = state_.attached();
    longest_ = length;
    counts[steps] += static_cast<Long>(length);
    return true;
}

bool Search::follow(const Words& words, const Fork& fork, std::size_t base, Counts& counts) {
    const std::size_t shared = base > 0 ? sequences_[base].fork : fork.step;
    state_.reset(state_.n, state_.limits);
    Total total;
    for (std::size_t at = 0; at < fork.step; ++at) {
        const Step step = sequences_.step(base, at);
        // The part of the branch that this one leaves is its own, too.
        if (at >= shared) sequences_.add({step.action, step.probability, no_action, 0.0f});
        System::apply(state_, classifier_.transition(step.action));
        total.probabilities += step.probability;
        total.logs += std::log(std::max(step.probability, 1e-30f));
    }
    Decision now{{fork.action, fork.probability}, {}};
    for (std::size_t made = fork.step;; ++made) {
        if (made >= most_) return false;
        sequences_.add({now.best.action, static_cast<float>(now.best.probability),
                        now.second.action, static_cast<float>(now.second.probability)});
        total.add(now.best.probability);
        System::apply(state_, classifier_.transition(now.best.action));
        if (state_.is_terminal()) break;
        const Kinds can = system_.legal(state_);
        scratch_.slots.fill(words, state_);
        const std::uint64_t key = options_.memory ? scratch_.slots.signature(can) : 0;
        if (options_.memory) {
            if (const Decision* known = memo_.find(key)) {
                now = *known;
                ++counts[remembered];
                continue;
            }
        }
        classifier_.choose(state_, can, options_.waves > 1 ? 2 : 1, scratch_);
        ++counts[evaluations];
        now = decision();
        if (options_.memory) memo_.put(key, now);
    }
    const std::size_t length = shared + sequences_.under_way();
    longest_ = std::max(longest_, length);
    if (options_.keep_attached && state_.attached() < attached_)
        total = {refused, refused};
    sequences_.finish(shared, score(total, length), total.logs);
    return true;
}

bool Search::run(const Words& words, const Limits& limits, Counts& all, Cancel& cancel) {
    const auto n = static_cast<std::int32_t>(words.n);
    Counts counts{};
    most_ = most_steps(n, limits.any());
    memo_.clear();
    forks_.clear();
    sequences_.clear();
    state_.reset(n, limits);
    if (!first(words, counts, cancel)) return false;
    std::size_t base = 0;
    for (int wave = 1; !forks_.empty(); ++wave) {
        for (const Fork& fork : forks_) {
            cancel.poll();
            if (!follow(words, fork, base, counts)) return false;
        }
        // Another wave leaves the best branch where it was unsure itself.
        forks_.clear();
        const std::size_t best = sequences_.best(), number = sequences_.size();
        if (wave < options_.waves && best != base && options_.beam > number) {
            for (std::size_t at = sequences_[best].fork + 1; at < sequences_.length(best); ++at) {
                const Step& step = sequences_.step(best, at);
                if (step.second < 0) continue;
                insert({at, step.second, step.second_probability}, options_.beam - number);
                ++counts[unsure];
            }
        }
        base = best;
    }
    const Long number = std::ssize(sequences_);
    counts[sentences] = 1;
    counts[sequences] = number;
    counts[bound] = number * static_cast<Long>(longest_) - number * (number - 1) / 2;
    counts[one_best] = base == 0 ? 1 : 0;
    for (std::size_t c = 0; c < counts.size(); ++c) all[c] += counts[c];
    return true;
}

}  // namespace caesura::parse::hybrid

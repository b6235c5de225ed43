#include "parse/updates.h"

#include <algorithm>

#include "learn/updates.h"

namespace caesura::parse {
namespace {

// The length of a perceptron step. Any length learns the same; with this one scores are about as
// large as after passive-aggressive steps, so that a bias or a pruning margin means the same.
constexpr double perceptron_step = 1.0 / 256;

Long padded(std::int32_t transitions) { return (transitions + 1 + 31) / 32 * 32; }

}  // namespace

Learner::Learner(const JointSystem& system, const Templates& templates, const Rules& rules,
                 int delta_bits)
    : system_(system),
      rules_(rules),
      scorer_(templates, padded(system.size())),
      beam_(rules.search.width, static_cast<std::int32_t>(padded(system.size()))),
      arena_(256 * Long{rules.search.width}, 512 * Long{rules.search.width}),
      delta_(delta_bits) {}

bool Learner::is_legal(Ints actions, Long n) {
    arena_.reset();
    std::int32_t item = 0;
    for (const std::int32_t action : actions) {
        if (!arena_.has_room(1)) arena_.grow();
        if (action < 0 || action >= system_.size()) return false;
        const int kind = action < first_arc ? action
                                            : first_arc + (action >= system_.first_right()) +
                                                  (action >= system_.first_root());
        if ((system_.legal(arena_, arena_.item(item), n) >> kind & 1) == 0) return false;
        item = system_.apply(Limits{}, arena_, item, action);
    }
    return true;
}

// The item that a gold transition leads to: of the beam, or a new one beside it.
std::int32_t Learner::follow(const Words& words, std::int32_t gold_item, std::int32_t action,
                             bool& inside) {
    beam_.expand(scorer_, system_, Limits{}, words, rules_.odds, rules_.search, arena_);
    if (inside)
        for (const std::int32_t item : beam_.items())
            if (arena_.item(item).parent == gold_item && arena_.item(item).action == action)
                return item;
    inside = false;
    scorer_.score(arena_, gold_item, beam_.scores());
    const double score = arena_.item(gold_item).score + beam_.scores()[action];
    const std::int32_t next = system_.apply(Limits{}, arena_, gold_item, action);
    arena_.item(next).score = score;
    return next;
}

Long Learner::learn(Weights& weights, double tick, const Words& words, const Gold& gold,
                            Cancel& cancel) {
    const Long total = std::ssize(gold.actions);
    const auto score = [this](std::int32_t item) { return arena_.item(item).score; };
    scorer_.use(weights);
    scorer_.begin(words);
    arena_.reset();
    beam_.reset();
    pairs_.clear();
    delta_.clear();
    std::int32_t gold_item = 0;
    bool inside = true;
    double worst = 0.0;
    Long covered = total;
    for (Long k = 0; k < total; ++k) {
        cancel.poll();
        while (!arena_.has_room(rules_.search.width + 1)) arena_.grow();
        gold_item = follow(words, gold_item, gold.actions[k], inside);
        const std::int32_t best = beam_.best();
        const Pair pair{gold_item, best};
        if (rules_.update == Update::max_violation) {
            const double violation = score(best) - score(gold_item);
            if (best != gold_item && violation >= worst) {
                worst = violation;
                pairs_.assign(1, pair);
                covered = k + 1;
            }
            continue;
        }
        if (inside && (k < total - 1 || best == gold_item)) continue;
        pairs_.push_back(pair);
        if (rules_.update == Update::early) {
            covered = k + 1;
            break;
        }
        if (rules_.update == Update::laso) {
            const Long errors = collect(gold, gold_item, best);
            step(weights, tick, errors, score(best) - score(gold_item), false);
            scorer_.begin(words);
        }
        beam_.reset(gold_item);
        inside = true;
    }
    if (rules_.update == Update::laso) return covered;
    Long errors = 0;
    double violation = 0.0;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        cancel.poll();
        const auto [right, wrong] = pairs_[k];
        errors += collect(gold, right, wrong);
        violation += score(wrong) - score(right);
        if (rules_.delayed == Delayed::accumulated && k + 1 < pairs_.size()) continue;
        step(weights, tick, errors, violation, rules_.delayed >= Delayed::in_turn && k > 0);
        errors = 0;
        violation = 0.0;
    }
    return covered;
}

// Adds the difference of two derivations since their common ancestor; returns the errors.
Long Learner::collect(const Gold& gold, std::int32_t right, std::int32_t wrong) {
    Long found = 0;
    while (right != wrong) {  // parents lie before their children, and item 0 before all
        std::int32_t& later = right > wrong ? right : wrong;
        if (&later == &wrong) found += errors(gold, arena_.item(wrong));
        take(later, right > wrong ? 1.0f : -1.0f);
        later = arena_.item(later).parent;
    }
    return found;
}

// Adds the features of the step that made an item.
void Learner::take(std::int32_t item, float value) {
    const Item& state = arena_.item(item);
    for (const std::uint64_t row : scorer_.rows(arena_, state.parent))
        delta_.add(static_cast<std::uint32_t>(row), state.action, value);
}

// How many wrong arcs and boundary decisions the transition to an item made.
Long Learner::errors(const Gold& gold, const Item& state) const {
    if (state.action == sb) return gold.starts[state.dependent] ? 0 : 1;
    if (state.action == shift) {
        const Item& parent = arena_.item(state.parent);
        return system_.has_sb() && parent.swapped < 0 && parent.next > parent.last &&
               gold.starts[parent.next];
    }
    if (state.action < first_arc) return 0;
    const std::int32_t head = gold.heads[state.dependent], label = gold.labels[state.dependent];
    if (head == absent_token) return 0;
    return head != state.head || (label >= 0 && label != system_.label(state.action));
}

// Moves the weights along the difference, and clears it. The weights have changed since the
// difference was found if it is looked at again: what is no longer a violation, or has no loss any
// more, is left alone.
void Learner::step(Weights& weights, double tick, Long errors, double violation, bool again) {
    double rate = perceptron_step;
    if (rules_.passive_aggressive || again) {
        double norm = 0.0, margin = 0.0;
        for (const Delta::Entry& entry : delta_.entries()) {
            norm += entry.value * entry.value;
            if (!again) continue;
            const float* row = weights.find(entry.row);
            if (row != nullptr) margin += entry.value * row[entry.action];
        }
        if (again) violation = -margin;
        const double enough =
            rules_.delayed == Delayed::in_turn_loss ? static_cast<double>(errors) : 0.0;
        if (norm == 0.0 || (margin > 0.0 && margin >= enough))
            rate = 0.0;
        else if (rules_.passive_aggressive)
            rate = learn::passive_aggressive(static_cast<double>(errors) + violation + rules_.plus,
                                             norm, rules_.cap);
    }
    if (rate > 0.0) {
        for (const Delta::Entry& entry : delta_.entries()) {
            const auto change = static_cast<float>(rate * entry.value);
            if (change == 0.0f) continue;
            float* row = weights.touch(entry.row) + entry.action;
            learn::add_step(row[0], row[weights.width()], change, static_cast<float>(tick));
        }
    }
    delta_.clear();
}

std::optional<std::vector<std::int32_t>> Learner::derive(const Weights& weights, const Words& words,
                                                         const Limits& limits, Cancel& cancel) {
    scorer_.use(weights);
    arena_.reset();
    beam_.reset();
    Long steps = 0;
    Outcome outcome = Outcome::full;
    while ((outcome = advance(beam_, scorer_, system_, limits, words, rules_.odds, rules_.search,
                              arena_, steps, cancel)) == Outcome::full)
        arena_.grow();
    if (outcome != Outcome::done) return std::nullopt;
    std::vector<std::int32_t> actions;
    for (std::int32_t item = beam_.best(); item > 0; item = arena_.item(item).parent)
        actions.push_back(arena_.item(item).action);
    std::reverse(actions.begin(), actions.end());
    return actions;
}

}  // namespace caesura::parse

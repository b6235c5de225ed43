// Learning from one instance: LaSO, early update, max-violation, DLaSO (Björkelund et al. 2016).
//
// An update is a pair of items, a gold one and the best of the beam; only the steps after their last
// common ancestor count. Steps are plain perceptron or passive-aggressive, and weights are averaged
// lazily (learn/updates.h).
//
// The delayed updates of an instance repeat each other: a model that sets no boundaries misses all
// of them. Taken in turn, those that an earlier one has set right are left out; taken all, they go
// too far, and the model swings from no boundaries to one before every word. By the
// passive-aggressive rule an update is right only if gold leads by its errors (in_turn_loss), which
// few ever do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "parse/beam.h"
#include "parse/delta.h"
#include "parse/linear32.h"

namespace caesura::parse {

enum class Update { laso, early, max_violation, dlaso };
// Delayed updates: as one step, one step each, or in turn.
enum class Delayed { accumulated, per_update, in_turn, in_turn_loss };

// How to learn.
struct Rules {
    Update update = Update::dlaso;
    Delayed delayed = Delayed::in_turn;
    bool passive_aggressive = false;
    double cap = 1e30;   // of a passive-aggressive step
    double plus = 0.0;   // added to its loss
    Settings search;
    StartOdds odds;
};

// The gold derivation of an instance, and the trees and boundaries that errors are counted by.
struct Gold {
    Ints actions;
    Ints heads, labels;  // absent_token, -1: unknown
    Flags starts;
};

// Decodes instances beside their gold derivation and updates weights; memory of one thread.
class Learner {
   public:
    // An update: the gold and the predicted item.
    struct Pair {
        std::int32_t gold, predicted;
    };

    // Updates use at most 7/8 of 2^delta_bits features.
    Learner(const JointSystem& system, const Templates& templates, const Rules& rules,
            int delta_bits);

    // Whether a derivation of n words or of their beginning makes legal transitions only.
    bool is_legal(Ints actions, Long n);
    // Updates weights; returns the steps of the derivation that were used. The derivation is legal.
    Long learn(Weights& weights, double tick, const Words& words, const Gold& gold, Cancel& cancel);
    // The best derivation within limits, if the search finds one.
    std::optional<std::vector<std::int32_t>> derive(const Weights& weights, const Words& words,
                                                    const Limits& limits, Cancel& cancel);

    // Of a row of weights.
    Long width() const { return scorer_.width(); }
    // What `learn` did last.
    const std::vector<Pair>& pairs() const { return pairs_; }
    const Arena& arena() const { return arena_; }
    // Features that were dropped since the start.
    Long dropped() const { return delta_.dropped(); }

   private:
    std::int32_t follow(const Words& words, std::int32_t gold_item, std::int32_t action,
                        bool& inside);
    Long collect(const Gold& gold, std::int32_t right, std::int32_t wrong);
    void take(std::int32_t item, float value);
    Long errors(const Gold& gold, const Item& state) const;
    void step(Weights& weights, double tick, Long errors, double violation, bool again);

    const JointSystem& system_;
    Rules rules_;
    Linear32 scorer_;
    Beam beam_;
    Arena arena_;
    Delta delta_;
    std::vector<Pair> pairs_;
};

}  // namespace caesura::parse

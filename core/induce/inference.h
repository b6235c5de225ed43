// Inference over sentences: expected counts, probabilities, best trees, draws, arc posteriors, and
// the events of given trees. A sentence that a constraint leaves without a tree is handled without
// the constraint and marked as lifted.
#pragma once

#include "base/cancel.h"
#include "induce/chart.h"

namespace caesura::induce {

// The sentences from low to high.
struct Range {
    Long low, high;
};

// What a batch of sentences is read with. Arrays with one number a sentence or word are those of
// all sentences.
struct Batch {
    const Sentences& sentences;
    Range range;
    Constraint constraint;
    Cancel& cancel;
};

// Adds expected counts; writes the log-probability of each sentence.
void expect(const Batch& batch, const Parameters& parameters, const Counts& counts,
            View<double> scores, View<std::uint8_t> lifted);

// Writes the log-probability of each sentence.
void weigh(const Batch& batch, const Parameters& parameters, View<double> scores);

// Writes heads and scores of the best trees by logarithms of parameters. A seed below zero selects
// the leftmost of equally good trees.
void find_best(const Batch& batch, const Parameters& logs, Long seed, View<std::int32_t> heads,
               View<double> scores, View<std::uint8_t> lifted);

// Draws a tree for each sentence by its probability.
void draw(const Batch& batch, const Parameters& parameters, Long seed, View<std::int32_t> heads,
          View<std::uint8_t> lifted);

// Writes the probability of each arc [head x n + dependent], those of roots on the diagonal.
// `places` has the place of each sentence in `arcs`.
void find_posteriors(const Batch& batch, const Parameters& parameters, Longs places,
                     View<double> arcs);

// Writes the heads of the trees whose arcs have the largest sum.
void find_heaviest(const Batch& batch, Longs places, Doubles arcs, View<std::int32_t> heads);

// Writes the heads of the trees with the most arcs expected to be right.
void find_least_risk(const Batch& batch, const Parameters& parameters, View<std::int32_t> heads);

// Adds the events of given trees to counts.
void count_events(const Batch& batch, Ints heads, const Counts& counts);

// Writes the sum of the logarithms of each tree's events.
void score_events(const Batch& batch, Ints heads, const Parameters& logs, View<double> scores);

}  // namespace caesura::induce

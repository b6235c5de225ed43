// A hidden Markov model over word classes: expected counts (Baum 1972) and Viterbi's best states.
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "base/view.h"

namespace caesura::cluster {

// The sentences of a text: a row of symbols, and the place where each sentence starts, with the
// length of the text at the end.
struct Text {
    Ints symbols;
    Longs starts;

    Long size() const { return std::ssize(starts) - 1; }
    Long longest() const;
};

// Tables of first states, moves [state, next] and symbols [symbol, state]: probabilities, their
// logarithms (T = const double), or counts of them (T = double).
template <class T>
struct HiddenTables {
    View<T> start;
    Matrix<T> move, emit;
};

// Adds the expected counts of starts, moves and symbols; returns the log-likelihood.
double expect_states(const Text& text, const HiddenTables<const double>& model,
                     const HiddenTables<double>& counts, Cancel& cancel);

// Writes the best state of each symbol by logarithms; of equals the first state.
void best_states(const Text& text, const HiddenTables<const double>& logs,
                 View<std::int32_t> found, Cancel& cancel);

}  // namespace caesura::cluster

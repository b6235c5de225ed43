// A log-linear model of arcs: each word chooses its head by itself. A feature is a place in a table
// of weights, found by hashing: classes of both words and of their neighbours, the distance, marks
// and classes between them, and the words themselves.
#pragma once

#include "base/cancel.h"
#include "induce/sentences.h"

namespace caesura::induce {

// Sentences with a number for each frequent word (-1: any other), and the place of each sentence
// in flat arrays of arcs [head x n + dependent] with roots on the diagonal.
struct ArcTask {
    const Sentences& sentences;
    Ints words;
    Longs places;
    Cancel& cancel;
};

// Writes the probability of each arc. The number of weights is a power of two.
void score_arcs(const ArcTask& task, Doubles weights, View<double> chances);

struct LearningRate {
    double rate, decay;
};

// One pass of AdaGrad over sentences in an order: weights move towards the probabilities `aims`.
void learn_arcs(const ArcTask& task, Longs order, Doubles aims,
                View<double> weights, View<double> squares, const LearningRate& step);

}  // namespace caesura::induce

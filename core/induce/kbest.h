// The k best trees of a sentence: the chart over lists of derivations.
#pragma once

#include <vector>

#include "induce/inference.h"

namespace caesura::induce {

struct ScoredTree {
    double score;
    std::vector<std::int32_t> heads;
};

// Up to k trees of one sentence by logarithms of parameters, the best first.
std::vector<ScoredTree> find_k_best(const Sentence& words, const Parameters& logs,
                                    Constraint constraint, Long k, Cancel& cancel);

}  // namespace caesura::induce

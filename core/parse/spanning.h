// The best tree of each sentence whose bounds are known, by the scores of all arcs: the best head of
// each word where these form a tree, otherwise the arborescence of Chu & Liu (1965) and Edmonds
// (1967), cycle by cycle as in Tarjan (1977), section 3, for dense graphs.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::parse {

// Scores of arcs: arcs(d, h - base[d] + 1) belongs to head h of word d, and arcs(d, 0) to the root.
// Heads outside of the row have the score `floor_score`.
struct ArcScores {
    Floats2 arcs;
    Ints base;
};
constexpr float floor_score = -12.0f;

// Longer sentences keep their tree: time and memory grow with the square of the length.
constexpr Long most_spanned = 400;

// Improves the trees of all sentences in place. `heads` has a tree of each sentence (-1: root);
// `given` the heads that must be kept (-2: none); `starts` is 1 where a sentence starts.
void best_trees(const ArcScores& scores, Signs starts, Ints given, View<std::int32_t> heads);

}  // namespace caesura::parse

// The static oracle of Nivre, Kuhlmann & Hall (2009), lazy or eager, with SB early or late. The
// order in which words must stand and the components that need no SWAP are computed once for a
// document; the derivation then follows from the first rule that fires.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"
#include "parse/joint.h"

namespace caesura::parse {

// Why a tree has no derivation: the only number returned then.
constexpr std::int32_t cycle = -1, inadmissible = -2, stuck = -3;

// The rank of each word in the in-order traversal from the root; empty if the heads have a cycle.
// Words with an unknown head hang under the root. Heads are below the number of words.
std::vector<std::int32_t> projective_rank(Ints heads);

// The trees of a document. Every head is known (-1: root), every label is one of the system's.
struct GoldTrees {
    Ints heads, labels;
    Flags starts;
};

// The transitions that build the trees, or the reason why none do. Without SB in the system the
// words are one sentence.
std::vector<std::int32_t> oracle(const JointSystem& system, const GoldTrees& gold, bool late,
                                 bool eager);

}  // namespace caesura::parse

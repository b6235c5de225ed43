// Tokens as spans of a reference text, and loops over heads and phrases.
#pragma once

#include "evaluate/edit_script.h"

namespace caesura::evaluate {

// Slides the gaps of an alignment to the edges of tokens. A shortest edit script does not care
// where a missing run begins if the letters before it equal its last ones: in `the [cat. the] dog`
// it may as well leave out `[the cat.]`. Cutting a token in two would make it as wide as the gap.
// `begins` marks the atoms of ours with which tokens begin.
void slide(View<std::int64_t> at, Longs ours, Longs theirs, View<const bool> begins);

// A hash of the characters of each span, not negative.
void hash_spans(View<const std::uint32_t> chars, Longs start, Longs end, View<std::int64_t> out);

// Match the letters of matched tokens; `there` are characters, rising.
void expand(View<std::int64_t> at, Longs ours, Longs theirs, Longs first, Longs size,
            Longs their_start, Longs there);

// Take the other alignment where, between letters matched alike, it matches more.
void prefer(View<std::int64_t> best, Longs other);

// Widen every node to its children; in preorder children come after their parent.
void gather(Longs parent, View<std::int64_t> low, View<std::int64_t> high,
            View<std::int64_t> empty);

// The nearest ancestor of each word that is no mark; `unknown` where a circle never ends.
void climb(Longs head, View<const bool> marks, std::int64_t unknown, View<std::int64_t> out);

// Marks the sentences in which some word is its own ancestor.
void find_circles(Longs head, Longs bounds, View<bool> found);

}  // namespace caesura::evaluate

// Tokens as spans of a reference text, and loops over heads and phrases.
#pragma once

#include "evaluate/edit_script.h"

namespace caesura::evaluate {

// Slides the gaps of an alignment to the edges of tokens. A shortest edit script does not care
// where a missing run begins if the letters before it equal its last ones: in `the [cat. the] dog`
// it may as well leave out `[the cat.]`. Cutting a token in two would make it as wide as the gap.
// `begins` marks the atoms of ours with which tokens begin.
void slide(View<Long> at, Longs ours, Longs theirs, Flags begins);

// A hash of the characters of each span, not negative.
void hash_spans(Codes chars, Longs start, Longs end, View<Long> out);

// Match the letters of matched tokens; `there` are characters, rising.
void expand(View<Long> at, Longs ours, Longs theirs, Longs first, Longs size,
            Longs their_start, Longs there);

// Take the other alignment where, between letters matched alike, it matches more.
void prefer(View<Long> best, Longs other);

// Widen every node to its children; in preorder children come after their parent.
void gather(Longs parent, View<Long> low, View<Long> high, View<Long> empty);

// The nearest ancestor of each word that is no mark; `unknown` where a circle never ends.
void climb(Longs head, Flags marks, Long unknown, View<Long> out);

// Marks the sentences in which some word is its own ancestor.
void find_circles(Longs head, Longs bounds, View<bool> found);

}  // namespace caesura::evaluate

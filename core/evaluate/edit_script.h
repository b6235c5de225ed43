// Shortest edit scripts: Myers' O(ND) algorithm in its linear-space form (Myers 1986, section 4b).
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "base/view.h"

namespace caesura::evaluate {

// A part of each of two sequences: a[a0, a1) and b[b0, b1).
struct Gap {
    Long a0, a1, b0, b1;
    Long size() const { return a1 - a0 + b1 - b0; }
};

// Match what lies in the gaps: `partner[i]` becomes the index of the equal of a[i] in b.
void fill_gaps(Longs a, Longs b, View<const Gap> gaps, View<Long> partner, Cancel& cancel);

}  // namespace caesura::evaluate

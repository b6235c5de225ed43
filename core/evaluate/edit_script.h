// Shortest edit scripts: Myers' O(ND) algorithm in its linear-space form (Myers 1986, section 4b).
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "base/view.h"

namespace caesura::evaluate {

// A part of each of two sequences: a[a0, a1) and b[b0, b1).
struct Gap {
    std::int64_t a0, a1, b0, b1;
    std::int64_t size() const { return a1 - a0 + b1 - b0; }
};

using Longs = View<const std::int64_t>;

// Match what lies in the gaps: `partner[i]` becomes the index of the equal of a[i] in b.
void fill_gaps(Longs a, Longs b, View<const Gap> gaps, View<std::int64_t> partner, Cancel& cancel);

}  // namespace caesura::evaluate

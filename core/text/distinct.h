// The distinct strings among spans of a text.
#pragma once

#include <vector>

#include "text/characters.h"

namespace caesura::text {

// The number of the string of each span, in order of first appearance, and the first span of each.
struct Distinct {
    std::vector<std::int32_t> numbers;
    std::vector<Long> firsts;
};

// Spans lie within the text.
Distinct distinct_spans(Codes codes, Offsets begins, Offsets ends);

}  // namespace caesura::text

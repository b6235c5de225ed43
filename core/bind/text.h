// Checks of text for the bindings that take it.
#pragma once

#include <algorithm>

#include "bind/arrays.h"
#include "bind/checks.h"
#include "text/characters.h"

namespace caesura {

inline void require_codes(Codes codes) {
    std::uint32_t highest = 0;
    for (const std::uint32_t code : codes) highest = std::max(highest, code);
    require(highest < text::n_code_points, "a code point is larger than 0x10FFFF");
}

// Strings as code points, one behind the other, and where each ends.
inline void require_strings(Codes codes, Longs ends) {
    require_codes(codes);
    require_rising(ends, 0, std::ssize(codes), "ends");
}

}  // namespace caesura

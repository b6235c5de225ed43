// What the gap before a token may look like. `caesura.layout` describes each.
#pragma once

#include <cstdint>

namespace caesura::layout {

enum Break : std::uint8_t {
    SAME, START, WRAP, SHORT, LINE, ITEM, INDENT, BLANK, DOUBLE, HEAD, WIDE, TURN, FIELD,
    PARAGRAPH, VERSE, OPENED, INSIDE, ENDED, GOES_ON
};

}  // namespace caesura::layout

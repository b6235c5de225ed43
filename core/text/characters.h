// Classes and lower-case twins of code points. `caesura.document.characters` fills a row when it
// first meets the character, so a text must be scanned for unseen ones before it is classified.
#pragma once

#include <cstdint>

#include "base/view.h"
#include "text/classes.h"

namespace caesura::text {

using Kinds = Bytes;
using Offsets = Longs;

constexpr std::size_t n_code_points = 0x110000;

struct CharacterTable {
    Kinds classes;
    Codes folded;
};

// What a text has that must be looked at by other means than the tables.
enum Sign : std::uint8_t {
    UNSEEN = 1,    // characters without a row in the table
    NAMES = 2,     // both @ and a hyphen
    PICTURES = 4,  // characters that may be emoji
    ADDRESSES = 8, // two slashes
    DEGREES = 16,  // the sign of a temperature
};

// The signs of a text, as a sum.
std::uint8_t signs_of(Codes codes, Kinds classes);

}  // namespace caesura::text

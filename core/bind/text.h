// Tables of characters as Python objects, for the bindings of what takes text.
#pragma once

#include "bind/arrays.h"
#include "bind/checks.h"
#include "text/characters.h"

namespace caesura {

// A table that keeps its arrays alive.
class SharedCharacters : public text::CharacterTable {
   public:
    SharedCharacters(In<std::uint8_t> classes, In<std::uint32_t> folded)
        : CharacterTable{view(classes), view(folded)},
          classes_(std::move(classes)),
          folded_(std::move(folded)) {
        require(classes_.shape(0) == text::n_code_points && folded_.shape(0) == text::n_code_points,
                "each code point needs a class and a lower-case twin");
    }

   private:
    In<std::uint8_t> classes_;
    In<std::uint32_t> folded_;
};

inline void require_codes(text::Codes codes) {
    std::uint32_t highest = 0;
    for (const std::uint32_t code : codes) highest = code > highest ? code : highest;
    require(highest < text::n_code_points, "a code point is larger than 0x10FFFF");
}

}  // namespace caesura

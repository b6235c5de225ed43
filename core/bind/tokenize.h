// Vocabularies of tokenisers as Python objects.
#pragma once

#include <utility>

#include "bind/text.h"
#include "tokenize/vocabulary.h"

namespace caesura {

// Strings as code points, one behind the other, and where each ends.
using PackedStrings = std::pair<In<std::uint32_t>, In<std::int64_t>>;

class SharedVocabulary : public tokenize::Vocabulary {
   public:
    SharedVocabulary(const SharedCharacters& characters, PackedStrings seen, PackedStrings named,
                     PackedStrings types, In<std::uint32_t> bits, PackedStrings chunks,
                     In<std::uint32_t> cuts, PackedStrings whole);

    const SharedCharacters& characters;
};

}  // namespace caesura

// Vocabularies of tokenisers as Python objects.
#pragma once

#include "bind/text.h"
#include "tokenize/vocabulary.h"

namespace caesura {

struct SharedVocabulary : tokenize::Vocabulary {
    SharedVocabulary(const text::CharacterTable& table, auto... strings)
        : Vocabulary(table, strings...), characters(table) {}

    const text::CharacterTable& characters;
};

}  // namespace caesura

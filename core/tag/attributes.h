// What a tagger sees of a word type: hashes of its form, affixes, shape and characters.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::tag {

// The longest prefix and suffix.
constexpr int longest_affix = 10;

// The columns of the attributes; 0 stands for an attribute that a type lacks.
enum Attribute : std::int32_t {
    form,
    lower,
    shape,
    signature,
    word_class,
    prefix,
    suffix = prefix + longest_affix,
    edges = suffix + longest_affix,
    layout_break,
    n_attributes,
};

// Strings as code points, one behind the other, and where each ends.
struct Strings {
    Codes codes;
    Longs ends;

    Codes operator[](Long n) const {
        return codes.slice(n > 0 ? ends[n - 1] : 0, ends[n]);
    }
};

// Fills the attributes that follow from the characters of word types. `kinds` holds the class of
// each character of a form; classes are below 31.
void fill_attributes(const Strings& forms, Bytes kinds, const Strings& lowers,
                     Matrix<std::uint64_t> attributes);

}  // namespace caesura::tag

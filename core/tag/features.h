// From word types and templates to feature hashes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/view.h"
#include "tag/attributes.h"

namespace caesura::tag {

// An attribute of the word at a distance from the current one.
struct Atom {
    std::int32_t attribute;
    std::int32_t distance;
};

constexpr int most_atoms = 3;
// How far from the current word an atom can lie.
constexpr int farthest = 16;
// The attribute that stands for the label of a word, in templates of columns given the label.
constexpr std::int32_t label_atom = n_attributes;

// Atoms whose hashes are combined. The number salts the hash. Python passes rows of eight integers.
struct Template {
    std::int32_t number;
    std::int32_t size;
    Atom atoms[most_atoms];
};
static_assert(sizeof(Template) == 8 * sizeof(std::int32_t));

// Throws DamagedModel unless every attribute is below `n_known` and every distance within reach.
void check_templates(View<const Template> templates, std::int32_t n_known);

// Words of one text or sentence, [begin, end) of `types`; beyond them is type 0, the edge.
struct Window {
    Hashes2 attributes;
    Ints types;
    Long begin, end;

    bool contains(Long i) const { return begin <= i && i < end; }
    std::int32_t type(Long i) const { return contains(i) ? types[i] : 0; }
};

// The hash of a template at word i; 0 where an attribute is absent.
std::uint64_t hash_at(const Window& window, Long i, const Template& t);

// The same for templates that look at labels, combined with the label of the word.
std::uint64_t hash_at(const Window& window, Ints labels, Long i, const Template& t);

// The hash of a template whose atoms all lie on one word with these attributes.
std::uint64_t hash_of(Hashes attributes, const Template& t);

}  // namespace caesura::tag

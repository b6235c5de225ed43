#include "tag/features.h"

#include "base/errors.h"

namespace caesura::tag {
namespace {

constexpr std::uint64_t salt = 0x2545F4914F6CDD1Dull;
constexpr std::uint64_t label_salt = 0x6A09E667F3BCC909ull;

// The hash of a template whose attributes have the values that `value` returns.
template <class Value>
std::uint64_t combine(std::uint64_t state, const Template& t, Value value) {
    for (std::int32_t a = 0; a < t.size; ++a) {
        const std::uint64_t found = value(t.atoms[a]);
        if (found == 0) return 0;
        state = fold(state, found);
    }
    return mix(state);
}

std::uint64_t start(const Template& t) { return mix(salt + static_cast<std::uint64_t>(t.number)); }

}  // namespace

void check_templates(View<const Template> templates, std::int32_t n_known) {
    for (const Template& t : templates) {
        bool fits = 0 <= t.size && t.size <= most_atoms;
        for (std::int32_t a = 0; fits && a < t.size; ++a)
            fits = 0 <= t.atoms[a].attribute && t.atoms[a].attribute < n_known &&
                   -farthest <= t.atoms[a].distance && t.atoms[a].distance <= farthest;
        if (!fits) throw DamagedModel("a template of the tagger has the wrong form");
    }
}

std::uint64_t hash_at(const Window& window, Long i, const Template& t) {
    return combine(start(t), t, [&](const Atom& atom) {
        return window.attributes(window.type(i + atom.distance), atom.attribute);
    });
}

std::uint64_t hash_at(const Window& window, Ints labels, Long i, const Template& t) {
    const std::uint64_t state = mix(label_salt + static_cast<std::uint64_t>(t.number) +
                                    (static_cast<std::uint64_t>(labels[i]) << 16));
    return combine(state, t, [&](const Atom& atom) {
        const Long at = i + atom.distance;
        if (atom.attribute == label_atom)
            return static_cast<std::uint64_t>(window.contains(at) ? labels[at] + 2 : 1);
        return window.attributes(window.type(at), atom.attribute);
    });
}

std::uint64_t hash_of(Hashes attributes, const Template& t) {
    return combine(start(t), t, [&](const Atom& atom) { return attributes[atom.attribute]; });
}

}  // namespace caesura::tag

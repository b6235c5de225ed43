// Arguments that decoders and learners of the tagger share.
#pragma once

#include <vector>

#include "bind/arrays.h"
#include "bind/checks.h"
#include "tag/chain.h"

namespace caesura {

inline std::vector<tag::Template> templates_of(Ints2 rows) {
    require(rows.columns() * sizeof(std::int32_t) == sizeof(tag::Template),
            "a template must have eight numbers");
    const auto* first = reinterpret_cast<const tag::Template*>(rows.data());
    return {first, first + rows.rows()};
}

inline tag::ChainTemplates chain_templates(Ints2 spot, Ints places, Ints bounds, Ints2 mixed) {
    return {templates_of(spot), templates_of(mixed), {places.begin(), places.end()},
            {bounds.begin(), bounds.end()}};
}

inline void check_types(Hashes2 attributes, Ints types) {
    require(attributes.columns() == tag::n_attributes, "types have the wrong number of attributes");
    require(attributes.rows() > 0, "there is no type of the edge");
    require_range(types, 0, static_cast<Long>(attributes.rows()), "types");
}

inline void check_begins(Longs begins, Ints types) {
    require(!begins.empty() && begins[0] == 0 && begins.end()[-1] == std::ssize(types),
            "begins must start with 0 and end with the number of words");
    require_rising(begins, 0, std::ssize(types), "begins");
}

inline void check_width(Long width) {
    require(0 < width && width <= tag::widest, "width must be from 1 to 127");
}

}  // namespace caesura

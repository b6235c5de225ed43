// Arguments that decoders and learners of the tagger share.
#pragma once

#include <vector>

#include "bind/arrays.h"
#include "bind/checks.h"
#include "tag/chain.h"

namespace caesura {

using Ints = In<std::int32_t>;
using Ints2 = In2<std::int32_t>;
using Longs = In<std::int64_t>;
using Longs2 = In2<std::int64_t>;
using Hashes = In2<std::uint64_t>;

inline auto plain(const char* name) { return nb::arg(name).noconvert(); }

inline std::int64_t length(const Ints& array) {
    return static_cast<std::int64_t>(array.shape(0));
}

inline std::vector<tag::Template> templates_of(const Ints2& rows) {
    require(rows.shape(1) * sizeof(std::int32_t) == sizeof(tag::Template),
            "a template must have eight numbers");
    const auto* first = reinterpret_cast<const tag::Template*>(rows.data());
    return {first, first + rows.shape(0)};
}

inline tag::ChainTemplates chain_templates(const Ints2& spot, const Ints& places,
                                           const Ints& bounds, const Ints2& mixed) {
    return {templates_of(spot), templates_of(mixed), {view(places).begin(), view(places).end()},
            {view(bounds).begin(), view(bounds).end()}};
}

inline void check_types(const Hashes& attributes, const Ints& types) {
    require(attributes.shape(1) == tag::n_attributes, "types have the wrong number of attributes");
    require(attributes.shape(0) > 0, "there is no type of the edge");
    require_range(view(types), 0, static_cast<std::int64_t>(attributes.shape(0)), "types");
}

inline void check_begins(const Longs& begins, const Ints& types) {
    const auto values = view(begins);
    require(!values.empty() && values[0] == 0 &&
                values[static_cast<std::ptrdiff_t>(values.size()) - 1] == length(types),
            "begins must start with 0 and end with the number of words");
    require_rising(values, 0, length(types), "begins");
}

}  // namespace caesura

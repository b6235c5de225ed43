// Objects of the parsers that several bindings take.
#pragma once

#include <nanobind/stl/tuple.h>

#include "bind/arrays.h"
#include "bind/checks.h"
#include "parse/beam.h"
#include "parse/compact.h"
#include "parse/joint.h"
#include "parse/templates.h"

namespace caesura {

// Templates that keep their arrays alive.
struct SharedTemplates {
    In2<std::int32_t> slots;
    In<std::uint64_t> seeds;
    In<std::int64_t> ends;

    parse::Templates check(std::int64_t n_slots, std::size_t n_groups) const {
        return {matrix(slots), view(seeds), view(ends), n_slots, n_groups};
    }
};

// The words of documents that lie one behind another; with their features, or only their number.
inline parse::Words words_of(In2<std::uint64_t> table, In2<std::int32_t> context,
                             std::int64_t instances) {
    const auto n = static_cast<std::int64_t>(context.shape(0));
    require(n < std::int64_t{1} << 30, "there are too many words");
    require(context.shape(1) == parse::context_columns && table.shape(1) == parse::word_columns,
            "the words have the wrong number of columns");
    require(static_cast<std::int64_t>(table.shape(0)) == n + parse::first_word * instances,
            "the word table and the context are not of the same words");
    return {n, matrix(table), matrix(context)};
}

// What stands before words is something that the log-odds know.
inline void check_context(const parse::Words& words, const parse::StartOdds& odds) {
    for (std::int64_t i = 0; i < words.n; ++i) {
        const auto fits = [&](std::int64_t column, View<const float> values) {
            const std::int32_t value = words.context(i, column);
            return value >= 0 && value < static_cast<std::int64_t>(values.size());
        };
        require(fits(parse::evidence, odds.evidence) && fits(parse::layout, odds.layout),
                "the context of a word has an unknown value");
    }
}

// The fields of `caesura.stages.parse_limits.Limits`.
using LimitArrays = std::tuple<In<std::int8_t>, In<std::int32_t>, In<std::int32_t>,
                               In<std::int32_t>, In<std::int32_t>, In<std::int32_t>, bool>;

inline parse::Limits limits_of(const LimitArrays& arrays, std::int64_t n,
                               const parse::JointSystem& system) {
    const auto& [starts, after, heads, labels, wanted, rank, patient] = arrays;
    const auto fits = [n](const auto& array, bool needed) {
        const auto size = static_cast<std::int64_t>(array.shape(0));
        require(size == n || (size == 0 && !needed), "the limits are not of the same words");
    };
    const bool has_starts = starts.shape(0) > 0, has_heads = heads.shape(0) > 0;
    fits(starts, has_starts);
    fits(after, has_starts);
    for (const auto* array : {&heads, &wanted, &rank}) fits(*array, has_heads);
    fits(labels, false);
    require_range(view(labels), -1, system.n_labels(), "labels");
    return {view(starts), view(after), view(heads), view(labels), view(wanted), view(rank),
            patient};
}

}  // namespace caesura

// Objects of the parsers that several bindings take.
#pragma once

#include "bind/arrays.h"
#include "bind/checks.h"
#include "parse/beam.h"
#include "parse/compact.h"
#include "parse/joint.h"
#include "parse/templates.h"

namespace caesura {

// Sparse rows of a model file; arrays of other types count as empty (bind/learn.cpp).
learn::SparseRows sparse_rows(const AnyArray& counts, const AnyArray& columns,
                              const AnyArray& values, Signs exponents);

// The words of documents that lie one behind another; with their features, or only their number.
inline parse::Words words_of(Hashes2 table, Ints2 context, Long instances) {
    const auto n = static_cast<Long>(context.rows());
    require(n < Long{1} << 30, "there are too many words");
    require(context.columns() == parse::context_columns && table.columns() == parse::word_columns,
            "the words have the wrong number of columns");
    require(static_cast<Long>(table.rows()) == n + parse::first_word * instances,
            "the word table and the context are not of the same words");
    return {n, table, context, {}};
}

// What stands before words is something that the log-odds know.
inline void check_context(const parse::Words& words, const parse::StartOdds& odds) {
    for (Long i = 0; i < words.n; ++i) {
        const auto fits = [&](Long column, Floats values) {
            const std::int32_t value = words.context(i, column);
            return value >= 0 && value < std::ssize(values);
        };
        require(fits(parse::evidence, odds.evidence) && fits(parse::layout, odds.layout),
                "the context of a word has an unknown value");
    }
}

// The fields of `caesura.stages.parse_constraints.Limits`.
using LimitArrays = std::tuple<Signs, Ints, Ints, Ints, Ints, Ints, bool>;

inline parse::Limits limits_of(const LimitArrays& arrays, Long n,
                               const parse::JointSystem& system) {
    const auto& [starts, after, heads, labels, wanted, rank, patient] = arrays;
    const auto check = [n](const auto& array, bool needed) {
        require(std::ssize(array) == n || (array.empty() && !needed),
                "the limits are not of the same words");
    };
    check(starts, false);
    check(after, !starts.empty());
    for (const Ints array : {heads, wanted, rank}) check(array, !heads.empty());
    check(labels, false);
    require_range(labels, -1, system.n_labels(), "labels");
    return {starts, after, heads, labels, wanted, rank, patient};
}

}  // namespace caesura

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "network/lemmas.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace network;
// Some columns of a wider array may be given.
using Rows = nb::ndarray<const float, nb::ndim<2>, nb::device::cpu>;
using Rules = std::optional<In<std::int64_t>>;

RuleScores scores_of(const Rows& scores, const Rules& rules) {
    const auto columns = static_cast<std::int64_t>(scores.shape(1));
    require(columns > 0 && (scores.stride(1) == 1 || columns == 1), "scores must have rows");
    RuleScores found{scores.data(), static_cast<std::int64_t>(scores.shape(0)), columns,
                     scores.stride(0), {}};
    if (rules) {
        require(rules->shape(0) == scores.shape(1), "every column needs a rule");
        found.rules = view(*rules);
        for (std::int64_t i = 1; i < columns; ++i)
            require(found.rules[i - 1] < found.rules[i], "rules must rise");
    }
    return found;
}

Array<std::int64_t> choose(const Rows& scores, In<std::int64_t> kinds, In<std::int64_t> first,
                           In<std::int64_t> last, In<std::uint16_t> choices, const Rules& rules) {
    const RuleScores given = scores_of(scores, rules);
    const auto n = static_cast<std::int64_t>(choices.shape(0));
    require(kinds.shape(0) == scores.shape(0), "every word needs a kind");
    require(first.shape(0) == last.shape(0), "first and last must be as long");
    require_range(view(kinds), 0, static_cast<std::int64_t>(first.shape(0)), "kinds");
    require_range(view(first), 0, n + 1, "first");
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(last.shape(0)); ++i)
        require(view(last)[i] >= view(first)[i] && view(last)[i] <= n, "last must not be before first");
    std::vector<std::int64_t> found(scores.shape(0));
    {
        nb::gil_scoped_release release;
        best_rules(given, view(kinds), view(first), view(last), view(choices), found);
    }
    return to_numpy(std::move(found));
}

void new_endings(LemmaEndings* self, In<std::uint32_t> keys, In<std::int64_t> first,
                 In<std::uint16_t> rules, In<std::uint16_t> counts) {
    const auto n = static_cast<std::int64_t>(rules.shape(0));
    damaged(first.shape(0) == keys.shape(0) + 1 && counts.shape(0) == rules.shape(0),
            "its lexicon of lemmas is damaged");
    require_rising(view(first), 0, n, "first");
    damaged(view(first)[0] == 0 && view(first)[static_cast<std::ptrdiff_t>(keys.shape(0))] == n,
            "its lexicon of lemmas is damaged");
    new (self) LemmaEndings(view(keys), view(first), view(rules), view(counts));
}

std::pair<Array<std::int64_t>, Array<double>> chances(const LemmaEndings& endings,
                                                      In<std::uint32_t> hashes) {
    std::vector<std::int64_t> rules;
    std::vector<double> found;
    endings.chances(view(hashes), rules, found);
    return {to_numpy(std::move(rules)), to_numpy(std::move(found))};
}

std::tuple<Array<std::int64_t>, Array<std::int64_t>, Array<double>> candidates(
    const LemmaEndings& endings, const Rows& scores, In<std::int64_t> rows,
    In<std::uint32_t> hashes, In<std::int64_t> bounds, double below, const Rules& rules) {
    const RuleScores given = scores_of(scores, rules);
    require_range(view(rows), 0, given.rows, "rows");
    require(bounds.shape(0) == rows.shape(0) + 1, "bounds must have one more than rows");
    require_rising(view(bounds), 0, static_cast<std::int64_t>(hashes.shape(0)), "bounds");
    Candidates found;
    {
        nb::gil_scoped_release release;
        found = endings.candidates(given, view(rows), view(hashes), view(bounds), below);
    }
    return {to_numpy(std::move(found.first)), to_numpy(std::move(found.rules)),
            to_numpy(std::move(found.points))};
}

}  // namespace

void bind_network_lemmas(nb::module_& m) {
    m.def("best_rules", &choose, "scores"_a.noconvert(), "kinds"_a.noconvert(),
          "first"_a.noconvert(), "last"_a.noconvert(), "choices"_a.noconvert(),
          "rules"_a.noconvert() = nb::none(),
          "Return the best lemma rule of each word: of choices[first[k]:last[k]] for a word of kind\n"
          "k, or of all if there are none. `rules`, which rise, are those of the columns.");
    nb::class_<LemmaEndings>(m, "LemmaEndings",
                             "Counts of lemma rules by the endings of words; read-only.")
        .def("__init__", &new_endings, "keys"_a.noconvert(), "first"_a.noconvert(),
             "rules"_a.noconvert(), "counts"_a.noconvert())
        .def("chances", &chances, "endings"_a.noconvert(),
             "Return the rules that words with these endings took, rising, and their chances.")
        .def("candidates", &candidates, "scores"_a.noconvert(), "rows"_a.noconvert(),
             "endings"_a.noconvert(), "bounds"_a.noconvert(), "below"_a,
             "rules"_a.noconvert() = nb::none(),
             "Return the rules that words may take: where those of each row begin, the rules, and\n"
             "the evidence for each, at most `below` behind the best.");
}

}  // namespace caesura

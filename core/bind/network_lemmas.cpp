#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "network/lemmas.h"

namespace caesura {
namespace {

using namespace network;
// Some columns of a wider array may be given.
using Rows = nb::ndarray<const float, nb::ndim<2>, nb::device::cpu>;
using Rules = std::optional<Longs>;

RuleScores scores_of(const Rows& scores, const Rules& rules) {
    const auto columns = static_cast<Long>(scores.shape(1));
    require(columns > 0 && (scores.stride(1) == 1 || columns == 1), "scores must have rows");
    RuleScores found{scores.data(), static_cast<Long>(scores.shape(0)), columns,
                     scores.stride(0), rules.value_or(Longs())};
    if (rules) require(std::ssize(*rules) == columns, "every column needs a rule");
    for (std::ptrdiff_t i = 1; i < std::ssize(found.rules); ++i)
        require(found.rules[i - 1] < found.rules[i], "rules must rise");
    return found;
}

std::vector<Long> choose(const Rows& scores, Longs kinds, Longs first, Longs last,
                         View<const std::uint16_t> choices, const Rules& rules) {
    const RuleScores given = scores_of(scores, rules);
    const Long n = std::ssize(choices);
    require(kinds.size() == scores.shape(0), "every word needs a kind");
    require_lengths("first and last must be as long", first, last);
    require_range(kinds, 0, std::ssize(first), "kinds");
    require_range(first, 0, n + 1, "first");
    for (std::ptrdiff_t i = 0; i < std::ssize(last); ++i)
        require(last[i] >= first[i] && last[i] <= n, "last must not be before first");
    std::vector<Long> found(kinds.size());
    best_rules(given, kinds, first, last, choices, found);
    return found;
}

void new_endings(LemmaEndings* self, Codes keys, Longs first, View<const std::uint16_t> rules,
                 View<const std::uint16_t> counts) {
    const Long n = std::ssize(rules);
    damaged(first.size() == keys.size() + 1 && counts.size() == rules.size(),
            "its lexicon of lemmas is damaged");
    require_rising(first, 0, n, "first");
    damaged(first[0] == 0 && first.end()[-1] == n, "its lexicon of lemmas is damaged");
    new (self) LemmaEndings(keys, first, rules, counts);
}

auto chances(const LemmaEndings& endings, Codes hashes) {
    std::pair<std::vector<Long>, std::vector<double>> found;
    endings.chances(hashes, found.first, found.second);
    return found;
}

auto candidates(const LemmaEndings& endings, const Rows& scores, Longs rows, Codes hashes,
                Longs bounds, double below, const Rules& rules) {
    const RuleScores given = scores_of(scores, rules);
    require_range(rows, 0, given.rows, "rows");
    require(bounds.size() == rows.size() + 1, "bounds must have one more than rows");
    require_rising(bounds, 0, std::ssize(hashes), "bounds");
    Candidates found = endings.candidates(given, rows, hashes, bounds, below);
    return std::tuple(std::move(found.first), std::move(found.rules), std::move(found.points));
}

}  // namespace

void bind_network_lemmas(nb::module_& m) {
    m.def("best_rules", &choose, without_gil, "scores"_a.noconvert(), "kinds"_a, "first"_a,
          "last"_a, "choices"_a, "rules"_a = nb::none(),
          "Return the best lemma rule of each word: of choices[first[k]:last[k]] for a word of kind\n"
          "k, or of all if there are none. `rules`, which rise, are those of the columns.");
    nb::class_<LemmaEndings>(m, "LemmaEndings",
                             "Counts of lemma rules by the endings of words; read-only.")
        .def("__init__", &new_endings, "keys"_a, "first"_a, "rules"_a, "counts"_a)
        .def("chances", &chances, "endings"_a,
             "Return the rules that words with these endings took, rising, and their chances.")
        .def("candidates", &candidates, without_gil, "scores"_a.noconvert(), "rows"_a, "endings"_a,
             "bounds"_a, "below"_a, "rules"_a = nb::none(),
             "Return the rules that words may take: where those of each row begin, the rules, and\n"
             "the evidence for each, at most `below` behind the best.");
}

}  // namespace caesura

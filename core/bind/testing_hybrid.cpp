// The hybrid transition system for tests, and the beam search of `research/hybrid_beam.py`.
#include <cmath>

#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/parse_branching.h"
#include "parse/hybrid_beam.h"

namespace caesura {
namespace {

using namespace parse::hybrid;

void new_state(State* self, std::int32_t words, Ints heads, Ints labels) {
    require(heads.size() == labels.size() && (heads.empty() || std::ssize(heads) == words + 1),
            "what is given must have a place for the root and each word");
    require_range(heads, -1, words + 1, "heads");
    new (self) State();
    self->reset(words, {heads, labels});
}

void check_gold(const State& state, Ints gold) {
    require(gold.size() == state.heads.size(), "gold must have a head for each word");
}

void apply(State& self, std::int32_t kind, std::int32_t label) {
    require(!self.is_terminal() && kind >= 0 && kind < n_kinds &&
                (System(false).legal(self) & only(kind)),
            "the transition is not legal");
    System::apply(self, {kind, label});
}

int oracle(const State& self, Ints gold, bool single_root) {
    check_gold(self, gold);
    return static_cast<int>(System(single_root).oracle(self, gold));
}

auto also_right(const State& self, Ints gold, bool single_root, int wanted) {
    check_gold(self, gold);
    require(wanted >= 0 && wanted < n_kinds, "there is no such transition");
    return System(single_root).also_right(self, gold, static_cast<Kind>(wanted));
}

auto beam_trees(const Brancher& self, Hashes2 table, Longs bounds) {
    const Batch batch = batch_of(table, bounds);
    const auto n = static_cast<std::size_t>(batch.all.n);
    std::vector<std::int32_t> heads(n), labels(n);
    std::vector<float> probabilities(n);
    std::vector<double> likelihoods;
    const Trees trees{heads, labels, probabilities, {}};
    Counts counts{};
    Cancel cancel;
    BeamSearch search(self.classifier(), self.options());
    for (Long k = 0; k < batch.size(); ++k) {
        const Sequences found = search.run(batch.words(k), counts, cancel);
        self.write_tree(batch.words(k), {}, found, 0, search.scratch(),
                        trees.slice(bounds[k], bounds[k + 1]), cancel);
        double likelihood = 0.0;
        for (std::size_t at = 0; at < found.length(0); ++at)
            likelihood += std::log(static_cast<double>(found.step(0, at).probability));
        likelihoods.push_back(likelihood);
    }
    return std::tuple(std::move(heads), std::move(labels), std::move(likelihoods),
                      std::vector(counts.begin(), counts.end()));
}

}  // namespace

void bind_testing_hybrid(nb::module_& m) {
    nb::class_<State>(m, "HybridState")
        .def("__init__", &new_state, keep_arguments, "words"_a, "heads"_a, "labels"_a)
        .def("copy", [](const State& self) { return self; }, nb::keep_alive<0, 1>())
        .def("legal", [](const State& self, bool single_root) {
            return System(single_root).legal(self);
        })
        .def("apply", &apply)
        .def("oracle", &oracle)
        .def("also_right", &also_right)
        .def_prop_ro("terminal", &State::is_terminal)
        .def_ro("next", &State::next)
        .def_ro("stack", &State::stack)
        .def_ro("deque", &State::deque)
        .def_ro("heads", &State::heads);
    m.def("beam_trees", &beam_trees, without_gil, "brancher"_a, "table"_a, "bounds"_a,
          "Return the heads and labels that ordinary beam search finds, the logarithm of the\n"
          "probability of each sentence's sequence, and counts.");
}

}  // namespace caesura

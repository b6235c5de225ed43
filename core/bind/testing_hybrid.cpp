// The hybrid transition system for tests, and the beam search of `research/hybrid_beam.py`.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/parse_branching.h"
#include "parse/hybrid_beam.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace parse::hybrid;
using Ints = In<std::int32_t>;
using Given = std::shared_ptr<const std::vector<std::int32_t>>;

// A state that keeps what is given alive; copies share it.
struct HybridState {
    Given heads, labels;
    State state;

    HybridState(std::int32_t words, const Ints& given_heads, const Ints& given_labels)
        : heads(copied(given_heads)), labels(copied(given_labels)) {
        const auto places = static_cast<std::size_t>(words) + 1;
        require(heads->size() == labels->size() && (heads->empty() || heads->size() == places),
                "what is given must have a place for the root and each word");
        require_range<const std::int32_t>(*heads, -1, words + 1, "heads");
        state.reset(words, {*heads, *labels});
    }
    static Given copied(const Ints& values) {
        return std::make_shared<std::vector<std::int32_t>>(view(values).begin(),
                                                           view(values).end());
    }
};

View<const std::int32_t> gold_of(const HybridState& self, const Ints& gold) {
    require(gold.shape(0) == self.state.heads.size(), "gold must have a head for each word");
    return view(gold);
}

void bind_state(nb::module_& m) {
    nb::class_<HybridState>(m, "HybridState")
        .def(nb::init<std::int32_t, const Ints&, const Ints&>(), "words"_a, "heads"_a.noconvert(),
             "labels"_a.noconvert())
        .def("copy", [](const HybridState& self) { return self; })
        .def("legal",
             [](const HybridState& self, bool single_root) {
                 return System(single_root).legal(self.state);
             })
        .def("apply",
             [](HybridState& self, std::int32_t kind, std::int32_t label) {
                 require(!self.state.is_terminal() && kind >= 0 && kind < n_kinds &&
                             (System(false).legal(self.state) & only(kind)),
                         "the transition is not legal");
                 System::apply(self.state, {kind, label});
             })
        .def("oracle",
             [](const HybridState& self, Ints gold, bool single_root) {
                 return static_cast<int>(
                     System(single_root).oracle(self.state, gold_of(self, gold)));
             })
        .def("also_right",
             [](const HybridState& self, Ints gold, bool single_root, int wanted) {
                 require(wanted >= 0 && wanted < n_kinds, "there is no such transition");
                 return System(single_root)
                     .also_right(self.state, gold_of(self, gold), static_cast<Kind>(wanted));
             })
        .def_prop_ro("terminal", [](const HybridState& self) { return self.state.is_terminal(); })
        .def_prop_ro("next", [](const HybridState& self) { return self.state.next; })
        .def_prop_ro("stack", [](const HybridState& self) { return self.state.stack; })
        .def_prop_ro("deque", [](const HybridState& self) { return self.state.deque; })
        .def_prop_ro("heads", [](const HybridState& self) { return self.state.heads; });
}

std::tuple<Array<std::int32_t>, Array<std::int32_t>, Array<double>, Array<std::int64_t>>
beam_trees(const SharedBrancher& self, In2<std::uint64_t> table, In<std::int64_t> bounds) {
    const Batch batch = batch_of(table, bounds);
    const auto n = static_cast<std::size_t>(batch.bounds[batch.size()]);
    std::vector<std::int32_t> heads(n), labels(n);
    std::vector<float> probabilities(n);
    std::vector<double> likelihoods;
    const Trees trees{heads, labels, probabilities, {}};
    Counts counts{};
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        BeamSearch search(self.classifier(), self.options());
        for (std::int64_t k = 0; k < batch.size(); ++k) {
            const Sequences found = search.run(batch.words(k), counts, cancel);
            self.write_tree(batch.words(k), {}, found, 0, search.scratch(),
                            trees.slice(batch.bounds[k], batch.bounds[k + 1]), cancel);
            double likelihood = 0.0;
            for (std::size_t at = 0; at < found.length(0); ++at)
                likelihood += std::log(static_cast<double>(found.step(0, at).probability));
            likelihoods.push_back(likelihood);
        }
    }
    return {to_numpy(std::move(heads)), to_numpy(std::move(labels)),
            to_numpy(std::move(likelihoods)),
            to_numpy(std::vector<std::int64_t>(counts.begin(), counts.end()))};
}

}  // namespace

void bind_testing_hybrid(nb::module_& m) {
    bind_state(m);
    m.def("beam_trees", &beam_trees, "brancher"_a, "table"_a.noconvert(), "bounds"_a.noconvert(),
          "Return the heads and labels that ordinary beam search finds, the logarithm of the\n"
          "probability of each sentence's sequence, and counts.");
}

}  // namespace caesura

// Training of the joint parser: oracle, weights and updates.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <bit>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/parse.h"
#include "parse/oracle.h"
#include "parse/quantised.h"
#include "parse/updates.h"

namespace caesura {
namespace {

using namespace nb::literals;
using parse::JointSystem;
using parse::Weights;
using Ints = In<std::int32_t>;

template <class Call>
auto without_gil(Call call) {
    nb::gil_scoped_release release;
    return call();
}

std::int64_t length(const Ints& array) { return static_cast<std::int64_t>(array.shape(0)); }

Array<std::int32_t> oracle(const JointSystem& system, Ints heads, Ints labels, In<bool> starts,
                           bool late, bool eager) {
    require(labels.shape(0) == heads.shape(0) && starts.shape(0) == heads.shape(0),
            "each word must have a head, a label and a start");
    require_range(view(heads), parse::root_token, length(heads), "heads");
    require_range(view(labels), 0, system.n_labels(), "labels");
    const parse::GoldTrees gold{view(heads), view(labels), view(starts)};
    return to_numpy(without_gil([&] { return parse::oracle(system, gold, late, eager); }));
}

Array<std::int32_t> projective_rank(Ints heads) {
    require_range(view(heads), parse::absent_token, length(heads), "heads");
    return to_numpy(parse::projective_rank(view(heads)));
}

void check_size(const Weights& weights, const Weights& other) {
    require(weights.size() == other.size() && weights.width() == other.width(),
            "the tables must be of the same size");
}

void set_entries(Weights& weights, In<std::uint64_t> places, In<float> values, In<float> totals) {
    require(values.shape(0) == places.shape(0) && totals.shape(0) == places.shape(0),
            "each place must have a weight and a total");
    require_range(view(places), 0, weights.size() * weights.width(), "places");
    const auto width = static_cast<std::uint64_t>(weights.width());
    nb::gil_scoped_release release;
    for (std::size_t k = 0; k < places.shape(0); ++k) {
        const std::uint64_t place = places.data()[k];
        float* at = weights.touch(place / width) + place % width;
        at[0] = values.data()[k];
        at[width] = totals.data()[k];
    }
}

auto rounded(const Weights& weights, std::int64_t ticks, In<std::int8_t> shifts, double unit) {
    require(shifts.shape(0) == weights.n_rows(), "each row must have a shift");
    require_range(view(shifts), 0, parse::most_shift + 1, "shifts");
    auto found = without_gil([&] { return weights.round(ticks, view(shifts), unit); });
    return std::tuple(to_numpy(std::move(found.counts)), to_numpy(std::move(found.columns)),
                      to_numpy(std::move(found.values)));
}

void bind_weights(nb::module_& m) {
    nb::class_<Weights>(m, "LearnedWeights",
                        "The weights that a linear parser learns, with the totals for their "
                        "average.\nOnly rows that updates touch take memory.")
        .def(
            "__init__",
            [](Weights* self, int bits, std::int64_t width) {
                require(bits >= 1 && bits <= 31, "bits must be 1 to 31");
                require(width > 0 && width % 32 == 0 && width <= 1 << 16,
                        "rows must be whole blocks of 32");
                new (self) Weights(bits, width);
            },
            "bits"_a, "width"_a)
        .def_prop_ro("width", &Weights::width)
        .def("__len__", &Weights::size)
        .def(
            "copy",
            [](const Weights& self) {
                return without_gil([&] {
                    auto copy = std::make_unique<Weights>(std::countr_zero(self.mask() + 1),
                                                          self.width());
                    copy->add(self, 1.0f);
                    return copy;
                });
            })
        .def(
            "add",
            [](Weights& self, const Weights& other, float share) {
                check_size(self, other);
                require(&self != &other, "a table cannot be added to itself");
                nb::gil_scoped_release release;
                self.add(other, share);
            },
            "other"_a, "share"_a, "Add a share of all weights and totals of another table.")
        .def(
            "rows",
            [](const Weights& self) {
                return to_numpy(without_gil([&] { return self.rows(); }));
            },
            "The numbers of the rows that take memory, rising.")
        .def(
            "largest",
            [](const Weights& self, std::int64_t ticks) {
                return to_numpy(without_gil([&] { return self.largest(ticks); }));
            },
            "ticks"_a, "The largest absolute value of the average of each of `rows`.")
        .def("rounded", &rounded, "ticks"_a, "shifts"_a.noconvert(), "unit"_a,
             "The averages of `rows` as multiples of unit * 2**shift, without zeros: how many\n"
             "each row has, their columns and values.")
        .def(
            "entries",
            [](const Weights& self) {
                auto found = without_gil([&] { return self.entries(); });
                return std::tuple(to_numpy(std::move(found.places)),
                                  to_numpy(std::move(found.weights)),
                                  to_numpy(std::move(found.totals)));
            },
            "Places (row * width + column), weights and totals, where one of both is not 0.")
        .def("set_entries", &set_entries, "places"_a.noconvert(), "weights"_a.noconvert(),
             "totals"_a.noconvert(), "Write weights and totals to their places.");
}

// A learner that keeps its templates alive.
class SharedLearner {
   public:
    SharedLearner(const JointSystem& system, In2<std::int32_t> slots, In<std::uint64_t> seeds,
                  In<std::int64_t> ends, const parse::Settings& settings, In<float> evidence,
                  In<float> layout, int update, int delayed, bool passive_aggressive, double cap,
                  double plus, int delta_bits)
        : templates_{slots, seeds, ends},
          evidence_(evidence),
          layout_(layout),
          system_(system),
          core_(system, templates_.check(parse::Slots::size, parse::Linear32::groups),
                {static_cast<parse::Update>(update), static_cast<parse::Delayed>(delayed),
                 passive_aggressive, cap, plus, settings, {view(evidence_), view(layout_)}},
                delta_bits) {
        require(update >= 0 && update <= static_cast<int>(parse::Update::dlaso) && delayed >= 0 &&
                    delayed <= static_cast<int>(parse::Delayed::in_turn_loss),
                "there is no such update");
        require(delta_bits >= 4 && delta_bits <= 30, "delta_bits must be 4 to 30");
    }

    // The steps used, the updates and the features dropped.
    std::tuple<std::int64_t, std::int64_t, std::int64_t> learn(
        Weights& weights, double tick, In2<std::uint64_t> table, In2<std::int32_t> context,
        Ints actions, Ints heads, Ints labels, In<bool> starts) {
        const parse::Words words = checked(weights, table, context);
        const parse::Gold gold{view(actions), view(heads), view(labels), view(starts)};
        const auto n = static_cast<std::size_t>(words.n);
        require(gold.heads.size() == n && gold.labels.size() == n && gold.starts.size() == n,
                "each word must have a head, a label and a start");
        Cancel cancel;
        nb::gil_scoped_release release;
        require(core_.is_legal(gold.actions, words.n), "the derivation is not legal");
        const std::int64_t dropped = core_.dropped();
        const std::int64_t used = core_.learn(weights, tick, words, gold, cancel);
        return {used, static_cast<std::int64_t>(core_.pairs().size()), core_.dropped() - dropped};
    }

    std::optional<Array<std::int32_t>> derive(const Weights& weights, In2<std::uint64_t> table,
                                              In2<std::int32_t> context,
                                              const LimitArrays& limits) {
        const parse::Words words = checked(weights, table, context);
        const parse::Limits fixed = limits_of(limits, words.n, system_);
        Cancel cancel;
        auto found =
            without_gil([&] { return core_.derive(weights, words, fixed, cancel); });
        if (!found) return std::nullopt;
        return to_numpy(std::move(*found));
    }

    // Of each update of the last instance: the scores of both items, and the steps of the gold one.
    std::vector<std::tuple<double, double, std::int64_t>> updates() const {
        std::vector<std::tuple<double, double, std::int64_t>> found;
        const auto item = [this](std::int32_t k) { return core_.arena().item(k); };
        for (const auto& [gold, predicted] : core_.pairs()) {
            std::int64_t steps = 0;
            for (std::int32_t k = gold; k > 0; k = item(k).parent) ++steps;
            found.emplace_back(item(gold).score, item(predicted).score, steps);
        }
        return found;
    }

   private:
    parse::Words checked(const Weights& weights, const In2<std::uint64_t>& table,
                         const In2<std::int32_t>& context) const {
        require(weights.width() == core_.width(), "the weights do not fit the transitions");
        const parse::Words words = words_of(table, context, 1);
        check_context(words, {view(evidence_), view(layout_)});
        return words;
    }

    SharedTemplates templates_;
    In<float> evidence_, layout_;
    const JointSystem& system_;
    parse::Learner core_;
};

void bind_learner(nb::module_& m) {
    nb::class_<SharedLearner>(m, "ParserLearner", "Learns from instances; memory of one thread.")
        .def(nb::init<const JointSystem&, In2<std::int32_t>, In<std::uint64_t>, In<std::int64_t>,
                      const parse::Settings&, In<float>, In<float>, int, int, bool, double, double,
                      int>(),
             nb::keep_alive<1, 2>(), "system"_a, "slots"_a.noconvert(), "seeds"_a.noconvert(),
             "ends"_a.noconvert(), "settings"_a, "evidence"_a.noconvert(),
             "layout"_a.noconvert(), "update"_a, "delayed"_a, "passive_aggressive"_a, "cap"_a,
             "plus"_a, "delta_bits"_a)
        .def("learn", &SharedLearner::learn, "weights"_a, "tick"_a, "table"_a.noconvert(),
             "context"_a.noconvert(), "actions"_a.noconvert(), "heads"_a.noconvert(),
             "labels"_a.noconvert(), "starts"_a.noconvert(),
             "Update weights; returns the steps used, the updates and the features dropped.")
        .def("derive", &SharedLearner::derive, "weights"_a, "table"_a.noconvert(),
             "context"_a.noconvert(), "limits"_a,
             "The best derivation within limits, or None if none was found.")
        .def_prop_ro("updates", &SharedLearner::updates,
                     "Updates of the last instance: gold and predicted score, gold steps.");
}

}  // namespace

void bind_parse_learning(nb::module_& m) {
    bind_weights(m);
    bind_learner(m);
    m.def("oracle", &oracle, "system"_a, "heads"_a.noconvert(), "labels"_a.noconvert(),
          "starts"_a.noconvert(), "late"_a, "eager"_a,
          "The transitions that build the trees of a document, or one negative number: -1 cycle,\n"
          "-2 a label that an arc may not carry, -3 no rule fires.");
    m.def("projective_rank", &projective_rank, "heads"_a.noconvert(),
          "The rank of each word in the in-order traversal from the root; empty if the heads have\n"
          "a cycle. Words with an unknown head (-2) hang under the root.");
}

}  // namespace caesura

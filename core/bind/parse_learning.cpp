// Training of the joint parser: oracle, weights and updates.
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

using parse::JointSystem;
using parse::Weights;

std::vector<std::int32_t> oracle(const JointSystem& system, Ints heads, Ints labels, Flags starts,
                                 bool late, bool eager) {
    require_lengths("each word must have a head, a label and a start", heads, labels, starts);
    require_range(heads, parse::root_token, std::ssize(heads), "heads");
    require_range(labels, 0, system.n_labels(), "labels");
    return parse::oracle(system, {heads, labels, starts}, late, eager);
}

std::vector<std::int32_t> projective_rank(Ints heads) {
    require_range(heads, parse::absent_token, std::ssize(heads), "heads");
    return parse::projective_rank(heads);
}

void new_weights(Weights* self, int bits, Long width) {
    require(bits >= 1 && bits <= 31, "bits must be 1 to 31");
    require(width > 0 && width % 32 == 0 && width <= 1 << 16, "rows must be whole blocks of 32");
    new (self) Weights(bits, width);
}

std::unique_ptr<Weights> copy(const Weights& self) {
    auto copy = std::make_unique<Weights>(std::countr_zero(self.mask() + 1), self.width());
    copy->add(self, 1.0f);
    return copy;
}

void add(Weights& self, const Weights& other, float share) {
    require(self.size() == other.size() && self.width() == other.width(),
            "the tables must be of the same size");
    require(&self != &other, "a table cannot be added to itself");
    self.add(other, share);
}

auto rounded(const Weights& self, Long ticks, Signs shifts, double unit) {
    require(shifts.size() == self.n_rows(), "each row must have a shift");
    require_range(shifts, 0, parse::most_shift + 1, "shifts");
    Weights::Rounded found = self.round(ticks, shifts, unit);
    return std::tuple(std::move(found.counts), std::move(found.columns), std::move(found.values));
}

auto entries(const Weights& self) {
    Weights::Entries found = self.entries();
    return std::tuple(std::move(found.places), std::move(found.weights), std::move(found.totals));
}

void set_entries(Weights& self, Hashes places, Floats values, Floats totals) {
    require_lengths("each place must have a weight and a total", places, values, totals);
    require_range(places, 0, self.size() * self.width(), "places");
    const auto width = static_cast<std::uint64_t>(self.width());
    for (std::ptrdiff_t k = 0; k < std::ssize(places); ++k) {
        float* at = self.touch(places[k] / width) + places[k] % width;
        at[0] = values[k];
        at[width] = totals[k];
    }
}

void bind_weights(nb::module_& m) {
    nb::class_<Weights>(m, "LearnedWeights",
                        "The weights that a linear parser learns, with the totals for their "
                        "average.\nOnly rows that updates touch take memory.")
        .def("__init__", &new_weights, "bits"_a, "width"_a)
        .def_prop_ro("width", &Weights::width)
        .def("__len__", &Weights::size)
        .def("copy", &copy, without_gil)
        .def("add", &add, without_gil, "other"_a, "share"_a,
             "Add a share of all weights and totals of another table.")
        .def("rows", &Weights::rows, without_gil,
             "The numbers of the rows that take memory, rising.")
        .def("largest", &Weights::largest, without_gil, "ticks"_a,
             "The largest absolute value of the average of each of `rows`.")
        .def("rounded", &rounded, without_gil, "ticks"_a, "shifts"_a, "unit"_a,
             "The averages of `rows` as multiples of unit * 2**shift, without zeros: how many\n"
             "each row has, their columns and values.")
        .def("entries", &entries, without_gil,
             "Places (row * width + column), weights and totals, where one of both is not 0.")
        .def("set_entries", &set_entries, without_gil, "places"_a, "weights"_a, "totals"_a,
             "Write weights and totals to their places.");
}

class Learner {
   public:
    Learner(const JointSystem& system, Ints2 slots, Hashes seeds, Longs ends,
            const parse::Settings& settings, Floats evidence, Floats layout, int update,
            int delayed, bool passive_aggressive, double cap, double plus, int delta_bits)
        : system_(system),
          odds_{evidence, layout},
          core_(system, {slots, seeds, ends, parse::Slots::size, parse::Linear32::groups},
                {static_cast<parse::Update>(update), static_cast<parse::Delayed>(delayed),
                 passive_aggressive, cap, plus, settings, odds_},
                delta_bits) {
        require(update >= 0 && update <= static_cast<int>(parse::Update::dlaso) && delayed >= 0 &&
                    delayed <= static_cast<int>(parse::Delayed::in_turn_loss),
                "there is no such update");
        require(delta_bits >= 4 && delta_bits <= 30, "delta_bits must be 4 to 30");
    }

    // The steps used, the updates and the features dropped.
    std::tuple<Long, Long, Long> learn(Weights& weights, double tick, Hashes2 table, Ints2 context,
                                       Ints actions, Ints heads, Ints labels, Flags starts) {
        const parse::Words words = checked(weights, table, context);
        require(std::ssize(heads) == words.n, "each word must have a head, a label and a start");
        require_lengths("each word must have a head, a label and a start", heads, labels, starts);
        require(core_.is_legal(actions, words.n), "the derivation is not legal");
        Cancel cancel;
        const Long dropped = core_.dropped();
        const Long used = core_.learn(weights, tick, words, {actions, heads, labels, starts},
                                      cancel);
        return {used, std::ssize(core_.pairs()), core_.dropped() - dropped};
    }

    std::optional<std::vector<std::int32_t>> derive(const Weights& weights, Hashes2 table,
                                                    Ints2 context, const LimitArrays& limits) {
        const parse::Words words = checked(weights, table, context);
        Cancel cancel;
        return core_.derive(weights, words, limits_of(limits, words.n, system_), cancel);
    }

    // Of each update of the last instance: the scores of both items, and the steps of the gold one.
    std::vector<std::tuple<double, double, Long>> updates() const {
        std::vector<std::tuple<double, double, Long>> found;
        const auto item = [this](std::int32_t k) { return core_.arena().item(k); };
        for (const auto& [gold, predicted] : core_.pairs()) {
            Long steps = 0;
            for (std::int32_t k = gold; k > 0; k = item(k).parent) ++steps;
            found.emplace_back(item(gold).score, item(predicted).score, steps);
        }
        return found;
    }

   private:
    parse::Words checked(const Weights& weights, Hashes2 table, Ints2 context) const {
        require(weights.width() == core_.width(), "the weights do not fit the transitions");
        const parse::Words words = words_of(table, context, 1);
        check_context(words, odds_);
        return words;
    }

    const JointSystem& system_;
    parse::StartOdds odds_;
    parse::Learner core_;
};

void bind_learner(nb::module_& m) {
    nb::class_<Learner>(m, "ParserLearner", "Learns from instances; memory of one thread.")
        .def(nb::init<const JointSystem&, Ints2, Hashes, Longs, const parse::Settings&, Floats,
                      Floats, int, int, bool, double, double, int>(),
             keep_arguments, "system"_a, "slots"_a, "seeds"_a, "ends"_a, "settings"_a,
             "evidence"_a, "layout"_a, "update"_a, "delayed"_a, "passive_aggressive"_a, "cap"_a,
             "plus"_a, "delta_bits"_a)
        .def("learn", &Learner::learn, without_gil, "weights"_a, "tick"_a, "table"_a, "context"_a,
             "actions"_a, "heads"_a, "labels"_a, "starts"_a,
             "Update weights; returns the steps used, the updates and the features dropped.")
        .def("derive", &Learner::derive, without_gil, "weights"_a, "table"_a, "context"_a,
             "limits"_a, "The best derivation within limits, or None if none was found.")
        .def_prop_ro("updates", &Learner::updates,
                     "Updates of the last instance: gold and predicted score, gold steps.");
}

}  // namespace

void bind_parse_learning(nb::module_& m) {
    bind_weights(m);
    bind_learner(m);
    m.def("oracle", &oracle, without_gil, "system"_a, "heads"_a, "labels"_a, "starts"_a, "late"_a,
          "eager"_a,
          "The transitions that build the trees of a document, or one negative number: -1 cycle,\n"
          "-2 a label that an arc may not carry, -3 no rule fires.");
    m.def("projective_rank", &projective_rank, "heads"_a,
          "The rank of each word in the in-order traversal from the root; empty if the heads have\n"
          "a cycle. Words with an unknown head (-2) hang under the root.");
}

}  // namespace caesura

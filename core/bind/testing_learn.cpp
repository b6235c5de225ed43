#include <nanobind/stl/pair.h>

#include "base/hash.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/learn.h"
#include "learn/index.h"
#include "learn/updates.h"

namespace caesura {

using namespace nb::literals;

void bind_testing_learn(nb::module_& m) {
    m.def("mix", &mix, "value"_a);
    m.def("fold", &fold, "state"_a, "value"_a);
    m.def(
        "find_rows",
        [](In<std::uint32_t> keys, In<std::uint32_t> wanted) {
            const learn::FeatureIndex index(view(keys));
            std::vector<std::int64_t> rows;
            for (const std::uint32_t key : view(wanted)) rows.push_back(index.find(key));
            return to_numpy(std::move(rows));
        },
        "keys"_a.noconvert(), "wanted"_a.noconvert(), "The rows of keys in an index, or -1.");
    m.def(
        "add_rows",
        [](const SharedTable& table, In<std::uint64_t> hashes, Out<float> scores) {
            require(static_cast<std::int64_t>(scores.shape(0)) >= table.width(), "too few scores");
            std::vector<std::int64_t> found(hashes.shape(0));
            table.add(view(hashes), found, view(scores));
        },
        "table"_a, "hashes"_a.noconvert(), "scores"_a.noconvert());
    m.def(
        "add_steps",
        [](In<double> steps, In<double> ticks) {
            require(steps.shape(0) == ticks.shape(0), "steps and ticks must be of the same length");
            float weight = 0.0f, total = 0.0f;
            for (std::size_t i = 0; i < steps.shape(0); ++i)
                learn::add_step(weight, total, steps.data()[i], ticks.data()[i]);
            return std::pair(weight, total);
        },
        "steps"_a.noconvert(), "ticks"_a.noconvert(), "A weight and its total after steps.");
    m.def(
        "adagrad",
        [](In<double> slopes, double rate, double offset, double l2) {
            float weight = 0.0f, square = 0.0f, total = 0.0f;
            for (double slope : view(slopes)) {
                slope -= l2 * weight;
                const double step =
                    learn::adagrad(square, slope, slope * slope, rate, offset);
                learn::add_step(weight, total, step, 1.0);
            }
            return weight;
        },
        "slopes"_a.noconvert(), "rate"_a, "offset"_a, "l2"_a, "A weight after steps of AdaGrad.");
    m.def("passive_aggressive", &learn::passive_aggressive, "loss"_a, "norm"_a, "bound"_a);
}

}  // namespace caesura

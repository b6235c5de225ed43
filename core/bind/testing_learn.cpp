#include "base/hash.h"
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "learn/index.h"
#include "learn/linear_table.h"
#include "learn/updates.h"

namespace caesura {
namespace {

std::vector<Long> find_rows(Codes keys, Codes wanted) {
    const learn::FeatureIndex index(keys);
    std::vector<Long> rows;
    for (const std::uint32_t key : wanted) rows.push_back(index.find(key));
    return rows;
}

void add_rows(const learn::LinearTable& table, Hashes hashes, View<float> scores) {
    require(std::ssize(scores) >= table.width(), "too few scores");
    std::vector<learn::LinearTable::Term> terms(hashes.size());
    table.add(hashes, terms, scores);
}

std::pair<float, float> add_steps(Doubles steps, Doubles ticks) {
    require_lengths("steps and ticks must be of the same length", steps, ticks);
    float weight = 0.0f, total = 0.0f;
    for (std::ptrdiff_t i = 0; i < std::ssize(steps); ++i)
        learn::add_step(weight, total, steps[i], ticks[i]);
    return {weight, total};
}

float adagrad(Doubles slopes, double rate, double offset, double l2) {
    float weight = 0.0f, square = 0.0f, total = 0.0f;
    for (double slope : slopes) {
        slope -= l2 * weight;
        const double step = learn::adagrad(square, slope, slope * slope, rate, offset);
        learn::add_step(weight, total, step, 1.0);
    }
    return weight;
}

}  // namespace

void bind_testing_learn(nb::module_& m) {
    m.def("mix", &mix, "value"_a);
    m.def("find_rows", &find_rows, "keys"_a, "wanted"_a, "The rows of keys in an index, or -1.");
    m.def("add_rows", &add_rows, "table"_a, "hashes"_a, "scores"_a);
    m.def("add_steps", &add_steps, "steps"_a, "ticks"_a, "A weight and its total after steps.");
    m.def("adagrad", &adagrad, "slopes"_a, "rate"_a, "offset"_a, "l2"_a,
          "A weight after steps of AdaGrad.");
    m.def("passive_aggressive", &learn::passive_aggressive, "loss"_a, "norm"_a, "bound"_a);
}

}  // namespace caesura

#include "bind/bind.h"
#include "bind/tag.h"
#include "tag/chain_training.h"
#include "tag/conditional_training.h"

namespace caesura {
namespace {

using namespace tag;
// Weights, sums of squared slopes and totals of a table.
using Tables = NdArray<float, 3>;

learn::Parameters parameters_of(float* data, std::size_t size) {
    return {{data, size}, {data + size, size}, {data + 2 * size, size}};
}

learn::Parameters parameters_of(const Tables& tables, std::size_t rows, std::size_t columns) {
    require(tables.shape(0) == 3 && tables.shape(1) == rows && tables.shape(2) == columns,
            "the tables of weights have the wrong shape");
    return parameters_of(tables.data(), rows * columns);
}

Words words_of(Hashes2 attributes, Ints types, Longs begins) {
    check_types(attributes, types);
    check_begins(begins, types);
    return {attributes, nullptr, types, begins, {}, {}};
}

std::vector<std::uint32_t> chain_keys(Hashes2 attributes, Ints types, Longs begins, Ints2 spot,
                                      Ints places, Ints bounds, Ints2 mixed, Long cutoff) {
    const Words words = words_of(attributes, types, begins);
    const ChainTemplates templates = chain_templates(spot, places, bounds, mixed);
    templates.check();
    return frequent_keys(words, templates, cutoff);
}

void new_chain_learner(ChainLearner* self, Hashes2 attributes, Ints types, Longs begins, Ints2 spot,
                       Ints places, Ints bounds, Ints2 mixed, Codes keys, Matrix<const Long> chains,
                       Ints gold, const Tables& weights, const Tables& pairs,
                       Matrix<float> triples, Long width) {
    const Words words = words_of(attributes, types, begins);
    ChainTemplates templates = chain_templates(spot, places, bounds, mixed);
    templates.check();
    check_width(width);
    const std::size_t classes = weights.shape(2), n = classes + 1, size = triples.columns();
    require(classes > 0, "there are no labels");
    require(triples.rows() == 3 && (size == 0 || size == n * n * n || (size & (size - 1)) == 0),
            "the triples have the wrong size");
    const ChainParameters parameters{parameters_of(weights, keys.size(), classes),
                                     parameters_of(pairs, n, classes),
                                     parameters_of(triples.data(), size),
                                     static_cast<Long>(classes)};
    require_lengths("each word needs a label", types, gold);
    require_range(gold, 0, parameters.classes, "gold");
    require(chains.columns() * sizeof(Long) == sizeof(TrainingChain),
            "a chain must have four numbers");
    const View all(reinterpret_cast<const TrainingChain*>(chains.data()), chains.rows());
    for (const TrainingChain& chain : all)
        require(0 <= chain.window_begin && chain.window_begin <= chain.begin &&
                    chain.begin < chain.end && chain.end <= chain.window_end &&
                    chain.window_end <= std::ssize(types),
                "a chain must lie within its window");
    new (self) ChainLearner(words, std::move(templates), keys, all, gold, parameters, width);
}

double crf(ChainLearner& self, Longs order, double rate, double offset, double l2, float margin,
           Long tick) {
    require_range(order, 0, self.n_chains(), "order");
    Cancel cancel;
    return self.crf(order, {rate, offset, l2, margin}, tick, cancel);
}

double perceptron(ChainLearner& self, Longs order, float margin, Long tick) {
    require_range(order, 0, self.n_chains(), "order");
    Cancel cancel;
    return self.perceptron(order, margin, tick, cancel);
}

void check_labels(Ints labels, Ints bounds, Ints types) {
    require(!bounds.empty(), "there are no bounds of values");
    require_rising(bounds, 0, INT32_MAX, "bounds");
    require_lengths("each word needs a label", types, labels);
    require_range(labels, 0, std::ssize(bounds) - 1, "labels");
}

std::vector<Template> conditional_templates(Ints2 rows) {
    auto templates = templates_of(rows);
    check_templates(templates, label_atom + 1);
    return templates;
}

std::vector<std::uint32_t> conditional_keys(Hashes2 attributes, Ints types, Longs begins,
                                            Ints labels, Ints bounds, Ints2 templates,
                                            Long cutoff) {
    const Words words = words_of(attributes, types, begins);
    const auto known = conditional_templates(templates);
    check_labels(labels, bounds, types);
    return frequent_keys(words, labels, bounds, known, cutoff);
}

void new_conditional_learner(ConditionalLearner* self, Hashes2 attributes, Ints types, Longs begins,
                             Ints labels, Ints bounds, Ints2 templates, Codes keys, Ints gold,
                             const Tables& weights) {
    const Words words = words_of(attributes, types, begins);
    const auto known = conditional_templates(templates);
    check_labels(labels, bounds, types);
    require_lengths("each word needs a value", types, gold);
    const auto width = static_cast<Long>(weights.shape(2));
    for (std::ptrdiff_t i = 0; i < std::ssize(gold); ++i) {
        const Long n = Long{bounds[labels[i] + 1]} - bounds[labels[i]];
        require(n <= width, "a label has more values than columns");
        require(gold[i] < n, "a word has no value of its label");
    }
    const auto parameters = parameters_of(weights, keys.size(), weights.shape(2));
    new (self) ConditionalLearner(words, labels, bounds, known, keys, gold, parameters, width);
}

double learn_conditional(ConditionalLearner& self, Longs order, double rate, double offset,
                         Long tick) {
    require_range(order, 0, self.n_words(), "order");
    for (const Long i : order)
        require(self.gold()[i] >= 0, "a word in the order has no value to learn");
    Cancel cancel;
    return self.learn(order, rate, offset, tick, cancel);
}

}  // namespace

void bind_tag_learning(nb::module_& m) {
    m.def("chain_keys", &chain_keys, without_gil, "attributes"_a, "types"_a, "begins"_a, "spot"_a,
          "places"_a, "bounds"_a, "mixed"_a, "cutoff"_a,
          "Return the keys of the features that occur at least `cutoff` times, rising.");
    nb::class_<ChainLearner>(
        m, "ChainLearner",
        "Learns the labels of chains. `weights` (by row and label), `pairs` and `triples` hold\n"
        "three tables each: weights, sums of squared slopes, and totals for averaging. A row of\n"
        "`chains` has the bounds of a window that features may see, and of the chain inside.")
        .def("__init__", &new_chain_learner, without_gil, keep_arguments, "attributes"_a, "types"_a,
             "begins"_a, "spot"_a, "places"_a, "bounds"_a, "mixed"_a, "keys"_a, "chains"_a,
             "gold"_a, "weights"_a.noconvert(), "pairs"_a.noconvert(), "triples"_a, "width"_a)
        .def("crf", &crf, without_gil, "order"_a, "rate"_a, "offset"_a, "l2"_a, "margin"_a,
             "tick"_a,
             "Learn chains in an order; return the negative log-likelihood before the steps.")
        .def("perceptron", &perceptron, without_gil, "order"_a, "margin"_a, "tick"_a,
             "Learn chains in an order; return the number of wrong labels.");

    m.def("conditional_keys", &conditional_keys, without_gil, "attributes"_a, "types"_a, "begins"_a,
          "labels"_a, "bounds"_a, "templates"_a, "cutoff"_a,
          "Return the keys of the features that occur at least `cutoff` times, rising.");
    nb::class_<ConditionalLearner>(
        m, "ConditionalLearner",
        "Learns a column given the label. `gold` has the position of a word's value among those\n"
        "of its label, which are `bounds` apart; `weights` holds three tables, as of a chain.")
        .def("__init__", &new_conditional_learner, without_gil, keep_arguments, "attributes"_a,
             "types"_a, "begins"_a, "labels"_a, "bounds"_a, "templates"_a, "keys"_a, "gold"_a,
             "weights"_a.noconvert())
        .def("learn", &learn_conditional, without_gil, "order"_a, "rate"_a, "offset"_a, "tick"_a,
             "Learn words in an order; return the sum of their log losses.");
}

}  // namespace caesura

#include "bind/bind.h"
#include "bind/tag.h"
#include "tag/chain_training.h"
#include "tag/conditional_training.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace tag;
// Weights, sums of squared slopes and totals of a table.
using Tables = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using FlatTables = nb::ndarray<float, nb::shape<3, -1>, nb::c_contig, nb::device::cpu>;

learn::Parameters parameters_of(float* data, std::size_t size) {
    return {{data, size}, {data + size, size}, {data + 2 * size, size}};
}

learn::Parameters parameters_of(const Tables& tables, std::size_t rows, std::size_t columns) {
    require(tables.shape(0) == 3 && tables.shape(1) == rows && tables.shape(2) == columns,
            "the tables of weights have the wrong shape");
    return parameters_of(tables.data(), rows * columns);
}

Words words_of(const Hashes& attributes, const Ints& types, const Longs& begins) {
    check_types(attributes, types);
    check_begins(begins, types);
    return {matrix(attributes), nullptr, view(types), view(begins), {}, {}};
}

// Calls without the GIL.
template <class Call>
auto run(Call call) {
    Cancel cancel;
    nb::gil_scoped_release release;
    return call(cancel);
}

Array<std::uint32_t> chain_keys(Hashes attributes, Ints types, Longs begins, Ints2 spot,
                                Ints places, Ints bounds, Ints2 mixed, std::int64_t cutoff) {
    const Words words = words_of(attributes, types, begins);
    const ChainTemplates templates = chain_templates(spot, places, bounds, mixed);
    templates.check();
    return to_numpy(run([&](Cancel&) { return frequent_keys(words, templates, cutoff); }));
}

// A learner that keeps the arrays of its data and its weights alive.
class SharedChainLearner {
   public:
    SharedChainLearner(Hashes attributes, Ints types, Longs begins, Ints2 spot, Ints places,
                       Ints bounds, Ints2 mixed, In<std::uint32_t> keys, Longs2 chains, Ints gold,
                       Tables weights, Tables pairs, FlatTables triples, std::int64_t width)
        : attributes_(attributes),
          types_(types),
          begins_(begins),
          chains_(chains),
          gold_(gold),
          weights_(weights),
          pairs_(pairs),
          triples_(triples),
          learner_(make(attributes, types, begins, chain_templates(spot, places, bounds, mixed),
                        view(keys), chains, gold, weights, pairs, triples, width)) {}

    double crf(Longs order, double rate, double offset, double l2, float margin,
               std::int64_t tick) {
        check(order);
        return run([&](Cancel& cancel) {
            return learner_.crf(view(order), {rate, offset, l2, margin}, tick, cancel);
        });
    }

    double perceptron(Longs order, float margin, std::int64_t tick) {
        check(order);
        return run([&](Cancel& cancel) {
            return learner_.perceptron(view(order), margin, tick, cancel);
        });
    }

   private:
    static ChainLearner make(const Hashes& attributes, const Ints& types, const Longs& begins,
                             ChainTemplates templates, View<const std::uint32_t> keys,
                             const Longs2& chains, const Ints& gold, const Tables& weights,
                             const Tables& pairs, const FlatTables& triples, std::int64_t width) {
        const Words words = words_of(attributes, types, begins);
        templates.check();
        require(0 < width && width <= widest, "width must be from 1 to 127");
        const std::size_t classes = weights.shape(2), n = classes + 1, size = triples.shape(1);
        require(classes > 0, "there are no labels");
        require(size == 0 || size == n * n * n || (size & (size - 1)) == 0,
                "the triples have the wrong size");
        const ChainParameters parameters{parameters_of(weights, keys.size(), classes),
                                         parameters_of(pairs, n, classes),
                                         parameters_of(triples.data(), size),
                                         static_cast<std::int64_t>(classes)};
        require(gold.shape(0) == types.shape(0), "each word needs a label");
        require_range(view(gold), 0, parameters.classes, "gold");
        require(chains.shape(1) * sizeof(std::int64_t) == sizeof(TrainingChain),
                "a chain must have four numbers");
        const View<const TrainingChain> all{reinterpret_cast<const TrainingChain*>(chains.data()),
                                            chains.shape(0)};
        for (const TrainingChain& chain : all)
            require(0 <= chain.window_begin && chain.window_begin <= chain.begin &&
                        chain.begin < chain.end && chain.end <= chain.window_end &&
                        chain.window_end <= length(types),
                    "a chain must lie within its window");
        return run([&](Cancel&) {
            return ChainLearner(words, std::move(templates), keys, all, view(gold), parameters,
                                width);
        });
    }

    void check(const Longs& order) const {
        require_range(view(order), 0, learner_.n_chains(), "order");
    }

    Hashes attributes_;
    Ints types_;
    Longs begins_;
    Longs2 chains_;
    Ints gold_;
    Tables weights_, pairs_;
    FlatTables triples_;
    ChainLearner learner_;
};

void check_labels(const Ints& labels, const Ints& bounds, const Ints& types) {
    require(bounds.shape(0) > 0, "there are no bounds of values");
    require_rising(view(bounds), 0, INT32_MAX, "bounds");
    require(labels.shape(0) == types.shape(0), "each word needs a label");
    require_range(view(labels), 0, length(bounds) - 1, "labels");
}

std::vector<Template> conditional_templates(const Ints2& rows) {
    auto templates = templates_of(rows);
    check_templates(templates, label_atom + 1);
    return templates;
}

Array<std::uint32_t> conditional_keys(Hashes attributes, Ints types, Longs begins, Ints labels,
                                      Ints bounds, Ints2 templates, std::int64_t cutoff) {
    const Words words = words_of(attributes, types, begins);
    const auto known = conditional_templates(templates);
    check_labels(labels, bounds, types);
    return to_numpy(run([&](Cancel&) {
        return frequent_keys(words, view(labels), view(bounds), known, cutoff);
    }));
}

class SharedConditionalLearner {
   public:
    SharedConditionalLearner(Hashes attributes, Ints types, Longs begins, Ints labels, Ints bounds,
                             Ints2 templates, In<std::uint32_t> keys, Ints gold, Tables weights)
        : labels_(labels),
          bounds_(bounds),
          gold_(gold),
          weights_(weights),
          learner_(make(attributes, types, begins, labels, bounds, templates, view(keys), gold,
                        weights)) {}

    double learn(Longs order, double rate, double offset, std::int64_t tick) {
        require_range(view(order), 0, learner_.n_words(), "order");
        for (const std::int64_t i : view(order))
            require(view(gold_)[i] >= 0, "a word in the order has no value to learn");
        return run([&](Cancel& cancel) {
            return learner_.learn(view(order), rate, offset, tick, cancel);
        });
    }

   private:
    static ConditionalLearner make(const Hashes& attributes, const Ints& types,
                                   const Longs& begins, const Ints& labels, const Ints& bounds,
                                   const Ints2& templates, View<const std::uint32_t> keys,
                                   const Ints& gold, const Tables& weights) {
        const Words words = words_of(attributes, types, begins);
        const auto known = conditional_templates(templates);
        check_labels(labels, bounds, types);
        require(gold.shape(0) == types.shape(0), "each word needs a value");
        const auto width = static_cast<std::int64_t>(weights.shape(2));
        for (std::ptrdiff_t i = 0; i < length(gold); ++i) {
            const std::int64_t label = view(labels)[i];
            const std::int64_t n = view(bounds)[label + 1] - view(bounds)[label];
            require(n <= width, "a label has more values than columns");
            require(view(gold)[i] < n, "a word has no value of its label");
        }
        const auto parameters = parameters_of(weights, keys.size(), weights.shape(2));
        return run([&](Cancel&) {
            return ConditionalLearner(words, view(labels), view(bounds), known, keys, view(gold),
                                      parameters, width);
        });
    }

    Ints labels_, bounds_, gold_;
    Tables weights_;
    ConditionalLearner learner_;
};

}  // namespace

void bind_tag_learning(nb::module_& m) {
    m.def("chain_keys", &chain_keys, plain("attributes"), plain("types"), plain("begins"),
          plain("spot"), plain("places"), plain("bounds"), plain("mixed"), "cutoff"_a,
          "Return the keys of the features that occur at least `cutoff` times, rising.");
    nb::class_<SharedChainLearner>(
        m, "ChainLearner",
        "Learns the labels of chains. `weights` (by row and label), `pairs` and `triples` hold\n"
        "three tables each: weights, sums of squared slopes, and totals for averaging. A row of\n"
        "`chains` has the bounds of a window that features may see, and of the chain inside.")
        .def(nb::init<Hashes, Ints, Longs, Ints2, Ints, Ints, Ints2, In<std::uint32_t>, Longs2,
                      Ints, Tables, Tables, FlatTables, std::int64_t>(),
             plain("attributes"), plain("types"), plain("begins"), plain("spot"), plain("places"),
             plain("bounds"), plain("mixed"), plain("keys"), plain("chains"), plain("gold"),
             plain("weights"), plain("pairs"), plain("triples"), "width"_a)
        .def("crf", &SharedChainLearner::crf, plain("order"), "rate"_a, "offset"_a, "l2"_a,
             "margin"_a, "tick"_a,
             "Learn chains in an order; return the negative log-likelihood before the steps.")
        .def("perceptron", &SharedChainLearner::perceptron, plain("order"), "margin"_a, "tick"_a,
             "Learn chains in an order; return the number of wrong labels.");

    m.def("conditional_keys", &conditional_keys, plain("attributes"), plain("types"),
          plain("begins"), plain("labels"), plain("bounds"), plain("templates"), "cutoff"_a,
          "Return the keys of the features that occur at least `cutoff` times, rising.");
    nb::class_<SharedConditionalLearner>(
        m, "ConditionalLearner",
        "Learns a column given the label. `gold` has the position of a word's value among those\n"
        "of its label, which are `bounds` apart; `weights` holds three tables, as of a chain.")
        .def(nb::init<Hashes, Ints, Longs, Ints, Ints, Ints2, In<std::uint32_t>, Ints, Tables>(),
             plain("attributes"), plain("types"), plain("begins"), plain("labels"),
             plain("bounds"), plain("templates"), plain("keys"), plain("gold"), plain("weights"))
        .def("learn", &SharedConditionalLearner::learn, plain("order"), "rate"_a, "offset"_a,
             "tick"_a, "Learn words in an order; return the sum of their log losses.");
}

}  // namespace caesura

// The branching parser and 8-bit weight tables.
#include "bind/parse_branching.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/bind.h"
#include "bind/checks.h"
#include "parse/branching_learning.h"
#include "parse/quantised.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace parse::hybrid;
using parse::first_word;
using parse::word_columns;
using Ints = In<std::int32_t>;
using Longs = In<std::int64_t>;
using WordTable = In2<std::uint64_t>;

auto plain(const char* name) { return nb::arg(name).noconvert(); }

Headless headless_of(const std::string& name) {
    if (name == "root") return Headless::root;
    if (name == "clearnlp") return Headless::clearnlp;
    require(name == "single-root", "headless must be root, clearnlp or single-root");
    return Headless::single_root;
}

SearchOptions search_options(std::size_t beam, double margin, std::size_t k, bool mean,
                             bool skip_labels, bool keep_attached, bool memory, int waves,
                             bool single_root) {
    require(beam > 0 && k > 0 && waves > 0, "beam, k and waves must be positive");
    SearchOptions options;
    options.beam = beam;
    options.margin = margin;
    options.k = k;
    options.mean = mean;
    options.skip_labels = skip_labels;
    options.keep_attached = keep_attached;
    options.memory = memory;
    options.waves = waves;
    options.single_root = single_root;
    return options;
}

// A column with a place for each root is as long as it must be, with heads or labels in range.
void check_rooted(const Batch& batch, View<const std::int32_t> heads,
                  View<const std::int32_t> labels, std::int64_t n_labels) {
    const auto size = batch.bounds[batch.size()] + batch.size();
    require(static_cast<std::int64_t>(heads.size()) == size && labels.size() == heads.size(),
            "heads and labels must have a place for each word and each root");
    for (std::int64_t k = 0; k < batch.size(); ++k)
        require_range(batch.rooted(heads, k), no_head, batch.length(k) + 1, "heads");
    require_range(labels, -1, n_labels, "labels");
}

Array<std::int64_t> to_array(const Counts& counts) {
    return to_numpy(std::vector<std::int64_t>(counts.begin(), counts.end()));
}

using TreeColumns = std::tuple<Array<std::int32_t>, Array<std::int32_t>, Array<float>, Array<float>>;

std::pair<TreeColumns, Array<std::int64_t>> decode(const SharedBrancher& self, WordTable table,
                                                   Longs bounds, Ints heads, Ints labels,
                                                   bool confidence) {
    Batch batch = batch_of(table, bounds);
    batch.given = {view(heads), view(labels)};
    if (heads.shape(0) > 0 || labels.shape(0) > 0)
        check_rooted(batch, view(heads), view(labels), self.classifier().n_labels());
    const auto n = static_cast<std::size_t>(batch.bounds[batch.size()]);
    std::vector<std::int32_t> found_heads(n), found_labels(n);
    std::vector<float> probabilities(n), shares(n, 1.0f);
    Counts counts{};
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        self.decode(batch, confidence, {found_heads, found_labels, probabilities, shares}, counts,
                    cancel);
    }
    return {{to_numpy(std::move(found_heads)), to_numpy(std::move(found_labels)),
             to_numpy(std::move(probabilities)), to_numpy(std::move(shares))},
            to_array(counts)};
}

std::tuple<Array<double>, Array2<std::int32_t>, Array2<std::int32_t>, Array2<float>> all_trees(
    const SharedBrancher& self, WordTable table, Ints heads, Ints labels) {
    require(static_cast<std::int64_t>(table.shape(0)) >= first_word, "the word table is too short");
    const std::int64_t n = static_cast<std::int64_t>(table.shape(0)) - first_word;
    const std::int64_t bounds[] = {0, n};
    const Batch batch{{n, matrix(table), {}}, {bounds, 2}, {view(heads), view(labels)}};
    require(static_cast<std::int64_t>(table.shape(1)) == word_columns,
            "the word table does not fit the parser");
    if (heads.shape(0) > 0 || labels.shape(0) > 0)
        check_rooted(batch, view(heads), view(labels), self.classifier().n_labels());
    Brancher::Every every;
    {
        Counts counts{};
        Cancel cancel;
        nb::gil_scoped_release release;
        every = self.all_trees(batch, counts, cancel);
    }
    const std::size_t number = every.scores.size(), words = static_cast<std::size_t>(n);
    return {to_numpy(std::move(every.scores)), to_numpy(std::move(every.heads), number, words),
            to_numpy(std::move(every.labels), number, words),
            to_numpy(std::move(every.probabilities), number, words)};
}

std::tuple<Array<std::int32_t>, Array<std::int32_t>, Array<std::int64_t>> derive_transitions(
    Ints heads, Ints labels, Longs bounds, bool single_root) {
    const Batch batch{{}, view(bounds), {}};
    require_rising(batch.bounds, 0, static_cast<std::int64_t>(heads.shape(0)), "bounds");
    require(!batch.bounds.empty() && batch.bounds[0] == 0, "bounds must start with 0");
    check_rooted(batch, view(heads), view(labels), std::int64_t{1} << 31);
    Derivations found;
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        found = derive(batch, {view(heads), view(labels)}, single_root, cancel);
    }
    return {to_numpy(std::move(found.kinds)), to_numpy(std::move(found.labels)),
            to_numpy(std::move(found.lengths))};
}

Array<std::int64_t> observe_states(const SharedBrancher& self, Examples& examples, WordTable table,
                                   Longs bounds, Ints heads, Ints labels, In<bool> chosen,
                                   In2<std::int32_t> numbers, bool own, bool twice) {
    const Batch batch = batch_of(table, bounds);
    const Classifier& classifier = self.classifier();
    check_rooted(batch, view(heads), view(labels), classifier.n_labels());
    require(static_cast<std::int64_t>(chosen.shape(0)) == batch.size(),
            "each sentence must be chosen or not");
    require(numbers.shape(0) == n_kinds &&
                static_cast<std::int32_t>(numbers.shape(1)) == classifier.n_labels() + 1,
            "numbers must have a row for each transition and a column for each label");
    require_range(View<const std::int32_t>(numbers.data(), numbers.size()), -1,
                  classifier.n_actions(), "numbers");
    require(examples.templates() == classifier.templates().size() &&
                examples.table_size() == classifier.n_rows(),
            "the examples are of another parser");
    Counts counts{};
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        observe(self, batch, {view(heads), view(labels)},
                {view(chosen), own, twice, matrix(numbers)}, examples, counts, cancel);
    }
    return to_array(counts);
}

void stored_examples(Examples* self, In2<std::int32_t> rows, Ints gold, In<std::uint8_t> legal,
                     Ints sentence, In<std::uint32_t> row_of) {
    require(gold.shape(0) == rows.shape(0) && legal.shape(0) == rows.shape(0) &&
                sentence.shape(0) == rows.shape(0),
            "the columns of examples must be of the same length");
    require_range(View<const std::int32_t>(rows.data(), rows.size()), 0,
                  static_cast<std::int64_t>(row_of.shape(0)), "rows");
    new (self) Examples(matrix(rows), view(gold), view(legal), view(sentence), view(row_of));
}

std::pair<double, std::int64_t> learn_states(const Examples& examples, Longs order, Ints kinds,
                                             const std::string& learner, Out2<float> weights,
                                             Out2<float> more, float rate, float offset,
                                             double least, double tick) {
    require(weights.shape(0) == examples.row_of().size() && more.shape(0) == weights.shape(0) &&
                more.shape(1) == weights.shape(1),
            "the weights must have a row for each row of the examples");
    require(weights.shape(1) % 32 == 0 && kinds.shape(0) <= weights.shape(1) && kinds.shape(0) > 0,
            "the weights must have whole blocks of 32 columns, one for each label");
    require_range(view(order), 0, examples.size(), "order");
    require_range(view(kinds), 0, n_kinds, "kinds");
    require_range<const std::int32_t>(examples.gold(), 0,
                                      static_cast<std::int64_t>(kinds.shape(0)), "gold");
    const bool logistic = learner == "logistic", hinge = learner == "svm";
    require(logistic || hinge || learner == "perceptron",
            "learner must be logistic, perceptron or svm");
    const Learning learning{
        logistic ? Learner::logistic : hinge ? Learner::hinge : Learner::perceptron, view(kinds),
        rate, offset, least};
    Cancel cancel;
    nb::gil_scoped_release release;
    const Progress done = parse::hybrid::learn(examples, view(order), learning, matrix(weights),
                                               matrix(more), tick, cancel);
    return {done.loss, done.wrong};
}

template <class T>
Array<T> copied(const std::vector<T>& values) {
    return to_numpy(std::vector<T>(values));
}

void bind_brancher(nb::module_& m) {
    nb::class_<SharedBrancher>(m, "Brancher",
                               "Parses sentences by selectional branching; read-only.")
        .def(
            "__init__",
            [](SharedBrancher* self, const parse::CompactRows& rows, In2<std::int32_t> slots,
               In<std::uint64_t> seeds, Longs ends, Ints kinds, Ints labels, std::int32_t n_labels,
               std::int32_t root_label, std::size_t beam, double margin, std::size_t k, bool mean,
               bool skip_labels, bool keep_attached, bool memory, int waves,
               const std::string& headless) {
                const Headless kind = headless_of(headless);
                const auto options =
                    search_options(beam, margin, k, mean, skip_labels, keep_attached, memory, waves,
                                   kind == Headless::single_root);
                damaged(0 <= root_label && root_label < n_labels,
                        "the parser's labels do not fit its transitions");
                const SharedTemplates templates{slots, seeds, ends};
                const Classifier classifier(rows, templates.check(Slots::size, 1), view(kinds),
                                            view(labels), n_labels);
                new (self) SharedBrancher(templates, classifier, options, kind, root_label);
            },
            nb::keep_alive<1, 2>(), "rows"_a, plain("slots"), plain("seeds"), plain("ends"),
            plain("kinds"), plain("labels"), "n_labels"_a, "root_label"_a, "beam"_a, "margin"_a,
            "k"_a, "mean"_a, "skip_labels"_a, "keep_attached"_a, "memory"_a, "waves"_a,
            "headless"_a,
            "`kinds` and `labels` have the transition of each label of the classifier and the\n"
            "label of its arc (-1: none).")
        .def("decode", &decode, plain("table"), plain("bounds"), plain("heads"), plain("labels"),
             "confidence"_a,
             "Return heads (-1: root), labels, probabilities and shares by word, and counts.\n"
             "`heads` and `labels` are fixed where they are not -1; they have a place for each\n"
             "root, or are empty.")
        .def("all_trees", &all_trees, plain("table"), plain("heads"), plain("labels"),
             "Return the scores, heads, labels and probabilities of all sequences of a sentence.")
        .def("observe", &observe_states, "examples"_a, plain("table"), plain("bounds"),
             plain("heads"), plain("labels"), plain("chosen"), plain("numbers"), "own"_a,
             "twice"_a,
             "Add the states of the oracle's sequences of the chosen sentences, or with `own` those\n"
             "of the parser's, to examples; return counts. What two sequences share is added\n"
             "`twice`. `numbers` has the label of the classifier for a transition (row) and the\n"
             "label of its arc (column; 0: none), or -1.");
}

void bind_examples(nb::module_& m) {
    constexpr auto made = nb::rv_policy::automatic;
    nb::class_<Examples>(m, "BranchingExamples",
                         "States of the branching parser and what is right there.")
        .def(
            "__init__",
            [](Examples* self, std::int64_t templates, std::int64_t table_size) {
                require(templates > 0 && table_size >= 0 && table_size <= std::int64_t{1} << 31,
                        "the size of examples is out of range");
                new (self) Examples(templates, table_size);
            },
            "templates"_a, "table_size"_a,
            "States with this many features, whose rows are below `table_size`.")
        .def("__init__", &stored_examples, plain("rows"), plain("gold"), plain("legal"),
             plain("sentence"), plain("row_of"), "Examples that were stored.")
        .def("__len__", &Examples::size)
        .def("reserve", &Examples::reserve, "states"_a, "Make room for more states.")
        .def_prop_ro(
            "rows",
            [](const Examples& self) {
                return to_numpy(std::vector<std::int32_t>(self.rows()),
                                static_cast<std::size_t>(self.size()),
                                static_cast<std::size_t>(self.templates()));
            },
            made, "The numbers of the feature rows of each state.")
        .def_prop_ro(
            "gold", [](const Examples& self) { return copied(self.gold()); }, made, "The right labels.")
        .def_prop_ro(
            "legal", [](const Examples& self) { return copied(self.legal()); },
            made, "The legal transitions of each state as bits.")
        .def_prop_ro(
            "sentence", [](const Examples& self) { return copied(self.sentence()); },
            made, "The sentence of each state.")
        .def_prop_ro(
            "row_of", [](const Examples& self) { return copied(self.row_of()); },
            made, "The row of the table that each number stands for.")
        .def("learn", &learn_states, plain("order"), plain("kinds"), "learner"_a, plain("weights"),
             plain("more"), "rate"_a, "offset"_a, "least"_a, "tick"_a,
             "Learn from the states of an order; return the sum of losses and the number of states\n"
             "that were wrong. `weights` has a row for each of `row_of`; `more` has the sums of\n"
             "squares or, of a perceptron, the sums of tick times step.");
    m.def("derive_transitions", &derive_transitions, plain("heads"), plain("labels"),
          plain("bounds"), "single_root"_a,
          "Return the oracle's transitions for trees, the labels of their arcs (-1: none), and the\n"
          "number of transitions of each sentence.");
}

void largest(In2<float> weights, Out<float> tops) {
    require(weights.shape(0) == tops.shape(0), "the arrays must be of the same length");
    nb::gil_scoped_release release;
    parse::largest(matrix(weights), view(tops));
}

void round_rows(In2<float> weights, In<std::int8_t> shifts, double unit, Out2<std::int8_t> table) {
    require(weights.shape(0) == table.shape(0) && weights.shape(1) == table.shape(1) &&
                shifts.shape(0) == table.shape(0) && table.shape(1) > 0,
            "the tables must be of the same size");
    require_range(view(shifts), 0, parse::most_shift + 1, "shifts");
    nb::gil_scoped_release release;
    parse::round_rows(matrix(weights), view(shifts), unit, matrix(table));
}

}  // namespace

Batch batch_of(const In2<std::uint64_t>& table, const In<std::int64_t>& bounds) {
    Batch batch{{0, matrix(table), {}}, view(bounds), {}};
    require(!batch.bounds.empty() && batch.bounds[0] == 0, "bounds must start with 0");
    batch.all.n = batch.bounds[batch.size()];
    require_rising(batch.bounds, 0, std::min<std::int64_t>(batch.all.n, 1 << 30), "bounds");
    require(static_cast<std::int64_t>(table.shape(0)) ==
                    batch.all.n + first_word * batch.size() &&
                static_cast<std::int64_t>(table.shape(1)) == word_columns,
            "the word table does not fit the bounds");
    return batch;
}

void bind_parse_branching(nb::module_& m) {
    bind_brancher(m);
    bind_examples(m);
    m.def("largest_weights", &largest, "weights"_a.noconvert(), "tops"_a.noconvert(),
          "Write the largest absolute value of each row.");
    m.def("round_rows", &round_rows, "weights"_a.noconvert(), "shifts"_a.noconvert(), "unit"_a,
          "table"_a.noconvert(),
          "Round rows to multiples of unit * 2**shift; the shift goes into the last column.");
}

}  // namespace caesura

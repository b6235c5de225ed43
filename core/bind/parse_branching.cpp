// The branching parser and 8-bit weight tables.
#include "bind/parse_branching.h"

#include <nanobind/stl/string.h>

#include "bind/bind.h"
#include "bind/checks.h"
#include "parse/branching_learning.h"
#include "parse/quantised.h"

namespace caesura {
namespace {

using namespace parse::hybrid;
using parse::first_word;
using parse::word_columns;

Headless headless_of(const std::string& name) {
    if (name == "root") return Headless::root;
    if (name == "clearnlp") return Headless::clearnlp;
    require(name == "single-root", "headless must be root, clearnlp or single-root");
    return Headless::single_root;
}

void new_brancher(Brancher* self, const parse::CompactRows& rows, Ints2 slots, Hashes seeds,
                  Longs ends, Ints kinds, Ints labels, std::int32_t n_labels,
                  std::int32_t root_label, std::size_t beam, double margin, std::size_t k,
                  bool mean, bool skip_labels, bool keep_attached, bool memory, int waves,
                  const std::string& headless) {
    require(beam > 0 && k > 0 && waves > 0, "beam, k and waves must be positive");
    damaged(0 <= root_label && root_label < n_labels,
            "the parser's labels do not fit its transitions");
    const Headless kind = headless_of(headless);
    SearchOptions options;
    options.beam = beam;
    options.margin = margin;
    options.k = k;
    options.mean = mean;
    options.skip_labels = skip_labels;
    options.keep_attached = keep_attached;
    options.memory = memory;
    options.waves = waves;
    options.single_root = kind == Headless::single_root;
    const parse::Templates templates(slots, seeds, ends, Slots::size, 1);
    new (self) Brancher(Classifier(rows, templates, kinds, labels, n_labels), options, kind,
                        root_label);
}

// A column with a place for each root is as long as it must be, with heads or labels in range.
void check_rooted(const Batch& batch, Ints heads, Ints labels, Long n_labels) {
    const Long size = batch.bounds[batch.size()] + batch.size();
    require(std::ssize(heads) == size && labels.size() == heads.size(),
            "heads and labels must have a place for each word and each root");
    for (Long k = 0; k < batch.size(); ++k)
        require_range(batch.rooted(heads, k), no_head, batch.length(k) + 1, "heads");
    require_range(labels, -1, n_labels, "labels");
}

// What the caller fixed of the trees of a batch, if anything.
void set_given(Batch& batch, const Brancher& brancher, Ints heads, Ints labels) {
    batch.given = {heads, labels};
    if (!heads.empty() || !labels.empty())
        check_rooted(batch, heads, labels, brancher.classifier().n_labels());
}

auto decode(const Brancher& self, Hashes2 table, Longs bounds, Ints heads, Ints labels,
            bool confidence) {
    Batch batch = batch_of(table, bounds);
    set_given(batch, self, heads, labels);
    const auto n = static_cast<std::size_t>(batch.all.n);
    std::vector<std::int32_t> found_heads(n), found_labels(n);
    std::vector<float> probabilities(n), shares(n, 1.0f);
    Counts counts{};
    Cancel cancel;
    self.decode(batch, confidence, {found_heads, found_labels, probabilities, shares}, counts,
                cancel);
    return std::pair(std::tuple(std::move(found_heads), std::move(found_labels),
                                std::move(probabilities), std::move(shares)),
                     std::vector(counts.begin(), counts.end()));
}

auto all_trees(const Brancher& self, Hashes2 table, Ints heads, Ints labels) {
    const Long n = static_cast<Long>(table.rows()) - first_word;
    require(n >= 0, "the word table is too short");
    require(static_cast<Long>(table.columns()) == word_columns,
            "the word table does not fit the parser");
    const Long bounds[] = {0, n};
    Batch batch{{n, table, {}}, {bounds, 2}, {}};
    set_given(batch, self, heads, labels);
    Counts counts{};
    Cancel cancel;
    Brancher::Every every = self.all_trees(batch, counts, cancel);
    const std::size_t number = every.scores.size();
    return std::tuple(std::move(every.scores), Grid(std::move(every.heads), number, n),
                      Grid(std::move(every.labels), number, n),
                      Grid(std::move(every.probabilities), number, n));
}

auto derive_transitions(Ints heads, Ints labels, Longs bounds, bool single_root) {
    require_rising(bounds, 0, std::ssize(heads), "bounds");
    require(!bounds.empty() && bounds[0] == 0, "bounds must start with 0");
    const Batch batch{{}, bounds, {}};
    check_rooted(batch, heads, labels, Long{1} << 31);
    Cancel cancel;
    Derivations found = derive(batch, {heads, labels}, single_root, cancel);
    return std::tuple(std::move(found.kinds), std::move(found.labels), std::move(found.lengths));
}

std::vector<Long> observe_states(const Brancher& self, Examples& examples, Hashes2 table,
                                 Longs bounds, Ints heads, Ints labels, Flags chosen,
                                 Ints2 numbers, bool own, bool twice) {
    const Batch batch = batch_of(table, bounds);
    const Classifier& classifier = self.classifier();
    check_rooted(batch, heads, labels, classifier.n_labels());
    require(std::ssize(chosen) == batch.size(), "each sentence must be chosen or not");
    require(numbers.rows() == n_kinds &&
                static_cast<std::int32_t>(numbers.columns()) == classifier.n_labels() + 1,
            "numbers must have a row for each transition and a column for each label");
    require_range(Ints(numbers.data(), numbers.rows() * numbers.columns()), -1,
                  classifier.n_actions(), "numbers");
    require(examples.templates() == classifier.templates().size() &&
                examples.table_size() == classifier.n_rows(),
            "the examples are of another parser");
    Counts counts{};
    Cancel cancel;
    observe(self, batch, {heads, labels}, {chosen, own, twice, numbers}, examples, counts, cancel);
    return {counts.begin(), counts.end()};
}

void new_examples(Examples* self, Long templates, Long table_size) {
    require(templates > 0 && table_size >= 0 && table_size <= Long{1} << 31,
            "the size of examples is out of range");
    new (self) Examples(templates, table_size);
}

void stored_examples(Examples* self, Ints2 rows, Ints gold, Bytes legal, Ints sentence,
                     Codes row_of) {
    require(gold.size() == rows.rows(), "the columns of examples must be of the same length");
    require_lengths("the columns of examples must be of the same length", gold, legal, sentence);
    require_range(Ints(rows.data(), rows.rows() * rows.columns()), 0, std::ssize(row_of), "rows");
    new (self) Examples(rows, gold, legal, sentence, row_of);
}

Learner learner_of(const std::string& name) {
    if (name == "logistic") return Learner::logistic;
    if (name == "svm") return Learner::hinge;
    require(name == "perceptron", "learner must be logistic, perceptron or svm");
    return Learner::perceptron;
}

std::pair<double, Long> learn_states(const Examples& examples, Longs order, Ints kinds,
                                     const std::string& learner, Matrix<float> weights,
                                     Matrix<float> more, float rate, float offset, double least,
                                     double tick) {
    require(weights.rows() == examples.row_of().size() && more.rows() == weights.rows() &&
                more.columns() == weights.columns(),
            "the weights must have a row for each row of the examples");
    require(weights.columns() % 32 == 0 && kinds.size() <= weights.columns() && !kinds.empty(),
            "the weights must have whole blocks of 32 columns, one for each label");
    require_range(order, 0, examples.size(), "order");
    require_range(kinds, 0, n_kinds, "kinds");
    require_range<const std::int32_t>(examples.gold(), 0, std::ssize(kinds), "gold");
    Cancel cancel;
    const Progress done =
        parse::hybrid::learn(examples, order, {learner_of(learner), kinds, rate, offset, least},
                             weights, more, tick, cancel);
    return {done.loss, done.wrong};
}

void bind_brancher(nb::module_& m) {
    nb::class_<Brancher>(m, "Brancher", "Parses sentences by selectional branching; read-only.")
        .def("__init__", &new_brancher, keep_arguments, "rows"_a, "slots"_a, "seeds"_a, "ends"_a,
             "kinds"_a, "labels"_a, "n_labels"_a, "root_label"_a, "beam"_a, "margin"_a, "k"_a,
             "mean"_a, "skip_labels"_a, "keep_attached"_a, "memory"_a, "waves"_a, "headless"_a,
             "`kinds` and `labels` have the transition of each label of the classifier and the\n"
             "label of its arc (-1: none).")
        .def("decode", &decode, without_gil, "table"_a, "bounds"_a, "heads"_a, "labels"_a,
             "confidence"_a,
             "Return heads (-1: root), labels, probabilities and shares by word, and counts.\n"
             "`heads` and `labels` are fixed where they are not -1; they have a place for each\n"
             "root, or are empty.")
        .def("all_trees", &all_trees, without_gil, "table"_a, "heads"_a, "labels"_a,
             "Return the scores, heads, labels and probabilities of all sequences of a sentence.")
        .def("observe", &observe_states, without_gil, "examples"_a, "table"_a, "bounds"_a,
             "heads"_a, "labels"_a, "chosen"_a, "numbers"_a, "own"_a, "twice"_a,
             "Add the states of the oracle's sequences of the chosen sentences, or with `own` those\n"
             "of the parser's, to examples; return counts. What two sequences share is added\n"
             "`twice`. `numbers` has the label of the classifier for a transition (row) and the\n"
             "label of its arc (column; 0: none), or -1.");
}

void bind_examples(nb::module_& m) {
    nb::class_<Examples>(m, "BranchingExamples",
                         "States of the branching parser and what is right there.")
        .def("__init__", &new_examples, "templates"_a, "table_size"_a,
             "States with this many features, whose rows are below `table_size`.")
        .def("__init__", &stored_examples, "rows"_a, "gold"_a, "legal"_a, "sentence"_a, "row_of"_a,
             "Examples that were stored.")
        .def("__len__", &Examples::size)
        .def("reserve", &Examples::reserve, "states"_a, "Make room for more states.")
        .def_prop_ro(
            "rows",
            [](const Examples& self) { return Grid(self.rows(), self.size(), self.templates()); },
            "The numbers of the feature rows of each state.")
        .def_prop_ro("gold", &Examples::gold, "The right labels.")
        .def_prop_ro("legal", &Examples::legal, "The legal transitions of each state as bits.")
        .def_prop_ro("sentence", &Examples::sentence, "The sentence of each state.")
        .def_prop_ro("row_of", &Examples::row_of,
                     "The row of the table that each number stands for.")
        .def("learn", &learn_states, without_gil, "order"_a, "kinds"_a, "learner"_a, "weights"_a,
             "more"_a, "rate"_a, "offset"_a, "least"_a, "tick"_a,
             "Learn from the states of an order; return the sum of losses and the number of states\n"
             "that were wrong. `weights` has a row for each of `row_of`; `more` has the sums of\n"
             "squares or, of a perceptron, the sums of tick times step.");
    m.def("derive_transitions", &derive_transitions, without_gil, "heads"_a, "labels"_a,
          "bounds"_a, "single_root"_a,
          "Return the oracle's transitions for trees, the labels of their arcs (-1: none), and the\n"
          "number of transitions of each sentence.");
}

void largest(Floats2 weights, View<float> tops) {
    require(weights.rows() == tops.size(), "the arrays must be of the same length");
    parse::largest(weights, tops);
}

void round_rows(Floats2 weights, Signs shifts, double unit, Matrix<std::int8_t> table) {
    require(weights.rows() == table.rows() && weights.columns() == table.columns() &&
                shifts.size() == table.rows() && table.columns() > 0,
            "the tables must be of the same size");
    require_range(shifts, 0, parse::most_shift + 1, "shifts");
    parse::round_rows(weights, shifts, unit, table);
}

}  // namespace

Batch batch_of(Hashes2 table, Longs bounds) {
    require(!bounds.empty() && bounds[0] == 0, "bounds must start with 0");
    const Batch batch{{bounds.end()[-1], table, {}}, bounds, {}};
    require_rising(bounds, 0, std::min<Long>(batch.all.n, 1 << 30), "bounds");
    require(static_cast<Long>(table.rows()) == batch.all.n + first_word * batch.size() &&
                static_cast<Long>(table.columns()) == word_columns,
            "the word table does not fit the bounds");
    return batch;
}

void bind_parse_branching(nb::module_& m) {
    bind_brancher(m);
    bind_examples(m);
    m.def("largest_weights", &largest, without_gil, "weights"_a, "tops"_a,
          "Write the largest absolute value of each row.");
    m.def("round_rows", &round_rows, without_gil, "weights"_a, "shifts"_a, "unit"_a, "table"_a,
          "Round rows to multiples of unit * 2**shift; the shift goes into the last column.");
}

}  // namespace caesura

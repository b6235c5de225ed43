#include "bind/tag.h"

#include "bind/bind.h"
#include "bind/text.h"
#include "tag/attributes.h"
#include "tag/conditional.h"

namespace caesura {
namespace {

using namespace tag;
using learn::LinearTable;
using Vectors = NdArray<const float, 3>;

Grid<std::uint64_t> word_attributes(Codes forms, Longs form_ends, Bytes kinds, Codes lowers,
                                    Longs lower_ends) {
    require_rising(form_ends, 0, std::ssize(forms), "ends");
    require_rising(lower_ends, 0, std::ssize(lowers), "ends");
    require_lengths("each form needs a lower-case form", form_ends, lower_ends);
    require_lengths("each character of a form needs a class", forms, kinds);
    require_range(kinds, 0, 31, "kinds");
    Grid<std::uint64_t> found(form_ends.size(), +n_attributes);
    fill_attributes({forms, form_ends}, kinds, {lowers, lower_ends}, found);
    return found;
}

void new_chain(Chain* self, const LinearTable& table, Ints2 spot, Ints places, Ints bounds,
               Ints2 mixed, Floats2 pairs, Floats triples, float clear) {
    new (self) Chain(table, chain_templates(spot, places, bounds, mixed), {pairs, triples}, clear);
}

template <class T>
void check_vectors(const Chain& chain, const NdArray<T, 3>& vectors) {
    require(static_cast<Long>(vectors.shape(1)) == chain.n_places() &&
                static_cast<Long>(vectors.shape(2)) == chain.classes(),
            "vectors must have a sum for each place and label");
}

void sum_types(const Chain& self, Hashes2 attributes, const NdArray<float, 3>& vectors) {
    require(attributes.columns() == n_attributes, "types have the wrong number of attributes");
    require(attributes.rows() == vectors.shape(0), "each type needs room for its sums");
    check_vectors(self, vectors);
    self.sum_types(attributes, {vectors.data(), vectors.shape(0) * vectors.shape(1),
                                vectors.shape(2)});
}

Words words_of(const Chain& self, Hashes2 attributes, const Vectors& vectors, Ints types,
               Longs begins, Ints group, Matrix<const bool> allowed) {
    check_types(attributes, types);
    check_begins(begins, types);
    require(vectors.shape(0) == attributes.rows(), "each type needs sums");
    check_vectors(self, vectors);
    if (!group.empty()) require_lengths("each word needs a group of labels", types, group);
    require(static_cast<Long>(allowed.columns()) == self.classes(),
            "a group must allow or forbid each label");
    require_range(group, -1, static_cast<Long>(allowed.rows()), "group");
    return {attributes, vectors.data(), types, begins, group, allowed};
}

std::vector<std::int32_t> decode(const Chain& self, Hashes2 attributes, const Vectors& vectors,
                                 Ints types, Longs begins, Ints group, Matrix<const bool> allowed,
                                 Long width, float margin, Long room) {
    check_width(width);
    const Words words = words_of(self, attributes, vectors, types, begins, group, allowed);
    std::vector<std::int32_t> path(types.size());
    Cancel cancel;
    self.decode(words, width, margin, room, path, cancel);
    return path;
}

auto marginals(const Chain& self, Hashes2 attributes, const Vectors& vectors, Ints types,
               Longs begins, Ints group, Matrix<const bool> allowed, Long width, float margin) {
    check_width(width);
    const Words words = words_of(self, attributes, vectors, types, begins, group, allowed);
    Grid<std::int32_t> labels(types.size(), width);
    Grid<float> masses(types.size(), width);
    Cancel cancel;
    self.marginals(words, margin, {labels, masses}, cancel);
    return std::pair(std::move(labels), std::move(masses));
}

void new_classifier(ConditionalClassifier* self, const LinearTable& table, Ints bounds,
                    Ints values, Ints2 own, Ints2 context, double clear) {
    new (self) ConditionalClassifier(table, {bounds, values}, templates_of(own),
                                     templates_of(context), clear);
}

auto choose_alone(const ConditionalClassifier& self, Hashes2 attributes, Ints types, Ints labels) {
    check_types(attributes, types);
    require_lengths("each type needs a label", types, labels);
    require_range(labels, 0, self.n_labels(), "labels");
    Grid<float> scores(types.size(), self.width());
    std::vector<std::int32_t> settled(types.size());
    self.choose_alone(attributes, types, labels, scores, settled);
    return std::pair(std::move(scores), std::move(settled));
}

std::vector<std::int32_t> choose(const ConditionalClassifier& self, Hashes2 attributes, Ints types,
                                 Ints own, Ints path, Longs begins, Ints pairs,
                                 Floats2 scores, Ints settled) {
    check_types(attributes, types);
    check_begins(begins, types);
    require_lengths("the columns must be of the same length", types, own, path, pairs);
    require_range(own, 0, self.n_labels(), "own");
    require_range(path, 0, self.n_labels(), "path");
    require(scores.rows() == settled.size() &&
                static_cast<Long>(scores.columns()) == self.width(),
            "each pair needs scores");
    require_range(pairs, 0, std::ssize(settled), "pairs");
    std::vector<std::int32_t> chosen(types.size());
    Cancel cancel;
    self.choose({attributes, types, own, path, begins, pairs}, {scores, settled}, chosen, cancel);
    return chosen;
}

}  // namespace

void bind_tag(nb::module_& m) {
    m.def("word_attributes", &word_attributes, without_gil, "forms"_a, "form_ends"_a, "kinds"_a,
          "lowers"_a, "lower_ends"_a,
          "Return the attributes of word types. Forms and lower-case forms are code points, one\n"
          "string behind the other; `kinds` holds the class of each character of the forms.");

    nb::class_<Chain>(m, "Chain", "Predicts the labels of the words of chains; read-only.")
        .def("__init__", &new_chain, keep_arguments, "table"_a, "spot"_a, "places"_a, "bounds"_a,
             "mixed"_a, "pairs"_a, "triples"_a, "clear"_a)
        .def_prop_ro("classes", &Chain::classes, "The number of labels.")
        .def_prop_ro("n_places", &Chain::n_places,
                     "The number of places that spot features look at.")
        .def("sum_types", &sum_types, without_gil, "attributes"_a, "vectors"_a.noconvert(),
             "Write the sums of the spot features of types, by place and label.")
        .def("decode", &decode, without_gil, "attributes"_a, "vectors"_a.noconvert(), "types"_a,
             "begins"_a, "group"_a, "allowed"_a, "width"_a, "margin"_a, "room"_a = 1024,
             "Return the best label of each word. `group` has the row of `allowed` that restricts\n"
             "each word, or -1; it may be empty.")
        .def("marginals", &marginals, without_gil, "attributes"_a, "vectors"_a.noconvert(),
             "types"_a, "begins"_a, "group"_a, "allowed"_a, "width"_a, "margin"_a,
             "Return the labels of each word with their probabilities, the likeliest first.");

    nb::class_<ConditionalClassifier>(m, "ConditionalClassifier",
                                      "Predicts a column given the label; read-only.")
        .def("__init__", &new_classifier, keep_arguments, "table"_a, "bounds"_a, "values"_a,
             "own"_a, "context"_a, "clear"_a)
        .def_prop_ro("width", &ConditionalClassifier::width, "The most values that a label has.")
        .def("choose_alone", &choose_alone, without_gil, "attributes"_a, "types"_a, "labels"_a,
             "Return the scores of pairs of type and label by the word alone, and the best value\n"
             "of each where no context can change it (-1: the label has none; else -2).")
        .def("choose", &choose, without_gil, "attributes"_a, "types"_a, "own"_a, "path"_a,
             "begins"_a, "pairs"_a, "scores"_a, "settled"_a,
             "Return the best value of each word, from the scores of its pair and its context.\n"
             "`own` has the labels of the words in question, `path` those that others see.");
}

}  // namespace caesura

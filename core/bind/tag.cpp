#include <nanobind/stl/pair.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/learn.h"
#include "bind/tag.h"
#include "tag/attributes.h"
#include "tag/conditional.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace tag;
using Vectors = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using NewVectors = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void check_strings(const In<std::uint32_t>& codes, const Longs& ends) {
    require_rising(view(ends), 0, static_cast<std::int64_t>(codes.shape(0)), "ends");
}

Array2<std::uint64_t> word_attributes(In<std::uint32_t> forms, Longs form_ends,
                                      In<std::uint8_t> kinds, In<std::uint32_t> lowers,
                                      Longs lower_ends) {
    check_strings(forms, form_ends);
    check_strings(lowers, lower_ends);
    require(lower_ends.shape(0) == form_ends.shape(0), "each form needs a lower-case form");
    require(kinds.shape(0) == forms.shape(0), "each character of a form needs a class");
    require_range(view(kinds), 0, 31, "kinds");
    const std::size_t n = form_ends.shape(0);
    std::vector<std::uint64_t> found(n * n_attributes);
    {
        nb::gil_scoped_release release;
        fill_attributes({view(forms), view(form_ends)}, view(kinds),
                        {view(lowers), view(lower_ends)}, {found.data(), n, n_attributes});
    }
    return to_numpy(std::move(found), n, n_attributes);
}

// A chain that keeps the arrays of its model alive.
class SharedChain : public Chain {
   public:
    SharedChain(const SharedTable& table, Ints2 spot, Ints places, Ints bounds, Ints2 mixed,
                In2<float> pairs, In<float> triples, float clear)
        : Chain(table, chain_templates(spot, places, bounds, mixed),
                {matrix(pairs), view(triples)}, clear),
          pairs_(std::move(pairs)),
          triples_(std::move(triples)) {}

    void sum(Hashes attributes, NewVectors vectors) const {
        require(attributes.shape(1) == n_attributes, "types have the wrong number of attributes");
        require(attributes.shape(0) == vectors.shape(0), "each type needs room for its sums");
        check_vectors(vectors.shape(1), vectors.shape(2));
        nb::gil_scoped_release release;
        sum_types(matrix(attributes), {vectors.data(), vectors.shape(0) * vectors.shape(1),
                                       vectors.shape(2)});
    }

    Array<std::int32_t> best(Hashes attributes, Vectors vectors, Ints types, Longs begins,
                             Ints group, In2<bool> allowed, std::int64_t width, float margin,
                             std::int64_t room) const {
        check_width(width);
        const Words words = words_of(attributes, vectors, types, begins, group, allowed);
        std::vector<std::int32_t> path(types.shape(0));
        {
            Cancel cancel;
            nb::gil_scoped_release release;
            decode(words, width, margin, room, path, cancel);
        }
        return to_numpy(std::move(path));
    }

    std::pair<Array2<std::int32_t>, Array2<float>> probabilities(
        Hashes attributes, Vectors vectors, Ints types, Longs begins, Ints group,
        In2<bool> allowed, std::int64_t width, float margin) const {
        check_width(width);
        const Words words = words_of(attributes, vectors, types, begins, group, allowed);
        const std::size_t n = types.shape(0), columns = static_cast<std::size_t>(width);
        std::vector<std::int32_t> labels(n * columns);
        std::vector<float> masses(n * columns);
        {
            Cancel cancel;
            nb::gil_scoped_release release;
            marginals(words, margin, {{labels.data(), n, columns}, {masses.data(), n, columns}},
                      cancel);
        }
        return {to_numpy(std::move(labels), n, columns), to_numpy(std::move(masses), n, columns)};
    }

   private:
    static void check_width(std::int64_t width) {
        require(0 < width && width <= widest, "width must be from 1 to 127");
    }

    void check_vectors(std::size_t places, std::size_t labels) const {
        require(static_cast<std::int64_t>(places) == n_places() &&
                    static_cast<std::int64_t>(labels) == classes(),
                "vectors must have a sum for each place and label");
    }

    Words words_of(const Hashes& attributes, const Vectors& vectors, const Ints& types,
                   const Longs& begins, const Ints& group, const In2<bool>& allowed) const {
        check_types(attributes, types);
        check_begins(begins, types);
        require(vectors.shape(0) == attributes.shape(0), "each type needs sums");
        check_vectors(vectors.shape(1), vectors.shape(2));
        require(group.shape(0) == 0 || group.shape(0) == types.shape(0),
                "each word needs a group of labels");
        require(static_cast<std::int64_t>(allowed.shape(1)) == classes(),
                "a group must allow or forbid each label");
        require_range(view(group), -1, static_cast<std::int64_t>(allowed.shape(0)), "group");
        return {matrix(attributes), vectors.data(), view(types),
                view(begins),       view(group),    matrix(allowed)};
    }

    In2<float> pairs_;
    In<float> triples_;
};

// A classifier that keeps the arrays of its model alive.
class SharedClassifier : public ConditionalClassifier {
   public:
    SharedClassifier(const SharedTable& table, Ints bounds, Ints values, Ints2 own, Ints2 context,
                     double clear)
        : ConditionalClassifier(table, {view(bounds), view(values)}, templates_of(own),
                                templates_of(context), clear),
          bounds_(std::move(bounds)),
          values_(std::move(values)) {}

    std::pair<Array2<float>, Array<std::int32_t>> alone(Hashes attributes, Ints types,
                                                        Ints labels) const {
        check_types(attributes, types);
        require(labels.shape(0) == types.shape(0), "each type needs a label");
        require_range(view(labels), 0, n_labels(), "labels");
        const std::size_t n = types.shape(0), columns = static_cast<std::size_t>(width());
        std::vector<float> scores(n * columns);
        std::vector<std::int32_t> settled(n);
        {
            nb::gil_scoped_release release;
            choose_alone(matrix(attributes), view(types), view(labels),
                         {scores.data(), n, columns}, settled);
        }
        return {to_numpy(std::move(scores), n, columns), to_numpy(std::move(settled))};
    }

    Array<std::int32_t> best(Hashes attributes, Ints types, Ints own, Ints path, Longs begins,
                             Ints pairs, In2<float> scores, Ints settled) const {
        check_types(attributes, types);
        check_begins(begins, types);
        for (const Ints* column : {&own, &path, &pairs})
            require(column->shape(0) == types.shape(0), "the columns must be of the same length");
        require_range(view(own), 0, n_labels(), "own");
        require_range(view(path), 0, n_labels(), "path");
        require(scores.shape(0) == settled.shape(0) &&
                    static_cast<std::int64_t>(scores.shape(1)) == width(),
                "each pair needs scores");
        require_range(view(pairs), 0, length(settled), "pairs");
        std::vector<std::int32_t> chosen(types.shape(0));
        {
            Cancel cancel;
            nb::gil_scoped_release release;
            choose({matrix(attributes), view(types), view(own), view(path), view(begins),
                    view(pairs)},
                   {matrix(scores), view(settled)}, chosen, cancel);
        }
        return to_numpy(std::move(chosen));
    }

   private:
    Ints bounds_, values_;
};

}  // namespace

void bind_tag(nb::module_& m) {
    m.def("word_attributes", &word_attributes, plain("forms"), plain("form_ends"), plain("kinds"),
          plain("lowers"), plain("lower_ends"),
          "Return the attributes of word types. Forms and lower-case forms are code points, one\n"
          "string behind the other; `kinds` holds the class of each character of the forms.");

    nb::class_<SharedChain>(m, "Chain", "Predicts the labels of the words of chains; read-only.")
        .def(nb::init<const SharedTable&, Ints2, Ints, Ints, Ints2, In2<float>, In<float>, float>(),
             nb::keep_alive<1, 2>(), "table"_a, plain("spot"), plain("places"), plain("bounds"),
             plain("mixed"), plain("pairs"), plain("triples"), "clear"_a)
        .def_prop_ro("classes", &SharedChain::classes, "The number of labels.")
        .def_prop_ro("n_places", &SharedChain::n_places,
                     "The number of places that spot features look at.")
        .def("sum_types", &SharedChain::sum, plain("attributes"), plain("vectors"),
             "Write the sums of the spot features of types, by place and label.")
        .def("decode", &SharedChain::best, plain("attributes"), plain("vectors"), plain("types"),
             plain("begins"), plain("group"), plain("allowed"), "width"_a, "margin"_a,
             "room"_a = 1024,
             "Return the best label of each word. `group` has the row of `allowed` that restricts\n"
             "each word, or -1; it may be empty.")
        .def("marginals", &SharedChain::probabilities, plain("attributes"), plain("vectors"),
             plain("types"), plain("begins"), plain("group"), plain("allowed"), "width"_a,
             "margin"_a,
             "Return the labels of each word with their probabilities, the likeliest first.");

    nb::class_<SharedClassifier>(m, "ConditionalClassifier",
                                 "Predicts a column given the label; read-only.")
        .def(nb::init<const SharedTable&, Ints, Ints, Ints2, Ints2, double>(),
             nb::keep_alive<1, 2>(), "table"_a, plain("bounds"), plain("values"), plain("own"),
             plain("context"), "clear"_a)
        .def_prop_ro("width", &SharedClassifier::width, "The most values that a label has.")
        .def("choose_alone", &SharedClassifier::alone, plain("attributes"), plain("types"),
             plain("labels"),
             "Return the scores of pairs of type and label by the word alone, and the best value\n"
             "of each where no context can change it (-1: the label has none; else -2).")
        .def("choose", &SharedClassifier::best, plain("attributes"), plain("types"), plain("own"),
             plain("path"), plain("begins"), plain("pairs"), plain("scores"), plain("settled"),
             "Return the best value of each word, from the scores of its pair and its context.\n"
             "`own` has the labels of the words in question, `path` those that others see.");
}

}  // namespace caesura

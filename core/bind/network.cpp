#include <nanobind/stl/string.h>

#include <limits>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "network/boundaries.h"
#include "network/network.h"

namespace caesura {
namespace {

using namespace network;
using Features = Matrix<const Long>;
using Windows = Matrix<const Long>;
// Columns that are wanted; all if there is none.
using Columns = std::optional<Longs>;
using AnyShape = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

void new_network(Network* self, const nb::typed<nb::dict, nb::str, nb::object>& arrays, int heads,
                 float eps) {
    ModelArrays found;
    std::vector<AnyShape> kept;
    for (const auto& [name, value] : arrays) {
        AnyShape array;
        damaged(nb::try_cast(value, array, false), "its network has an array of an unknown kind");
        ModelArray described{ModelArray::Type::kOther, array.data(), {}};
        if (array.dtype() == nb::dtype<float>()) described.type = ModelArray::Type::kFloat;
        if (array.dtype() == nb::dtype<std::int8_t>()) described.type = ModelArray::Type::kInt8;
        if (array.dtype() == nb::dtype<std::uint8_t>()) described.type = ModelArray::Type::kUint8;
        described.shape.assign(array.shape_ptr(), array.shape_ptr() + array.ndim());
        found.emplace(nb::cast<std::string>(name), std::move(described));
        kept.push_back(std::move(array));
    }
    nb::gil_scoped_release release;
    new (self) Network(found, heads, eps);
}

std::vector<Long> checked(const Columns& columns, Long n, const char* name) {
    if (!columns) return {};
    require_range(*columns, 0, n, name);
    return {columns->begin(), columns->end()};
}

Text text_of(Ints pieces, Longs pointer, Features features, std::int32_t begin, std::int32_t end,
             Long limit) {
    require(!pointer.empty(), "pointer is empty");
    return {pieces, pointer, features, begin, end, limit};
}

View<const Window> windows_of(Windows windows) {
    static_assert(sizeof(Window) == 4 * sizeof(Long));
    require(windows.columns() == 4, "a window has four numbers");
    return {reinterpret_cast<const Window*>(windows.data()), windows.rows()};
}

auto scores(const Network& network, Ints pieces, Longs pointer, Features features, Windows windows,
            std::int32_t begin, std::int32_t end, Long limit, const Columns& columns) {
    const Text text = text_of(pieces, pointer, features, begin, end, limit);
    const auto spans = windows_of(windows);
    const auto chosen = checked(columns, network.sizes().tag_columns, "columns");
    network.check(text, spans);
    const Long n = text.words(), label = network.sizes().label_size;
    Long width = 1;
    for (const Window& one : spans) width = std::max(width, one.last - one.first + 1);
    std::vector<float> start(n), root(label);
    std::vector<std::int32_t> base(n), sizes(n);
    Grid<float> tags(n, columns ? std::ssize(chosen) : network.sizes().tag_columns);
    Grid<float> arcs(n, width, -std::numeric_limits<float>::infinity());
    Grid<float> dependents(n, label), heads(n, label);
    Cancel cancel;
    network.scores(text, spans, columns ? &chosen : nullptr,
                   {start, tags, arcs, base, sizes, dependents, heads, root}, cancel);
    return std::tuple(std::move(start), std::move(tags), std::move(arcs), std::move(base),
                      std::move(sizes), std::move(dependents), std::move(heads), std::move(root));
}

std::vector<float> starts(const Network& network, Ints pieces, Longs pointer, Features features,
                          Windows windows, std::int32_t begin, std::int32_t end, Long limit) {
    const Text text = text_of(pieces, pointer, features, begin, end, limit);
    const auto spans = windows_of(windows);
    network.check(text, spans);
    std::vector<float> found(text.words());
    Cancel cancel;
    network.starts(text, spans, found, cancel);
    return found;
}

Grid<float> states(const Network& network, int layer, Ints pieces, Longs pointer,
                   Features features, std::int32_t begin, std::int32_t end, Long limit) {
    const Text text = text_of(pieces, pointer, features, begin, end, limit);
    const Window all{0, text.words(), 0, text.words()};
    network.check(text, {&all, text.words() > 0 ? 1u : 0u});
    Grid<float> found(text.words(), network.sizes().hidden);
    Cancel cancel;
    network.states(text, layer, found, cancel);
    return found;
}

void new_label_scorer(LabelScorer* self, const NdArray<const float, 3>& weights) {
    const auto size = static_cast<Long>(weights.shape(0)) - 1;
    damaged(weights.shape(0) == weights.shape(2) && size > 0,
            "its label weights have the wrong shape");
    new (self) LabelScorer({weights.data(), weights.size()}, size,
                           static_cast<Long>(weights.shape(1)));
}

Grid<float> label_scores(const LabelScorer& scorer, Floats2 dependents, Floats2 heads, Floats root,
                         Ints head, const Columns& labels) {
    const auto size = static_cast<std::size_t>(scorer.size());
    require(dependents.columns() == size && heads.columns() == size && root.size() == size,
            "the vectors of labels have the wrong size");
    require(dependents.rows() == head.size(), "every dependent needs a head");
    require_range(head, INT32_MIN, static_cast<Long>(heads.rows()), "heads");
    const auto chosen = checked(labels, scorer.labels(), "labels");
    Grid<float> found(head.size(), labels ? std::ssize(chosen) : scorer.labels());
    Cancel cancel;
    scorer.scores(dependents, heads, root, head, labels ? &chosen : nullptr, found, cancel);
    return found;
}

std::vector<float> boundary_odds(const WordBoundaries& boundaries, Floats2 vectors) {
    damaged(static_cast<Long>(vectors.columns()) * 2 * WordBoundaries::kNear ==
                boundaries.inputs(),
            "its network has vectors of another size than what finds words");
    std::vector<float> found(vectors.rows());
    Cancel cancel;
    boundaries.odds(vectors, found, cancel);
    return found;
}

}  // namespace

void bind_network(nb::module_& m) {
    nb::class_<Network>(m, "Network",
                        "The forward pass of a network, with weights and activations of 8 bits.\n"
                        "Threads may share one.")
        .def("__init__", &new_network, "arrays"_a, "heads"_a, "eps"_a)
        .def_prop_ro("hidden", [](const Network& n) { return n.sizes().hidden; })
        .def_prop_ro("layers", [](const Network& n) { return n.sizes().layers.size(); })
        .def_prop_ro("pieces", [](const Network& n) { return n.sizes().pieces.rows(); })
        .def_prop_ro("positions", [](const Network& n) { return n.sizes().position.rows; })
        .def_prop_ro("features", [](const Network& n) { return n.sizes().features.size(); })
        .def_prop_ro("tags", [](const Network& n) { return n.sizes().tag_columns; })
        .def_prop_ro("label_size", [](const Network& n) { return n.sizes().label_size; })
        .def_prop_ro("variant", &Network::variant, "The instruction set that is used.")
        .def("scores", &scores, without_gil, "pieces"_a, "pointer"_a, "features"_a, "windows"_a,
             "begin_id"_a, "end_id"_a, "limit"_a, "columns"_a = nb::none(),
             "Return start, tags, arcs, base, sizes, label_dep, label_head and label_root of words\n"
             "that are read in windows (first, last, keep_first, keep_last). `columns` are the\n"
             "columns of tags that are wanted.")
        .def("starts", &starts, without_gil, "pieces"_a, "pointer"_a, "features"_a, "windows"_a,
             "begin_id"_a, "end_id"_a, "limit"_a, "Return the scores of sentence starts alone.")
        .def("states", &states, without_gil, "layer"_a, "pieces"_a, "pointer"_a, "features"_a,
             "begin_id"_a, "end_id"_a, "limit"_a,
             "Return the vector that the first sub-word of each word has after so many layers.");
    nb::class_<LabelScorer>(m, "LabelScorer",
                            "Biaffine label scores of arcs. Threads may share one.")
        .def("__init__", &new_label_scorer, without_gil, "weights"_a.noconvert())
        .def("scores", &label_scores, without_gil, "label_dep"_a, "label_head"_a, "label_root"_a,
             "heads"_a, "labels"_a = nb::none(),
             "Return the score of each label (or of those chosen) for each word and its head.");
    nb::class_<WordBoundaries>(m, "WordBoundaries",
                               "Where words begin in text without blanks. Threads may share one.")
        .def(nb::init<Floats2, Floats, Floats>(), without_gil, "first"_a, "bias"_a, "second"_a)
        .def("odds", &boundary_odds, without_gil, "vectors"_a,
             "Return the log-odds that a word begins before each character, by its vectors.");
}

}  // namespace caesura

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <tuple>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "network/boundaries.h"
#include "network/network.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace network;
using Columns = std::optional<In<std::int64_t>>;
using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

ModelArray described(const AnyArray& array) {
    ModelArray found{ModelArray::Type::kOther, array.data(), {}};
    if (array.dtype() == nb::dtype<float>()) found.type = ModelArray::Type::kFloat;
    if (array.dtype() == nb::dtype<std::int8_t>()) found.type = ModelArray::Type::kInt8;
    if (array.dtype() == nb::dtype<std::uint8_t>()) found.type = ModelArray::Type::kUint8;
    for (std::size_t i = 0; i < array.ndim(); ++i)
        found.shape.push_back(static_cast<std::int64_t>(array.shape(i)));
    return found;
}

void new_network(Network* self, const nb::typed<nb::dict, nb::str, nb::object>& arrays, int heads, float eps) {
    ModelArrays found;
    std::vector<AnyArray> kept;
    for (const auto& [name, value] : arrays) {
        AnyArray array;
        damaged(nb::try_cast(value, array, false), "its network has an array of an unknown kind");
        found.emplace(nb::cast<std::string>(name), described(array));
        kept.push_back(std::move(array));
    }
    nb::gil_scoped_release release;
    new (self) Network(found, heads, eps);
}

std::vector<std::int64_t> checked(const In<std::int64_t>& columns, std::int64_t n,
                                  const char* name) {
    require_range(view(columns), 0, n, name);
    return {columns.data(), columns.data() + columns.shape(0)};
}

Text text_of(const In<std::int32_t>& pieces, const In<std::int64_t>& pointer,
             const In2<std::int64_t>& features, std::int32_t begin, std::int32_t end,
             std::int64_t limit) {
    require(pointer.shape(0) > 0, "pointer is empty");
    return {view(pieces), view(pointer), matrix(features), begin, end, limit};
}

View<const Window> windows_of(const In2<std::int64_t>& windows) {
    static_assert(sizeof(Window) == 4 * sizeof(std::int64_t));
    require(windows.shape(1) == 4, "a window has four numbers");
    return {reinterpret_cast<const Window*>(windows.data()), windows.shape(0)};
}

using Found = std::tuple<Array<float>, Array2<float>, Array2<float>, Array<std::int32_t>,
                         Array<std::int32_t>, Array2<float>, Array2<float>, Array<float>>;

Found scores(const Network& network, In<std::int32_t> pieces, In<std::int64_t> pointer,
             In2<std::int64_t> features, In2<std::int64_t> windows, std::int32_t begin,
             std::int32_t end, std::int64_t limit, const Columns& columns) {
    const Text text = text_of(pieces, pointer, features, begin, end, limit);
    const View<const Window> spans = windows_of(windows);
    std::vector<std::int64_t> chosen;
    if (columns) chosen = checked(*columns, network.sizes().tag_columns, "columns");
    network.check(text, spans);
    const std::size_t n = static_cast<std::size_t>(text.words());
    const std::size_t tags =
        columns ? chosen.size() : static_cast<std::size_t>(network.sizes().tag_columns);
    const std::size_t label = static_cast<std::size_t>(network.sizes().label_size);
    std::size_t width = 1;
    for (const Window& one : spans)
        width = std::max(width, static_cast<std::size_t>(one.last - one.first + 1));
    std::vector<float> start(n), tag(n * tags), dep(n * label), head(n * label), root(label);
    std::vector<float> arcs(n * width, -std::numeric_limits<float>::infinity());
    std::vector<std::int32_t> base(n), sizes(n);
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        network.scores(text, spans, columns ? &chosen : nullptr,
                       {start, {tag.data(), n, tags}, {arcs.data(), n, width}, base, sizes,
                        {dep.data(), n, label}, {head.data(), n, label}, root},
                       cancel);
    }
    return {to_numpy(std::move(start)),       to_numpy(std::move(tag), n, tags),
            to_numpy(std::move(arcs), n, width), to_numpy(std::move(base)),
            to_numpy(std::move(sizes)),       to_numpy(std::move(dep), n, label),
            to_numpy(std::move(head), n, label), to_numpy(std::move(root))};
}

Array<float> starts(const Network& network, In<std::int32_t> pieces, In<std::int64_t> pointer,
                    In2<std::int64_t> features, In2<std::int64_t> windows, std::int32_t begin,
                    std::int32_t end, std::int64_t limit) {
    const Text text = text_of(pieces, pointer, features, begin, end, limit);
    const View<const Window> spans = windows_of(windows);
    network.check(text, spans);
    std::vector<float> found(static_cast<std::size_t>(text.words()));
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        network.starts(text, spans, found, cancel);
    }
    return to_numpy(std::move(found));
}

Array2<float> states(const Network& network, int layer, In<std::int32_t> pieces,
                     In<std::int64_t> pointer, In2<std::int64_t> features, std::int32_t begin,
                     std::int32_t end, std::int64_t limit) {
    const Text text = text_of(pieces, pointer, features, begin, end, limit);
    const Window all{0, text.words(), 0, text.words()};
    network.check(text, {&all, text.words() > 0 ? 1u : 0u});
    const std::size_t n = static_cast<std::size_t>(text.words());
    const std::size_t hidden = static_cast<std::size_t>(network.sizes().hidden);
    std::vector<float> found(n * hidden);
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        network.states(text, layer, {found.data(), n, hidden}, cancel);
    }
    return to_numpy(std::move(found), n, hidden);
}

using In3 = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void new_label_scorer(LabelScorer* self, const In3& weights) {
    damaged(weights.shape(0) == weights.shape(2) && weights.shape(0) > 1,
            "its label weights have the wrong shape");
    const View<const float> values(weights.data(), weights.size());
    nb::gil_scoped_release release;
    new (self) LabelScorer(values, static_cast<std::int64_t>(weights.shape(0)) - 1,
                           static_cast<std::int64_t>(weights.shape(1)));
}

Array2<float> label_scores(const LabelScorer& scorer, In2<float> dependents, In2<float> heads,
                           In<float> root, In<std::int32_t> head, const Columns& labels) {
    const std::size_t size = static_cast<std::size_t>(scorer.size()), n = head.shape(0);
    require(dependents.shape(1) == size && heads.shape(1) == size && root.shape(0) == size,
            "the vectors of labels have the wrong size");
    require(dependents.shape(0) == n, "every dependent needs a head");
    require_range(view(head), INT32_MIN, static_cast<std::int64_t>(heads.shape(0)), "heads");
    std::vector<std::int64_t> chosen;
    if (labels) chosen = checked(*labels, scorer.labels(), "labels");
    const std::size_t columns = labels ? chosen.size() : static_cast<std::size_t>(scorer.labels());
    std::vector<float> found(n * columns);
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        scorer.scores(matrix(dependents), matrix(heads), view(root), view(head),
                      labels ? &chosen : nullptr, {found.data(), n, columns}, cancel);
    }
    return to_numpy(std::move(found), n, columns);
}

void new_boundaries(WordBoundaries* self, In2<float> first, In<float> bias, In<float> second) {
    nb::gil_scoped_release release;
    new (self) WordBoundaries(matrix(first), view(bias), view(second));
}

Array<float> boundary_odds(const WordBoundaries& boundaries, In2<float> vectors) {
    damaged(static_cast<std::int64_t>(vectors.shape(1)) * 2 * WordBoundaries::kNear ==
                boundaries.inputs(),
            "its network has vectors of another size than what finds words");
    std::vector<float> found(vectors.shape(0));
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        boundaries.odds(matrix(vectors), found, cancel);
    }
    return to_numpy(std::move(found));
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
        .def("scores", &scores, "pieces"_a.noconvert(), "pointer"_a.noconvert(),
             "features"_a.noconvert(), "windows"_a.noconvert(), "begin_id"_a, "end_id"_a,
             "limit"_a, "columns"_a.noconvert() = nb::none(),
             "Return start, tags, arcs, base, sizes, label_dep, label_head and label_root of words\n"
             "that are read in windows (first, last, keep_first, keep_last). `columns` are the\n"
             "columns of tags that are wanted.")
        .def("starts", &starts, "pieces"_a.noconvert(), "pointer"_a.noconvert(),
             "features"_a.noconvert(), "windows"_a.noconvert(), "begin_id"_a, "end_id"_a,
             "limit"_a, "Return the scores of sentence starts alone.")
        .def("states", &states, "layer"_a, "pieces"_a.noconvert(), "pointer"_a.noconvert(),
             "features"_a.noconvert(), "begin_id"_a, "end_id"_a, "limit"_a,
             "Return the vector that the first sub-word of each word has after so many layers.");
    nb::class_<LabelScorer>(m, "LabelScorer",
                            "Biaffine label scores of arcs. Threads may share one.")
        .def("__init__", &new_label_scorer, "weights"_a.noconvert())
        .def("scores", &label_scores, "label_dep"_a.noconvert(), "label_head"_a.noconvert(),
             "label_root"_a.noconvert(), "heads"_a.noconvert(),
             "labels"_a.noconvert() = nb::none(),
             "Return the score of each label (or of those chosen) for each word and its head.");
    nb::class_<WordBoundaries>(m, "WordBoundaries",
                               "Where words begin in text without blanks. Threads may share one.")
        .def("__init__", &new_boundaries, "first"_a.noconvert(), "bias"_a.noconvert(),
             "second"_a.noconvert())
        .def("odds", &boundary_odds, "vectors"_a.noconvert(),
             "Return the log-odds that a word begins before each character, by its vectors.");
}

}  // namespace caesura

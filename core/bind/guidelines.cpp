#include "guidelines/guide.h"

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"

namespace caesura {
namespace {

using guidelines::Guide;
using Words = std::vector<std::int32_t>;

auto choose(const Guide& guide, Floats2 labels, Floats2 arcs, Ints base, Signs starts, Ints given,
            Ints heads, Bytes types, Bytes others, Floats losses) {
    require_lengths("scores, heads and types are not of the same words", heads, base, starts,
                    given, types, others, losses);
    require(labels.rows() == heads.size() && arcs.rows() == heads.size() && arcs.columns() > 0,
            "scores, heads and types are not of the same words");
    require(static_cast<Long>(labels.columns()) == guide.n_labels(),
            "there are scores of other labels");
    require_range(heads, INT32_MIN, std::ssize(heads), "heads");
    require_range(types, 0, guide.n_types(), "types");
    require_range(others, 0, guide.n_types(), "others");
    Words trees(heads.begin(), heads.end()), found(heads.size());
    std::vector<std::uint8_t> other(heads.size());
    guidelines::choose(guide,
                       {labels, arcs, base, starts, given, types, others, losses},
                       trees, found, other);
    return std::tuple(std::move(trees), std::move(found), std::move(other));
}

Words mend_crossing(Bytes no_head, Signs starts, Ints given, Ints heads) {
    require_lengths("marks, starts and heads are not of the same words", heads, no_head, starts,
                    given);
    require_range(heads, INT32_MIN, std::ssize(heads), "heads");
    Words found(heads.begin(), heads.end());
    guidelines::mend_crossing(no_head, starts, given, found);
    return found;
}

}  // namespace

void bind_guidelines(nb::module_& m) {
    nb::class_<Guide>(m, "Guide", "Rules that the labels of arcs obey; read-only.")
        .def(nb::init<View<const std::uint16_t>, View<const std::uint16_t>, Bytes, Bytes,
                      Matrix<const std::uint8_t>>(),
             "kind"_a, "barred"_a, "rightward"_a, "types"_a, "allowed"_a,
             "By label: its kind, the kinds of dependents that it bars, and whether its head comes\n"
             "first. By type of word: 1 for marks and 2 for nominals, and the labels it may have.")
        .def("choose", &choose, without_gil, "labels"_a, "arcs"_a, "base"_a, "starts"_a, "given"_a,
             "heads"_a, "types"_a, "others"_a, "losses"_a,
             "Choose labels for trees by scores. A word may get another head, or its other type,\n"
             "which costs its loss. Return heads, labels, and which words have their other type.");
    m.def("mend_crossing", &mend_crossing, without_gil, "no_head"_a, "starts"_a, "given"_a,
          "heads"_a,
          "Move marks whose arcs cross others up to the nearest ancestor where they do not.\n"
          "`no_head` is 1 for marks and 2 for other words that take no mark.");
}

}  // namespace caesura

// What the neural models do with words besides the network: sub-words, windows, tags, lemmas.
#include <nanobind/stl/pair.h>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "network_text/subwords.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace network_text;

template <class T>
std::vector<T> copied(const In<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

void check_bounds(View<const std::int64_t> bounds, std::size_t size) {
    require(bounds.size() > 0 && bounds[0] == 0 &&
                bounds[static_cast<std::ptrdiff_t>(bounds.size()) - 1] ==
                    static_cast<std::int64_t>(size),
            "bounds must begin with 0 and end with the length of the text");
    require_rising(bounds, 0, static_cast<std::int64_t>(size), "bounds");
}

void new_table(PieceTable* self, In<std::uint32_t> text, In<std::int64_t> bounds) {
    check_bounds(view(bounds), text.shape(0));
    damaged(bounds.shape(0) < INT32_MAX, "its sub-word vocabulary is too large");
    nb::gil_scoped_release release;
    new (self) PieceTable(view(text), view(bounds));
}

void check_piece(const PieceTable& table, std::int32_t piece) {
    require(piece >= 0 && piece < table.size(), "the unknown piece is not in the vocabulary");
}

void new_word_piece(WordPiece* self, const PieceTable& table, In<std::uint32_t> prefix,
                    std::int32_t unknown, bool lowercase) {
    check_piece(table, unknown);
    new (self) WordPiece(table, {copied(prefix), unknown, lowercase});
}

void new_unigram(Unigram* self, const PieceTable& table, In<double> scores, In<bool> usable,
                 std::int32_t unknown, double worst) {
    const auto n = static_cast<std::size_t>(table.size());
    require(scores.shape(0) == n && usable.shape(0) == n, "every piece needs a score");
    check_piece(table, unknown);
    new (self) Unigram(table, copied(scores), {usable.data(), usable.data() + n}, unknown, worst);
}

template <class Vocabulary>
std::pair<Array<std::int32_t>, Array<std::int64_t>> cut(const Vocabulary& vocabulary,
                                                        In<std::uint32_t> text,
                                                        In<std::int64_t> bounds, In<bool> blank) {
    check_bounds(view(bounds), text.shape(0));
    require(bounds.shape(0) == blank.shape(0) + 1, "bounds must have one more than blank");
    Pieces found;
    {
        nb::gil_scoped_release release;
        found = vocabulary.cut({view(text), view(bounds), view(blank)});
    }
    return {to_numpy(std::move(found.numbers)), to_numpy(std::move(found.first))};
}

constexpr const char* cut_doc =
    "Return the pieces of each word, and where those of each begin (one more than words). `text`\n"
    "holds the normal forms of the words, `blank` whether a blank stands before each.";

void bind_subwords(nb::module_& m) {
    nb::class_<PieceTable>(m, "PieceTable", "The pieces of a sub-word vocabulary; read-only.")
        .def("__init__", &new_table, "text"_a.noconvert(), "bounds"_a.noconvert())
        .def(
            "find",
            [](const PieceTable& table, In<std::uint32_t> piece) {
                return table.find(view(piece));
            },
            "piece"_a.noconvert(), "Return the number of a piece, or -1.");
    nb::class_<WordPiece>(m, "WordPiece", "Cuts words into the longest pieces from the left.")
        .def("__init__", &new_word_piece, nb::keep_alive<1, 2>(), "table"_a,
             "prefix"_a.noconvert(), "unknown"_a, "lowercase"_a)
        .def("cut", &cut<WordPiece>, "text"_a.noconvert(), "bounds"_a.noconvert(),
             "blank"_a.noconvert(), cut_doc);
    nb::class_<Unigram>(m, "Unigram", "Cuts words into the pieces with the largest sum of scores.")
        .def("__init__", &new_unigram, nb::keep_alive<1, 2>(), "table"_a, "scores"_a.noconvert(),
             "usable"_a.noconvert(), "unknown"_a, "worst"_a)
        .def("cut", &cut<Unigram>, "text"_a.noconvert(), "bounds"_a.noconvert(),
             "blank"_a.noconvert(), cut_doc);
}

}  // namespace

void bind_network_text(nb::module_& m) { bind_subwords(m); }

}  // namespace caesura

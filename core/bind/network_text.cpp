// Sub-words of the neural models.
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "network_text/subwords.h"

namespace caesura {
namespace {

using namespace network_text;

void check_bounds(Longs bounds, Codes text) {
    require(!bounds.empty() && bounds[0] == 0 && bounds.end()[-1] == std::ssize(text),
            "bounds must begin with 0 and end with the length of the text");
    require_rising(bounds, 0, std::ssize(text), "bounds");
}

void new_table(PieceTable* self, Codes text, Longs bounds) {
    check_bounds(bounds, text);
    damaged(bounds.size() < INT32_MAX, "its sub-word vocabulary is too large");
    new (self) PieceTable(text, bounds);
}

void check_piece(const PieceTable& table, std::int32_t piece) {
    require(piece >= 0 && piece < table.size(), "the unknown piece is not in the vocabulary");
}

void new_word_piece(WordPiece* self, const PieceTable& table, Codes prefix, std::int32_t unknown,
                    bool lowercase) {
    check_piece(table, unknown);
    new (self) WordPiece(table, {{prefix.begin(), prefix.end()}, unknown, lowercase});
}

void new_unigram(Unigram* self, const PieceTable& table, Doubles scores, Flags usable,
                 std::int32_t unknown, double worst) {
    const auto n = static_cast<std::size_t>(table.size());
    require(scores.size() == n && usable.size() == n, "every piece needs a score");
    check_piece(table, unknown);
    new (self) Unigram(table, {scores.begin(), scores.end()}, {usable.begin(), usable.end()},
                       unknown, worst);
}

template <class Vocabulary>
auto cut(const Vocabulary& vocabulary, Codes text, Longs bounds, Flags blank) {
    check_bounds(bounds, text);
    require(bounds.size() == blank.size() + 1, "bounds must have one more than blank");
    Pieces found = vocabulary.cut({text, bounds, blank});
    return std::pair(std::move(found.numbers), std::move(found.first));
}

constexpr const char* cut_doc =
    "Return the pieces of each word, and where those of each begin (one more than words). `text`\n"
    "holds the normal forms of the words, `blank` whether a blank stands before each.";

}  // namespace

void bind_network_text(nb::module_& m) {
    nb::class_<PieceTable>(m, "PieceTable", "The pieces of a sub-word vocabulary; read-only.")
        .def("__init__", &new_table, without_gil, "text"_a, "bounds"_a)
        .def("find", nb::overload_cast<Codes>(&PieceTable::find, nb::const_), "piece"_a,
             "Return the number of a piece, or -1.");
    nb::class_<WordPiece>(m, "WordPiece", "Cuts words into the longest pieces from the left.")
        .def("__init__", &new_word_piece, nb::keep_alive<1, 2>(), "table"_a, "prefix"_a,
             "unknown"_a, "lowercase"_a)
        .def("cut", &cut<WordPiece>, without_gil, "text"_a, "bounds"_a, "blank"_a, cut_doc);
    nb::class_<Unigram>(m, "Unigram", "Cuts words into the pieces with the largest sum of scores.")
        .def("__init__", &new_unigram, nb::keep_alive<1, 2>(), "table"_a, "scores"_a, "usable"_a,
             "unknown"_a, "worst"_a)
        .def("cut", &cut<Unigram>, without_gil, "text"_a, "bounds"_a, "blank"_a, cut_doc);
}

}  // namespace caesura

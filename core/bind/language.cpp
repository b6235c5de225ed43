#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "language/recognise.h"

namespace caesura {
namespace {

std::vector<std::int32_t> ngram_rows(Codes folded, Flags letters, std::uint64_t mask) {
    require_lengths("folded and letters must be of the same length", folded, letters);
    require(mask <= INT32_MAX, "the mask has too many bits");
    std::vector<std::int32_t> rows((language::longest + 2) * (folded.size() + 2));
    rows.resize(language::rows_of(folded, letters, mask, rows));
    return rows;
}

void add_language_rows(Ints rows, Longs begin, View<const std::uint16_t> label, Signs value,
                       View<const std::int16_t> place, Matrix<const std::int8_t> table,
                       View<Long> out) {
    require(begin.size() == place.size() + 1, "begin and place do not fit");
    require_lengths("label and value must be of the same length", label, value);
    require(table.columns() == out.size(), "the table has another number of languages");
    require_range(rows, 0, std::ssize(place), "rows");
    for (const std::int32_t row : rows) {
        const Long first = begin[row], last = begin[row + 1];
        require(0 <= first && first <= last && last <= std::ssize(label),
                "begin must rise within the weights");
        require(0 <= place[row] && place[row] < static_cast<int>(table.rows()),
                "place lies outside of the table");
        if (place[row] == 0) require_range(label.slice(first, last), 0, std::ssize(out), "label");
    }
    language::add_rows(rows, {begin, label, value, place, table}, out);
}

}  // namespace

void bind_language(nb::module_& m) {
    m.def("ngram_rows", &ngram_rows, "folded"_a, "letters"_a, "mask"_a,
          "The rows of all n-grams of all words, for the language recogniser.");
    m.def("add_language_rows", &add_language_rows, "rows"_a, "begin"_a, "label"_a, "value"_a,
          "place"_a, "table"_a, "out"_a, "Add the weights of rows to the score of each language.");
}

}  // namespace caesura

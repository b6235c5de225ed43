#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "language/recognise.h"

namespace caesura {
namespace {

using namespace nb::literals;

Array<std::int32_t> ngram_rows(In<std::uint32_t> folded, In<bool> letters, std::uint64_t mask) {
    require(folded.shape(0) == letters.shape(0), "folded and letters must be of the same length");
    require(mask <= INT32_MAX, "the mask has too many bits");
    std::vector<std::int32_t> rows((language::longest + 2) * (folded.shape(0) + 2));
    rows.resize(language::rows_of(view(folded), view(letters), mask, rows));
    return to_numpy(std::move(rows));
}

void add_language_rows(In<std::int32_t> rows, In<std::int64_t> begin, In<std::uint16_t> label,
                       In<std::int8_t> value, In<std::int16_t> place, In2<std::int8_t> table,
                       Out<std::int64_t> out) {
    require(begin.shape(0) == place.shape(0) + 1, "begin and place do not fit");
    require(label.shape(0) == value.shape(0), "label and value must be of the same length");
    require(table.shape(1) == out.shape(0), "the table has another number of languages");
    require_range(view(rows), 0, place.shape(0), "rows");
    for (const std::int32_t row : view(rows)) {
        const std::int64_t first = begin.data()[row], last = begin.data()[row + 1];
        require(0 <= first && first <= last && last <= static_cast<std::int64_t>(label.shape(0)),
                "begin must rise within the weights");
        require(0 <= place.data()[row] && place.data()[row] < static_cast<int>(table.shape(0)),
                "place lies outside of the table");
        if (place.data()[row] == 0)
            require_range(view(label).slice(first, last), 0, out.shape(0), "label");
    }
    language::add_rows(view(rows), {view(begin), view(label), view(value), view(place),
                                    matrix(table)}, view(out));
}

}  // namespace

void bind_language(nb::module_& m) {
    m.def("ngram_rows", &ngram_rows, "folded"_a.noconvert(), "letters"_a.noconvert(), "mask"_a,
          "The rows of all n-grams of all words, for the language recogniser.");
    m.def("add_language_rows", &add_language_rows, "rows"_a.noconvert(), "begin"_a.noconvert(),
          "label"_a.noconvert(), "value"_a.noconvert(), "place"_a.noconvert(),
          "table"_a.noconvert(), "out"_a.noconvert(),
          "Add the weights of rows to the score of each language.");
}

}  // namespace caesura

#include "bind/text.h"

#include "bind/bind.h"
#include "text/distinct.h"
#include "text/prepared.h"

namespace caesura {
namespace {

using text::CharacterTable;

void new_table(CharacterTable* self, Bytes classes, Codes folded) {
    require(classes.size() == text::n_code_points && folded.size() == text::n_code_points,
            "each code point needs a class and a lower-case twin");
    new (self) CharacterTable{classes, folded};
}

std::vector<std::uint8_t> signs(const CharacterTable& table, Codes codes, Longs ends) {
    require_strings(codes, ends);
    std::vector<std::uint8_t> found;
    Long start = 0;
    for (const Long end : ends) {
        found.push_back(text::signs_of(codes.slice(start, end), table.classes));
        start = end;
    }
    return found;
}

std::vector<Long> blanks_in_numbers(const CharacterTable& table, Codes codes) {
    require_codes(codes);
    text::PreparedText prepared;
    prepared.classify(codes, table);
    auto found = prepared.blanks_in_numbers();
    for (Long& at : found) at -= text::margin;
    return found;
}

auto distinct_spans(Codes codes, Longs begins, Longs ends) {
    require_spans(begins, ends, codes.size(), "a span lies outside the text");
    text::Distinct found = text::distinct_spans(codes, begins, ends);
    return std::pair(std::move(found.numbers), std::move(found.firsts));
}

}  // namespace

void bind_text(nb::module_& m) {
    nb::class_<CharacterTable>(m, "CharacterTable",
                               "Classes and lower-case twins of all code points.")
        .def("__init__", &new_table, keep_arguments, "classes"_a, "folded"_a)
        .def("signs", &signs, without_gil, "codes"_a, "ends"_a,
             "Return the signs of texts, one behind the other, as a sum each: 1 for characters\n"
             "without a row, 2 for @ and a hyphen, 4 for emoji, 8 for //, 16 for degrees.")
        .def("blanks_in_numbers", &blanks_in_numbers, "codes"_a,
             "Return where blanks stand between groups of digits.");
    m.def("distinct_spans", &distinct_spans, without_gil, "codes"_a, "begins"_a, "ends"_a,
          "Return the number of the string of each span, in order of first appearance, and the\n"
          "first span of each string.");
}

}  // namespace caesura

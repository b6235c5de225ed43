#include "bind/text.h"

#include <nanobind/stl/pair.h>

#include "bind/bind.h"
#include "text/distinct.h"
#include "text/prepared.h"

namespace caesura {
namespace {

using namespace nb::literals;

Array<std::uint8_t> signs(const SharedCharacters& table, In<std::uint32_t> codes,
                          In<std::int64_t> ends) {
    require_codes(view(codes));
    require_rising(view(ends), 0, static_cast<std::int64_t>(codes.shape(0)), "ends");
    std::vector<std::uint8_t> found;
    found.reserve(ends.shape(0));
    {
        nb::gil_scoped_release release;
        std::int64_t start = 0;
        for (const std::int64_t end : view(ends)) {
            found.push_back(text::signs_of(view(codes).slice(start, end), table.classes));
            start = end;
        }
    }
    return to_numpy(std::move(found));
}

Array<std::int64_t> blanks_in_numbers(const SharedCharacters& table, In<std::uint32_t> codes) {
    require_codes(view(codes));
    text::PreparedText prepared;
    prepared.classify(view(codes), table);
    auto found = prepared.blanks_in_numbers();
    for (std::int64_t& at : found) at -= text::margin;
    return to_numpy(std::move(found));
}

std::pair<Array<std::int32_t>, Array<std::int64_t>> distinct_spans(In<std::uint32_t> codes,
                                                                   In<std::int64_t> begins,
                                                                   In<std::int64_t> ends) {
    require(begins.shape(0) == ends.shape(0), "begins and ends must be of the same length");
    const auto size = static_cast<std::int64_t>(codes.shape(0));
    for (std::size_t t = 0; t < begins.shape(0); ++t)
        require(0 <= begins.data()[t] && begins.data()[t] <= ends.data()[t] &&
                    ends.data()[t] <= size,
                "a span lies outside the text");
    text::Distinct found;
    {
        nb::gil_scoped_release release;
        found = text::distinct_spans(view(codes), view(begins), view(ends));
    }
    return {to_numpy(std::move(found.numbers)), to_numpy(std::move(found.firsts))};
}

}  // namespace

void bind_text(nb::module_& m) {
    nb::class_<SharedCharacters>(m, "CharacterTable",
                                 "Classes and lower-case twins of all code points.")
        .def(nb::init<In<std::uint8_t>, In<std::uint32_t>>(), "classes"_a.noconvert(),
             "folded"_a.noconvert())
        .def("signs", &signs, "codes"_a.noconvert(), "ends"_a.noconvert(),
             "Return the signs of texts, one behind the other, as a sum each: 1 for characters\n"
             "without a row, 2 for @ and a hyphen, 4 for emoji, 8 for //, 16 for degrees.")
        .def("blanks_in_numbers", &blanks_in_numbers, "codes"_a.noconvert(),
             "Return where blanks stand between groups of digits.");
    m.def("distinct_spans", &distinct_spans, "codes"_a.noconvert(), "begins"_a.noconvert(),
          "ends"_a.noconvert(),
          "Return the number of the string of each span, in order of first appearance, and the\n"
          "first span of each string.");
}

}  // namespace caesura

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "layout/reader.h"

namespace caesura {
namespace {

using namespace nb::literals;
using layout::Reader;
using Long = std::int64_t;

void check_tokens(const In<Long>& begins, const In<Long>& ends) {
    require(begins.shape(0) == ends.shape(0), "begins and ends must be of the same length");
}

void check_characters(const In<std::uint8_t>& kinds, const In<std::uint32_t>& codes) {
    require(kinds.shape(0) == codes.shape(0), "kinds and codes must be of the same length");
}

Array<std::uint8_t> layout_of(In<std::uint8_t> kinds, In<std::uint32_t> codes, In<Long> begins,
                              In<Long> ends, In<Long> paragraphs) {
    check_characters(kinds, codes);
    check_tokens(begins, ends);
    std::vector<std::uint8_t> found;
    {
        nb::gil_scoped_release release;
        found = layout::layout_of(view(kinds), view(codes), view(begins), view(ends),
                                  view(paragraphs));
    }
    return to_numpy(std::move(found));
}

void feed(Reader& reader, In<std::uint8_t> kinds, In<std::uint32_t> codes, bool last) {
    check_characters(kinds, codes);
    nb::gil_scoped_release release;
    reader.feed(view(kinds), view(codes), last);
}

Array<std::uint8_t> take(Reader& reader, In<Long> begins, In<Long> ends) {
    check_tokens(begins, ends);
    return to_numpy(reader.take(view(begins), view(ends)));
}

}  // namespace

void bind_layout(nb::module_& m) {
    nb::class_<Reader>(m, "LayoutReader", "The codes of the gaps of a text that comes in blocks.")
        .def(
            "__init__",
            [](Reader* self, In<Long> paragraphs) { new (self) Reader(view(paragraphs)); },
            "paragraphs"_a.noconvert())
        .def("feed", &feed, "kinds"_a.noconvert(), "codes"_a.noconvert(), "last"_a,
             "Take the next characters, by class and number.")
        .def("take", &take, "begins"_a.noconvert(), "ends"_a.noconvert(),
             "Return the codes of the next tokens, as far as enough of the text is known.");
    m.def("layout_of", &layout_of, "kinds"_a.noconvert(), "codes"_a.noconvert(),
          "begins"_a.noconvert(), "ends"_a.noconvert(), "paragraphs"_a.noconvert(),
          "Return the codes of the tokens of a whole text, from its characters by class and number.");
}

}  // namespace caesura

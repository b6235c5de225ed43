#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "layout/reader.h"

namespace caesura {
namespace {

using layout::Reader;

void check_characters(Bytes kinds, Codes codes) {
    require_lengths("kinds and codes must be of the same length", kinds, codes);
}

std::vector<std::uint8_t> layout_of(Bytes kinds, Codes codes, Longs begins, Longs ends,
                                    Longs paragraphs) {
    check_characters(kinds, codes);
    require_lengths("begins and ends must be of the same length", begins, ends);
    return layout::layout_of(kinds, codes, begins, ends, paragraphs);
}

void feed(Reader& reader, Bytes kinds, Codes codes, bool last) {
    check_characters(kinds, codes);
    reader.feed(kinds, codes, last);
}

std::vector<std::uint8_t> take(Reader& reader, Longs begins, Longs ends) {
    require_lengths("begins and ends must be of the same length", begins, ends);
    return reader.take(begins, ends);
}

}  // namespace

void bind_layout(nb::module_& m) {
    nb::class_<Reader>(m, "LayoutReader", "The codes of the gaps of a text that comes in blocks.")
        .def(nb::init<Longs>(), "paragraphs"_a)
        .def("feed", &feed, without_gil, "kinds"_a, "codes"_a, "last"_a,
             "Take the next characters, by class and number.")
        .def("take", &take, "begins"_a, "ends"_a,
             "Return the codes of the next tokens, as far as enough of the text is known.");
    m.def("layout_of", &layout_of, without_gil, "kinds"_a, "codes"_a, "begins"_a, "ends"_a,
          "paragraphs"_a,
          "Return the codes of the tokens of a whole text, from its characters by class and number.");
}

}  // namespace caesura

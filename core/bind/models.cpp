#include <algorithm>
#include <cstring>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "models/inflate.h"

namespace caesura {
namespace {

using models::Inflater;

// Bytes of a Python stream, called without the GIL.
models::Source source_of(const nb::object& stream, std::size_t size) {
    return [read = nb::object(stream.attr("read")), left = size](std::uint8_t* to,
                                                                 std::size_t n) mutable {
        const nb::gil_scoped_acquire acquire;
        const auto found = nb::cast<nb::bytes>(read(std::min(n, left)));
        const std::size_t length = std::min({found.size(), n, left});
        std::memcpy(to, found.c_str(), length);
        left -= length;
        return length;
    };
}

}  // namespace

void bind_models(nb::module_& m) {
    nb::class_<Inflater>(m, "Inflater", "Inflates a raw deflate stream in pieces.")
        .def(
            "__init__",
            [](Inflater* self, const nb::object& stream, std::size_t size) {
                new (self) Inflater(source_of(stream, size));
            },
            "stream"_a, "size"_a, "Reads so many bytes of a stream.")
        .def("readinto", &Inflater::read, without_gil, "out"_a,
             "Write the next bytes and return their number, which is smaller only at the end.");
}

}  // namespace caesura

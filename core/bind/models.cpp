#include <algorithm>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "models/inflate.h"

namespace caesura {
namespace {

using namespace nb::literals;

// Bytes of a Python stream, called without the GIL.
models::Source source_of(const nb::object& stream, std::size_t size) {
    return [read = nb::object(stream.attr("read")), left = size](std::uint8_t* to, std::size_t n) mutable {
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
    nb::class_<models::Inflater>(m, "Inflater", "Inflates a raw deflate stream in pieces.")
        .def(
            "__init__",
            [](models::Inflater* self, const nb::object& stream, std::size_t size) {
                new (self) models::Inflater(source_of(stream, size));
            },
            "stream"_a, "size"_a, "Reads so many bytes of a stream.")
        .def(
            "readinto",
            [](models::Inflater& self, Out<std::uint8_t> out) {
                nb::gil_scoped_release release;
                return self.read(view(out));
            },
            "out"_a.noconvert(),
            "Write the next bytes and return their number, which is smaller only at the end.");
}

}  // namespace caesura

#include "bind/parse.h"

#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/learn.h"

namespace caesura {
namespace {

using namespace nb::literals;
using parse::CompactRows;

void new_rows(CompactRows* self, In<std::uint32_t> begin, SharedTable::Raw column,
              In<std::int8_t> value, In<std::int8_t> exponent, std::int64_t width) {
    learn::SparseRows rows;
    rows.begin = view(begin);
    rows.value8 = view(value);
    rows.exponent = view(exponent);
    if (column.dtype() == nb::dtype<std::uint8_t>())
        rows.column8 = {static_cast<const std::uint8_t*>(column.data()), column.shape(0)};
    else if (column.dtype() == nb::dtype<std::uint16_t>())
        rows.column16 = {static_cast<const std::uint16_t*>(column.data()), column.shape(0)};
    nb::gil_scoped_release release;
    new (self) CompactRows(rows, width);
}

void bind_rows(nb::module_& m) {
    nb::class_<CompactRows>(m, "ParserRows", "The 8-bit weights of a parser; read-only.")
        .def("__init__", &new_rows, "begin"_a.noconvert(), "column"_a.noconvert(),
             "value"_a.noconvert(), "exponent"_a.noconvert(), "width"_a,
             "The sparse rows of a model file, padded to `width` columns.")
        .def_static(
            "of_table",
            [](In2<std::int8_t> table, double unit) { return CompactRows(matrix(table), unit); },
            "table"_a.noconvert(), "unit"_a,
            "The rows of a dense table, whose last column holds the exponents.")
        .def(
            "table",
            [](const CompactRows& rows) {
                const auto n = static_cast<std::size_t>(rows.size());
                const auto width = static_cast<std::size_t>(rows.width());
                std::vector<std::int8_t> table(n * width);
                rows.unfold({table.data(), n, width});
                return to_numpy(std::move(table), n, width);
            },
            "The dense table.")
        .def_prop_ro("unit", &CompactRows::unit, "What the integers of the table count in.")
        .def_prop_ro("width", &CompactRows::width, "The width of a row of the table.")
        .def("__len__", &CompactRows::size);
}

}  // namespace

void bind_parse(nb::module_& m) { bind_rows(m); }

}  // namespace caesura

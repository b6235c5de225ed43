#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "models/packing.h"

namespace caesura {
namespace {

using namespace nb::literals;

template <class Column, class Value>
void unpack_rows(In<std::uint32_t> begin, In<Column> column, In<Value> value, Out2<Value> table) {
    require(begin.shape(0) == table.shape(0) + 1, "begin must have one more than rows");
    require(value.shape(0) == column.shape(0), "column and value must be of the same length");
    const auto width = static_cast<std::int64_t>(table.shape(1));
    nb::gil_scoped_release release;
    require_rising(view(begin), 0, static_cast<std::int64_t>(column.shape(0)), "begin");
    require_range(view(column), 0, width, "column");
    models::unpack_rows(view(begin), view(column), view(value), matrix(table));
}

template <class Column, class Value>
void bind_unpack(nb::module_& m) {
    m.def("unpack_rows", &unpack_rows<Column, Value>, "begin"_a.noconvert(),
          "column"_a.noconvert(), "value"_a.noconvert(), "table"_a.noconvert(),
          "Write the values of sparse rows to a dense table of zeros.");
}

}  // namespace

void bind_models(nb::module_& m) {
    bind_unpack<std::uint8_t, std::int8_t>(m);
    bind_unpack<std::uint16_t, std::int8_t>(m);
    bind_unpack<std::uint8_t, std::int16_t>(m);
    bind_unpack<std::uint16_t, std::int16_t>(m);
}

}  // namespace caesura

#include "bind/learn.h"

#include "bind/bind.h"
#include "bind/checks.h"

namespace caesura {
namespace {

using namespace nb::literals;

template <class T>
View<const T> as(const SharedTable::Raw& array) {
    if (array.dtype() != nb::dtype<T>()) return {};
    return {static_cast<const T*>(array.data()), array.shape(0)};
}

learn::SparseRows rows_of(const In<std::uint32_t>& begin, const SharedTable::Raw& column,
                          const SharedTable::Raw& value, const In<std::int8_t>& exponent) {
    damaged(column.dtype() == nb::dtype<std::uint8_t>() ||
                column.dtype() == nb::dtype<std::uint16_t>(),
            "the columns of a table have the wrong type");
    damaged(value.dtype() == nb::dtype<std::int8_t>() ||
                value.dtype() == nb::dtype<std::int16_t>(),
            "the values of a table have the wrong type");
    return {view(begin),           as<std::uint8_t>(column), as<std::uint16_t>(column),
            as<std::int8_t>(value), as<std::int16_t>(value),  view(exponent)};
}

}  // namespace

SharedTable::SharedTable(In<std::uint32_t> keys, In<std::uint32_t> begin, Raw column, Raw value,
                         In<std::int8_t> exponent, std::int64_t width)
    : LinearTable(view(keys), rows_of(begin, column, value, exponent), width),
      keys_(std::move(keys)),
      begin_(std::move(begin)),
      column_(std::move(column)),
      value_(std::move(value)),
      exponent_(std::move(exponent)) {}

void bind_learn(nb::module_& m) {
    nb::class_<SharedTable>(m, "LinearTable", "Features to sparse rows of weights; read-only.")
        .def(nb::init<In<std::uint32_t>, In<std::uint32_t>, SharedTable::Raw, SharedTable::Raw,
                      In<std::int8_t>, std::int64_t>(),
             "keys"_a.noconvert(), "begin"_a.noconvert(), "column"_a.noconvert(),
             "value"_a.noconvert(), "exponent"_a.noconvert(), "width"_a)
        .def_prop_ro("width", &SharedTable::width);
}

}  // namespace caesura

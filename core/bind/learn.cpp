#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "learn/linear_table.h"

namespace caesura {
namespace {

using learn::LinearTable;

learn::SparseRows rows_of(Codes begin, const AnyArray& column, const AnyArray& value,
                          Signs exponent) {
    const learn::SparseRows rows{begin,
                                 view_as<std::uint8_t>(column),
                                 view_as<std::uint16_t>(column),
                                 view_as<std::int8_t>(value),
                                 view_as<std::int16_t>(value),
                                 exponent};
    damaged(has_type<std::uint8_t>(column) || has_type<std::uint16_t>(column),
            "the columns of a table have the wrong type");
    damaged(has_type<std::int8_t>(value) || has_type<std::int16_t>(value),
            "the values of a table have the wrong type");
    return rows;
}

void new_table(LinearTable* self, Codes keys, Codes begin, const AnyArray& column,
               const AnyArray& value, Signs exponent, Long width) {
    new (self) LinearTable(keys, rows_of(begin, column, value, exponent), width);
}

}  // namespace

void bind_learn(nb::module_& m) {
    nb::class_<LinearTable>(m, "LinearTable", "Features to sparse rows of weights; read-only.")
        .def("__init__", &new_table, keep_arguments, "keys"_a, "begin"_a, "column"_a.noconvert(),
             "value"_a.noconvert(), "exponent"_a, "width"_a)
        .def_prop_ro("width", &LinearTable::width);
}

}  // namespace caesura

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/parse.h"
#include "learn/linear_table.h"

namespace caesura {
namespace {

using learn::LinearTable;

void new_table(LinearTable* self, Codes keys, const AnyArray& counts, const AnyArray& columns,
               const AnyArray& values, Signs exponents, Long width) {
    new (self) LinearTable(keys, sparse_rows(counts, columns, values, exponents), width);
}

}  // namespace

learn::SparseRows sparse_rows(const AnyArray& counts, const AnyArray& columns,
                              const AnyArray& values, Signs exponents) {
    return {view_as<std::uint8_t>(counts), view_as<std::uint16_t>(counts),
            view_as<std::uint8_t>(columns), view_as<std::uint16_t>(columns),
            view_as<std::int8_t>(values), view_as<std::int16_t>(values), exponents};
}

void bind_learn(nb::module_& m) {
    nb::class_<LinearTable>(m, "LinearTable", "Features to sparse rows of weights; read-only.")
        .def("__init__", &new_table, keep_arguments, "keys"_a, "counts"_a.noconvert(),
             "columns"_a.noconvert(), "values"_a.noconvert(), "exponents"_a, "width"_a)
        .def_prop_ro("width", &LinearTable::width);
}

}  // namespace caesura

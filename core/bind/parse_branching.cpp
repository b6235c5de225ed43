// The branching parser and 8-bit weight tables.
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "parse/quantised.h"

namespace caesura {
namespace {

using namespace nb::literals;

void largest(In2<float> weights, Out<float> tops) {
    require(weights.shape(0) == tops.shape(0), "the arrays must be of the same length");
    nb::gil_scoped_release release;
    parse::largest(matrix(weights), view(tops));
}

void round_rows(In2<float> weights, In<std::int8_t> shifts, double unit, Out2<std::int8_t> table) {
    require(weights.shape(0) == table.shape(0) && weights.shape(1) == table.shape(1) &&
                shifts.shape(0) == table.shape(0) && table.shape(1) > 0,
            "the tables must be of the same size");
    require_range(view(shifts), 0, parse::most_shift + 1, "shifts");
    nb::gil_scoped_release release;
    parse::round_rows(matrix(weights), view(shifts), unit, matrix(table));
}

void shift_rows(Out2<std::int8_t> table, In<std::int8_t> exponents, int lowest) {
    require(table.shape(0) == exponents.shape(0) && table.shape(1) > 0,
            "the arrays must be of the same length");
    nb::gil_scoped_release release;
    parse::shift_rows(matrix(table), view(exponents), lowest);
}

}  // namespace

void bind_parse_branching(nb::module_& m) {
    m.def("largest_weights", &largest, "weights"_a.noconvert(), "tops"_a.noconvert(),
          "Write the largest absolute value of each row.");
    m.def("round_rows", &round_rows, "weights"_a.noconvert(), "shifts"_a.noconvert(), "unit"_a,
          "table"_a.noconvert(),
          "Round rows to multiples of unit * 2**shift; the shift goes into the last column.");
    m.def("shift_rows", &shift_rows, "table"_a.noconvert(), "exponents"_a.noconvert(), "lowest"_a,
          "Give the rows of a table a common unit, 2**lowest; in place.");
}

}  // namespace caesura

// Sparse linear tables as Python objects, for the bindings of decoders that take them.
#pragma once

#include "bind/arrays.h"
#include "learn/linear_table.h"

namespace caesura {

// A table that keeps the arrays of its model alive.
class SharedTable : public learn::LinearTable {
   public:
    using Raw = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    SharedTable(In<std::uint32_t> keys, In<std::uint32_t> begin, Raw column, Raw value,
                In<std::int8_t> exponent, std::int64_t width);

   private:
    In<std::uint32_t> keys_, begin_;
    Raw column_, value_;
    In<std::int8_t> exponent_;
};

}  // namespace caesura

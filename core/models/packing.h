// Packed tables of model files: rows as lists of columns and values.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::models {

// Writes the values of rows to a dense table of zeros. Those of row r are begin[r] to begin[r + 1].
template <class Column, class Value>
void unpack_rows(View<const std::uint32_t> begin, View<const Column> column,
                 View<const Value> value, Matrix<Value> table) {
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(table.rows()); ++row)
        for (std::int64_t at = begin[row]; at < begin[row + 1]; ++at)
            table(row, column[at]) = value[at];
}

}  // namespace caesura::models

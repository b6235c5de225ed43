#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bind/bind.h"
#include "bind/checks.h"
#include "bind/parse.h"
#include "parse/rows.h"

namespace caesura {

using namespace nb::literals;

void bind_testing_parse(nb::module_& m) {
    m.def(
        "sum_rows",
        [](const parse::CompactRows& table, In<std::uint64_t> rows) {
            require_range(view(rows), 0, table.size(), "rows");
            std::vector<std::uint64_t> list(rows.data(), rows.data() + rows.shape(0));
            std::vector<std::int32_t> sums(static_cast<std::size_t>(table.width()));
            table.sum(list, sums.data());
            return to_numpy(std::move(sums));
        },
        "table"_a, "rows"_a.noconvert(), "The sum of rows of the weights of a parser.");
    m.def(
        "sum_bytes",
        [](In2<std::int8_t> table, In<std::uint64_t> rows, bool low) {
            const auto width = static_cast<std::int64_t>(table.shape(1));
            require(width % 32 == 0, "rows must be whole blocks of 32");
            require_range(view(rows), 0, static_cast<std::int64_t>(table.shape(0)), "rows");
            std::vector<std::int32_t> sums(table.shape(1));
            const auto& functions = parse::row_functions();
            (low ? functions.sum_low_bytes : functions.sum_bytes)(
                table.data(), width, rows.data(), static_cast<std::int64_t>(rows.shape(0)),
                sums.data());
            return to_numpy(std::move(sums));
        },
        "table"_a.noconvert(), "rows"_a.noconvert(), "low"_a);
    m.def(
        "sum_floats",
        [](In2<float> table, In<std::uint64_t> rows) {
            const auto width = static_cast<std::int64_t>(table.shape(1));
            require(width % 32 == 0, "rows must be whole blocks of 32");
            require_range(view(rows), 0, static_cast<std::int64_t>(table.shape(0)), "rows");
            std::vector<float> sums(table.shape(1));
            parse::row_functions().sum_floats(table.data(), width, rows.data(),
                                              static_cast<std::int64_t>(rows.shape(0)),
                                              sums.data());
            return to_numpy(std::move(sums));
        },
        "table"_a.noconvert(), "rows"_a.noconvert());
    m.def(
        "join_sums",
        [](In2<std::int32_t> sums, In<std::int64_t> rows, float unit) {
            const auto width = static_cast<std::int64_t>(sums.shape(1));
            require(width % 32 == 0, "rows must be whole blocks of 32");
            require_range(view(rows), 0, static_cast<std::int64_t>(sums.shape(0)), "rows");
            std::vector<std::int32_t> kept(sums.shape(1));
            std::vector<float> scores(sums.shape(1));
            parse::row_functions().join(sums.data(), width, rows.data(),
                                        static_cast<std::int64_t>(rows.shape(0)), unit,
                                        kept.data(), scores.data());
            return std::pair(to_numpy(std::move(kept)), to_numpy(std::move(scores)));
        },
        "sums"_a.noconvert(), "rows"_a.noconvert(), "unit"_a);
    m.def(
        "highest_score",
        [](In<float> scores, float floor) {
            require(scores.shape(0) > 0 && scores.shape(0) % 32 == 0, "scores come in blocks of 32");
            const auto& functions = parse::row_functions();
            return std::pair(
                functions.highest(scores.data(), static_cast<std::int64_t>(scores.shape(0))),
                functions.at_least(scores.data(), floor));
        },
        "scores"_a.noconvert(), "floor"_a,
        "The highest score, and which of the first 32 are at least as high as a floor.");
}

}  // namespace caesura

#include <nanobind/stl/pair.h>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "find/search.h"

namespace caesura {
namespace {

using namespace nb::literals;
using find::Instruction;

void find_family(In<std::int32_t> heads, Out<std::int32_t> first_child,
                 Out<std::int32_t> next_child) {
    require(first_child.shape(0) == heads.shape(0) && next_child.shape(0) == heads.shape(0),
            "the columns must be of the same length");
    require_range(view(heads), INT32_MIN, heads.shape(0), "heads");
    find::find_family(view(heads), view(first_child), view(next_child));
}

std::pair<std::int64_t, std::int64_t> search(In2<std::int32_t> code, In<std::int64_t> tests, In2<std::int32_t> columns,
                 In<std::int32_t> heads, In<std::int32_t> first_child, In<std::int32_t> next_child,
                 In<std::int64_t> bounds, std::int64_t begin, std::int64_t slots,
                 std::int64_t most_steps, std::int64_t most_matches, Out2<std::int32_t> rows,
                 Out<bool> cut) {
    const std::int64_t n = static_cast<std::int64_t>(heads.shape(0));
    require(code.shape(1) == 8, "an instruction has eight numbers");
    require(tests.shape(0) == heads.shape(0) && columns.shape(1) == heads.shape(0) &&
                first_child.shape(0) == heads.shape(0) && next_child.shape(0) == heads.shape(0),
            "the columns must be of the same length");
    require(bounds.shape(0) >= 1 && cut.shape(0) + 1 == bounds.shape(0),
            "cut must have a place for each sentence");
    require(begin >= 0 && slots > 0 && most_steps > 0 && most_matches > 0, "a limit is below 1");
    require(static_cast<std::int64_t>(rows.shape(0)) >= most_matches, "there are too few rows");
    require_rising(view(bounds), 0, n, "bounds");
    require_range(view(heads), INT32_MIN, n, "heads");
    require_range(view(first_child), -1, n, "first_child");
    require_range(view(next_child), -1, n, "next_child");
    const View<const Instruction> program(reinterpret_cast<const Instruction*>(code.data()),
                                          code.shape(0));
    const find::Words words{view(tests), matrix(columns), view(heads), view(first_child),
                            view(next_child), view(bounds)};
    find::check_program(program, words, slots, static_cast<std::int64_t>(rows.shape(1)));
    const auto out = matrix(rows);
    const auto marked = view(cut);
    find::Progress progress;
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        progress = find::search(program, words, begin, slots, {most_steps, most_matches}, out,
                                marked, cancel);
    }
    return {progress.rows, progress.sentence};
}

}  // namespace

void bind_find(nb::module_& m) {
    m.def("find_family", &find_family, "heads"_a.noconvert(), "first_child"_a.noconvert(),
          "next_child"_a.noconvert(), "Write the first child and the next sibling of each word.");
    m.def("search_trees", &search, "code"_a.noconvert(), "tests"_a.noconvert(),
          "columns"_a.noconvert(), "heads"_a.noconvert(), "first_child"_a.noconvert(),
          "next_child"_a.noconvert(), "bounds"_a.noconvert(), "begin"_a, "slots"_a, "most_steps"_a,
          "most_matches"_a, "rows"_a.noconvert(), "cut"_a.noconvert(),
          "Search sentences from `begin` on; returns the rows written and the next sentence.");
}

}  // namespace caesura

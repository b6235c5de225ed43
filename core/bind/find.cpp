#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "find/search.h"

namespace caesura {
namespace {

using find::Instruction;

void find_family(Ints heads, View<std::int32_t> first_child, View<std::int32_t> next_child) {
    require_lengths("the columns must be of the same length", heads, first_child, next_child);
    require_range(heads, INT32_MIN, std::ssize(heads), "heads");
    find::find_family(heads, first_child, next_child);
}

std::pair<Long, Long> search(Ints2 code, Longs tests, Ints2 columns, Ints heads, Ints first_child,
                             Ints next_child, Longs bounds, Long begin, Long slots, Long most_steps,
                             Long most_matches, Matrix<std::int32_t> rows, View<bool> cut) {
    const Long n = std::ssize(heads);
    require(code.columns() == 8, "an instruction has eight numbers");
    require_lengths("the columns must be of the same length", heads, tests, first_child,
                    next_child);
    require(columns.columns() == heads.size(), "the columns must be of the same length");
    require(!bounds.empty() && cut.size() + 1 == bounds.size(),
            "cut must have a place for each sentence");
    require(begin >= 0 && slots > 0 && most_steps > 0 && most_matches > 0, "a limit is below 1");
    require(static_cast<Long>(rows.rows()) >= most_matches, "there are too few rows");
    require_rising(bounds, 0, n, "bounds");
    require_range(heads, INT32_MIN, n, "heads");
    require_range(first_child, -1, n, "first_child");
    require_range(next_child, -1, n, "next_child");
    const View program(reinterpret_cast<const Instruction*>(code.data()), code.rows());
    const find::Words words{tests, columns, heads, first_child, next_child, bounds};
    find::check_program(program, words, slots, static_cast<Long>(rows.columns()));
    Cancel cancel;
    const auto progress = find::search(program, words, begin, slots, {most_steps, most_matches},
                                       rows, cut, cancel);
    return {progress.rows, progress.sentence};
}

}  // namespace

void bind_find(nb::module_& m) {
    m.def("find_family", &find_family, "heads"_a, "first_child"_a, "next_child"_a,
          "Write the first child and the next sibling of each word.");
    m.def("search_trees", &search, without_gil, "code"_a, "tests"_a, "columns"_a, "heads"_a,
          "first_child"_a, "next_child"_a, "bounds"_a, "begin"_a, "slots"_a, "most_steps"_a,
          "most_matches"_a, "rows"_a, "cut"_a,
          "Search sentences from `begin` on; returns the rows written and the next sentence.");
}

}  // namespace caesura

// Functions that only tests call: the submodule `_core._testing`, which wheels do not have.
#include <nanobind/stl/string.h>

#include <string>

#include "base/cpu.h"
#include "bind/arrays.h"
#include "bind/bind.h"

namespace caesura {

using namespace nb::literals;

void bind_testing(nb::module_& m) {
    m.def("cpu_name", &cpu_name, "The largest instruction set that is used.");
    m.def(
        "restrict_cpu", [](const std::string& name) { return restrict_cpu(name); }, "name"_a,
        "Use an instruction set and those below it alone (`portable`, `avx2`, `avxvnni`,\n"
        "`avx512`, `vnni`, `amx`, `dotprod`, `i8mm`; empty: all); False if it is not there.");
    bind_testing_hybrid(m);
    bind_testing_learn(m);
    bind_testing_parse(m);
    bind_testing_tokenize(m);
}

}  // namespace caesura

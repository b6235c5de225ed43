// Exceptions of the core. They are raised when arguments are checked, never in an inner loop;
// bind/module.cpp translates each to one class of Python's.
#pragma once

#include <stdexcept>
#include <string>

namespace caesura {

// A mistake of the caller: becomes ValueError.
struct ArgumentError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// A model whose arrays do not fit together: becomes `_core.DamagedModel`, a ValueError that the
// loader turns into `caesura.ModelError` with the name of the file.
struct DamagedModel : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The user pressed Ctrl-C: becomes KeyboardInterrupt.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace caesura

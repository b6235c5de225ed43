// Ctrl-C in long calls (base/cancel.h). Only the main thread can ask Python for signals, and only
// while it holds the GIL, so it does that ten times a second.
#include "base/cancel.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#include "base/errors.h"

namespace caesura {
namespace {
std::atomic<std::uint64_t> generation{0};

std::int64_t now_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}
}  // namespace

Cancel::Cancel() : generation_(generation.load()), last_(now_ms()) {}

void Cancel::poll() {
    if (generation.load(std::memory_order_relaxed) != generation_) throw Cancelled();
    const std::int64_t now = now_ms();
    if (now - last_ < 100) return;
    last_ = now;
    nanobind::gil_scoped_acquire gil;
    // In other threads this does nothing; they see the flag that the main thread sets.
    if (PyErr_CheckSignals() != 0) {
        PyErr_Clear();
        cancel_all();
        throw Cancelled();
    }
}

void cancel_all() { generation.fetch_add(1); }

}  // namespace caesura

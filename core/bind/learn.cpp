#include "bind/bind.h"

namespace caesura {

void bind_learn([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

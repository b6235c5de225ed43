#include "bind/bind.h"

namespace caesura {

void bind_layout([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

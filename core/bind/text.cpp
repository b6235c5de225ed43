#include "bind/bind.h"

namespace caesura {

void bind_text([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

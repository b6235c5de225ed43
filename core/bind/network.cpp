#include "bind/bind.h"

namespace caesura {

void bind_network([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

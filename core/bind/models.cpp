#include "bind/bind.h"

namespace caesura {

void bind_models([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

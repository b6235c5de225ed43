#include "bind/bind.h"

namespace caesura {

void bind_tag([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

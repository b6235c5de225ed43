#include "bind/bind.h"

namespace caesura {

void bind_induce([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

#include "bind/bind.h"

namespace caesura {

void bind_cluster([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

#include "bind/bind.h"

namespace caesura {

void bind_parse([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

#include "bind/bind.h"

namespace caesura {

void bind_tokenize([[maybe_unused]] nanobind::module_& m) {}

}  // namespace caesura

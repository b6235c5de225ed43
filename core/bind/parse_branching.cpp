#include "bind/bind.h"

namespace caesura {

void bind_parse_branching(nanobind::module_&) {}

}  // namespace caesura

#include "network/forward.h"

namespace caesura::network {
const Kernels kernels_i8mm = kernels("i8mm");
}

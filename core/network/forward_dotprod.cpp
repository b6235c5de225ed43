#include "network/forward.h"

namespace caesura::network {
const Kernels kernels_dotprod = kernels("dotprod");
}

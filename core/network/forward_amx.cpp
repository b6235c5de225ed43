#include "network/forward.h"

namespace caesura::network {
const Kernels kernels_amx = kernels("amx");
}

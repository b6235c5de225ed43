#include "network/forward.h"

namespace caesura::network {
const Kernels kernels_avx2 = kernels("avx2");
}

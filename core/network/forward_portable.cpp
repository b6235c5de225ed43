// The baseline of the target: SSE2 or NEON.
#include "network/forward.h"

namespace caesura::network {
const Kernels kernels_portable = kernels("portable");
}

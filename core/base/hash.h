// Hash kernel (Bohnet 2010): a feature is a 64-bit mix of its template and its values. The mixer is
// the finaliser of SplitMix64. Zero means "absent".
#pragma once

#include <cstdint>

namespace caesura {

// Scramble 64 bits so that every bit of the result depends on every bit of the value.
inline std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    return value ^ (value >> 31);
}

// Fold one more value into a hash.
inline std::uint64_t fold(std::uint64_t state, std::uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15ull;
    return state ^ (state >> 31);
}

}  // namespace caesura

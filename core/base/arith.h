// Integer arithmetic with Python's semantics, and conversions that never are undefined.
#pragma once

#include <cmath>
#include <cstdint>

namespace caesura {

// Quotient rounded towards minus infinity, as Python's `//`. The divisor is not zero.
template <class T>
inline T floor_div(T a, T b) {
    T q = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

// Remainder with the sign of the divisor, as Python's `%`. The divisor is not zero.
template <class T>
inline T floor_mod(T a, T b) {
    T r = a % b;
    return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}

// A number as 8 bits: rounded down, limited to the range of the type; not a number is 0.
inline std::int8_t to_int8(double x) {
    if (std::isnan(x)) return 0;
    if (x <= -128.0) return -128;
    if (x >= 127.0) return 127;
    return static_cast<std::int8_t>(std::floor(x));
}

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#endif
}

}  // namespace caesura

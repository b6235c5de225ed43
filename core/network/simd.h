// Sixteen floats or integers: the same operations in the same order on every target, so the same
// bits. Everything is in an anonymous namespace, since each file has its own instruction set.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // false alarms of the intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#error "the network needs x86-64 or aarch64"
#endif

#ifdef _MSC_VER
#define CAESURA_INLINE static __forceinline
#define CAESURA_NOINLINE static __declspec(noinline)
#else
#define CAESURA_INLINE static inline __attribute__((always_inline))
#define CAESURA_NOINLINE static __attribute__((noinline))
#endif

namespace caesura::network {
namespace {

// Registers that hold the sixteen lanes.
#if defined(__AVX512F__)
constexpr int kParts = 1;
#elif defined(__AVX2__)
constexpr int kParts = 2;
#else
constexpr int kParts = 4;
#endif

template <class T>
struct Wide {
    typedef T Part __attribute__((vector_size(64 / kParts)));
    Part part[kParts];
};
using Floats = Wide<float>;
using Ints = Wide<int32_t>;
using F = Floats::Part;
using I = Ints::Part;
using U = Wide<uint32_t>::Part;  // sums of integers wrap

CAESURA_INLINE I max_part(I a, I b) { return a > b ? a : b; }
CAESURA_INLINE I min_part(I a, I b) { return a < b ? a : b; }

// What vectors of the compiler have no operation for, or a slow one: of `a > b ? a : b` GCC 12 makes
// two instructions.
#if defined(__AVX512F__)
using Quarter = __m128;
template <int n>
CAESURA_INLINE Quarter quarter(const Floats& a) { return _mm512_extractf32x4_ps(a.part[0], n); }
CAESURA_INLINE F fma_part(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
CAESURA_INLINE F max_part(F a, F b) { return _mm512_max_ps(a, b); }
CAESURA_INLINE F min_part(F a, F b) { return _mm512_min_ps(a, b); }
CAESURA_INLINE I round_part(F a) { return (I)_mm512_cvtps_epi32(a); }
CAESURA_INLINE void store16(int16_t* p, const Ints& a) {
    _mm256_storeu_si256((__m256i*)p, _mm512_cvtepi32_epi16((__m512i)a.part[0]));
}
CAESURA_INLINE void store8(uint8_t* p, const Ints& a) {
    _mm_storeu_si128((__m128i*)p, _mm512_cvtepi32_epi8((__m512i)a.part[0]));
}
#elif defined(__AVX2__)
using Quarter = __m128;
template <int n>
CAESURA_INLINE Quarter quarter(const Floats& a) {
    return _mm256_extractf128_ps(a.part[n / 2], n % 2);
}
CAESURA_INLINE F fma_part(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
CAESURA_INLINE F max_part(F a, F b) { return _mm256_max_ps(a, b); }
CAESURA_INLINE F min_part(F a, F b) { return _mm256_min_ps(a, b); }
CAESURA_INLINE I round_part(F a) { return (I)_mm256_cvtps_epi32(a); }
CAESURA_INLINE __m256i narrowed(const Ints& a) {
    const __m256i both = _mm256_packs_epi32((__m256i)a.part[0], (__m256i)a.part[1]);
    return _mm256_permute4x64_epi64(both, 0xD8);
}
CAESURA_INLINE void store16(int16_t* p, const Ints& a) {
    _mm256_storeu_si256((__m256i*)p, narrowed(a));
}
CAESURA_INLINE void store8(uint8_t* p, const Ints& a) {
    const __m256i half = narrowed(a);
    _mm_storeu_si128((__m128i*)p, _mm_packus_epi16(_mm256_castsi256_si128(half),
                                                   _mm256_extracti128_si256(half, 1)));
}
#elif defined(__aarch64__)
using Quarter = F;
template <int n>
CAESURA_INLINE Quarter quarter(const Floats& a) { return a.part[n]; }
CAESURA_INLINE F fma_part(F a, F b, F c) { return vfmaq_f32(c, a, b); }
CAESURA_INLINE F max_part(F a, F b) { return vmaxq_f32(a, b); }
CAESURA_INLINE F min_part(F a, F b) { return vminq_f32(a, b); }
CAESURA_INLINE I round_part(F a) { return vcvtnq_s32_f32(a); }
CAESURA_INLINE int16x8_t narrowed(I a, I b) { return vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)); }
CAESURA_INLINE void store16(int16_t* p, const Ints& a) {
    vst1q_s16(p, narrowed(a.part[0], a.part[1]));
    vst1q_s16(p + 8, narrowed(a.part[2], a.part[3]));
}
CAESURA_INLINE void store8(uint8_t* p, const Ints& a) {
    vst1q_u8(p, vcombine_u8(vqmovun_s16(narrowed(a.part[0], a.part[1])),
                            vqmovun_s16(narrowed(a.part[2], a.part[3]))));
}
#else
using Quarter = F;
template <int n>
CAESURA_INLINE Quarter quarter(const Floats& a) { return a.part[n]; }
// Two lanes of a * b + c in double precision, rounded to odd: rounded once more to single
// precision, they are what one rounding gives (Boldo & Melquiond 2008).
CAESURA_INLINE __m128d odd(__m128d a, __m128d b, __m128d c) {
    typedef uint64_t Bits __attribute__((vector_size(16)));
    const __m128d product = a * b, sum = product + c, other = sum - product;
    const __m128d error = (product - (sum - other)) + (c - other), none = {};
    const Bits value = (Bits)sum, inexact = (Bits)((error < none) | (error > none));
    const Bits even = (value & 1) - 1, apart = (value ^ (Bits)error) >> 63;
    return (__m128d)(value + ((1 - 2 * apart) & even & inexact));
}
CAESURA_INLINE F fma_part(F a, F b, F c) {
    const __m128d low = odd(_mm_cvtps_pd(a), _mm_cvtps_pd(b), _mm_cvtps_pd(c));
    const __m128d high = odd(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b)),
                             _mm_cvtps_pd(_mm_movehl_ps(c, c)));
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
CAESURA_INLINE F max_part(F a, F b) { return _mm_max_ps(a, b); }
CAESURA_INLINE F min_part(F a, F b) { return _mm_min_ps(a, b); }
CAESURA_INLINE I round_part(F a) { return (I)_mm_cvtps_epi32(a); }
CAESURA_INLINE __m128i narrowed(I a, I b) { return _mm_packs_epi32((__m128i)a, (__m128i)b); }
CAESURA_INLINE void store16(int16_t* p, const Ints& a) {
    _mm_storeu_si128((__m128i*)p, narrowed(a.part[0], a.part[1]));
    _mm_storeu_si128((__m128i*)p + 1, narrowed(a.part[2], a.part[3]));
}
CAESURA_INLINE void store8(uint8_t* p, const Ints& a) {
    _mm_storeu_si128((__m128i*)p, _mm_packus_epi16(narrowed(a.part[0], a.part[1]),
                                                   narrowed(a.part[2], a.part[3])));
}
#endif

// A value of 16 lanes from those of its parts.
template <class T, class Op>
CAESURA_INLINE Wide<T> each(Op op) {
    if constexpr (kParts == 1)
        return {{op(0)}};
    else if constexpr (kParts == 2)
        return {{op(0), op(1)}};
    else
        return {{op(0), op(1), op(2), op(3)}};
}

template <class T>
CAESURA_INLINE Wide<T> load(const T* p) {
    return each<T>([=](int i) {
        typename Wide<T>::Part part;
        memcpy(&part, p + i * 16 / kParts, sizeof(part));
        return part;
    });
}
template <class T>
CAESURA_INLINE void store(T* p, const Wide<T>& a) {
    for (int i = 0; i < kParts; ++i) memcpy(p + i * 16 / kParts, &a.part[i], sizeof(a.part[i]));
}
template <class T>
CAESURA_INLINE Wide<T> splat(T x) {
    return each<T>([=](int) { return x - typename Wide<T>::Part{}; });
}
CAESURA_INLINE Floats operator+(const Floats& a, const Floats& b) {
    return each<float>([&](int i) { return a.part[i] + b.part[i]; });
}
CAESURA_INLINE Ints operator+(const Ints& a, const Ints& b) {
    return each<int32_t>([&](int i) { return (I)((U)a.part[i] + (U)b.part[i]); });
}
CAESURA_INLINE Floats operator-(const Floats& a, const Floats& b) {
    return each<float>([&](int i) { return a.part[i] - b.part[i]; });
}
CAESURA_INLINE Floats operator*(const Floats& a, const Floats& b) {
    return each<float>([&](int i) { return a.part[i] * b.part[i]; });
}
CAESURA_INLINE Floats fma(const Floats& a, const Floats& b, const Floats& c) {
    return each<float>([&](int i) { return fma_part(a.part[i], b.part[i], c.part[i]); });
}
template <class T>
CAESURA_INLINE Wide<T> max(const Wide<T>& a, const Wide<T>& b) {
    return each<T>([&](int i) { return max_part(a.part[i], b.part[i]); });
}
template <class T>
CAESURA_INLINE Wide<T> min(const Wide<T>& a, const Wide<T>& b) {
    return each<T>([&](int i) { return min_part(a.part[i], b.part[i]); });
}
CAESURA_INLINE Ints operator&(const Ints& a, const Ints& b) {
    return each<int32_t>([&](int i) { return a.part[i] & b.part[i]; });
}
CAESURA_INLINE Ints operator|(const Ints& a, const Ints& b) {
    return each<int32_t>([&](int i) { return a.part[i] | b.part[i]; });
}
template <int n>
CAESURA_INLINE Ints shift_left(const Ints& a) {
    return each<int32_t>([&](int i) { return (I)((U)a.part[i] << n); });
}
CAESURA_INLINE Floats to_float(const Ints& a) {
    return each<float>([&](int i) { return __builtin_convertvector(a.part[i], F); });
}
// To the nearest integer, halves to even.
CAESURA_INLINE Ints round(const Floats& a) {
    return each<int32_t>([&](int i) { return round_part(a.part[i]); });
}
CAESURA_INLINE Ints bits(const Floats& a) {
    return each<int32_t>([&](int i) { return (I)a.part[i]; });
}
CAESURA_INLINE Floats floats(const Ints& a) {
    return each<float>([&](int i) { return (F)a.part[i]; });
}
CAESURA_INLINE Floats absolute(const Floats& a) { return floats(bits(a) & splat(0x7FFFFFFF)); }

// All lanes as one: halves, then quarters, and so on.
template <class Op>
CAESURA_INLINE float folded(const Floats& a, Op op) {
    const Quarter x = op(op(quarter<0>(a), quarter<2>(a)), op(quarter<1>(a), quarter<3>(a)));
    return op(op(x[0], x[2]), op(x[1], x[3]));
}
CAESURA_INLINE float sum(const Floats& a) {
    return folded(a, [](auto x, auto y) { return x + y; });
}
CAESURA_INLINE float largest(const Floats& a) {
    return folded(a, [](auto x, auto y) { return x > y ? x : y; });
}
CAESURA_INLINE float smallest(const Floats& a) {
    return folded(a, [](auto x, auto y) { return x < y ? x : y; });
}

// 2 to the power of a number that is hardly above 0; relative error below 4e-5.
CAESURA_INLINE Floats power_of_two(Floats x) {
    x = max(x, splat(-120.0f));
    const Ints whole = round(x);
    const Floats rest = x - to_float(whole);
    Floats y = splat(9.6741e-3f);
    y = fma(y, rest, splat(5.5504109e-2f));
    y = fma(y, rest, splat(2.4022651e-1f));
    y = fma(y, rest, splat(6.9314718e-1f));
    y = fma(y, rest, splat(1.0f));
    return floats(bits(y) + shift_left<23>(whole));
}

// x times the normal distribution function of x, whose odd part is a polynomial within 4 of 0.
CAESURA_INLINE Floats gelu(const Floats& x) {
    const Floats near = min(max(x, splat(-4.0f)), splat(4.0f)), square = near * near;
    Floats y = splat(6.742680311e-11f);
    y = fma(y, square, splat(-6.068446896e-09f));
    y = fma(y, square, splat(2.441274164e-07f));
    y = fma(y, square, splat(-5.861237928e-06f));
    y = fma(y, square, splat(9.494569808e-05f));
    y = fma(y, square, splat(-1.112882872e-03f));
    y = fma(y, square, splat(9.815872613e-03f));
    y = fma(y, square, splat(-6.632371933e-02f));
    y = fma(y, square, splat(3.988810509e-01f));
    y = min(max(y * near, splat(-0.5f)), splat(0.5f));
    return x * (y + splat(0.5f));
}

}  // namespace
}  // namespace caesura::network

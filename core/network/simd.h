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

#ifndef __aarch64__
// Four lanes: the baseline of x86-64.
struct Sse {
    using F = __m128;
    using I = __m128i;
    static constexpr int parts = 4;
    CAESURA_INLINE F load(const float* p) { return _mm_loadu_ps(p); }
    CAESURA_INLINE void store(float* p, F a) { _mm_storeu_ps(p, a); }
    CAESURA_INLINE I load(const int32_t* p) { return _mm_loadu_si128((const __m128i*)p); }
    CAESURA_INLINE void store(int32_t* p, I a) { _mm_storeu_si128((__m128i*)p, a); }
    CAESURA_INLINE F splat(float x) { return _mm_set1_ps(x); }
    CAESURA_INLINE I splat(int32_t x) { return _mm_set1_epi32(x); }
    CAESURA_INLINE F add(F a, F b) { return _mm_add_ps(a, b); }
    CAESURA_INLINE F sub(F a, F b) { return _mm_sub_ps(a, b); }
    CAESURA_INLINE F mul(F a, F b) { return _mm_mul_ps(a, b); }
    CAESURA_INLINE F max(F a, F b) { return _mm_max_ps(a, b); }
    CAESURA_INLINE F min(F a, F b) { return _mm_min_ps(a, b); }
    CAESURA_INLINE I add(I a, I b) { return _mm_add_epi32(a, b); }
    CAESURA_INLINE I pick(I mask, I a, I b) {
        return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
    }
    CAESURA_INLINE I max(I a, I b) { return pick(_mm_cmpgt_epi32(a, b), a, b); }
    CAESURA_INLINE I min(I a, I b) { return pick(_mm_cmpgt_epi32(a, b), b, a); }
    CAESURA_INLINE I both(I a, I b) { return _mm_and_si128(a, b); }
    CAESURA_INLINE I either(I a, I b) { return _mm_or_si128(a, b); }
    template <int n>
    CAESURA_INLINE I shift_left(I a) { return _mm_slli_epi32(a, n); }
    CAESURA_INLINE F to_float(I a) { return _mm_cvtepi32_ps(a); }
    CAESURA_INLINE I round(F a) { return _mm_cvtps_epi32(a); }
    CAESURA_INLINE I bits(F a) { return _mm_castps_si128(a); }
    CAESURA_INLINE F floats(I a) { return _mm_castsi128_ps(a); }
    CAESURA_INLINE int32_t round_one(float x) { return _mm_cvtss_si32(_mm_set_ss(x)); }
    // Two lanes of a * b + c in double precision, rounded to odd: rounded once more to single
    // precision, they are what one rounding gives (Boldo & Melquiond 2008).
    CAESURA_INLINE __m128d odd(__m128d a, __m128d b, __m128d c) {
        const __m128d product = _mm_mul_pd(a, b), sum = _mm_add_pd(product, c);
        const __m128d other = _mm_sub_pd(sum, product);
        const __m128d error =
            _mm_add_pd(_mm_sub_pd(product, _mm_sub_pd(sum, other)), _mm_sub_pd(c, other));
        const __m128d none = _mm_setzero_pd();
        const I one = _mm_set1_epi64x(1), value = _mm_castpd_si128(sum);
        const I inexact = _mm_castpd_si128(
            _mm_or_pd(_mm_cmplt_pd(error, none), _mm_cmpgt_pd(error, none)));
        const I even = _mm_sub_epi64(_mm_and_si128(value, one), one);
        const I apart = _mm_srli_epi64(_mm_xor_si128(value, _mm_castpd_si128(error)), 63);
        const I step = _mm_sub_epi64(one, _mm_add_epi64(apart, apart));
        return _mm_castsi128_pd(
            _mm_add_epi64(value, _mm_and_si128(step, _mm_and_si128(even, inexact))));
    }
    CAESURA_INLINE F fma(F a, F b, F c) {
        const __m128d low = odd(_mm_cvtps_pd(a), _mm_cvtps_pd(b), _mm_cvtps_pd(c));
        const __m128d high =
            odd(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b)),
                _mm_cvtps_pd(_mm_movehl_ps(c, c)));
        return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
    }
    CAESURA_INLINE void store16(int16_t* p, const I* a) {
        _mm_storeu_si128((__m128i*)p, _mm_packs_epi32(a[0], a[1]));
        _mm_storeu_si128((__m128i*)p + 1, _mm_packs_epi32(a[2], a[3]));
    }
    CAESURA_INLINE void store8(uint8_t* p, const I* a) {
        _mm_storeu_si128((__m128i*)p, _mm_packus_epi16(_mm_packs_epi32(a[0], a[1]),
                                                       _mm_packs_epi32(a[2], a[3])));
    }
    template <int n>
    CAESURA_INLINE F quarter(const F* a) { return a[n]; }
    CAESURA_INLINE F swap_halves(F a) { return _mm_movehl_ps(a, a); }
    CAESURA_INLINE float first(F a) { return _mm_cvtss_f32(a); }
    CAESURA_INLINE F second(F a) { return _mm_shuffle_ps(a, a, 1); }
};
using Four = Sse;
#endif

#if defined(__AVX512F__)
struct Native {
    using F = __m512;
    using I = __m512i;
    static constexpr int parts = 1;
    CAESURA_INLINE F load(const float* p) { return _mm512_loadu_ps(p); }
    CAESURA_INLINE void store(float* p, F a) { _mm512_storeu_ps(p, a); }
    CAESURA_INLINE I load(const int32_t* p) { return _mm512_loadu_si512(p); }
    CAESURA_INLINE void store(int32_t* p, I a) { _mm512_storeu_si512(p, a); }
    CAESURA_INLINE F splat(float x) { return _mm512_set1_ps(x); }
    CAESURA_INLINE I splat(int32_t x) { return _mm512_set1_epi32(x); }
    CAESURA_INLINE F add(F a, F b) { return _mm512_add_ps(a, b); }
    CAESURA_INLINE F sub(F a, F b) { return _mm512_sub_ps(a, b); }
    CAESURA_INLINE F mul(F a, F b) { return _mm512_mul_ps(a, b); }
    CAESURA_INLINE F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
    CAESURA_INLINE F max(F a, F b) { return _mm512_max_ps(a, b); }
    CAESURA_INLINE F min(F a, F b) { return _mm512_min_ps(a, b); }
    CAESURA_INLINE I add(I a, I b) { return _mm512_add_epi32(a, b); }
    CAESURA_INLINE I max(I a, I b) { return _mm512_max_epi32(a, b); }
    CAESURA_INLINE I min(I a, I b) { return _mm512_min_epi32(a, b); }
    CAESURA_INLINE I both(I a, I b) { return _mm512_and_si512(a, b); }
    CAESURA_INLINE I either(I a, I b) { return _mm512_or_si512(a, b); }
    template <int n>
    CAESURA_INLINE I shift_left(I a) { return _mm512_slli_epi32(a, n); }
    CAESURA_INLINE F to_float(I a) { return _mm512_cvtepi32_ps(a); }
    CAESURA_INLINE I round(F a) { return _mm512_cvtps_epi32(a); }
    CAESURA_INLINE I bits(F a) { return _mm512_castps_si512(a); }
    CAESURA_INLINE F floats(I a) { return _mm512_castsi512_ps(a); }
    CAESURA_INLINE void store16(int16_t* p, const I* a) {
        _mm256_storeu_si256((__m256i*)p, _mm512_cvtepi32_epi16(a[0]));
    }
    CAESURA_INLINE void store8(uint8_t* p, const I* a) {
        _mm_storeu_si128((__m128i*)p, _mm512_cvtepi32_epi8(a[0]));
    }
    template <int n>
    CAESURA_INLINE Four::F quarter(const F* a) { return _mm512_extractf32x4_ps(a[0], n); }
};
#elif defined(__AVX2__)
struct Native {
    using F = __m256;
    using I = __m256i;
    static constexpr int parts = 2;
    CAESURA_INLINE F load(const float* p) { return _mm256_loadu_ps(p); }
    CAESURA_INLINE void store(float* p, F a) { _mm256_storeu_ps(p, a); }
    CAESURA_INLINE I load(const int32_t* p) { return _mm256_loadu_si256((const __m256i*)p); }
    CAESURA_INLINE void store(int32_t* p, I a) { _mm256_storeu_si256((__m256i*)p, a); }
    CAESURA_INLINE F splat(float x) { return _mm256_set1_ps(x); }
    CAESURA_INLINE I splat(int32_t x) { return _mm256_set1_epi32(x); }
    CAESURA_INLINE F add(F a, F b) { return _mm256_add_ps(a, b); }
    CAESURA_INLINE F sub(F a, F b) { return _mm256_sub_ps(a, b); }
    CAESURA_INLINE F mul(F a, F b) { return _mm256_mul_ps(a, b); }
    CAESURA_INLINE F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
    CAESURA_INLINE F max(F a, F b) { return _mm256_max_ps(a, b); }
    CAESURA_INLINE F min(F a, F b) { return _mm256_min_ps(a, b); }
    CAESURA_INLINE I add(I a, I b) { return _mm256_add_epi32(a, b); }
    CAESURA_INLINE I max(I a, I b) { return _mm256_max_epi32(a, b); }
    CAESURA_INLINE I min(I a, I b) { return _mm256_min_epi32(a, b); }
    CAESURA_INLINE I both(I a, I b) { return _mm256_and_si256(a, b); }
    CAESURA_INLINE I either(I a, I b) { return _mm256_or_si256(a, b); }
    template <int n>
    CAESURA_INLINE I shift_left(I a) { return _mm256_slli_epi32(a, n); }
    CAESURA_INLINE F to_float(I a) { return _mm256_cvtepi32_ps(a); }
    CAESURA_INLINE I round(F a) { return _mm256_cvtps_epi32(a); }
    CAESURA_INLINE I bits(F a) { return _mm256_castps_si256(a); }
    CAESURA_INLINE F floats(I a) { return _mm256_castsi256_ps(a); }
    CAESURA_INLINE I narrowed(const I* a) {
        return _mm256_permute4x64_epi64(_mm256_packs_epi32(a[0], a[1]), 0xD8);
    }
    CAESURA_INLINE void store16(int16_t* p, const I* a) {
        _mm256_storeu_si256((__m256i*)p, narrowed(a));
    }
    CAESURA_INLINE void store8(uint8_t* p, const I* a) {
        const I half = narrowed(a);
        _mm_storeu_si128((__m128i*)p, _mm_packus_epi16(_mm256_castsi256_si128(half),
                                                       _mm256_extracti128_si256(half, 1)));
    }
    template <int n>
    CAESURA_INLINE Four::F quarter(const F* a) { return _mm256_extractf128_ps(a[n / 2], n % 2); }
};
#elif defined(__aarch64__)
struct Native {
    using F = float32x4_t;
    using I = int32x4_t;
    static constexpr int parts = 4;
    CAESURA_INLINE F load(const float* p) { return vld1q_f32(p); }
    CAESURA_INLINE void store(float* p, F a) { vst1q_f32(p, a); }
    CAESURA_INLINE I load(const int32_t* p) { return vld1q_s32(p); }
    CAESURA_INLINE void store(int32_t* p, I a) { vst1q_s32(p, a); }
    CAESURA_INLINE F splat(float x) { return vdupq_n_f32(x); }
    CAESURA_INLINE I splat(int32_t x) { return vdupq_n_s32(x); }
    CAESURA_INLINE F add(F a, F b) { return vaddq_f32(a, b); }
    CAESURA_INLINE F sub(F a, F b) { return vsubq_f32(a, b); }
    CAESURA_INLINE F mul(F a, F b) { return vmulq_f32(a, b); }
    CAESURA_INLINE F fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
    CAESURA_INLINE F max(F a, F b) { return vmaxq_f32(a, b); }
    CAESURA_INLINE F min(F a, F b) { return vminq_f32(a, b); }
    CAESURA_INLINE I add(I a, I b) { return vaddq_s32(a, b); }
    CAESURA_INLINE I max(I a, I b) { return vmaxq_s32(a, b); }
    CAESURA_INLINE I min(I a, I b) { return vminq_s32(a, b); }
    CAESURA_INLINE I both(I a, I b) { return vandq_s32(a, b); }
    CAESURA_INLINE I either(I a, I b) { return vorrq_s32(a, b); }
    template <int n>
    CAESURA_INLINE I shift_left(I a) { return vshlq_n_s32(a, n); }
    CAESURA_INLINE F to_float(I a) { return vcvtq_f32_s32(a); }
    CAESURA_INLINE I round(F a) { return vcvtnq_s32_f32(a); }
    CAESURA_INLINE I bits(F a) { return vreinterpretq_s32_f32(a); }
    CAESURA_INLINE F floats(I a) { return vreinterpretq_f32_s32(a); }
    CAESURA_INLINE int32_t round_one(float x) { return vcvtns_s32_f32(x); }
    CAESURA_INLINE int16x8_t narrowed(I a, I b) {
        return vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    }
    CAESURA_INLINE void store16(int16_t* p, const I* a) {
        vst1q_s16(p, narrowed(a[0], a[1]));
        vst1q_s16(p + 8, narrowed(a[2], a[3]));
    }
    CAESURA_INLINE void store8(uint8_t* p, const I* a) {
        vst1q_u8(p, vcombine_u8(vqmovun_s16(narrowed(a[0], a[1])),
                                vqmovun_s16(narrowed(a[2], a[3]))));
    }
    template <int n>
    CAESURA_INLINE F quarter(const F* a) { return a[n]; }
    CAESURA_INLINE F swap_halves(F a) { return vextq_f32(a, a, 2); }
    CAESURA_INLINE float first(F a) { return vgetq_lane_f32(a, 0); }
    CAESURA_INLINE F second(F a) { return vextq_f32(a, a, 1); }
};
using Four = Native;
#else
using Native = Sse;
#endif

struct Floats {
    Native::F part[Native::parts];
};
struct Ints {
    Native::I part[Native::parts];
};

// A value of 16 lanes from those of its parts.
template <class Wide, class Op>
CAESURA_INLINE Wide each(Op op) {
    if constexpr (Native::parts == 1)
        return {{op(0)}};
    else if constexpr (Native::parts == 2)
        return {{op(0), op(1)}};
    else
        return {{op(0), op(1), op(2), op(3)}};
}

CAESURA_INLINE Floats load(const float* p) {
    return each<Floats>([=](int i) { return Native::load(p + i * 16 / Native::parts); });
}
CAESURA_INLINE Ints load(const int32_t* p) {
    return each<Ints>([=](int i) { return Native::load(p + i * 16 / Native::parts); });
}
CAESURA_INLINE void store(float* p, Floats a) {
    for (int i = 0; i < Native::parts; ++i) Native::store(p + i * 16 / Native::parts, a.part[i]);
}
CAESURA_INLINE void store(int32_t* p, Ints a) {
    for (int i = 0; i < Native::parts; ++i) Native::store(p + i * 16 / Native::parts, a.part[i]);
}
CAESURA_INLINE void store16(int16_t* p, Ints a) { Native::store16(p, a.part); }
CAESURA_INLINE void store8(uint8_t* p, Ints a) { Native::store8(p, a.part); }
CAESURA_INLINE Floats splat(float x) {
    return each<Floats>([=](int) { return Native::splat(x); });
}
CAESURA_INLINE Ints splat(int32_t x) {
    return each<Ints>([=](int) { return Native::splat(x); });
}
CAESURA_INLINE Floats operator+(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return Native::add(a.part[i], b.part[i]); });
}
CAESURA_INLINE Floats operator-(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return Native::sub(a.part[i], b.part[i]); });
}
CAESURA_INLINE Floats operator*(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return Native::mul(a.part[i], b.part[i]); });
}
CAESURA_INLINE Floats fma(const Floats& a, const Floats& b, const Floats& c) {
    return each<Floats>([&](int i) { return Native::fma(a.part[i], b.part[i], c.part[i]); });
}
CAESURA_INLINE Floats max(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return Native::max(a.part[i], b.part[i]); });
}
CAESURA_INLINE Floats min(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return Native::min(a.part[i], b.part[i]); });
}
CAESURA_INLINE Ints operator+(const Ints& a, const Ints& b) {
    return each<Ints>([&](int i) { return Native::add(a.part[i], b.part[i]); });
}
CAESURA_INLINE Ints max(const Ints& a, const Ints& b) {
    return each<Ints>([&](int i) { return Native::max(a.part[i], b.part[i]); });
}
CAESURA_INLINE Ints min(const Ints& a, const Ints& b) {
    return each<Ints>([&](int i) { return Native::min(a.part[i], b.part[i]); });
}
CAESURA_INLINE Ints operator&(const Ints& a, const Ints& b) {
    return each<Ints>([&](int i) { return Native::both(a.part[i], b.part[i]); });
}
CAESURA_INLINE Ints operator|(const Ints& a, const Ints& b) {
    return each<Ints>([&](int i) { return Native::either(a.part[i], b.part[i]); });
}
template <int n>
CAESURA_INLINE Ints shift_left(const Ints& a) {
    return each<Ints>([&](int i) { return Native::template shift_left<n>(a.part[i]); });
}
CAESURA_INLINE Floats to_float(const Ints& a) {
    return each<Floats>([&](int i) { return Native::to_float(a.part[i]); });
}
// To the nearest integer, halves to even.
CAESURA_INLINE Ints round(const Floats& a) {
    return each<Ints>([&](int i) { return Native::round(a.part[i]); });
}
CAESURA_INLINE Ints bits(const Floats& a) {
    return each<Ints>([&](int i) { return Native::bits(a.part[i]); });
}
CAESURA_INLINE Floats floats(const Ints& a) {
    return each<Floats>([&](int i) { return Native::floats(a.part[i]); });
}
CAESURA_INLINE Floats absolute(const Floats& a) { return floats(bits(a) & splat(0x7FFFFFFF)); }

// All lanes as one: halves, then quarters, and so on.
template <class Op>
CAESURA_INLINE float folded(const Floats& a, Op op) {
    Four::F x = op(op(Native::quarter<0>(a.part), Native::quarter<2>(a.part)),
                   op(Native::quarter<1>(a.part), Native::quarter<3>(a.part)));
    x = op(x, Four::swap_halves(x));
    return Four::first(op(x, Four::second(x)));
}
CAESURA_INLINE float sum(const Floats& a) {
    return folded(a, [](Four::F x, Four::F y) { return Four::add(x, y); });
}
CAESURA_INLINE float largest(const Floats& a) {
    return folded(a, [](Four::F x, Four::F y) { return Four::max(x, y); });
}
CAESURA_INLINE float smallest(const Floats& a) {
    return folded(a, [](Four::F x, Four::F y) { return Four::min(x, y); });
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

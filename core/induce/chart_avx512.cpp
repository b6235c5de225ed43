#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 in its own header
#endif
#include <immintrin.h>

namespace caesura::induce {
namespace {

struct Lanes {
    __m512d v;

    static Lanes all(double x) { return {_mm512_set1_pd(x)}; }
    static Lanes load(const double* p) { return {_mm512_loadu_pd(p)}; }
    static Lanes load(const double* p, long long count, double rest = 0.0) {
        return {_mm512_mask_loadu_pd(_mm512_set1_pd(rest), mask(count), p)};
    }
    void store(double* p) const { _mm512_storeu_pd(p, v); }
    void store(double* p, long long count) const { _mm512_mask_storeu_pd(p, mask(count), v); }
    double total() const {
        const __m256d half = _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
        const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(half),
                                        _mm256_extractf128_pd(half, 1));
        return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
    }
    double largest() const {
        const __m256d half = _mm256_max_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
        const __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(half),
                                        _mm256_extractf128_pd(half, 1));
        return _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)));
    }
    friend Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }

   private:
    static __mmask8 mask(long long count) { return static_cast<__mmask8>((1u << count) - 1); }
};

inline Lanes max(Lanes a, Lanes b) { return {_mm512_max_pd(a.v, b.v)}; }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }

}  // namespace
}  // namespace caesura::induce

#include "induce/fill.h"

namespace caesura::induce {
const ChartKernels chart_kernels_avx512 = kernels;
}  // namespace caesura::induce

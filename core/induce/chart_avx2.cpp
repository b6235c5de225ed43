#include <immintrin.h>

namespace caesura::induce {
namespace {

struct Lanes {
    __m256d low, high;

    static Lanes all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
    static Lanes load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
    static Lanes load(const double* p, long long count, double rest = 0.0) {
        return {part(p, count, rest), part(p + 4, count - 4, rest)};
    }
    void store(double* p) const {
        _mm256_storeu_pd(p, low);
        _mm256_storeu_pd(p + 4, high);
    }
    // Masked stores are slow on some processors.
    void store(double* p, long long count) const {
        alignas(32) double all[8];
        store(all);
        for (long long i = 0; i < count; i++) p[i] = all[i];
    }
    double total() const {
        const __m256d half = _mm256_add_pd(low, high);
        const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(half),
                                        _mm256_extractf128_pd(half, 1));
        return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
    }
    double largest() const {
        const __m256d half = _mm256_max_pd(low, high);
        const __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(half),
                                        _mm256_extractf128_pd(half, 1));
        return _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)));
    }
    friend Lanes operator+(Lanes a, Lanes b) {
        return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
    }

   private:
    // Lanes below count are read, the others are `rest`.
    static __m256d part(const double* p, long long count, double rest) {
        const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count),
                                                _mm256_setr_epi64x(0, 1, 2, 3));
        return _mm256_blendv_pd(_mm256_set1_pd(rest), _mm256_maskload_pd(p, mask),
                                _mm256_castsi256_pd(mask));
    }
};

inline Lanes max(Lanes a, Lanes b) {
    return {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)};
}
inline Lanes fma(Lanes a, Lanes b, Lanes c) {
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}

}  // namespace
}  // namespace caesura::induce

#include "induce/fill.h"

namespace caesura::induce {
const ChartKernels chart_kernels_avx2 = kernels;
}  // namespace caesura::induce

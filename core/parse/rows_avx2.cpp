// Rows 32 columns at a time in registers of 256 bits.
#include "parse/rows.h"

#include <immintrin.h>

namespace caesura::parse::avx2 {
namespace {

void sum_bytes(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
               std::int64_t n, std::int32_t* sums) {
    for (std::int64_t at = 0; at < width; at += 32) {
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            const __m128i shift = _mm_cvtsi32_si128(row[width - 1]);
            const auto* from = reinterpret_cast<const __m128i*>(row + at);
            const __m128i low = _mm_loadu_si128(from), high = _mm_loadu_si128(from + 1);
            auto wide = [&](__m128i bytes) {
                return _mm256_sll_epi32(_mm256_cvtepi8_epi32(bytes), shift);
            };
            a = _mm256_add_epi32(a, wide(low));
            b = _mm256_add_epi32(b, wide(_mm_srli_si128(low, 8)));
            c = _mm256_add_epi32(c, wide(high));
            d = _mm256_add_epi32(d, wide(_mm_srli_si128(high, 8)));
        }
        auto* to = reinterpret_cast<__m256i*>(sums + at);
        _mm256_storeu_si256(to, a);
        _mm256_storeu_si256(to + 1, b);
        _mm256_storeu_si256(to + 2, c);
        _mm256_storeu_si256(to + 3, d);
    }
}

// 32 sums of 16 bits as 32 of 32 bits.
void widen(__m256i low, __m256i high, std::int32_t* sums) {
    auto* to = reinterpret_cast<__m256i*>(sums);
    _mm256_storeu_si256(to, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(low)));
    _mm256_storeu_si256(to + 1, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(low, 1)));
    _mm256_storeu_si256(to + 2, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(high)));
    _mm256_storeu_si256(to + 3, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(high, 1)));
}

void sum_low_bytes(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
                   std::int64_t n, std::int32_t* sums) {
    auto wide = [](const std::int8_t* from, __m128i shift) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        return _mm256_sll_epi16(_mm256_cvtepi8_epi16(bytes), shift);
    };
    std::int64_t at = 0;
    for (; at + 128 <= width; at += 128) {
        __m256i total[8];
        for (__m256i& value : total) value = _mm256_setzero_si256();
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            const __m128i shift = _mm_cvtsi32_si128(row[width - 1]);
            for (int k = 0; k < 8; ++k)
                total[k] = _mm256_add_epi16(total[k], wide(row + at + 16 * k, shift));
        }
        for (int k = 0; k < 8; k += 2) widen(total[k], total[k + 1], sums + at + 16 * k);
    }
    for (; at < width; at += 32) {
        __m256i a = _mm256_setzero_si256(), b = a;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            const __m128i shift = _mm_cvtsi32_si128(row[width - 1]);
            a = _mm256_add_epi16(a, wide(row + at, shift));
            b = _mm256_add_epi16(b, wide(row + at + 16, shift));
        }
        widen(a, b, sums + at);
    }
}

void sum_floats(const float* const* rows, std::int64_t n, std::int64_t width, float* sums) {
    for (std::int64_t at = 0; at < width; at += 32) {
        __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
        for (std::int64_t i = 0; i < n; ++i) {
            const float* row = rows[i] + at;
            a = _mm256_add_ps(a, _mm256_loadu_ps(row));
            b = _mm256_add_ps(b, _mm256_loadu_ps(row + 8));
            c = _mm256_add_ps(c, _mm256_loadu_ps(row + 16));
            d = _mm256_add_ps(d, _mm256_loadu_ps(row + 24));
        }
        _mm256_storeu_ps(sums + at, a);
        _mm256_storeu_ps(sums + at + 8, b);
        _mm256_storeu_ps(sums + at + 16, c);
        _mm256_storeu_ps(sums + at + 24, d);
    }
}

void join(const std::int32_t* sums, std::int64_t width, const std::int64_t* rows, std::int64_t n,
          float unit, std::int32_t* kept, float* scores) {
    const __m256 units = _mm256_set1_ps(unit);
    for (std::int64_t at = 0; at < width; at += 8) {
        __m256i total = _mm256_setzero_si256();
        for (std::int64_t i = 0; i < n; ++i)
            total = _mm256_add_epi32(total, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(
                                                sums + rows[i] * width + at)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(kept + at), total);
        _mm256_storeu_ps(scores + at, _mm256_mul_ps(_mm256_cvtepi32_ps(total), units));
    }
}

// max(a, b) is a > b ? a : b, also for zeros and for what is not a number.
float highest(const float* scores, std::int64_t n) {
    __m256 best[4];
    for (__m256& value : best) value = _mm256_set1_ps(-3e38f);
    for (std::int64_t at = 0; at < n; at += 32)
        for (int k = 0; k < 4; ++k)
            best[k] = _mm256_max_ps(_mm256_loadu_ps(scores + at + 8 * k), best[k]);
    const __m256 eight =
        _mm256_max_ps(_mm256_max_ps(best[3], best[1]), _mm256_max_ps(best[2], best[0]));
    const __m128 four =
        _mm_max_ps(_mm256_extractf128_ps(eight, 1), _mm256_castps256_ps128(eight));
    const __m128 two = _mm_max_ps(_mm_movehl_ps(four, four), four);
    return _mm_cvtss_f32(_mm_max_ss(_mm_movehdup_ps(two), two));
}

std::uint32_t at_least(const float* scores, float floor) {
    const __m256 floors = _mm256_set1_ps(floor);
    std::uint32_t found = 0;
    for (int k = 0; k < 4; ++k) {
        const __m256 is = _mm256_cmp_ps(_mm256_loadu_ps(scores + 8 * k), floors, _CMP_GE_OQ);
        found |= static_cast<std::uint32_t>(_mm256_movemask_ps(is)) << (8 * k);
    }
    return found;
}

}  // namespace

const RowFunctions rows = {sum_bytes, sum_low_bytes, portable::sort, sum_floats, join, highest, at_least};

}  // namespace caesura::parse::avx2

// Rows 32 or 128 columns at a time in registers of 512 bits.
#include "parse/rows.h"

#if defined(__GNUC__) && !defined(__clang__)
// Warnings of GCC 12 about its own header.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

namespace caesura::parse::avx512 {
namespace {

void sum_bytes(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
               std::int64_t n, std::int32_t* sums) {
    for (std::int64_t at = 0; at < width; at += 32) {
        __m512i a = _mm512_setzero_si512(), b = a;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            const __m128i shift = _mm_cvtsi32_si128(row[width - 1]);
            const auto* from = reinterpret_cast<const __m128i*>(row + at);
            auto wide = [&](__m128i bytes) {
                return _mm512_sll_epi32(_mm512_cvtepi8_epi32(bytes), shift);
            };
            a = _mm512_add_epi32(a, wide(_mm_loadu_si128(from)));
            b = _mm512_add_epi32(b, wide(_mm_loadu_si128(from + 1)));
        }
        _mm512_storeu_si512(sums + at, a);
        _mm512_storeu_si512(sums + at + 16, b);
    }
}

// 32 sums of 16 bits as 32 of 32 bits.
void widen(__m512i narrow, std::int32_t* sums) {
    _mm512_storeu_si512(sums, _mm512_cvtepi16_epi32(_mm512_castsi512_si256(narrow)));
    _mm512_storeu_si512(sums + 16, _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(narrow, 1)));
}

void sum_low_bytes(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
                   std::int64_t n, std::int32_t* sums) {
    auto wide = [](const std::int8_t* from, __m128i shift) {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        return _mm512_sll_epi16(_mm512_cvtepi8_epi16(bytes), shift);
    };
    std::int64_t at = 0;
    for (; at + 128 <= width; at += 128) {
        __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            const __m128i shift = _mm_cvtsi32_si128(row[width - 1]);
            a = _mm512_add_epi16(a, wide(row + at, shift));
            b = _mm512_add_epi16(b, wide(row + at + 32, shift));
            c = _mm512_add_epi16(c, wide(row + at + 64, shift));
            d = _mm512_add_epi16(d, wide(row + at + 96, shift));
        }
        widen(a, sums + at);
        widen(b, sums + at + 32);
        widen(c, sums + at + 64);
        widen(d, sums + at + 96);
    }
    for (; at < width; at += 32) {
        __m512i total = _mm512_setzero_si512();
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            total = _mm512_add_epi16(total, wide(row + at, _mm_cvtsi32_si128(row[width - 1])));
        }
        widen(total, sums + at);
    }
}

std::uint64_t sort(const RowTable& table, const std::uint64_t* features, std::int64_t n,
                   std::uint64_t place, RowLists& lists) {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i full_bit = _mm512_set1_epi64(Entry::full);
    const __m512i short_bit = _mm512_set1_epi64(Entry::in_short);
    const __m512i held_bits = _mm512_set1_epi64(Entry::held_values);
    const __m512i low = _mm512_set1_epi64(0xFFFFFFFF), low_24 = _mm512_set1_epi64(0xFFFFFF);
    const __m512i width = _mm512_set1_epi64(table.width);
    const __m512i full_rows = _mm512_set1_epi64(reinterpret_cast<long long>(table.full));
    const __m512i short_rows = _mm512_set1_epi64(reinterpret_cast<long long>(table.shorts));
    const __m512i places = _mm512_set1_epi64(static_cast<long long>(place));
    // Of wider rows the processor requests the rest by itself.
    const std::int64_t requested = table.width < 256 ? table.width : 256;
    __m512i most = zero;
    for (std::int64_t i = 0; i < n; i += 8) {
        const auto valid = static_cast<__mmask8>(n - i >= 8 ? 0xFF : (1 << (n - i)) - 1);
        const __m512i wanted = _mm512_maskz_loadu_epi64(valid, features + i);
        const __m512i entry = _mm512_mask_i64gather_epi64(zero, valid, wanted, table.lookup, 8);
        const __mmask8 full = _mm512_test_epi64_mask(entry, full_bit);
        const __mmask8 few = _mm512_test_epi64_mask(entry, short_bit);
        const auto held = static_cast<__mmask8>(_mm512_test_epi64_mask(entry, held_bits) &
                                                ~(full | few));
        const __m512i number = _mm512_and_si512(entry, low);
        // Where a row is of neither kind, the first full row is requested.
        __m512i address =
            _mm512_mask_add_epi64(full_rows, full, full_rows, _mm512_mul_epu32(number, width));
        address = _mm512_mask_add_epi64(address, few, short_rows, _mm512_slli_epi64(number, 4));
        alignas(64) const char* rows[8];
        _mm512_store_si512(rows, address);
        for (const char* row : rows)
            for (std::int64_t at = 0; at < requested; at += 64)
                _mm_prefetch(row + at, _MM_HINT_T0);
        _mm512_storeu_si512(lists.full + lists.n_full, _mm512_maskz_compress_epi64(full, number));
        _mm512_storeu_si512(lists.few + lists.n_few, _mm512_maskz_compress_epi64(few, entry));
        _mm512_storeu_si512(lists.few_at + lists.n_few, places);
        _mm512_storeu_si512(lists.held + lists.n_held, _mm512_maskz_compress_epi64(held, entry));
        _mm512_storeu_si512(lists.held_at + lists.n_held, places);
        lists.n_full += __builtin_popcount(full);
        lists.n_few += __builtin_popcount(few);
        lists.n_held += __builtin_popcount(held);
        most = _mm512_add_epi64(
            most, _mm512_maskz_and_epi64(full, _mm512_srli_epi64(entry, Entry::highest), low_24));
    }
    return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(most));
}

void sum_floats(const float* const* rows, std::int64_t n, std::int64_t width, float* sums) {
    std::int64_t at = 0;
    for (; at + 64 <= width; at += 64) {
        __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
        for (std::int64_t i = 0; i < n; ++i) {
            const float* row = rows[i] + at;
            a = _mm512_add_ps(a, _mm512_loadu_ps(row));
            b = _mm512_add_ps(b, _mm512_loadu_ps(row + 16));
            c = _mm512_add_ps(c, _mm512_loadu_ps(row + 32));
            d = _mm512_add_ps(d, _mm512_loadu_ps(row + 48));
        }
        _mm512_storeu_ps(sums + at, a);
        _mm512_storeu_ps(sums + at + 16, b);
        _mm512_storeu_ps(sums + at + 32, c);
        _mm512_storeu_ps(sums + at + 48, d);
    }
    for (; at < width; at += 32) {
        __m512 a = _mm512_setzero_ps(), b = a;
        for (std::int64_t i = 0; i < n; ++i) {
            a = _mm512_add_ps(a, _mm512_loadu_ps(rows[i] + at));
            b = _mm512_add_ps(b, _mm512_loadu_ps(rows[i] + at + 16));
        }
        _mm512_storeu_ps(sums + at, a);
        _mm512_storeu_ps(sums + at + 16, b);
    }
}

void join(const std::int32_t* sums, std::int64_t width, const std::int64_t* rows, std::int64_t n,
          float unit, std::int32_t* kept, float* scores) {
    const __m512 units = _mm512_set1_ps(unit);
    for (std::int64_t at = 0; at < width; at += 16) {
        __m512i total = _mm512_setzero_si512();
        for (std::int64_t i = 0; i < n; ++i)
            total = _mm512_add_epi32(total, _mm512_loadu_si512(sums + rows[i] * width + at));
        _mm512_storeu_si512(kept + at, total);
        _mm512_storeu_ps(scores + at, _mm512_mul_ps(_mm512_cvtepi32_ps(total), units));
    }
}

// max(a, b) is a > b ? a : b, also for zeros and for what is not a number.
float highest(const float* scores, std::int64_t n) {
    __m512 low = _mm512_set1_ps(-3e38f), high = low;
    for (std::int64_t at = 0; at < n; at += 32) {
        low = _mm512_max_ps(_mm512_loadu_ps(scores + at), low);
        high = _mm512_max_ps(_mm512_loadu_ps(scores + at + 16), high);
    }
    const __m512 all = _mm512_max_ps(high, low);
    const __m256 eight =
        _mm256_max_ps(_mm512_extractf32x8_ps(all, 1), _mm512_castps512_ps256(all));
    const __m128 four =
        _mm_max_ps(_mm256_extractf128_ps(eight, 1), _mm256_castps256_ps128(eight));
    const __m128 two = _mm_max_ps(_mm_movehl_ps(four, four), four);
    return _mm_cvtss_f32(_mm_max_ss(_mm_movehdup_ps(two), two));
}

std::uint32_t at_least(const float* scores, float floor) {
    const __m512 floors = _mm512_set1_ps(floor);
    const std::uint32_t low = _mm512_cmp_ps_mask(_mm512_loadu_ps(scores), floors, _CMP_GE_OQ);
    const std::uint32_t high =
        _mm512_cmp_ps_mask(_mm512_loadu_ps(scores + 16), floors, _CMP_GE_OQ);
    return low | high << 16;
}

}  // namespace

const RowFunctions rows = {sum_bytes, sum_low_bytes, sort, sum_floats, join, highest, at_least};

}  // namespace caesura::parse::avx512

// The inner loops of the network, compiled once for each instruction set: each forward_*.cpp includes
// this file. Nothing of the standard library is instantiated here, so no code of one instruction set
// can be used by another. Integers are exact and floats have one order, so all give the same bits.
#pragma once

#include "network/kernels.h"
#include "network/simd.h"

namespace caesura::network {
namespace {

// The start of a row.
template <class T>
CAESURA_INLINE T* at(T* rows, int row, int stride) {
    return rows + static_cast<ptrdiff_t>(row) * stride;
}

// ------------------------------------------------------------------ tiles of products
// Each multiplies kTileRows rows by a panel of 64 columns into c[kTileRows][64]. Rows behind the
// last are computed and thrown away. The rows are written out, since compilers otherwise keep
// accumulators in memory.

#if defined(__AMX_INT8__)
using Value = uint8_t;
constexpr int kGroup = 4, kTileRows = 32;

struct TileShapes {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

CAESURA_NOINLINE void multiply_tile(const Value* a, int stride, const Product& p, int column,
                                    int32_t* c) {
    const size_t k = static_cast<size_t>(p.in);
    for (int n = 0; n < kPanel; n += 32) {
        const int8_t* b = p.weight + static_cast<size_t>(column + n) * k;
        const int8_t* next = b + 16 * k;
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        for (size_t i = 0; i < k; i += 64) {
            _tile_loadd(4, a + i, stride);
            _tile_loadd(6, b + i * 16, 64);
            _tile_dpbusd(0, 4, 6);
            _tile_loadd(7, next + i * 16, 64);
            _tile_dpbusd(1, 4, 7);
            _tile_loadd(5, a + 16 * static_cast<size_t>(stride) + i, stride);
            _tile_dpbusd(2, 5, 6);
            _tile_dpbusd(3, 5, 7);
        }
        _tile_stored(0, c + n, 256);
        _tile_stored(1, c + n + 16, 256);
        _tile_stored(2, c + 16 * kPanel + n, 256);
        _tile_stored(3, c + 16 * kPanel + n + 16, 256);
    }
}

#elif defined(__AVX512VNNI__)
using Value = uint8_t;
constexpr int kGroup = 4, kTileRows = 6;

CAESURA_INLINE void add_row(__m512i* c, const Value* a, const __m512i* b) {
    int32_t four;
    memcpy(&four, a, 4);
    const __m512i x = _mm512_set1_epi32(four);
    c[0] = _mm512_dpbusd_epi32(c[0], x, b[0]);
    c[1] = _mm512_dpbusd_epi32(c[1], x, b[1]);
    c[2] = _mm512_dpbusd_epi32(c[2], x, b[2]);
    c[3] = _mm512_dpbusd_epi32(c[3], x, b[3]);
}

CAESURA_NOINLINE void multiply_tile(const Value* a, int stride, const Product& p, int column,
                                    int32_t* c) {
    __m512i sums[6][4];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i)
        sums[i][0] = sums[i][1] = sums[i][2] = sums[i][3] = _mm512_setzero_si512();
    const size_t row = static_cast<size_t>(stride), k = static_cast<size_t>(p.in);
    const size_t step = 16 * k;
    const int8_t* b = p.weight + static_cast<size_t>(column) * k;
    const int8_t* last = b + 3 * step;
    const Value* below = a + 3 * row;
    for (size_t i = 0; i < k; i += 4, a += 4, below += 4, b += 64, last += 64) {
        const __m512i w[4] = {_mm512_load_si512(b), _mm512_load_si512(b + step),
                              _mm512_load_si512(b + 2 * step), _mm512_load_si512(last)};
        add_row(sums[0], a, w);
        add_row(sums[1], a + row, w);
        add_row(sums[2], a + 2 * row, w);
        add_row(sums[3], below, w);
        add_row(sums[4], below + row, w);
        add_row(sums[5], below + 2 * row, w);
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i, c += kPanel) {
        _mm512_store_si512(c, sums[i][0]);
        _mm512_store_si512(c + 16, sums[i][1]);
        _mm512_store_si512(c + 32, sums[i][2]);
        _mm512_store_si512(c + 48, sums[i][3]);
    }
}

#elif defined(__AVX2__)
#if defined(__AVXVNNI__)
using Value = uint8_t;
constexpr int kGroup = 4;
#else
using Value = int16_t;
constexpr int kGroup = 2;
#endif
constexpr int kTileRows = 6;

// c plus the products of groups of numbers that lie in 32 bits.
CAESURA_INLINE __m256i add_groups(__m256i c, __m256i a, __m256i b) {
#if defined(__AVXVNNI__)
    return _mm256_dpbusd_avx_epi32(c, a, b);
#else
    return _mm256_add_epi32(c, _mm256_madd_epi16(a, b));
#endif
}

CAESURA_INLINE void add_row(__m256i* c, const Value* a, const __m256i* b) {
    int32_t group;
    memcpy(&group, a, 4);
    const __m256i x = _mm256_set1_epi32(group);
    c[0] = add_groups(c[0], x, b[0]);
    c[1] = add_groups(c[1], x, b[1]);
}

CAESURA_NOINLINE void multiply_tile(const Value* rows, int stride, const Product& p, int column,
                                    int32_t* c) {
    const int8_t* b = p.weight + static_cast<size_t>(column) * static_cast<size_t>(p.in);
    const size_t row = static_cast<size_t>(stride);
    for (int n = 0; n < kPanel; n += 16) {
        __m256i sums[6][2];
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) sums[i][0] = sums[i][1] = _mm256_setzero_si256();
        const Value *a = rows, *below = rows + 3 * row;
        for (int k = 0; k < p.in; k += kGroup, a += kGroup, below += kGroup, b += 16 * kGroup) {
#if defined(__AVXVNNI__)
            const __m256i w[2] = {_mm256_load_si256((const __m256i*)b),
                                  _mm256_load_si256((const __m256i*)b + 1)};
#else
            const __m256i w[2] = {_mm256_cvtepi8_epi16(_mm_load_si128((const __m128i*)b)),
                                  _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i*)b + 1))};
#endif
            add_row(sums[0], a, w);
            add_row(sums[1], a + row, w);
            add_row(sums[2], a + 2 * row, w);
            add_row(sums[3], below, w);
            add_row(sums[4], below + row, w);
            add_row(sums[5], below + 2 * row, w);
        }
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) {
            _mm256_store_si256((__m256i*)(c + i * kPanel + n), sums[i][0]);
            _mm256_store_si256((__m256i*)(c + i * kPanel + n + 8), sums[i][1]);
        }
    }
}

#elif defined(__ARM_FEATURE_MATMUL_INT8)
using Value = uint8_t;
constexpr int kGroup = 8, kTileRows = 8;

// A product of two rows and two columns at a time: {r0 c0, r0 c1, r1 c0, r1 c1}.
CAESURA_NOINLINE void multiply_tile(const Value* rows, int stride, const Product& p, int column,
                                    int32_t* c) {
    const size_t row = static_cast<size_t>(stride);
    for (int n = 0; n < kPanel; n += 8) {
        const int8_t* b = p.weight +
                          static_cast<size_t>(column + n - n % 16) * static_cast<size_t>(p.in) +
                          n % 16 * 8;
        int32x4_t sums[4][4] = {};
        const Value* a = rows;
        for (int k = 0; k < p.in; k += 8, a += 8, b += 128) {
            const int8x16_t w[4] = {vld1q_s8(b), vld1q_s8(b + 16), vld1q_s8(b + 32),
                                    vld1q_s8(b + 48)};
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) {
                const uint8x16_t x =
                    vcombine_u8(vld1_u8(a + 2 * i * row), vld1_u8(a + (2 * i + 1) * row));
                sums[i][0] = vusmmlaq_s32(sums[i][0], x, w[0]);
                sums[i][1] = vusmmlaq_s32(sums[i][1], x, w[1]);
                sums[i][2] = vusmmlaq_s32(sums[i][2], x, w[2]);
                sums[i][3] = vusmmlaq_s32(sums[i][3], x, w[3]);
            }
        }
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                vst1_s32(c + 2 * i * kPanel + n + 2 * j, vget_low_s32(sums[i][j]));
                vst1_s32(c + (2 * i + 1) * kPanel + n + 2 * j, vget_high_s32(sums[i][j]));
            }
    }
}

#elif defined(__ARM_FEATURE_DOTPROD)
// This product has no unsigned rows: they are held less 128, and 128 times the sums is added.
#define CAESURA_SIGNED_ROWS 1
using Value = uint8_t;
constexpr int kGroup = 4, kTileRows = 6;

CAESURA_NOINLINE void multiply_tile(const Value* rows, int stride, const Product& p, int column,
                                    int32_t* c) {
    const int8_t* b = p.weight + static_cast<size_t>(column) * static_cast<size_t>(p.in);
    for (int n = 0; n < kPanel; n += 16) {
        int32x4_t sums[6][4];
        for (int j = 0; j < 4; ++j) {
            const int32x4_t missing = vshlq_n_s32(vld1q_s32(p.sum + column + n + 4 * j), 7);
            for (int i = 0; i < 6; ++i) sums[i][j] = missing;
        }
        const Value* a = rows;
        for (int k = 0; k < p.in; k += 4, a += 4, b += 64) {
            const int8x16_t w[4] = {vld1q_s8(b), vld1q_s8(b + 16), vld1q_s8(b + 32),
                                    vld1q_s8(b + 48)};
#pragma GCC unroll 6
            for (int i = 0; i < 6; ++i) {
                int32_t four;
                memcpy(&four, a + i * static_cast<size_t>(stride), 4);
                const int8x16_t x = vreinterpretq_s8_s32(vdupq_n_s32(four));
                sums[i][0] = vdotq_s32(sums[i][0], w[0], x);
                sums[i][1] = vdotq_s32(sums[i][1], w[1], x);
                sums[i][2] = vdotq_s32(sums[i][2], w[2], x);
                sums[i][3] = vdotq_s32(sums[i][3], w[3], x);
            }
        }
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 4; ++j) vst1q_s32(c + i * kPanel + n + 4 * j, sums[i][j]);
    }
}

#else
using Value = int16_t;
constexpr int kGroup = 2, kTileRows = 4;

CAESURA_NOINLINE void multiply_tile(const Value* rows, int stride, const Product& p, int column,
                                    int32_t* c) {
    const int8_t* block = p.weight + static_cast<size_t>(column) * static_cast<size_t>(p.in);
    for (int n = 0; n < kPanel; n += 16, block += 16 * static_cast<size_t>(p.in))
        for (int i = 0; i < kTileRows; ++i) {
            const Value* a = rows + i * static_cast<size_t>(stride);
            Ints sums = splat(0);
            for (int k = 0; k < p.in; k += 2) {
                const int8_t* b = block + k * 16;
#ifdef __aarch64__
                const int16x4_t x = vld1_dup_s16(a + k), y = vld1_dup_s16(a + k + 1);
                for (int j = 0; j < 4; ++j) {
                    const int8x8x2_t pairs = vuzp_s8(vld1_s8(b + 8 * j), vdup_n_s8(0));
                    sums.part[j] = vmlal_s16(sums.part[j], vget_low_s16(vmovl_s8(pairs.val[0])), x);
                    sums.part[j] = vmlal_s16(sums.part[j], vget_low_s16(vmovl_s8(pairs.val[1])), y);
                }
#else
                int32_t pair;
                memcpy(&pair, a + k, 4);
                const __m128i x = _mm_set1_epi32(pair);
                for (int j = 0; j < 4; ++j) {
                    __m128i w = _mm_loadl_epi64((const __m128i*)(b + 8 * j));
                    w = _mm_srai_epi16(_mm_unpacklo_epi8(w, w), 8);
                    sums.part[j] += (I)_mm_madd_epi16(x, w);
                }
#endif
            }
            store(c + i * kPanel + n, sums);
        }
}
#endif

// ------------------------------------------------------------------ products

// Calls panel(column) for each 64 columns, and what it returns with each row and its numbers there.
template <class Panel>
CAESURA_INLINE void multiply(const Product& p, const Rows& rows, int n, int first, int last,
                             Panel panel) {
    alignas(64) int32_t tile[kTileRows * kPanel];
#if defined(__AMX_INT8__)
    alignas(64) const TileShapes shapes;
    _tile_loadconfig(&shapes);
#endif
    for (int column = first; column < last; column += kPanel) {
        const auto take = panel(column);
        Floats scale[4];
        for (int j = 0; j < 4; ++j) scale[j] = load(p.scale + column + 16 * j);
        for (int i = 0; i < n; i += kTileRows) {
            multiply_tile(at(static_cast<const Value*>(rows.values), i, p.in), p.in, p, column,
                          tile);
            const int end = n - i < kTileRows ? n : i + kTileRows;
            const int32_t* c = tile;
            for (int row = i; row < end; ++row, c += kPanel) {
                const Floats size = splat(rows.scale[row]);
                const Floats zero = splat(-rows.scale[row] * static_cast<float>(rows.zero[row]));
                Floats y[4];
                for (int j = 0; j < 4; ++j) {
                    const int k = column + 16 * j;
                    y[j] = fma(to_float(load(c + 16 * j)), size * scale[j],
                               fma(zero, load(p.offset + k), load(p.bias + k)));
                }
                take(row, y);
            }
        }
    }
#if defined(__AMX_INT8__)
    _tile_release();
#endif
}

void store_rows(const Product& p, const Rows& rows, int n, float* out, int stride, int width) {
    multiply(p, rows, n, 0, width, [=](int column) {
        return [=](int row, const Floats* y) {
            float* to = at(out, row, stride) + column;
            if (column + kPanel <= width) {
                for (int j = 0; j < 4; ++j) store(to + 16 * j, y[j]);
                return;
            }
            alignas(64) float held[kPanel];
            for (int j = 0; j < 4; ++j) store(held + 16 * j, y[j]);
            memcpy(to, held, static_cast<size_t>(width - column) * sizeof(float));
        };
    });
}

void add_rows(const Product& p, const Rows& rows, int n, float* out, int stride) {
    multiply(p, rows, n, 0, p.out, [=](int column) {
        return [=](int row, const Floats* y) {
            float* to = at(out, row, stride) + column;
            for (int j = 0; j < 4; ++j) store(to + 16 * j, load(to + 16 * j) + y[j]);
        };
    });
}

void activate_rows(const Product& p, const Rows& rows, int n, float* out, int stride,
                   const float* factor) {
    multiply(p, rows, n, 0, p.out, [=](int column) {
        return [=](int row, const Floats* y) {
            float* to = at(out, row, stride) + column;
            for (int j = 0; j < 4; ++j) {
                Floats x = gelu(y[j]);
                if (factor != nullptr) x = x * load(factor + column + 16 * j);
                store(to + 16 * j, x);
            }
        };
    });
}

void split_rows(const Product& p, const Rows& rows, int n, int first, int heads, int size,
                float* out) {
    struct Parts {
        float* start[4];
    };
    multiply(p, rows, n, first, first + 3 * heads * size, [=](int column) {
        Parts parts;
        for (int j = 0; j < 4; ++j) {
            const int k = column - first + 16 * j;  // [query, key, value][head][size]
            parts.start[j] = at(out, k / size * n, size) + k % size;
        }
        return [=](int row, const Floats* y) {
            for (int j = 0; j < 4; ++j) store(at(parts.start[j], row, size), y[j]);
        };
    });
}

void compare_rows(const Product& p, const Rows& rows, int n, const float* other, int stride,
                  float* out, int labels) {
    multiply(p, rows, n, 0, labels * stride, [=](int column) {
        const int label = column / stride;
        const float* place = other + column % stride;
        return [=](int row, const Floats* y) {
            const float* x = at(place, row, stride);
            Floats total = y[0] * load(x);
            for (int j = 1; j < 4; ++j) total = fma(y[j], load(x + 16 * j), total);
            at(out, row, labels)[label] += sum(total);
        };
    });
}

// ------------------------------------------------------------------ rows

// Rounds a row to 8 bits, with 0 among the numbers that are exact.
CAESURA_INLINE void round_row(const float* x, int width, const float* factor, const Rows& out,
                              int row) {
    const auto number = [=](int k) __attribute__((always_inline)) {
        return factor == nullptr ? load(x + k) : load(x + k) * load(factor + k);
    };
    Floats low[4], high[4];
    for (int j = 0; j < 4; ++j) low[j] = high[j] = splat(0.0f);
    for (int k = 0; k < width; k += 64)
        for (int j = 0; j < 4; ++j) {
            const Floats y = number(k + 16 * j);
            low[j] = min(low[j], y);
            high[j] = max(high[j], y);
        }
    const float least = smallest(min(min(low[0], low[1]), min(low[2], low[3])));
    const float most = largest(max(max(high[0], high[1]), max(high[2], high[3])));
    const float range = most - least < 1e-20f ? 1e-20f : most - least;
    const float inverse = 255.0f / range;
    const int32_t zero = round(splat(-least * inverse)).part[0][0];
    out.scale[row] = range / 255.0f;
    out.zero[row] = zero;
    Value* values = at(static_cast<Value*>(out.values), row, width);
    const Floats steps = splat(inverse);
    const Ints offset = splat(zero), none = splat(0), full = splat(255);
    for (int k = 0; k < width; k += 16) {
        const Ints y = min(max(round(number(k) * steps) + offset, none), full);
        if constexpr (sizeof(Value) == 2) {
            store16(reinterpret_cast<int16_t*>(values + k), y);
        } else {
#ifdef CAESURA_SIGNED_ROWS
            uint8_t held[16];
            store8(held, y);
            vst1q_u8(reinterpret_cast<uint8_t*>(values + k),
                     veorq_u8(vld1q_u8(held), vdupq_n_u8(128)));
#else
            store8(reinterpret_cast<uint8_t*>(values + k), y);
#endif
        }
    }
}

void round_rows(const float* rows, int n, int stride, int width, const float* factor,
                const Rows& out) {
    for (int i = 0; i < n; ++i) round_row(at(rows, i, stride), width, factor, out, i);
}

CAESURA_INLINE void normalise_row(const Norm& norm, float* x) {
    Floats sums[4], squares[4];
    for (int j = 0; j < 4; ++j) sums[j] = squares[j] = splat(0.0f);
    for (int k = 0; k < norm.width; k += 64)
        for (int j = 0; j < 4; ++j) sums[j] = sums[j] + load(x + k + 16 * j);
    const float size = static_cast<float>(norm.size);
    const float mean = sum((sums[0] + sums[1]) + (sums[2] + sums[3])) / size;
    const Floats centre = splat(mean);
    for (int k = 0; k < norm.width; k += 64)
        for (int j = 0; j < 4; ++j) {
            const Floats away = load(x + k + 16 * j) - centre;
            squares[j] = fma(away, away, squares[j]);
        }
    // The padding is 0, so it lies `mean` away.
    const float padding = static_cast<float>(norm.width - norm.size) * mean * mean;
    const float total = sum((squares[0] + squares[1]) + (squares[2] + squares[3])) - padding;
    const float variance = (total > 0.0f ? total : 0.0f) / size;
    const Floats scale = splat(1.0f / sqrtf(variance + norm.eps));
    for (int k = 0; k < norm.width; k += 16)
        store(x + k, fma((load(x + k) - centre) * scale, load(norm.weight + k),
                         load(norm.bias + k)));
}

void normalise_rows(const Norm& norm, float* rows, int n, float* mixture, float part,
                    const float* factor, const Rows& out) {
    const Floats parts = splat(part);
    for (int i = 0; i < n; ++i) {
        float* x = at(rows, i, norm.width);
        normalise_row(norm, x);
        round_row(x, norm.width, factor, out, i);
        if (mixture == nullptr) continue;
        float* total = at(mixture, i, norm.width);
        for (int k = 0; k < norm.width; k += 16)
            store(total + k, fma(load(x + k), parts, load(total + k)));
    }
}

// ------------------------------------------------------------------ attention

// c + a.low * b.low + a.high * b.high for the 16-bit halves of each lane; `a` is one pair.
#if defined(__AVX512VNNI__)
CAESURA_INLINE __m512i add_pairs(__m512i c, __m512i a, __m512i b) {
#ifdef _MSC_VER
    return _mm512_dpwssd_epi32(c, a, b);
#else
    asm("vpdpwssd %2,%1,%0" : "+v"(c) : "v"(a), "v"(b));  // GCC 12 spills with the intrinsic
    return c;
#endif
}

// kQueries rows of pairs, `stride` apart, times two vectors of 16 columns, which lie `next` apart.
template <int stride>
CAESURA_NOINLINE void multiply_pairs(const int32_t* a, const int32_t* b, size_t step, size_t next,
                                     int k, int32_t* c, size_t c_stride) {
    __m512i sums[kQueries][2];
#pragma GCC unroll 12
    for (int i = 0; i < kQueries; ++i) sums[i][0] = sums[i][1] = _mm512_setzero_si512();
    for (; k > 0; --k, b += step, ++a) {
        const __m512i left = _mm512_loadu_si512(b), right = _mm512_loadu_si512(b + next);
#pragma GCC unroll 12
        for (int i = 0; i < kQueries; ++i) {
            const __m512i x = _mm512_set1_epi32(a[i * stride]);
            sums[i][0] = add_pairs(sums[i][0], x, left);
            sums[i][1] = add_pairs(sums[i][1], x, right);
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < kQueries; ++i, c += c_stride) {
        _mm512_storeu_si512(c, sums[i][0]);
        _mm512_storeu_si512(c + 16, sums[i][1]);
    }
}

#elif defined(__AVX2__)
CAESURA_INLINE __m256i add_pairs(__m256i c, __m256i a, __m256i b) {
#if defined(__AVXVNNI__)
    asm("%{vex%} vpdpwssd %2,%1,%0" : "+x"(c) : "x"(a), "x"(b));
    return c;
#else
    return _mm256_add_epi32(c, _mm256_madd_epi16(a, b));
#endif
}

template <int stride>
CAESURA_NOINLINE void multiply_pairs(const int32_t* rows, const int32_t* columns, size_t step,
                                     size_t next, int count, int32_t* c, size_t c_stride) {
    constexpr int rows_at_once = 4;  // with 6, GCC 12 spills
    for (int first = 0; first < kQueries; first += rows_at_once)
        for (int n = 0; n < 2; ++n) {
            __m256i sums[rows_at_once][2];
#pragma GCC unroll 6
            for (int i = 0; i < rows_at_once; ++i) sums[i][0] = sums[i][1] = _mm256_setzero_si256();
            const int32_t *a = rows + first * stride, *b = columns + n * next;
            for (int k = count; k > 0; --k, ++a, b += step) {
                const __m256i left = _mm256_loadu_si256((const __m256i*)b);
                const __m256i right = _mm256_loadu_si256((const __m256i*)b + 1);
#pragma GCC unroll 6
                for (int i = 0; i < rows_at_once; ++i) {
                    const __m256i x = _mm256_set1_epi32(a[i * stride]);
                    sums[i][0] = add_pairs(sums[i][0], x, left);
                    sums[i][1] = add_pairs(sums[i][1], x, right);
                }
            }
#pragma GCC unroll 6
            for (int i = 0; i < rows_at_once; ++i) {
                int32_t* to = c + static_cast<size_t>(first + i) * c_stride + 16 * n;
                _mm256_storeu_si256((__m256i*)to, sums[i][0]);
                _mm256_storeu_si256((__m256i*)to + 1, sums[i][1]);
            }
        }
}

#else
template <int stride>
CAESURA_NOINLINE void multiply_pairs(const int32_t* rows, const int32_t* columns, size_t step,
                                     size_t next, int count, int32_t* c, size_t c_stride) {
    for (int i = 0; i < kQueries; ++i, rows += stride, c += c_stride)
        for (int n = 0; n < 2; ++n) {
            Ints sums = splat(0);
            const int32_t* b = columns + n * next;
            for (int k = 0; k < count; ++k, b += step) {
#ifdef __aarch64__
                const int16x8_t own = vreinterpretq_s16_s32(vdupq_n_s32(rows[k]));
#else
                const __m128i x = _mm_set1_epi32(rows[k]);
#endif
                for (int j = 0; j < 4; ++j) {
#ifdef __aarch64__
                    const int16x8_t pairs = vreinterpretq_s16_s32(vld1q_s32(b + 4 * j));
                    const int32x4_t low = vmull_s16(vget_low_s16(pairs), vget_low_s16(own));
                    const int32x4_t high = vmull_s16(vget_high_s16(pairs), vget_high_s16(own));
                    sums.part[j] = vaddq_s32(sums.part[j], vpaddq_s32(low, high));
#else
                    sums.part[j] += (I)_mm_madd_epi16(
                        x, _mm_loadu_si128((const __m128i*)(b + 4 * j)));
#endif
                }
            }
            store(c + 16 * n, sums);
        }
}
#endif

CAESURA_INLINE Ints paired(const Ints& low, const Ints& high) {
    return (low & splat(0xFFFF)) | shift_left<16>(high);
}

// The largest absolute value, not 0.
CAESURA_INLINE float reach(const float* x, size_t n) {
    Floats most = splat(0.0f);
    for (size_t i = 0; i < n; i += 16) most = max(most, absolute(load(x + i)));
    return largest(most) + 1e-20f;
}

// Queries, keys and values become 16-bit integers, and so do the shares of attention: sums of 32
// bits are exact. The scale of queries and keys is such that `size` products cannot overflow.
template <int size>
CAESURA_NOINLINE void attend_to(const Attention& a) {
    constexpr int pairs = size / 2;
    constexpr float top = size <= 32 ? 8191.0f : size <= 64 ? 5791.0f : 4095.0f;
    const int length = a.length, blocks = (length + 15) / 16 * 16;
    const size_t all = static_cast<size_t>(length) * size;
    const size_t wide = static_cast<size_t>(length + 31) / 32 * 32 + 16;
    const float most_query = reach(a.query, all), most_key = reach(a.key, all);
    const float most_value = reach(a.value, all);
    const Floats query = splat(top / most_query), key = splat(top / most_key);
    for (int t = 0; t < length; ++t) {
        const float *q = a.query + t * size, *k = a.key + t * size;
        int32_t* column = a.keys + static_cast<size_t>(t / 16) * 16 * pairs + t % 16;
        for (int p = 0; p < pairs; p += 16) {  // number p goes with number p + pairs
            store(a.queries + t * pairs + p,
                  paired(round(load(q + p) * query), round(load(q + p + pairs) * query)));
            alignas(64) int32_t held[16];
            store(held, paired(round(load(k + p) * key), round(load(k + p + pairs) * key)));
            for (int i = 0; i < 16; ++i) column[(p + i) * 16] = held[i];
        }
    }
    const Floats value = splat(32767.0f / most_value);
    for (int t = 0; t < length; t += 2)
        for (int i = 0; i < size; i += 16) {
            const float* v = a.value + t * size + i;
            const Ints next = t + 1 < length ? round(load(v + size) * value) : splat(0);
            store(a.values + t / 2 * size + i, paired(round(load(v) * value), next));
        }
    constexpr float log2e = 1.44269504f;
    const float factor = most_query * most_key / (top * top) * a.factor;
    const Floats factors = splat(a.distance != nullptr ? factor : factor * log2e);
    const Floats result = splat(most_value / (32767.0f * 32767.0f));
    // Keys behind the last are left out.
    alignas(64) int32_t inside[16], outside[16];
    for (int i = 0; i < 16; ++i) {
        inside[i] = blocks - 16 + i < length ? -1 : 0;
        outside[i] = inside[i] ? 0 : INT32_MIN;
    }
    const Ints kept = load(inside), lowest = load(outside);
    const int last = blocks - 16;
    alignas(64) int32_t sums[kQueries * size];
    for (int t = 0; t < length; t += kQueries) {
        const int rows = length - t < kQueries ? length - t : kQueries;
        for (int n = 0; n < length; n += 32)
            multiply_pairs<pairs>(a.queries + t * pairs, a.keys + n * pairs, 16, 16 * pairs, pairs,
                                  a.points + n, wide);
        for (int i = 0; i < rows; ++i) {
            int32_t* points = a.points + static_cast<size_t>(i) * wide;
            float* powers = reinterpret_cast<float*>(points);
            int16_t* shares = a.shares + static_cast<size_t>(i) * kLongest;
            Floats total = splat(0.0f);
            store(points + last, (load(points + last) & kept) | lowest);
            if (a.distance == nullptr) {
                Ints most = load(points + last);
                for (int n = 0; n < last; n += 16) most = max(most, load(points + n));
                const Floats base = splat(-largest(to_float(most) * factors));
                for (int n = 0; n < blocks; n += 16) {
                    Floats y = power_of_two(fma(to_float(load(points + n)), factors, base));
                    if (n == last) y = floats(bits(y) & kept);
                    store(powers + n, y);
                    total = total + y;
                }
            } else {
                const float* distance = a.distance - (t + i);
                Floats most = splat(-1e30f);
                for (int n = 0; n < blocks; n += 16) {
                    const Floats y = fma(to_float(load(points + n)), factors, load(distance + n));
                    store(powers + n, y);
                    most = max(most, y);
                }
                const Floats log = splat(log2e), base = splat(-largest(most) * log2e);
                for (int n = 0; n < blocks; n += 16) {
                    Floats y = power_of_two(fma(load(powers + n), log, base));
                    if (n == last) y = floats(bits(y) & kept);
                    store(powers + n, y);
                    total = total + y;
                }
            }
            const Floats scale = splat(32767.0f / sum(total));
            for (int n = 0; n < blocks; n += 16)
                store16(shares + n, round(load(powers + n) * scale));
        }
        for (int i = 0; i < size; i += 32)
            multiply_pairs<kLongest / 2>(reinterpret_cast<const int32_t*>(a.shares), a.values + i,
                                         size, 16, (length + 1) / 2, sums + i, size);
        for (int i = 0; i < rows; ++i) {
            float* out = at(a.out, t + i, a.stride);
            for (int k = 0; k < size; k += 16)
                store(out + k, to_float(load(sums + i * size + k)) * result);
        }
    }
}

void attend(const Attention& a) {
    if (a.size == 32)
        attend_to<32>(a);
    else if (a.size == 64)
        attend_to<64>(a);
    else
        attend_to<128>(a);
}

// ------------------------------------------------------------------ arcs

void cross(const float* left, int n, const float* right, int m, int size, float* out, int stride) {
    constexpr int tile = kParts == 1 ? 8 : 4;
    for (int i = 0; i < n; i += tile)
        for (int j = 0; j < m; j += 16) {
            Floats sums[tile];
#pragma GCC unroll 8
            for (int r = 0; r < tile; ++r) sums[r] = splat(0.0f);
            const float *rows = at(left, i, size), *columns = at(right, j, size);
            for (int k = 0; k < size; ++k) {
                const Floats x = load(columns + 16 * k);
#pragma GCC unroll 8
                for (int r = 0; r < tile; ++r)
                    sums[r] = fma(splat(at(rows, r, size)[k]), x, sums[r]);
            }
            const int end = n - i < tile ? n - i : tile, count = m - j < 16 ? m - j : 16;
            alignas(64) float held[tile * 16];
            for (int r = 0; r < tile; ++r) store(held + 16 * r, sums[r]);
            for (int r = 0; r < end; ++r)
                memcpy(at(out, i + r, stride) + j, held + 16 * r,
                       static_cast<size_t>(count) * sizeof(float));
        }
}

constexpr Kernels kernels(const char* name) {
    return {name,       kGroup,     normalise_rows, round_rows, store_rows, add_rows,
            activate_rows, split_rows, compare_rows,   attend,     cross};
}

}  // namespace
}  // namespace caesura::network

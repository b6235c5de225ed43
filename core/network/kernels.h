// Plain data that the code of every instruction set shares. It has no functions: a function that is
// compiled in two files with different flags would exist once, with the flags of either.
#pragma once

#include <cstdint>

namespace caesura::network {

// Widths are padded with zeros to multiples of this.
constexpr int kPanel = 64;
// Rows that a product may read beyond the last; rows are allocated accordingly.
constexpr int kSpareRows = 64;
// Sub-words of a window at most, with those of both ends.
constexpr int kLongest = 1056;
// Queries that are attended together.
constexpr int kQueries = 12;

// A matrix of 8-bit weights with one scale for each column, packed as
// [out / 16][in / group][16][group].
struct Product {
    int in = 0, out = 0;
    std::int8_t* weight = nullptr;
    std::int32_t* sum = nullptr;  // of each column
    float* scale = nullptr;
    float* bias = nullptr;
    float* offset = nullptr;         // sum times scale
    const float* factor = nullptr;  // what its input is multiplied by, or null
};

struct Norm {
    const float *weight, *bias;
    int size, width;  // without and with padding
    float eps;
};

// Rows as unsigned 8-bit numbers (held in 8 or 16 bits), with a scale and a zero for each row.
struct Rows {
    void* values;
    float* scale;
    std::int32_t* zero;
};

// One head of one window. Queries, keys and values are [length][size].
struct Attention {
    const float *query, *key, *value;
    int length, size;
    float factor;           // of the scores: 1 / sqrt(size without padding)
    const float* distance;  // what is added by the distance of the key from the query, or null
    float* out;
    int stride;
    // Work space.
    std::int32_t *queries, *keys, *values, *points;
    std::int16_t* shares;
};

struct Kernels {
    const char* name;
    int group;
    // Normalises rows, adds them times `part` to the mixture (unless it is null), and rounds them
    // (times `factor`, unless it is null).
    void (*normalise)(const Norm&, float* rows, int n, float* mixture, float part,
                      const float* factor, const Rows& out);
    void (*round)(const float* rows, int n, int stride, int width, const float* factor,
                  const Rows& out);
    // The product of n rows, stored, of which `width` columns are kept.
    void (*store)(const Product&, const Rows&, int n, float* out, int stride, int width);
    // Added to what is there.
    void (*add)(const Product&, const Rows&, int n, float* out, int stride);
    // GELU of it, times `factor` unless that is null.
    void (*activate)(const Product&, const Rows&, int n, float* out, int stride,
                     const float* factor);
    // Columns from `first` on for some heads: as [query, key, value][head][row][size].
    void (*split)(const Product&, const Rows&, int n, int first, int heads, int size, float* out);
    // Columns of `stride` for each label, times those of other[row], summed into out[row][label].
    void (*compare)(const Product&, const Rows&, int n, const float* other, int stride, float* out,
                    int labels);
    void (*attend)(const Attention&);
    // out[i][j]: row i of `left` times row j of `right`, which is [rows / 16][size][16].
    void (*cross)(const float* left, int n, const float* right, int m, int size, float* out,
                  int stride);
};

extern const Kernels kernels_portable;
extern const Kernels kernels_avx2;
extern const Kernels kernels_avxvnni;
extern const Kernels kernels_vnni;
extern const Kernels kernels_amx;
extern const Kernels kernels_dotprod;
extern const Kernels kernels_i8mm;

// Those of the best instruction set that may be used.
const Kernels& best_kernels();

}  // namespace caesura::network

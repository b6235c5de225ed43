// The arrays of a network as the inner loops need them: checked, padded and packed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/view.h"
#include "network/kernels.h"
#include "network/memory.h"

namespace caesura::network {

// An array of a model file.
struct ModelArray {
    enum class Type { kFloat, kInt8, kUint8, kOther };
    Type type;
    const void* data;
    std::vector<Long> shape;
};
using ModelArrays = std::map<std::string, ModelArray>;

// The vectors of sub-words: floats, 8 bits with a scale for each row, or 4 bits with a scale for
// each block of a row (the low halves of its bytes are the first half of the row).
class Embedding {
   public:
    Embedding() = default;
    Embedding(Arena& arena, const ModelArray& table, const ModelArray* scale, int width);

    int rows() const { return rows_; }
    void write(std::int32_t row, float* out) const;

   private:
    int rows_ = 0, width_ = 0, block_ = 0;
    const float* floats_ = nullptr;
    const std::int8_t* bytes_ = nullptr;
    const std::uint8_t* halves_ = nullptr;
    const float* scale_ = nullptr;
};

struct Layer {
    Product qkv, out, inner, outer;
    Norm middle, end;
    float part;  // of the mixture
};

// A table of vectors, with padding.
struct Table {
    const float* values;
    int rows, width;
    const float* operator[](Long row) const {
        return values + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
    }
};

// Sizes are those of the model; widths include padding.
struct Weights {
    // Throws DamagedModel if an array is missing, unknown, or does not fit the others.
    Weights(const ModelArrays& arrays, int heads, float eps, int group);

    Arena arena;
    int hidden = 0, width = 0, inner_width = 0;
    int head_width = 0, together = 0, groups = 0;  // attention heads, so many of which at once
    float attention_factor = 0;
    Embedding pieces;
    Table position{};
    std::vector<Table> features;
    Table manner{nullptr, 0, 0};
    Norm norm{};
    const float* distance = nullptr;  // [head][2 * positions - 1]
    std::vector<Layer> layers;
    const float* root = nullptr;
    // Side by side: start, tags, arcs of dependents and heads, labels of dependents and heads.
    Product first, tags, arc;
    int tag_width = 0, arc_width = 0, label_width = 0, label_size = 0, tag_columns = 0;
    const float* start_weight = nullptr;
    float start_bias = 0;
};

inline int padded(Long size) {
    return static_cast<int>((size + kPanel - 1) / kPanel * kPanel);
}

// A product without weights; `fill` adds columns to it.
Product new_product(Arena& arena, int in, int out);

// 8-bit weights as [in][out], with scales and biases of the columns.
struct Source {
    const std::int8_t* weight;
    const float *scale, *bias;
    int in, out;
};

// Writes columns from `at` on: those of the source with these numbers, or none (-1), likewise rows.
void fill(Product& product, int group, int at, const Source& source, const std::vector<int>& rows,
          const std::vector<int>& columns);

// 0, 1, .. size - 1, then -1 up to the width.
std::vector<int> numbered(int size, int width);

}  // namespace caesura::network

#include "network/weights.h"

#include <cmath>
#include <set>

#include "base/errors.h"

namespace caesura::network {
namespace {

using Type = ModelArray::Type;
using Shape = std::vector<Long>;

constexpr Long most_size = 1 << 16;
constexpr Long most_rows = 1 << 24;

[[noreturn]] void refuse(const std::string& name) {
    throw DamagedModel("its network has an array that does not fit: " + name);
}

std::size_t count(const ModelArray& array) {
    std::size_t n = 1;
    for (const Long size : array.shape) n *= static_cast<std::size_t>(size);
    return n;
}

const float* finite(const ModelArray& array, const std::string& name) {
    if (array.type != Type::kFloat) refuse(name);
    const float* values = static_cast<const float*>(array.data);
    const std::size_t n = count(array);
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isfinite(values[i])) throw DamagedModel("its network is not finite: " + name);
    return values;
}

// Finds arrays by name and checks them; knows which were used.
class Reader {
   public:
    explicit Reader(const ModelArrays& arrays) : arrays_(arrays) {}

    bool has(const std::string& name) const { return arrays_.contains(name); }

    const ModelArray& get(const std::string& name) {
        const auto found = arrays_.find(name);
        if (found == arrays_.end()) throw DamagedModel("its network lacks an array: " + name);
        used_.insert(name);
        return found->second;
    }

    // The size of one side of an array of so many.
    int size(const std::string& name, std::size_t sides, std::size_t side) {
        const ModelArray& array = get(name);
        if (array.shape.size() != sides || array.shape[side] < 1 ||
            array.shape[side] > (side == 0 && sides == 2 ? most_rows : most_size))
            refuse(name);
        return static_cast<int>(array.shape[side]);
    }

    const float* floats(const std::string& name, const Shape& shape) {
        const ModelArray& array = get(name);
        if (array.shape != shape) refuse(name);
        return finite(array, name);
    }

    Source product(const std::string& name, int in, int out) {
        const ModelArray& weight = get(name + ".weight");
        if (weight.type != Type::kInt8 || weight.shape != Shape{in, out}) refuse(name + ".weight");
        return {static_cast<const std::int8_t*>(weight.data), floats(name + ".scale", {out}),
                floats(name + ".bias", {out}), in, out};
    }

    void check_all_used() const {
        for (const auto& [name, array] : arrays_)
            if (!used_.contains(name))
                throw DamagedModel("its network has an unknown array: " + name);
    }

   private:
    const ModelArrays& arrays_;
    std::set<std::string> used_;
};

// Rows with padding.
const float* copied(Arena& arena, const float* values, int rows, int size, int width) {
    float* found = arena.get<float>(static_cast<std::size_t>(rows) * width);
    for (int row = 0; row < rows; ++row)
        std::memcpy(found + static_cast<std::size_t>(row) * width,
                    values + static_cast<std::size_t>(row) * size, size * sizeof(float));
    return found;
}

class Builder {
   public:
    Builder(Weights& weights, Reader& reader, int group)
        : to_(weights), from_(reader), group_(group) {}

    const float* row(const std::string& name, int size) {
        return copied(to_.arena, from_.floats(name, {size}), 1, size, padded(size));
    }

    Table table(const std::string& name) {
        const int rows = from_.size(name, 2, 0);
        const float* values = from_.floats(name, {rows, to_.hidden});
        return {copied(to_.arena, values, rows, to_.hidden, to_.width), rows, to_.width};
    }

    Norm norm(const std::string& name, float eps) {
        return {row(name + ".weight", to_.hidden), row(name + ".bias", to_.hidden), to_.hidden,
                to_.width, eps};
    }

    Product product(const std::string& name, const std::vector<int>& rows, int in,
                    const std::vector<int>& columns, int out) {
        Product found = new_product(to_.arena, static_cast<int>(rows.size()),
                                    static_cast<int>(columns.size()));
        fill(found, group_, 0, from_.product(name, in, out), rows, columns);
        return found;
    }

    Product product(const std::string& name, int in, int out) {
        return product(name, numbered(in, padded(in)), in, numbered(out, padded(out)), out);
    }

    // What the input of a product is multiplied by, in the order of its rows.
    const float* factor(const std::string& name, const std::vector<int>& rows, int in) {
        if (!from_.has(name + ".factor")) return nullptr;
        const float* values = from_.floats(name + ".factor", {in});
        float* found = to_.arena.get<float>(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (rows[k] >= 0) found[k] = values[rows[k]];
        return found;
    }

   private:
    Weights& to_;
    Reader& from_;
    int group_;
};

// Row or column of the projections that head and place have with padding; -1: padding.
int head_place(int head, int place, int heads, int size) {
    return head < heads && place < size ? head * size + place : -1;
}

}  // namespace

std::vector<int> numbered(int size, int width) {
    std::vector<int> found(static_cast<std::size_t>(width), -1);
    for (int i = 0; i < size; ++i) found[i] = i;
    return found;
}

Product new_product(Arena& arena, int in, int out) {
    Product p;
    p.in = in;
    p.out = out;
    p.weight = arena.get<std::int8_t>(static_cast<std::size_t>(in) * out);
    p.sum = arena.get<std::int32_t>(out);
    p.scale = arena.get<float>(out);
    p.bias = arena.get<float>(out);
    p.offset = arena.get<float>(out);
    return p;
}

void fill(Product& p, int group, int at, const Source& source, const std::vector<int>& rows,
          const std::vector<int>& columns) {
    const std::size_t g = static_cast<std::size_t>(group), in = static_cast<std::size_t>(p.in);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k] < 0) continue;
        const std::int8_t* weight = source.weight + static_cast<std::size_t>(rows[k]) * source.out;
        std::int8_t* to = p.weight + k / g * 16 * g + k % g;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            if (columns[j] < 0) continue;
            const std::size_t n = static_cast<std::size_t>(at) + j;
            to[n / 16 * 16 * in + n % 16 * g] = weight[columns[j]];
            p.sum[n] += weight[columns[j]];
        }
    }
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (columns[j] < 0) continue;
        const std::size_t n = static_cast<std::size_t>(at) + j;
        p.scale[n] = source.scale[columns[j]];
        p.bias[n] = source.bias[columns[j]];
        p.offset[n] = static_cast<float>(p.sum[n]) * p.scale[n];
    }
}

const Product& Selection::of(const Product& product, int group, std::vector<Long> columns) {
    if (columns == columns_ && product_.in != 0) return product_;
    arena_ = Arena();
    columns_ = std::move(columns);
    const std::size_t n = columns_.size(), in = static_cast<std::size_t>(product.in);
    const std::size_t g = static_cast<std::size_t>(group);
    product_ = new_product(arena_, product.in, padded(static_cast<Long>(n)));
    for (std::size_t j = 0; j < n; ++j) {
        const std::size_t c = static_cast<std::size_t>(columns_[j]);
        product_.sum[j] = product.sum[c];
        product_.scale[j] = product.scale[c];
        product_.bias[j] = product.bias[c];
        product_.offset[j] = product.offset[c];
        const std::int8_t* from = product.weight + c / 16 * 16 * in + c % 16 * g;
        std::int8_t* to = product_.weight + j / 16 * 16 * in + j % 16 * g;
        for (std::size_t k = 0; k < in; k += g) std::memcpy(to + k * 16, from + k * 16, g);
    }
    return product_;
}

Embedding::Embedding(Arena& arena, const ModelArray& table, const ModelArray* scale, int width)
    : width_(width) {
    const std::string name = "encoder.pieces.weight";
    if (table.shape.size() != 2 || table.shape[0] < 1 || table.shape[0] > most_rows) refuse(name);
    rows_ = static_cast<int>(table.shape[0]);
    const std::size_t n = count(table);
    if ((table.type == Type::kFloat) != (scale == nullptr)) refuse("encoder.pieces.scale");
    if (table.shape[1] != (table.type == Type::kUint8 ? width / 2 : width) ||
        (table.type == Type::kUint8 && width % 2 != 0))
        refuse(name);
    const auto scales = [&](const Shape& shape) {
        if (scale->shape != shape) refuse("encoder.pieces.scale");
        return copied(arena, finite(*scale, "encoder.pieces.scale"), 1,
                      static_cast<int>(count(*scale)), static_cast<int>(count(*scale)));
    };
    if (table.type == Type::kFloat) {
        finite(table, name);
        float* values = arena.get<float>(n);
        std::memcpy(values, table.data, n * sizeof(float));
        floats_ = values;
    } else if (table.type == Type::kInt8) {
        std::int8_t* values = arena.get<std::int8_t>(n);
        std::memcpy(values, table.data, n);
        bytes_ = values;
        scale_ = scales({rows_});
    } else if (table.type == Type::kUint8) {
        std::uint8_t* values = arena.get<std::uint8_t>(n);
        std::memcpy(values, table.data, n);
        halves_ = values;
        if (scale->shape.size() != 2 || scale->shape[1] < 1 || width % scale->shape[1] != 0)
            refuse("encoder.pieces.scale");
        block_ = static_cast<int>(width / scale->shape[1]);
        scale_ = scales({rows_, scale->shape[1]});
    } else {
        refuse(name);
    }
}

void Embedding::write(std::int32_t row, float* out) const {
    const std::size_t at = static_cast<std::size_t>(row), width = static_cast<std::size_t>(width_);
    if (floats_ != nullptr) {
        std::memcpy(out, floats_ + at * width, width * sizeof(float));
    } else if (bytes_ != nullptr) {
        for (std::size_t k = 0; k < width; ++k)
            out[k] = static_cast<float>(bytes_[at * width + k]) * scale_[at];
    } else {
        const std::size_t half = width / 2, block = static_cast<std::size_t>(block_);
        const std::uint8_t* from = halves_ + at * half;
        const float* scale = scale_ + at * (width / block);
        for (std::size_t k = 0; k < half; ++k) {
            out[k] = static_cast<float>((from[k] & 15) - 8) * scale[k / block];
            out[k + half] = static_cast<float>((from[k] >> 4) - 8) * scale[(k + half) / block];
        }
    }
}

Weights::Weights(const ModelArrays& arrays, int heads, float eps, int group) {
    Reader reader(arrays);
    Builder build(*this, reader, group);
    if (!(eps >= 0.0f && eps < 1.0f)) throw DamagedModel("its network has no small eps");
    hidden = reader.size("root", 1, 0);
    width = padded(hidden);
    const int head_size = heads > 0 && hidden % heads == 0 ? hidden / heads : 0;
    if (head_size < 1 || head_size > 128)
        throw DamagedModel("its network cannot have so many attention heads");
    head_width = head_size <= 32 ? 32 : head_size <= 64 ? 64 : 128;
    together = head_width == 32 ? 2 : 1;
    groups = (heads + together - 1) / together;
    attention_factor = 1.0f / std::sqrt(static_cast<float>(head_size));

    const std::string scale = "encoder.pieces.scale";
    pieces = Embedding(arena, reader.get("encoder.pieces.weight"),
                       reader.has(scale) ? &reader.get(scale) : nullptr, hidden);
    position = build.table("encoder.position.weight");
    norm = build.norm("encoder.norm", eps);
    for (int n = 0; reader.has("features." + std::to_string(n) + ".weight"); ++n)
        features.push_back(build.table("features." + std::to_string(n) + ".weight"));
    if (reader.has("manner.weight")) {
        if (features.empty()) refuse("manner.weight");
        manner = build.table("manner.weight");
    }
    if (reader.has("encoder.distance")) {
        const int distances = 2 * position.rows - 1;
        const float* values = reader.floats("encoder.distance", {heads, distances});
        // Heads that are padding have distances too.
        const int rows = groups * together;
        float* own = arena.get<float>(static_cast<std::size_t>(rows) * distances);
        std::memcpy(own, values, static_cast<std::size_t>(heads) * distances * sizeof(float));
        distance = own;
    }

    // Columns of heads that are attended together lie side by side, as [query, key, value].
    std::vector<int> split, joined;
    for (int g = 0; g < groups; ++g)
        for (int part = 0; part < 3; ++part)
            for (int i = 0; i < together * head_width; ++i) {
                const int place = head_place(g * together + i / head_width, i % head_width, heads,
                                             head_size);
                split.push_back(place < 0 ? -1 : part * hidden + place);
                if (part == 0) joined.push_back(place);
            }
    const int inner = reader.size("encoder.layers.0.ff1.bias", 1, 0);
    inner_width = padded(inner);
    const std::vector<int> own = numbered(hidden, width), wide = numbered(inner, inner_width);
    const int n_layers = reader.size("mixture", 1, 0);
    const float* parts = reader.floats("mixture", {n_layers});
    for (int n = 0; n < n_layers; ++n) {
        const std::string name = "encoder.layers." + std::to_string(n) + ".";
        Layer layer;
        layer.qkv = build.product(name + "qkv", own, hidden, split, 3 * hidden);
        layer.out = build.product(name + "out", joined, hidden, own, hidden);
        layer.out.factor = build.factor(name + "out", joined, hidden);
        layer.inner = build.product(name + "ff1", own, hidden, wide, inner);
        layer.inner.factor = build.factor(name + "ff1", own, hidden);
        layer.outer = build.product(name + "ff2", wide, inner, own, hidden);
        layer.outer.factor = build.factor(name + "ff2", wide, inner);
        layer.middle = build.norm(name + "norm1", eps);
        layer.end = build.norm(name + "norm2", eps);
        layer.part = parts[n];
        layers.push_back(layer);
    }

    root = build.row("root", hidden);
    const int tag = reader.size("tags.linear.bias", 1, 0);
    const int arcs = reader.size("arc.bias", 1, 0);
    label_size = reader.size("label_dep.linear.bias", 1, 0);
    tag_columns = reader.size("tags.bias", 1, 0);
    tag_width = padded(tag);
    arc_width = padded(arcs);
    label_width = padded(label_size);
    start_weight = build.row("start.1.weight", tag);
    start_bias = *reader.floats("start.1.bias", {1});
    first = new_product(arena, width, 2 * (tag_width + arc_width + label_width));
    int at = 0;
    for (const auto& [name, size] :
         {std::pair("start.0", tag), std::pair("tags", tag), std::pair("arc_dep", arcs),
          std::pair("arc_head", arcs), std::pair("label_dep", label_size),
          std::pair("label_head", label_size)}) {
        const std::vector<int> columns = numbered(size, padded(size));
        fill(first, group, at, reader.product(std::string(name) + ".linear", hidden, size), own,
             columns);
        at += padded(size);
    }
    tags = build.product("tags", tag, tag_columns);
    arc = build.product("arc", arcs, arcs);
    reader.check_all_used();
}

}  // namespace caesura::network

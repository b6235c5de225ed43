// Computes networks with made-up weights on every instruction set that the processor has, and
// prints the name of each with a hash of all outputs.
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "network/network.h"

// Nothing is cancelled here; the core asks Python.
caesura::Cancel::Cancel() : generation_(0) {}
void caesura::Cancel::poll() {}

using namespace caesura;
using namespace caesura::network;

namespace {

struct Sizes {
    int hidden, inner, heads, bits;
    bool distance;
};

constexpr int kPieces = 60, kPositions = 80, kLayers = 2, kWords = 40, kLabels = 7;

// Numbers between -1 and 1, the same with every compiler.
class Random {
 public:
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<std::uint32_t>(state_ >> 33);
    }
    float number() { return static_cast<float>(next()) / 1073741824.0f - 1.0f; }

 private:
    std::uint64_t state_ = 1;
};

class Arrays {
 public:
    explicit Arrays(const Sizes& sizes) {
        const int h = sizes.hidden;
        if (sizes.bits == 4) {
            values<std::uint8_t>("encoder.pieces.weight", {kPieces, h / 2});
            floats("encoder.pieces.scale", {kPieces, h / 32}, 0.05f, 0.0f);
        } else {
            values<std::int8_t>("encoder.pieces.weight", {kPieces, h});
            floats("encoder.pieces.scale", {kPieces}, 0.01f, 0.0f);
        }
        floats("encoder.position.weight", {kPositions, h}, 0.1f, 0.0f);
        norm("encoder.norm", h);
        for (int i = 0; i < 3; ++i)
            floats("features." + std::to_string(i) + ".weight", {8, h}, 0.1f, 0.0f);
        if (sizes.distance)
            floats("encoder.distance", {sizes.heads, 2 * kPositions - 1}, 1.0f, 0.0f);
        for (int i = 0; i < kLayers; ++i) {
            const std::string name = "encoder.layers." + std::to_string(i);
            product(name + ".qkv", h, 3 * h);
            product(name + ".out", h, h);
            product(name + ".ff1", h, sizes.inner);
            product(name + ".ff2", sizes.inner, h);
            norm(name + ".norm1", h);
            norm(name + ".norm2", h);
        }
        floats("mixture", {kLayers}, 0.2f, 0.5f);
        floats("root", {h}, 0.5f, 0.0f);
        product("start.0.linear", h, 24);
        floats("start.1.weight", {24}, 0.3f, 0.0f);
        floats("start.1.bias", {1}, 0.3f, 0.0f);
        product("tags.linear", h, 24);
        product("tags", 24, 33);
        product("arc_dep.linear", h, 40);
        product("arc_head.linear", h, 40);
        product("arc", 40, 40);
        product("label_dep.linear", h, 12);
        product("label_head.linear", h, 12);
    }

    const ModelArrays& described() const { return described_; }

 private:
    template <class T>
    void values(const std::string& name, std::vector<std::int64_t> shape) {
        std::vector<char>& own = stored_.emplace_back(count(shape));
        for (char& one : own) one = static_cast<char>(random_.next() % 255 - 127);
        const bool is_signed = std::is_signed_v<T>;
        describe(name, is_signed ? ModelArray::Type::kInt8 : ModelArray::Type::kUint8, shape);
    }
    void floats(const std::string& name, std::vector<std::int64_t> shape, float by, float plus) {
        std::vector<char>& own = stored_.emplace_back(count(shape) * sizeof(float));
        for (std::size_t i = 0; i < own.size(); i += sizeof(float)) {
            const float one = random_.number() * by + plus;
            std::memcpy(own.data() + i, &one, sizeof one);
        }
        describe(name, ModelArray::Type::kFloat, shape);
    }
    void product(const std::string& name, int in, int out) {
        values<std::int8_t>(name + ".weight", {in, out});
        floats(name + ".scale", {out}, 0.0005f, 0.001f);
        floats(name + ".bias", {out}, 0.1f, 0.0f);
    }
    void norm(const std::string& name, int size) {
        floats(name + ".weight", {size}, 0.2f, 1.0f);
        floats(name + ".bias", {size}, 0.1f, 0.0f);
    }
    static std::size_t count(const std::vector<std::int64_t>& shape) {
        std::size_t n = 1;
        for (const std::int64_t size : shape) n *= static_cast<std::size_t>(size);
        return n;
    }
    void describe(const std::string& name, ModelArray::Type type,
                  const std::vector<std::int64_t>& shape) {
        described_.emplace(name, ModelArray{type, stored_.back().data(), shape});
    }

    Random random_;
    std::deque<std::vector<char>> stored_;
    ModelArrays described_;
};

class Hash {
 public:
    template <class T>
    void add(const std::vector<T>& values) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
        for (std::size_t i = 0; i < values.size() * sizeof(T); ++i)
            value_ = (value_ ^ bytes[i]) * 0x100000001B3ull;
    }
    unsigned long long value() const { return value_; }

 private:
    unsigned long long value_ = 0xCBF29CE484222325ull;
};

void add_outputs(const Sizes& sizes, Hash& hash, std::string& variant) {
    const Arrays arrays(sizes);
    const Network network(arrays.described(), sizes.heads, 1e-12f);
    variant = network.variant();
    Random random;
    std::vector<std::int32_t> pieces;
    std::vector<std::int64_t> pointer{0}, features;
    for (int word = 0; word < kWords; ++word) {
        for (std::uint32_t i = 0; i <= random.next() % 2; ++i)
            pieces.push_back(static_cast<std::int32_t>(2 + random.next() % (kPieces - 2)));
        pointer.push_back(static_cast<std::int64_t>(pieces.size()));
        for (int i = 0; i < 3; ++i) features.push_back(random.next() % 3);
    }
    const std::vector<Window> windows{{0, 25, 0, 20}, {15, kWords, 20, kWords}};
    const Text text{pieces, pointer, {features.data(), kWords, 3}, 0, 1, kPositions - 2};
    const std::size_t n = kWords, width = 26, tags = 33, size = 12;
    std::vector<float> start(n), tag(n * tags), arcs(n * width), dep(n * size), head(n * size);
    std::vector<float> root(size), labels(n * kLabels);
    std::vector<std::int32_t> base(n), counts(n), heads(n);
    Cancel cancel;
    network.check(text, windows);
    network.scores(text, windows, nullptr,
                   {start, {tag.data(), n, tags}, {arcs.data(), n, width}, base, counts,
                    {dep.data(), n, size}, {head.data(), n, size}, root},
                   cancel);
    std::vector<float> weights((size + 1) * kLabels * (size + 1));
    for (float& one : weights) one = random.number();
    for (std::int32_t& one : heads) one = static_cast<std::int32_t>(random.next() % n) - 1;
    const LabelScorer scorer(weights, size, kLabels);
    scorer.scores({dep.data(), n, size}, {head.data(), n, size}, root, heads, nullptr,
                  {labels.data(), n, kLabels}, cancel);
    hash.add(start);
    hash.add(tag);
    hash.add(arcs);
    hash.add(dep);
    hash.add(head);
    hash.add(root);
    hash.add(labels);
}

}  // namespace

int main() {
    for (const char* name :
         {"portable", "avx2", "avxvnni", "vnni", "amx", "dotprod", "i8mm"}) {
        if (!restrict_cpu(name)) continue;
        Hash hash;
        std::string variant;
        for (const Sizes& sizes : {Sizes{128, 256, 4, 8, false}, Sizes{128, 256, 2, 4, true},
                                   Sizes{72, 100, 3, 8, true}, Sizes{192, 64, 2, 8, false}})
            add_outputs(sizes, hash, variant);
        std::printf("%s %016llx\n", variant.c_str(), hash.value());
    }
}

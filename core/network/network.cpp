#include "network/network.h"

#include <algorithm>
#include <string>

#include "base/cpu.h"
#include "base/errors.h"

namespace caesura::network {
namespace {

// Sub-words of windows that are read together, and rows that go through a feed-forward layer
// together: enough for full tiles, few enough for the caches.
constexpr Long together = 256;
constexpr Long block = 96;

void add_to(float* row, const float* other, int n) {
    for (int k = 0; k < n; ++k) row[k] += other[k];
}

// The first sub-word of a word in its window and the last; a word without any has one of others.
struct Place {
    Long first, last;
};

Place place_of(const Text& text, Long word, Long offset, Long inner) {
    const Long begin = text.pointer[word] - offset, end = text.pointer[word + 1] - offset;
    const Long first = std::min(begin, inner - 1);
    return {first + 1, std::max(std::min(end - 1, inner - 1), first) + 1};
}

}  // namespace

const Kernels& best_kernels() {
    [[maybe_unused]] const Cpu found = cpu();
#if defined(__x86_64__) || defined(_M_X64)
    if (found.amx) return kernels_amx;
    if (found.vnni) return kernels_vnni;
    if (found.avxvnni) return kernels_avxvnni;
    if (found.avx2) return kernels_avx2;
#elif defined(__aarch64__)
    if (found.i8mm) return kernels_i8mm;
    if (found.dotprod) return kernels_dotprod;
#endif
    return kernels_portable;
}

Network::Network(const ModelArrays& arrays, int heads, float eps)
    : kernels_(best_kernels()), weights_(arrays, heads, eps, kernels_.group) {}

void Network::check(const Text& text, View<const Window> windows) const {
    const Weights& w = weights_;
    const Long n = text.words();
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw ArgumentError(what);
    };
    require(n >= 0 && text.pointer[0] == 0 &&
                text.pointer[n] == std::ssize(text.pieces),
            "pointer must begin with 0 and end with the number of pieces");
    for (Long i = 0; i < n; ++i)
        require(text.pointer[i] <= text.pointer[i + 1], "pointer must rise");
    require(text.features.rows() == index(n) && text.features.columns() == w.features.size(),
            "features must have a row for each word and a column for each table");
    require(text.limit >= 1, "limit is below 1");
    Long longest = 0;
    for (const Window& one : windows) {
        require(0 <= one.first && one.first <= one.keep_first && one.keep_first <= one.keep_last &&
                    one.keep_last <= one.last && one.last <= n && one.first < one.last,
                "a window does not lie within the text");
        longest = std::max(longest, text.pointer[one.last] - text.pointer[one.first]);
    }
    if (!windows.empty() && std::min(longest, text.limit) + 2 >
                                std::min<Long>(w.position.rows, kLongest))
        throw DamagedModel("its window is longer than its network can read");
    const auto known = [&](std::int32_t piece) { return piece >= 0 && piece < w.pieces.rows(); };
    if (!known(text.begin) || !known(text.end) ||
        !std::all_of(text.pieces.begin(), text.pieces.end(), known))
        throw DamagedModel("its network does not know all of its sub-words");
    for (Long i = 0; i < n; ++i)
        for (std::size_t j = 0; j < w.features.size(); ++j) {
            const Long value = text.features(i, static_cast<std::ptrdiff_t>(j));
            const bool last = j + 1 == w.features.size() && w.manner.values != nullptr;
            if (value < 0 || value >= w.features[j].rows || (last && value >= w.manner.rows))
                throw DamagedModel("its network does not know a feature of a word");
        }
}

std::vector<Network::Span> Network::spans(const Text& text, View<const Window> windows) const {
    std::vector<Span> found;
    Long row = 0;
    for (const Window& window : windows) {
        const Long offset = text.pointer[window.first];
        const Long inner = std::min(text.pointer[window.last] - offset, text.limit);
        found.push_back({window, offset, inner, row});
        row += inner + 2;
    }
    return found;
}

// Calls use(windows, workspace) with groups of windows that are read together.
template <class Read>
void Network::read(const Text& text, View<const Window> windows, Cancel& cancel, Read&& use) const {
    const auto lease = pool_.borrow();
    const Long n = std::ssize(windows);
    for (Long first = 0, last = 0; first < n; first = last) {
        Long size = 0;
        for (; last < n; ++last) {
            size += text.pointer[windows[last].last] - text.pointer[windows[last].first] + 2;
            if (last > first && size > together) break;
        }
        cancel.poll();
        use(spans(text, windows.slice(first, last)), *lease);
    }
}

// Embeddings of sub-words, of their positions, and of the features of their words.
void Network::embed(const Text& text, const Span& span, float* rows) const {
    const Weights& w = weights_;
    const auto write = [&](Long at, std::int32_t piece) {
        float* row = rows + at * w.width;
        w.pieces.write(piece, row);
        std::fill(row + w.hidden, row + w.width, 0.0f);
        add_to(row, w.position[at], w.hidden);
        return row;
    };
    write(0, text.begin);
    write(span.inner + 1, text.end);
    for (Long word = span.window.first; word < span.window.last; ++word) {
        const Long end = std::min(text.pointer[word + 1] - span.offset, span.inner);
        for (Long i = text.pointer[word] - span.offset; i < end; ++i) {
            float* row = write(i + 1, text.pieces[span.offset + i]);
            for (std::size_t j = 0; j < w.features.size(); ++j)
                add_to(row, w.features[j][text.features(word, static_cast<std::ptrdiff_t>(j))],
                       w.hidden);
        }
    }
}

// Attention of all heads; those whose columns lie together are attended while they are in a cache.
void Network::attend(const Layer& layer, const std::vector<Span>& group, Long n, Rows rows,
                     Workspace& space) const {
    const Weights& w = weights_;
    const int columns = w.together * w.head_width, stride = w.groups * columns;
    Long longest = 0;
    for (const Span& span : group) longest = std::max(longest, span.inner + 2);
    const std::size_t wide = index(longest + 32);
    float* split = space.split.get(index(3 * n * columns));
    float* attended = space.attended.get(index(n * stride));
    Attention a{};
    a.size = w.head_width;
    a.factor = w.attention_factor;
    a.stride = stride;
    a.queries = space.queries.get((wide + kQueries) * index(w.head_width) / 2);
    a.keys = space.keys.get(wide * index(w.head_width) / 2);
    a.values = space.values.get(wide * index(w.head_width) / 2);
    a.points = space.points.get(kQueries * (wide + 16) + 32);
    a.shares = space.shares.get(kQueries * kLongest);
    const Long part = w.together * n * w.head_width;
    for (int g = 0; g < w.groups; ++g) {
        kernels_.split(layer.qkv, rows, static_cast<int>(n), g * 3 * columns, w.together,
                       w.head_width, split);
        for (const Span& span : group)
            for (int h = 0; h < w.together; ++h) {
                const int head = g * w.together + h;
                a.length = static_cast<int>(span.inner + 2);
                a.query = split + (h * n + span.row) * w.head_width;
                a.key = a.query + part;
                a.value = a.key + part;
                a.out = attended + span.row * stride + head * w.head_width;
                if (w.distance != nullptr) {
                    const Long middle = w.position.rows - 1;
                    a.distance = w.distance + head * (2 * middle + 1) + middle;
                }
                kernels_.attend(a);
            }
    }
}

// The rest of a layer, up to its last norm, a block of rows at a time.
void Network::feed(const Layer& layer, Long n, float* states, Workspace& space) const {
    const Weights& w = weights_;
    const int joined = layer.out.in;
    const float* attended = space.attended.data();
    const Rows rows = space.narrow.get(block, index(std::max({joined, w.width, w.inner_width})));
    float* inner = space.inner.get(index(block * w.inner_width));
    for (Long first = 0; first < n; first += block) {
        const int m = static_cast<int>(std::min(block, n - first));
        float* own = states + first * w.width;
        kernels_.round(attended + first * joined, m, joined, joined, layer.out.factor, rows);
        kernels_.add(layer.out, rows, m, own, w.width);
        kernels_.normalise(layer.middle, own, m, nullptr, 0.0f, layer.inner.factor, rows);
        kernels_.activate(layer.inner, rows, m, inner, w.inner_width, layer.outer.factor);
        kernels_.round(inner, m, w.inner_width, w.inner_width, nullptr, rows);
        kernels_.add(layer.outer, rows, m, own, w.width);
    }
}

// The states after some layers, and the mixture of all of them.
void Network::encode(const Text& text, const std::vector<Span>& group, int layers,
                     Workspace& space) const {
    const Weights& w = weights_;
    const Long n = group.back().row + group.back().inner + 2;
    const std::size_t size = index(n * w.width);
    float *states = space.states.get(size), *mixture = space.mixture.get(size);
    std::fill(mixture, mixture + size, 0.0f);
    for (const Span& span : group) embed(text, span, states + span.row * w.width);
    const Rows rows = space.wide.get(index(n), index(w.width));
    const int count = static_cast<int>(n);
    kernels_.normalise(w.norm, states, count, nullptr, 0.0f, nullptr, rows);
    for (int i = 0; i < layers; ++i) {
        const Layer& layer = w.layers[index(i)];
        attend(layer, group, n, rows, space);
        feed(layer, n, states, space);
        kernels_.normalise(layer.end, states, count, mixture, layer.part, nullptr, rows);
    }
}

// Vectors of the root and of the words of a window: the means of their sub-words. Then what all
// heads make of them.
void Network::pool(const Text& text, const Span& span, Workspace& space) const {
    const Weights& w = weights_;
    const Long n = span.window.last - span.window.first;
    float* words = space.words.get(index((n + 1) * w.width));
    std::copy_n(w.root, w.width, words);
    for (Long i = 0; i < n; ++i) {
        const Long word = span.window.first + i;
        const Place place = place_of(text, word, span.offset, span.inner);
        float* row = words + (i + 1) * w.width;
        const float* from = space.mixture.data() + (span.row + place.first) * w.width;
        std::copy_n(from, w.width, row);
        for (Long t = place.first + 1; t <= place.last; ++t)
            add_to(row, from += w.width, w.width);
        if (place.last > place.first) {
            const float share = 1.0f / static_cast<float>(place.last - place.first + 1);
            for (int k = 0; k < w.width; ++k) row[k] *= share;
        }
        if (w.manner.values != nullptr) {
            const auto last = static_cast<std::ptrdiff_t>(w.features.size()) - 1;
            add_to(row, w.manner[text.features(word, last)], w.width);
        }
    }
}

float Network::start_of(const float* vectors) const {
    float lanes[16] = {};
    for (int k = 0; k < weights_.tag_width; k += 16)
        for (int i = 0; i < 16; ++i) lanes[i] += vectors[k + i] * weights_.start_weight[k + i];
    for (int n = 8; n > 0; n /= 2)
        for (int i = 0; i < n; ++i) lanes[i] += lanes[i + n];
    return lanes[0] + weights_.start_bias;
}

void Network::score_tags(const Product& tags, const Span& span, const Scores& out,
                         Workspace& space) const {
    const Weights& w = weights_;
    const Window& window = span.window;
    const int n = static_cast<int>(window.keep_last - window.keep_first), stride = w.first.out;
    const float* vectors =
        space.heads.data() + (window.keep_first - window.first + 1) * stride + w.tag_width;
    const Rows rows = space.narrow.get(index(n), index(w.tag_width));
    kernels_.round(vectors, n, stride, w.tag_width, nullptr, rows);
    const int columns = static_cast<int>(out.tags.columns());
    kernels_.store(tags, rows, n, out.tags.data() + window.keep_first * columns, columns, columns);
}

void Network::score_arcs(const Span& span, const Scores& out, Workspace& space) const {
    const Weights& w = weights_;
    const Window& window = span.window;
    const int n = static_cast<int>(window.keep_last - window.keep_first), stride = w.first.out;
    const int heads = static_cast<int>(window.last - window.first) + 1;
    const float* vectors = space.heads.data() + (window.keep_first - window.first + 1) * stride;
    const int dependent = 2 * w.tag_width, head = dependent + w.arc_width;
    const Rows rows = space.narrow.get(index(n), index(w.arc_width));
    kernels_.round(vectors + dependent, n, stride, w.arc_width, nullptr, rows);
    float* left = space.dependents.get(index((n + 8) * w.arc_width));
    kernels_.store(w.arc, rows, n, left, w.arc_width, w.arc_width);
    // Sixteen heads side by side.
    float* right = space.turned.get(index((heads + 31) / 32 * 32 * w.arc_width));
    for (int j = 0; j < heads; ++j) {
        const float* from = space.heads.data() + index(j) * index(stride) + head;
        float* to = right + index(j / 16) * 16 * index(w.arc_width) + j % 16;
        for (int k = 0; k < w.arc_width; ++k) to[k * 16] = from[k];
    }
    const int columns = static_cast<int>(out.arcs.columns());
    kernels_.cross(left, n, right, heads, w.arc_width,
                   out.arcs.data() + window.keep_first * columns, columns);
    const int label = head + w.arc_width;
    for (Long word = window.keep_first; word < window.keep_last; ++word) {
        const float* own = vectors + (word - window.keep_first) * stride;
        out.start[word] = start_of(own);
        out.base[word] = static_cast<std::int32_t>(window.first);
        out.sizes[word] = heads;
        std::copy_n(own + label, w.label_size, out.label_dep[word].data());
        std::copy_n(own + label + w.label_width, w.label_size, out.label_head[word].data());
    }
    std::copy_n(space.heads.data() + label + w.label_width, w.label_size, out.label_root.data());
}

void Network::scores(const Text& text, View<const Window> windows, const std::vector<Long>* columns,
                     const Scores& out, Cancel& cancel) const {
    const Weights& w = weights_;
    read(text, windows, cancel, [&](const std::vector<Span>& group, Workspace& space) {
        const Product& tags =
            columns == nullptr ? w.tags : space.tags.of(w.tags, kernels_.group, *columns);
        encode(text, group, static_cast<int>(w.layers.size()), space);
        for (const Span& span : group) {
            pool(text, span, space);
            const int n = static_cast<int>(span.window.last - span.window.first) + 1;
            const Rows rows = space.narrow.get(index(n), index(w.width));
            kernels_.round(space.words.data(), n, w.width, w.width, nullptr, rows);
            float* heads = space.heads.get(index(n) * index(w.first.out));
            kernels_.activate(w.first, rows, n, heads, w.first.out, nullptr);
            if (span.window.keep_first == span.window.keep_last) continue;
            score_tags(tags, span, out, space);
            score_arcs(span, out, space);
        }
    });
}

void Network::starts(const Text& text, View<const Window> windows, View<float> out,
                     Cancel& cancel) const {
    const Weights& w = weights_;
    Product start = w.first;  // its first columns
    start.out = w.tag_width;
    read(text, windows, cancel, [&](const std::vector<Span>& group, Workspace& space) {
        encode(text, group, static_cast<int>(w.layers.size()), space);
        for (const Span& span : group) {
            pool(text, span, space);
            const Window& window = span.window;
            const int n = static_cast<int>(window.keep_last - window.keep_first);
            const Rows rows = space.narrow.get(index(n), index(w.width));
            kernels_.round(space.words.data() + (window.keep_first - window.first + 1) * w.width, n,
                           w.width, w.width, nullptr, rows);
            float* heads = space.heads.get(index(n) * index(w.tag_width));
            kernels_.activate(start, rows, n, heads, w.tag_width, nullptr);
            for (int i = 0; i < n; ++i)
                out[window.keep_first + i] = start_of(heads + index(i) * index(w.tag_width));
        }
    });
}

void Network::states(const Text& text, int layers, Matrix<float> out, Cancel& cancel) const {
    const Weights& w = weights_;
    const Long n = text.words();
    if (layers < 0 || layers > static_cast<int>(w.layers.size()))
        throw DamagedModel("its network has no such layer");
    if (n == 0) return;
    const Window all{0, n, 0, n};
    read(text, View<const Window>(&all, 1), cancel,
         [&](const std::vector<Span>& group, Workspace& space) {
             encode(text, group, layers, space);
             for (Long i = 0; i < n; ++i) {
                 const Place place = place_of(text, i, 0, group[0].inner);
                 std::copy_n(space.states.data() + place.first * w.width, w.hidden, out[i].data());
             }
         });
}

}  // namespace caesura::network

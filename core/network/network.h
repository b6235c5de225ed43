// The network: an encoder of sub-words, words pooled from them, and a head for each decision. Words
// are read in windows, without padding. Calls do not change a network, so threads may share one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "base/pool.h"
#include "base/view.h"
#include "network/memory.h"
#include "network/weights.h"

namespace caesura::network {

// Words as sub-words: those of word w are pieces[pointer[w]] to pieces[pointer[w + 1] - 1].
struct Text {
    Ints pieces;
    Longs pointer;
    Matrix<const Long> features;  // of each word
    std::int32_t begin, end;              // the sub-words at both ends of a window
    Long limit;                   // sub-words of a window at most; the rest is cut off

    Long words() const { return std::ssize(pointer) - 1; }
};

// Words first..last-1 are read; the scores of keep_first..keep_last-1 are used.
struct Window {
    Long first, last, keep_first, keep_last;
};

// Rows of words. Heads of word d are base[d] + j - 1 for j = 1 .. sizes[d] - 1; j = 0 is the root.
struct Scores {
    View<float> start;
    Matrix<float> tags, arcs;
    View<std::int32_t> base, sizes;
    Matrix<float> label_dep, label_head;
    View<float> label_root;
};

class Network {
   public:
    // Throws DamagedModel if the arrays do not fit together.
    Network(const ModelArrays& arrays, int heads, float eps);

    const Weights& sizes() const { return weights_; }
    const char* variant() const { return kernels_.name; }

    // Throws ArgumentError for a text or windows that do not fit together, and DamagedModel for
    // sub-words, features or windows that the network cannot read.
    void check(const Text& text, View<const Window> windows) const;

    // The scores of the words that the windows keep. `columns` are the tags that are wanted, unless
    // it is null. What no window keeps is not changed.
    void scores(const Text& text, View<const Window> windows,
                const std::vector<Long>* columns, const Scores& out, Cancel& cancel) const;

    // The scores of starts alone.
    void starts(const Text& text, View<const Window> windows, View<float> out,
                Cancel& cancel) const;

    // The vector that the first sub-word of each word has after some layers; one window.
    void states(const Text& text, int layers, Matrix<float> out, Cancel& cancel) const;

   private:
    // What one call needs; kept for the next one.
    struct Workspace {
        Buffer<float> states, mixture, split, attended, inner, words, heads, dependents, turned;
        RowBuffer wide, narrow;
        Buffer<std::int32_t> queries, keys, values, points;
        Buffer<std::int16_t> shares;
        Selection tags;
    };
    // Sub-words of a window, and its place among those that are read together.
    struct Span {
        Window window;
        Long offset;  // of its first sub-word in the text
        Long inner;   // sub-words without those of both ends
        Long row;     // of the first vector
    };

    template <class Read>
    void read(const Text& text, View<const Window> windows, Cancel& cancel, Read&& use) const;
    std::vector<Span> spans(const Text& text, View<const Window> windows) const;
    void embed(const Text& text, const Span& span, float* rows) const;
    void encode(const Text& text, const std::vector<Span>& group, int layers,
                Workspace& space) const;
    void attend(const Layer& layer, const std::vector<Span>& group, Long n, Rows rows,
                Workspace& space) const;
    void feed(const Layer& layer, Long n, float* states, Workspace& space) const;
    void pool(const Text& text, const Span& span, Workspace& space) const;
    void score_tags(const Product& tags, const Span& span, const Scores& out,
                    Workspace& space) const;
    void score_arcs(const Span& span, const Scores& out, Workspace& space) const;
    float start_of(const float* vectors) const;

    const Kernels& kernels_;
    Weights weights_;
    mutable Pool<Workspace> pool_;
};

// Label scores of arcs: biaffine in the vectors of the dependent and of its head.
class LabelScorer {
   public:
    // `weights` is [size + 1][labels][size + 1]; the last of both sides is the bias.
    LabelScorer(Floats weights, Long size, Long labels);

    Long size() const { return size_; }
    Long labels() const { return labels_; }

    // The scores of the labels (all, or the chosen ones) for each word and its head (-1: the root).
    void scores(Floats2 dependents, Floats2 heads, Floats root, Ints head,
                const std::vector<Long>* chosen, Matrix<float> out, Cancel& cancel) const;

   private:
    struct Workspace {
        Buffer<float> dependents, heads;
        RowBuffer rows;
        Selection chosen;
    };

    const Kernels& kernels_;
    Long size_, labels_;
    int stride_;  // columns of a label
    Arena arena_;
    Product product_;
    mutable Pool<Workspace> pool_;
};

}  // namespace caesura::network

// Inference over a pruned lattice: a few candidate labels for each word, chains of first or second
// order. Forward-backward and Viterbi (Lafferty, McCallum & Pereira 2001) run over pairs of
// neighbouring candidates, so that a second-order transition sees two labels of history. Pruning
// keeps the labels whose score is within a margin of the word's best (Müller, Schmid & Schütze
// 2013).
#pragma once

#include <cstdint>
#include <memory>

#include "base/view.h"

namespace caesura::tag {

constexpr Long widest = 127;

// Weights of label bigrams and trigrams. Label `classes` stands before the first word of a text,
// label -1 before the first word of a chain whose past is unknown.
template <class T>
struct TransitionTable {
    Matrix<T> pairs;  // classes + 1 rows
    View<T> triples;  // empty: first order

    Long classes() const { return static_cast<Long>(pairs.columns()); }

    // The place of a trigram. A table that is too small for all trigrams is hashed; its size is a
    // power of two.
    Long slot(Long before, Long last, Long label) const {
        const Long n = classes() + 1, size = std::ssize(triples);
        if (n * n * n <= size) return (before * n + last) * n + label;
        const auto mixed = static_cast<Long>(
            (static_cast<std::uint64_t>(before) * 0x9E3779B1ull + static_cast<std::uint64_t>(last)) *
                0x85EBCA77ull +
            static_cast<std::uint64_t>(label));
        return (mixed ^ (mixed >> 17)) & (size - 1);
    }
};
using Transitions = TransitionTable<const float>;

// The weight of a label after two others.
inline double transition(const Transitions& moves, Long before, Long last, Long label) {
    if (last < 0) return 0.0;
    float weight = moves.pairs(last, label);
    if (!moves.triples.empty() && before >= 0)
        weight += moves.triples[moves.slot(before, last, label)];
    return weight;
}

// Room for one chain: the candidates of each word, and the tables of inference over pairs of
// candidates (a at word i - 1, b at word i; at the first word a is 0).
class Lattice {
   public:
    Lattice(Long length, Long width);

    Long length() const { return length_; }
    Long width() const { return width_; }

    // The number of candidates of word i, or 1 for the pseudo-word before the first.
    Long size(Long i) const { return i < 0 ? 1 : sizes_[i]; }
    void set_size(Long i, Long n) { sizes_[i] = static_cast<std::int32_t>(n); }
    // The label of a candidate, or `start` before the first word.
    Long label(Long i, Long k, Long start) const {
        return i < 0 ? start : labels_[i * width_ + k];
    }
    View<std::int32_t> labels(Long i) const { return row(labels_.get(), i); }
    View<double> scores(Long i) const { return row(scores_.get(), i); }
    double& alpha(Long i, Long a, Long b) const {
        return alpha_[(i * width_ + a) * width_ + b];
    }
    double& beta(Long i, Long a, Long b) const {
        return beta_[(i * width_ + a) * width_ + b];
    }
    std::int8_t& back(Long i, Long a, Long b) const {
        return back_[(i * width_ + a) * width_ + b];
    }
    // Moves the words from `first` to `last` to the front, without beta.
    void shift(Long first, Long last);

   private:
    template <class T>
    View<T> row(T* data, Long i) const {
        return {data + i * width_, static_cast<std::size_t>(width_)};
    }

    Long length_, width_;
    // Not initialised, so that rows take memory when they are first written.
    std::unique_ptr<std::int32_t[]> sizes_, labels_;
    std::unique_ptr<double[]> scores_, alpha_, beta_;
    std::unique_ptr<std::int8_t[]> back_;
};

// The largest score.
float highest(Floats scores);

// Fills the candidates of word i: the labels within the margin of the best, best first, ties to the
// lower label, as many as there is room for. `must` is a label that is kept in any case, or -1.
void select(Floats scores, float margin, std::int32_t must, Lattice& lattice, Long i);

// Fills alpha for words 0 to n - 1, and returns the log partition sum. `start` is the label before
// the first word. alpha(i, a, b) is the log sum over all prefixes that end with this pair.
double forward(const Lattice& lattice, Long n, const Transitions& moves, Long start);

// Fills beta: the log sum over all that follows a pair.
void backward(const Lattice& lattice, Long n, const Transitions& moves, Long start);

// Fills alpha of word i with the scores of the best prefixes, and back with the candidates at word
// i - 2 that they come from; ties go to the first.
void extend(const Lattice& lattice, Long i, const Transitions& moves, Long start);

// A pair of candidates at words i - 1 and i.
struct Pair {
    Long a, b;
};
// The pair at the last of n words whose best prefix has the highest score.
Pair best_pair(const Lattice& lattice, Long n);

// Writes the labels of words 0 to `last` of the best path that ends with a pair.
void trace(const Lattice& lattice, Long last, Pair end, View<std::int32_t> path);

}  // namespace caesura::tag

// From sequences to trees: the best one, words without a head, confidences, whole batches.
//
// The transition system may leave words without a head, about which the paper says nothing. They
// become roots, or get the head that was second best as in ClearNLP, or the sentence gets one root
// word and they become its children.
#pragma once

#include <utility>
#include <vector>

#include "parse/branching.h"

namespace caesura::parse::hybrid {

enum class Headless { root, clearnlp, single_root };

// By word: the head (-1: root), the label, the probability of the arc's step, and the share of all
// sequences that agrees.
struct Trees {
    View<std::int32_t> heads, labels;
    View<float> probabilities, shares;

    Trees slice(Long first, Long last) const {
        return {heads.slice(first, last), labels.slice(first, last),
                probabilities.slice(first, last),
                shares.empty() ? shares : shares.slice(first, last)};
    }
};

// The words of a batch: those of sentence k are bounds[k] to bounds[k + 1]. Each sentence has a
// place more, for the root, in what is given.
struct Batch {
    Words all;
    Longs bounds;
    Limits given;

    Long size() const { return std::ssize(bounds) - 1; }
    Long length(Long k) const { return bounds[k + 1] - bounds[k]; }
    Words words(Long k) const {
        return all.instance(k, bounds[k], bounds[k + 1]);
    }
    // A column that has a place for each root.
    Ints rooted(Ints column, Long k) const {
        return column.empty() ? column : column.slice(bounds[k] + k, bounds[k + 1] + k + 1);
    }
    Limits limits(Long k) const {
        return {rooted(given.heads, k), rooted(given.labels, k)};
    }
};

// Read-only; can be shared by threads.
class Brancher {
   public:
    Brancher(Classifier classifier, const SearchOptions& options, Headless headless,
             std::int32_t root_label)
        : classifier_(std::move(classifier)),
          options_(options),
          headless_(headless),
          root_label_(root_label) {}

    const Classifier& classifier() const { return classifier_; }
    const SearchOptions& options() const { return options_; }

    // Writes the trees of a batch; shares only with `confidence`. Throws DamagedModel if a search
    // makes no progress.
    void decode(const Batch& batch, bool confidence, const Trees& trees, Counts& counts,
                Cancel& cancel) const;
    // The number of sequences of the only sentence of a batch, their scores, and their trees one
    // behind the other.
    struct Every {
        std::vector<double> scores;
        std::vector<std::int32_t> heads, labels;
        std::vector<float> probabilities;
    };
    Every all_trees(const Batch& batch, Counts& counts, Cancel& cancel) const;
    // The tree of a sequence with all words attached.
    void write_tree(const Words& words, const Limits& limits, const Sequences& sequences,
                    std::size_t number, Scratch& scratch, const Trees& out, Cancel& cancel) const;

   private:
    struct SecondBest;

    void one_root(const Words& words, State& state, Scratch& scratch, Floats made) const;
    std::vector<SecondBest> second_best(const Words& words, const Limits& limits,
                                        const Sequences& sequences, std::size_t number,
                                        Scratch& scratch) const;
    void hang(const Words& words, State& state, std::int32_t word, const SecondBest& second,
              Scratch& scratch) const;
    void run(Search& search, const Words& words, const Limits& limits, Counts& counts,
             Cancel& cancel) const;

    Classifier classifier_;
    SearchOptions options_;
    Headless headless_;
    std::int32_t root_label_;
};

}  // namespace caesura::parse::hybrid

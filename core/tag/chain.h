// Prediction of the labels of a chain. All features of one place are summed once for each word
// type; a word adds a few such sums and looks up its mixed features. Viterbi keeps a bounded part
// of the chain: where all surviving paths go through one pair of labels, everything before it is
// settled and emitted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "base/view.h"
#include "learn/linear_table.h"
#include "tag/features.h"
#include "tag/lattice.h"

namespace caesura::tag {

// The templates of a chain: those of one place, grouped by it, and the others.
struct ChainTemplates {
    std::vector<Template> spot, mixed;
    std::vector<std::int32_t> places;  // distances of words, rising
    std::vector<std::int32_t> bounds;  // the spot templates of each place; one more than places

    // Throws DamagedModel if the parts do not fit together.
    void check() const;
};

// Words of a batch. Row t of `attributes` and `vectors` describes type t; type 0 is the edge.
struct Words {
    Hashes2 attributes;
    const float* vectors = nullptr;  // the sums of each type by place and label
    Ints types;
    Longs begins;  // where the chains begin, and the number of words

    // The groups of labels that words are restricted to (-1: none). Empty: no word is.
    Ints group;
    Matrix<const bool> allowed;

    Window chain(Long c) const { return {attributes, types, begins[c], begins[c + 1]}; }
    Long n_chains() const { return std::ssize(begins) - 1; }
    Long longest() const;
};

// Labels of each word with their probabilities, the likeliest first; -1 is none.
struct Marginals {
    Matrix<std::int32_t> labels;
    Matrix<float> masses;
};

class Chain {
   public:
    // A word of which one label leads by more than `clear` by its spot features does without mixed
    // features. Throws DamagedModel if the parts do not fit together.
    Chain(const learn::LinearTable& table, ChainTemplates templates, Transitions moves,
          float clear);

    Long classes() const { return moves_.classes(); }
    Long n_places() const { return std::ssize(templates_.places); }

    // Sums the spot features of types with these attributes, by place and label.
    void sum_types(Hashes2 attributes, Matrix<float> vectors) const;

    // Writes the best labels of each chain. At most `width` candidates within the margin are kept
    // for each word, and at most `room` words of a chain at a time.
    void decode(const Words& words, Long width, float margin, Long room,
                View<std::int32_t> path, Cancel& cancel) const;

    // Writes the posterior probabilities of labels.
    void marginals(const Words& words, float margin, const Marginals& out, Cancel& cancel) const;

   private:
    struct Workspace;

    void score(const Words& words, const Window& chain, Long first, Long last,
               Workspace& work) const;
    template <class Visit>
    void for_scored(const Words& words, const Window& chain, Long first, Long last,
                    Workspace& work, Visit visit) const;

    const learn::LinearTable& table_;
    ChainTemplates templates_;
    Transitions moves_;
    float clear_;
};

}  // namespace caesura::tag

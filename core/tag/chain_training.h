// Training of a chain: AdaGrad on the likelihood, or the averaged structured perceptron. The slope
// of a feature is its observed minus its expected count (Sutton & McCallum 2012, section 5). Only
// candidates that survive pruning have an expectation, so a step touches few columns of a row.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "learn/key_counts.h"
#include "learn/parameters.h"
#include "tag/chain.h"

namespace caesura::tag {

// The keys of the features of words that occur at least `cutoff` times, rising.
std::vector<std::uint32_t> frequent_keys(const Words& words, const ChainTemplates& templates,
                                         Long cutoff);

// Words [begin, end) to learn together; their features see the words of the window around them. A
// chain at the begin of its window starts after the pseudo-label, another one after an unknown.
struct TrainingChain {
    Long window_begin, window_end, begin, end;
};

// Weights by row and label (row after row), by pair and by triple of labels. Triples may be empty.
struct ChainParameters {
    learn::Parameters weights, pairs, triples;
    Long classes;

    Transitions moves() const {
        const auto columns = static_cast<std::size_t>(classes);
        return {{pairs.weight.data(), columns + 1, columns}, triples.weight};
    }
};

// Learning rate, AdaGrad's offset, L2 strength, and the margin of candidates.
struct Step {
    double rate, offset, l2;
    float margin;
};

class ChainLearner {
   public:
    // Numbers the features with these keys, which rise; all others are ignored.
    ChainLearner(const Words& words, ChainTemplates templates, Codes keys,
                 View<const TrainingChain> chains, Ints gold,
                 ChainParameters parameters, Long width);

    Long n_chains() const { return std::ssize(chains_); }

    // Each learns chains in an order, the first at `tick`. `crf` returns the negative log-likelihood
    // before each step, `perceptron` the number of wrong labels (Collins 2002).
    double crf(Longs order, const Step& step, Long tick, Cancel& cancel);
    double perceptron(Longs order, float margin, Long tick, Cancel& cancel);

   private:
    // Neighbouring labels; -1 is unknown.
    struct Trigram {
        Long past, last, label;
    };
    // Observed minus expected count of a label, and of a label trigram.
    struct LabelSlope {
        Long label;
        double slope;
    };
    struct TrigramSlope {
        Trigram labels;
        double slope;
    };

    Long start_of(const TrainingChain& chain) const {
        return chain.begin == chain.window_begin ? parameters_.classes : -1;
    }
    // The gold labels that end at word k of a chain.
    Trigram gold_at(const TrainingChain& chain, Long k) const;
    void find_rows(const TrainingChain& chain, Long i);
    void fill(const TrainingChain& chain, float margin);
    double learn_word(const TrainingChain& chain, Long k, double log_z, const Step& step,
                      double tick);
    void find_slopes(const TrainingChain& chain, Long k, double log_z);
    template <class Use>
    void visit(const Trigram& labels, Use use) const;

    Words words_;
    ChainTemplates templates_;
    View<const TrainingChain> chains_;
    Ints gold_;
    ChainParameters parameters_;
    Transitions moves_;
    std::vector<std::int32_t> spot_, mixed_;  // rows by type and by word; -1: the feature has none

    Lattice lattice_;
    std::vector<Long> rows_;  // of one word
    std::vector<float> scores_;
    std::vector<LabelSlope> labels_;
    std::vector<TrigramSlope> trigrams_;
    std::vector<std::int32_t> path_;
};

}  // namespace caesura::tag

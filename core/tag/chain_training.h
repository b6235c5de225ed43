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
                                         std::int64_t cutoff);

// Words [begin, end) to learn together; their features see the words of the window around them. A
// chain at the begin of its window starts after the pseudo-label, another one after an unknown.
struct TrainingChain {
    std::int64_t window_begin, window_end, begin, end;
};

// Weights by row and label (row after row), by pair and by triple of labels. Triples may be empty.
struct ChainParameters {
    learn::Parameters weights, pairs, triples;
    std::int64_t classes;

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
    ChainLearner(const Words& words, ChainTemplates templates, View<const std::uint32_t> keys,
                 View<const TrainingChain> chains, View<const std::int32_t> gold,
                 ChainParameters parameters, std::int64_t width);

    std::int64_t n_chains() const { return static_cast<std::int64_t>(chains_.size()); }

    // Each learns chains in an order, the first at `tick`. `crf` returns the negative log-likelihood
    // before each step, `perceptron` the number of wrong labels (Collins 2002).
    double crf(View<const std::int64_t> order, const Step& step, std::int64_t tick, Cancel& cancel);
    double perceptron(View<const std::int64_t> order, float margin, std::int64_t tick,
                      Cancel& cancel);

   private:
    // Observed minus expected count of a label, and of a label trigram.
    struct LabelSlope {
        std::int64_t label;
        double slope;
    };
    struct TrigramSlope {
        std::int64_t past, last, label;
        double slope;
    };
    // The gold labels that end at word k of a chain.
    struct Trigram {
        std::int64_t past, last, label;
    };

    std::int64_t start_of(const TrainingChain& chain) const {
        return chain.begin == chain.window_begin ? parameters_.classes : -1;
    }
    Trigram gold_at(const TrainingChain& chain, std::int64_t k) const;
    void find_rows(const TrainingChain& chain, std::int64_t i);
    void fill(const TrainingChain& chain, float margin);
    double learn_word(const TrainingChain& chain, std::int64_t k, double log_z, const Step& step,
                      double tick);
    void find_slopes(const TrainingChain& chain, std::int64_t k, double log_z);
    void learn_trigram(const TrigramSlope& found, const Step& step, double tick) const;
    void add_trigram(const Trigram& labels, double delta, double tick) const;

    Words words_;
    ChainTemplates templates_;
    View<const TrainingChain> chains_;
    View<const std::int32_t> gold_;
    ChainParameters parameters_;
    Transitions moves_;
    std::vector<std::int32_t> spot_, mixed_;  // rows by type and by word; -1: the feature has none

    Lattice lattice_;
    std::vector<std::int64_t> rows_;  // of one word
    std::vector<float> scores_;
    std::vector<LabelSlope> labels_;
    std::vector<TrigramSlope> trigrams_;
    std::vector<std::int32_t> path_;
};

}  // namespace caesura::tag

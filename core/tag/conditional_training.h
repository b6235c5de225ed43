// Training of a column given the label: AdaGrad (Duchi, Hazan & Singer 2011) with averaging on the
// log loss of each word whose label leaves a choice.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "learn/key_counts.h"
#include "learn/parameters.h"
#include "tag/chain.h"
#include "tag/conditional.h"

namespace caesura::tag {

// The keys of the features that occur at least `cutoff` times, rising.
std::vector<std::uint32_t> frequent_keys(const Words& words, Ints labels, Ints bounds,
                                         const std::vector<Template>& templates, Long cutoff);

class ConditionalLearner {
   public:
    // `bounds` are those of the values of labels, and `gold` is the position of a word's value
    // among those of its label. `weights` has `width` columns.
    ConditionalLearner(const Words& words, Ints labels, Ints bounds,
                       const std::vector<Template>& templates, Codes keys, Ints gold,
                       learn::Parameters weights, Long width);

    Long n_words() const { return std::ssize(gold_); }
    Ints gold() const { return gold_; }

    // Learns words in an order, the first at `tick`; the sum of their log losses before each step.
    double learn(Longs order, double rate, double offset, Long tick, Cancel& cancel);

   private:
    Ints labels_, bounds_, gold_;
    learn::Parameters weights_;
    Long width_;
    std::size_t n_templates_;
    std::vector<std::int32_t> rows_;  // by word and template; -1: the feature has none
    std::vector<Long> found_;
    std::vector<double> scores_;
};

}  // namespace caesura::tag

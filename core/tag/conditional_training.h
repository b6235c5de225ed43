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
std::vector<std::uint32_t> frequent_keys(const Words& words, View<const std::int32_t> labels,
                                         View<const std::int32_t> bounds,
                                         const std::vector<Template>& templates,
                                         std::int64_t cutoff);

class ConditionalLearner {
   public:
    // `bounds` are those of the values of labels, and `gold` is the position of a word's value
    // among those of its label. `weights` has `width` columns.
    ConditionalLearner(const Words& words, View<const std::int32_t> labels,
                       View<const std::int32_t> bounds, const std::vector<Template>& templates,
                       View<const std::uint32_t> keys, View<const std::int32_t> gold,
                       learn::Parameters weights, std::int64_t width);

    std::int64_t n_words() const { return static_cast<std::int64_t>(gold_.size()); }
    View<const std::int32_t> gold() const { return gold_; }

    // Learns words in an order, the first at `tick`; the sum of their log losses before each step.
    double learn(View<const std::int64_t> order, double rate, double offset, std::int64_t tick,
                 Cancel& cancel);

   private:
    View<const std::int32_t> labels_, bounds_, gold_;
    learn::Parameters weights_;
    std::int64_t width_;
    std::size_t n_templates_;
    std::vector<std::int32_t> rows_;  // by word and template; -1: the feature has none
    std::vector<std::int64_t> found_;
    std::vector<double> scores_;
};

}  // namespace caesura::tag

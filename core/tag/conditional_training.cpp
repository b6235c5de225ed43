#include "tag/conditional_training.h"

#include <algorithm>
#include <cmath>

namespace caesura::tag {
namespace {

constexpr double least_slope = 1e-3;
// Words between two polls.
constexpr Long stretch = 256;

// Calls `use` with the hash of each template at each word; 0 if the word's label leaves no choice.
template <class Use>
void for_each_hash(const Words& words, Ints labels, Ints bounds,
                   const std::vector<Template>& templates, Use use) {
    for (Long c = 0; c < words.n_chains(); ++c) {
        const Window window = words.chain(c);
        for (Long i = window.begin; i < window.end; ++i) {
            const bool open = bounds[labels[i] + 1] - bounds[labels[i]] > 1;
            for (const Template& t : templates) use(open ? hash_at(window, labels, i, t) : 0);
        }
    }
}

}  // namespace

std::vector<std::uint32_t> frequent_keys(const Words& words, Ints labels, Ints bounds,
                                         const std::vector<Template>& templates, Long cutoff) {
    learn::KeyCounts counts;
    for_each_hash(words, labels, bounds, templates, [&](std::uint64_t hash) { counts.add(hash); });
    return counts.frequent(cutoff);
}

ConditionalLearner::ConditionalLearner(const Words& words, Ints labels, Ints bounds,
                                       const std::vector<Template>& templates, Codes keys,
                                       Ints gold, learn::Parameters weights, Long width)
    : labels_(labels),
      bounds_(bounds),
      gold_(gold),
      weights_(weights),
      width_(width),
      n_templates_(templates.size()),
      scores_(static_cast<std::size_t>(width)) {
    const learn::FeatureIndex index(keys);
    rows_.reserve(words.types.size() * n_templates_);
    for_each_hash(words, labels, bounds, templates, [&](std::uint64_t hash) {
        rows_.push_back(
            static_cast<std::int32_t>(hash == 0 ? -1 : index.find(learn::key_of(hash))));
    });
    found_.reserve(n_templates_);
}

double ConditionalLearner::learn(Longs order, double rate, double offset,
                                 Long tick, Cancel& cancel) {
    double loss = 0.0;
    for (const Long i : order) {
        if (tick % stretch == 0) cancel.poll();
        const auto now = static_cast<double>(tick++);
        const Long n = bounds_[labels_[i] + 1] - bounds_[labels_[i]];
        const View<double> scores{scores_.data(), static_cast<std::size_t>(n)};
        found_.clear();
        for (std::size_t t = 0; t < n_templates_; ++t) {
            const std::int32_t row = rows_[static_cast<std::size_t>(i) * n_templates_ + t];
            if (row >= 0) found_.push_back(row * width_);
        }
        std::fill(scores.begin(), scores.end(), 0.0);
        for (const Long row : found_)
            for (Long k = 0; k < n; ++k) scores[k] += weights_.weight[row + k];
        const double top = *std::max_element(scores.begin(), scores.end());
        double mass = 0.0;
        for (double& score : scores) {
            score = std::exp(score - top);
            mass += score;
        }
        loss -= std::log(scores[gold_[i]] / mass);
        for (Long k = 0; k < n; ++k) {
            double slope = -scores[k] / mass;
            if (k == gold_[i]) slope += 1.0;
            if (std::abs(slope) < least_slope) continue;
            for (const Long row : found_)
                weights_.climb(row + k, slope, slope * slope, rate, offset, now);
        }
    }
    return loss;
}

}  // namespace caesura::tag

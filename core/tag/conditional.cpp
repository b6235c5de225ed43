#include "tag/conditional.h"

#include <algorithm>
#include <limits>

#include "base/errors.h"

namespace caesura::tag {
namespace {

constexpr Long stretch = 4096;
// Words whose contexts are scored together, so that their waits for memory overlap.
constexpr std::size_t block = 16;

// The first of the largest scores.
Long best_of(Floats scores) {
    return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

}  // namespace

Long LabelValues::widest() const {
    Long most = 1;
    for (Long y = 0; y < n_labels(); ++y)
        most = std::max<Long>(most, bounds[y + 1] - bounds[y]);
    return most;
}

ConditionalClassifier::ConditionalClassifier(const learn::LinearTable& table, LabelValues values,
                                             std::vector<Template> own,
                                             std::vector<Template> context, double clear)
    : table_(table),
      values_(values),
      own_(std::move(own)),
      context_(std::move(context)),
      clear_(clear) {
    check_templates(own_, label_atom + 1);
    check_templates(context_, label_atom + 1);
    const auto& bounds = values.bounds;
    const bool fits = bounds.size() > 1 && bounds[0] == 0 &&
                      std::is_sorted(bounds.begin(), bounds.end()) &&
                      bounds[n_labels()] == std::ssize(values.values);
    if (!fits || table.width() > values.widest())
        throw DamagedModel("the values of the tagger's labels do not fit together");
    width_ = values.widest();
}

void ConditionalClassifier::choose_alone(Hashes2 attributes, Ints types, Ints labels,
                                         Matrix<float> scores, View<std::int32_t> settled) const {
    std::vector<std::uint64_t> hashes(own_.size());
    std::vector<learn::LinearTable::Term> terms(own_.size());
    for (Long i = 0; i < std::ssize(types); ++i) {
        const auto values = values_[labels[i]];
        const auto n = static_cast<std::ptrdiff_t>(values.size());
        if (n < 2) {
            settled[i] = n == 1 ? values[0] : -1;
            continue;
        }
        const auto all = scores[i];
        std::fill(all.begin(), all.end(), 0.0f);
        for (std::size_t t = 0; t < own_.size(); ++t)
            hashes[t] = hash_at({attributes, types, i, i + 1}, labels, i, own_[t]);
        table_.add(hashes, terms, all);
        const auto own = all.slice(0, n);
        const Long best = best_of(own);
        float second = -std::numeric_limits<float>::infinity();
        for (std::ptrdiff_t k = 0; k < n; ++k)
            if (k != best) second = std::max(second, own[k]);
        const bool leads = context_.empty() || own[best] - second > clear_;
        settled[i] = leads ? values[best] : open;
    }
}

void ConditionalClassifier::choose(const LabelledWords& words, const Alone& alone,
                                   View<std::int32_t> chosen, Cancel& cancel) const {
    std::vector<std::int32_t> labels(words.path.begin(), words.path.end());
    std::vector<float> scores(block * static_cast<std::size_t>(width_));
    std::vector<std::uint64_t> hashes(block * context_.size());
    std::vector<learn::LinearTable::Term> terms(hashes.size());
    float* rows[block];
    Long waiting[block];  // words
    std::size_t n = 0;
    const auto finish = [&] {
        table_.add(Hashes2(hashes.data(), n, context_.size()), terms, View<float* const>(rows, n));
        for (std::size_t k = 0; k < n; ++k) {
            const auto values = values_[words.own[waiting[k]]];
            chosen[waiting[k]] = values[best_of({rows[k], values.size()})];
        }
        n = 0;
    };
    for (std::size_t s = 0; s + 1 < words.begins.size(); ++s) {
        const Window window{words.attributes, words.types, words.begins[s], words.begins[s + 1]};
        for (Long i = window.begin; i < window.end; ++i) {
            if (i % stretch == 0) cancel.poll();
            const Long pair = words.pairs[i];
            if (alone.settled[pair] != open) {
                chosen[i] = alone.settled[pair];
                continue;
            }
            labels[i] = words.own[i];
            for (std::size_t t = 0; t < context_.size(); ++t)
                hashes[n * context_.size() + t] = hash_at(window, labels, i, context_[t]);
            labels[i] = words.path[i];
            const auto own = alone.scores[pair];
            rows[n] = scores.data() + n * static_cast<std::size_t>(width_);
            std::copy(own.begin(), own.end(), rows[n]);
            waiting[n++] = i;
            if (n == block) finish();
        }
    }
    finish();
}

}  // namespace caesura::tag

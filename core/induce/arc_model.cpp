#include "induce/arc_model.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/hash.h"

namespace caesura::induce {
namespace {

// The classes of so many words between head and dependent are looked at.
constexpr Long most_between = 8;
constexpr Long most_features = 32;
// Errors below this are not worth a step.
constexpr double small = 0.01;

// The features of the arcs of one sentence.
class ArcFeatures {
   public:
    ArcFeatures(const Sentence& sentence, Ints words, std::size_t places)
        : classes_(sentence.classes),
          marks_(sentence.marks),
          words_(words),
          n_(sentence.size()),
          mask_(places - 1) {}

    // Finds the features of the arc from h to d, or of the root d if they are the same.
    Longs find(Long h, Long d) {
        size_ = 0;
        if (h == d)
            find_root(d);
        else
            find_arc(h, d);
        return {found_, static_cast<std::size_t>(size_)};
    }

   private:
    void add(Long which, Long a, Long b = 0, Long c = 0, Long d = 0) {
        std::uint64_t state = static_cast<std::uint64_t>(which);
        for (const Long value : {a, b, c, d})
            state = fold(state, static_cast<std::uint64_t>(value + 2));
        found_[size_++] = static_cast<Long>(mix(state) & mask_);
    }

    Long class_at(Long i) const { return i >= 0 && i < n_ ? classes_[i] : -1; }

    void find_root(Long d) {
        const Long own = classes_[d];
        add(1, own);
        add(2, own, words_[d]);
        add(3, own, class_at(d - 1), class_at(d + 1));
        add(4, d == 0, d == n_ - 1);
    }

    void find_arc(Long h, Long d) {
        const Long side = d > h, low = std::min(h, d), far = std::max(h, d) - low;
        const Long step = 2 * (far <= 5 ? far : far <= 10 ? 6 : 7) + side;
        const Long crossed = std::min<Long>(std::abs(Long{marks_[h]} - marks_[d]), 2);
        const Long head = classes_[h], own = classes_[d], sided = 2 * own + side;
        const Long head_before = class_at(h - 1), head_after = class_at(h + 1);
        const Long before = class_at(d - 1), after = class_at(d + 1);
        const Long head_word = words_[h], own_word = words_[d];
        add(5, step, crossed);
        add(6, head, sided);
        add(7, head, own, step, crossed);
        add(8, head, step, crossed);
        add(9, own, step, crossed);
        add(10, head, sided, head_after, before);
        add(11, head, sided, head_before, before);
        add(12, head, sided, head_after, after);
        add(13, head, sided, head_before, after);
        add(14, head, sided, after);
        add(15, head, sided, before);
        if (head_word >= 0) {
            add(16, head_word, sided);
            add(17, head_word, own, step);
        }
        if (own_word >= 0) {
            add(18, head, own_word, side);
            add(19, head, own_word, step);
        }
        if (head_word >= 0 && own_word >= 0) add(20, head_word, own_word, side);
        const Long end = low + std::min(far, 1 + most_between);
        for (Long x = low + 1; x < end; x++) {
            bool seen = false;
            for (Long y = low + 1; y < x; y++) seen |= classes_[y] == classes_[x];
            if (!seen) add(21, head, sided, classes_[x]);
        }
    }

    Ints classes_, marks_, words_;
    Long n_;
    std::uint64_t mask_;
    Long found_[most_features];
    Long size_ = 0;
};

// The probability of each head of each word, and of being the root.
void find_chances(ArcFeatures& features, Long n, Doubles weights, View<double> chances) {
    for (Long d = 0; d < n; d++) {
        double most = -std::numeric_limits<double>::infinity();
        for (Long h = 0; h < n; h++) {
            double score = 0.0;
            for (const Long at : features.find(h, d)) score += weights[at];
            chances[h * n + d] = score;
            most = std::max(most, score);
        }
        double total = 0.0;
        for (Long h = 0; h < n; h++) {
            chances[h * n + d] = std::exp(chances[h * n + d] - most);
            total += chances[h * n + d];
        }
        for (Long h = 0; h < n; h++) chances[h * n + d] /= total;
    }
}

ArcFeatures features_of(const ArcTask& task, Long index, std::size_t places) {
    const auto& starts = task.sentences.starts;
    return {task.sentences[index], task.words.slice(starts[index], starts[index + 1]), places};
}

}  // namespace

void score_arcs(const ArcTask& task, Doubles weights, View<double> chances) {
    for (Long index = 0; index < task.sentences.size(); index++) {
        task.cancel.poll();
        const Long n = task.sentences.length(index);
        if (n == 0) continue;
        ArcFeatures features = features_of(task, index, weights.size());
        find_chances(features, n, weights,
                     chances.slice(task.places[index], task.places[index + 1]));
    }
}

void learn_arcs(const ArcTask& task, Longs order, Doubles aims,
                View<double> weights, View<double> squares, const LearningRate& step) {
    std::vector<double> chances;
    for (const Long index : order) {
        task.cancel.poll();
        const Long n = task.sentences.length(index);
        if (n < 2) continue;
        const auto aim = aims.slice(task.places[index], task.places[index + 1]);
        ArcFeatures features = features_of(task, index, weights.size());
        chances.resize(static_cast<std::size_t>(n * n));
        find_chances(features, n, weights, chances);
        for (Long d = 0; d < n; d++) {
            for (Long h = 0; h < n; h++) {
                const double error = chances[h * n + d] - aim[h * n + d];
                if (std::fabs(error) < small) continue;
                for (const Long at : features.find(h, d)) {
                    const double slope = error + step.decay * weights[at];
                    squares[at] += slope * slope;
                    weights[at] -= step.rate * slope / std::sqrt(squares[at]);
                }
            }
        }
    }
}

}  // namespace caesura::induce

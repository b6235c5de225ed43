#include "cluster/exchange.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace caesura::cluster {
namespace {

// Smoothing of looks in a class.
constexpr double alpha = 0.1;
// Differences of the gain below this are ties.
constexpr double tie = 1e-9;

}  // namespace

Exchange::Exchange(const Bigrams& bigrams, Ints word_class, Long classes, Ints look, Long looks,
                   double weight, Doubles xlogx)
    : bigrams_(bigrams),
      classes_(classes),
      looks_(looks),
      weight_(weight),
      look_(look),
      xlogx_(xlogx),
      word_class_(word_class.begin(), word_class.end()),
      pairs_(classes * classes),
      sums_(classes),
      members_(classes),
      alike_(classes * looks),
      before_(classes),
      after_(classes) {
    const Neighbours& next = bigrams.next;
    for (Long word = 0; word < bigrams.size(); word++) {
        const Long c = word_class_[word];
        members_[c]++;
        alike(c, look[word])++;
        sums_[c] += bigrams.counts[word];
        for (Long i = next.at[word]; i < next.at[word + 1]; i++)
            pairs(c, word_class_[next.word[i]]) += next.count[i];
    }
}

inline double Exchange::entropy(Long x) const {
    if (x < std::ssize(xlogx_)) return xlogx_[x];
    const double value = static_cast<double>(x);
    return value * std::log(value);
}

Long Exchange::gather(Long word) {
    const Neighbours &next = bigrams_.next, &last = bigrams_.last;
    std::fill(before_.begin(), before_.end(), 0);
    std::fill(after_.begin(), after_.end(), 0);
    Long own = 0;
    for (Long i = next.at[word]; i < next.at[word + 1]; i++) {
        if (next.word[i] == word)
            own = next.count[i];
        else
            after_[word_class_[next.word[i]]] += next.count[i];
    }
    for (Long i = last.at[word]; i < last.at[word + 1]; i++)
        if (last.word[i] != word) before_[word_class_[last.word[i]]] += last.count[i];
    contacts_.clear();
    for (Long c = 0; c < classes_; c++)
        if (before_[c] > 0 || after_[c] > 0) contacts_.push_back({c, before_[c], after_[c]});
    return own;
}

void Exchange::put(Long c, Long sign, Long own, Long count) {
    for (const Contact& contact : contacts_) {
        pairs(c, contact.other) += sign * contact.after;
        pairs(contact.other, c) += sign * contact.before;
    }
    pairs(c, c) += sign * own;
    sums_[c] += sign * count;
}

double Exchange::gain(Long c, Long own, Long count) const {
    double sum = -2.0 * (entropy(sums_[c] + count) - entropy(sums_[c]));
    for (const auto& [other, before, after] : contacts_) {
        if (other == c) continue;
        if (before > 0) {
            const Long n = pairs(other, c);
            sum += entropy(n + before) - entropy(n);
        }
        if (after > 0) {
            const Long n = pairs(c, other);
            sum += entropy(n + after) - entropy(n);
        }
    }
    const Long n = pairs(c, c);
    return sum + (entropy(n + before_[c] + after_[c] + own) - entropy(n));
}

Long Exchange::best_class(Long word, Long home, Long own) const {
    Long best = home;
    double most = -std::numeric_limits<double>::infinity();
    for (Long c = first_word; c < classes_; c++) {
        double value = gain(c, own, bigrams_.counts[word]);
        if (weight_ > 0.0) {
            const Long here = c == home;
            const double same = static_cast<double>(alike(c, look_[word]) - here);
            const double others = static_cast<double>(members_[c] - here);
            value += weight_ *
                     std::log((same + alpha) / (others + alpha * static_cast<double>(looks_)));
        }
        if (value > most + tie || (c == home && value > most - tie)) {
            best = c;
            most = value;
        }
    }
    return best;
}

Long Exchange::sweep(Cancel& cancel) {
    Long moved = 0;
    for (Long word = first_word; word < bigrams_.size(); word++) {
        cancel.poll();
        const Long home = word_class_[word];
        if (members_[home] == 1) continue;  // the last word of a class stays
        const Long own = gather(word), count = bigrams_.counts[word];
        put(home, -1, own, count);
        const Long best = best_class(word, home, own);
        put(best, 1, own, count);
        if (best == home) continue;
        word_class_[word] = static_cast<std::int32_t>(best);
        members_[home]--;
        members_[best]++;
        alike(home, look_[word])--;
        alike(best, look_[word])++;
        moved++;
    }
    return moved;
}

}  // namespace caesura::cluster

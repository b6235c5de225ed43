#include "cluster/brown.h"

#include <algorithm>
#include <cmath>

namespace caesura::cluster {
namespace {

double sum(Longs counts) {
    Long total = 0;
    for (const Long count : counts) total += count;
    return static_cast<double>(total);
}

}  // namespace

Brown::Brown(const Bigrams& bigrams, Long classes)
    : bigrams_(bigrams),
      slots_(std::min(classes, std::max<Long>(1, bigrams.size() - first_word)) + 1 + first_word),
      total_(sum(bigrams.next.count)),
      slot_of_(bigrams.size(), -1),
      pairs_(slots_ * slots_),
      sums_(slots_),
      used_(slots_),
      weight_(slots_ * slots_),
      loss_(slots_ * slots_) {}

double Brown::information(Long n, Long left, Long right) const {
    if (n == 0) return 0.0;
    const double count = static_cast<double>(n);
    return count / total_ *
           std::log(count * total_ / (static_cast<double>(left) * static_cast<double>(right)));
}

double Brown::both_orders(Long a, Long b) const {
    double value = information(pairs(a, b), sums_[a], sums_[b]);
    if (a != b) value += information(pairs(b, a), sums_[b], sums_[a]);
    return value;
}

double Brown::share(Long i, Long j, Long x) const {
    const Long both = sums_[i] + sums_[j];
    double value = weight(i, x) + weight(j, x);
    value -= information(pairs(i, x) + pairs(j, x), both, sums_[x]);
    return value - information(pairs(x, i) + pairs(x, j), sums_[x], both);
}

double Brown::whole_loss(Long i, Long j) const {
    double value = weight(i, i) + weight(j, j) + weight(i, j);
    const Long own = pairs(i, i) + pairs(j, j) + pairs(i, j) + pairs(j, i);
    const Long both = sums_[i] + sums_[j];
    value -= information(own, both, both);
    for (Long x = 0; x < slots_; x++)
        if (used_[x] && x != i && x != j) value += share(i, j, x);
    return value;
}

void Brown::weigh(Long a) {
    for (Long x = 0; x < slots_; x++)
        weight(a, x) = weight(x, a) = used_[x] ? both_orders(a, x) : 0.0;
}

void Brown::place(Long word, Long slot) {
    slot_of_[word] = static_cast<std::int32_t>(slot);
    used_[slot] = true;
    sums_[slot] = bigrams_.counts[word];
    const Neighbours &next = bigrams_.next, &last = bigrams_.last;
    for (Long i = next.at[word]; i < next.at[word + 1]; i++) {
        const Long other = slot_of_[next.word[i]];
        if (other >= 0) pairs(slot, other) += next.count[i];
    }
    for (Long i = last.at[word]; i < last.at[word + 1]; i++) {
        const Long other = slot_of_[last.word[i]];
        if (other >= 0 && last.word[i] != word) pairs(other, slot) += last.count[i];
    }
}

void Brown::start(Cancel& cancel) {
    const Long n = std::min(slots_ - 1, bigrams_.size());
    for (Long word = 0; word < n; word++) {
        place(word, word);
        if (bigrams_.counts[word] == 0) used_[word] = false;
    }
    for (Long a = 0; a < n; a++)
        if (used_[a]) weigh(a);
    for (Long i = first_word; i < n; i++) {
        cancel.poll();
        for (Long j = i + 1; j < n; j++) loss(i, j) = whole_loss(i, j);
    }
    next_ = n;
}

std::pair<Long, Long> Brown::best_pair() const {
    std::pair<Long, Long> best{-1, -1};
    double least = 0.0;
    for (Long i = first_word; i < slots_; i++) {
        if (!used_[i]) continue;
        for (Long j = i + 1; j < slots_; j++) {
            if (used_[j] && (best.first < 0 || loss(i, j) < least)) {
                best = {i, j};
                least = loss(i, j);
            }
        }
    }
    return best;
}

void Brown::correct(Long x, double sign, Long skip) {
    for (Long i = first_word; i < slots_; i++) {
        if (!used_[i] || i == x || i == skip) continue;
        for (Long j = i + 1; j < slots_; j++)
            if (used_[j] && j != x && j != skip) loss(i, j) += sign * share(i, j, x);
    }
}

void Brown::renew(Long a) {
    weigh(a);
    correct(a, 1.0, a);
    for (Long j = first_word; j < slots_; j++) {
        if (!used_[j] || j == a) continue;
        const Long low = std::min(a, j), high = std::max(a, j);
        loss(low, high) = whole_loss(low, high);
    }
}

std::pair<Long, Long> Brown::merge_best() {
    const auto [a, b] = best_pair();
    correct(a, -1.0, b);
    correct(b, -1.0, a);
    for (Long x = 0; x < slots_; x++) {
        pairs(a, x) += pairs(b, x);
        pairs(b, x) = 0;
    }
    for (Long x = 0; x < slots_; x++) {
        pairs(x, a) += pairs(x, b);
        pairs(x, b) = 0;
    }
    sums_[a] += sums_[b];
    sums_[b] = 0;
    used_[b] = false;
    for (Long x = 0; x < slots_; x++) weight(b, x) = weight(x, b) = 0.0;
    renew(a);
    return {a, b};
}

Long Brown::add_words(Long count, Cancel& cancel) {
    const Long until = std::min(bigrams_.size(), next_ + count);
    for (; next_ < until; next_++) {
        cancel.poll();
        Long slot = first_word;
        while (used_[slot]) slot++;  // there is one slot more than classes
        place(next_, slot);
        renew(slot);
        const auto [kept, dropped] = merge_best();
        for (Long word = 0; word <= next_; word++)
            if (slot_of_[word] == dropped) slot_of_[word] = static_cast<std::int32_t>(kept);
    }
    return next_;
}

std::vector<std::pair<std::int32_t, std::int32_t>> Brown::merge_all(Cancel& cancel) {
    const Long left = std::count(used_.begin() + first_word, used_.end(), char{true});
    std::vector<std::pair<std::int32_t, std::int32_t>> merges;
    for (Long step = 1; step < left; step++) {
        cancel.poll();
        merges.push_back(merge_best());
    }
    return merges;
}

}  // namespace caesura::cluster

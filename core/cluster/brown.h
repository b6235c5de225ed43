// Brown clustering (Brown et al. 1992, section 3), with the window of Liang (2005, section 4.4).
// The most frequent words get a class each; every further word becomes one class too many, and the
// two classes whose merger loses the least mutual information are merged. The loss of every pair is
// kept and corrected by what changed, so a step costs the square of the number of classes.
#pragma once

#include <utility>
#include <vector>

#include "base/cancel.h"
#include "cluster/bigrams.h"

namespace caesura::cluster {

class Brown {
   public:
    // `classes` is at least 1. The bigrams must outlive the object.
    Brown(const Bigrams& bigrams, Long classes);

    // Puts the boundary, the rare words and the most frequent words into slots of their own.
    void start(Cancel& cancel);
    // Adds up to so many words, each followed by the best merger; returns the next word.
    Long add_words(Long count, Cancel& cancel);
    // Merges the classes to one; the pairs (kept, dropped) in the order of merging.
    std::vector<std::pair<std::int32_t, std::int32_t>> merge_all(Cancel& cancel);

    Long slots() const { return slots_; }
    Ints slot_of() const { return slot_of_; }

   private:
    // What a pair of classes adds to the mutual information.
    double information(Long n, Long left, Long right) const;
    double both_orders(Long a, Long b) const;
    // What a third class x adds to the loss of merging i and j.
    double share(Long i, Long j, Long x) const;
    // The loss of merging i and j.
    double whole_loss(Long i, Long j) const;
    void weigh(Long a);
    void place(Long word, Long slot);
    // Adds the share of class x to the loss of every pair without x and `skip`.
    void correct(Long x, double sign, Long skip);
    // Updates what class a changes: its weights, its share in every loss, the losses of its pairs.
    void renew(Long a);
    std::pair<Long, Long> best_pair() const;
    std::pair<Long, Long> merge_best();

    Long& pairs(Long a, Long b) { return pairs_[a * slots_ + b]; }
    Long pairs(Long a, Long b) const { return pairs_[a * slots_ + b]; }
    double& weight(Long a, Long b) { return weight_[a * slots_ + b]; }
    double weight(Long a, Long b) const { return weight_[a * slots_ + b]; }
    double& loss(Long a, Long b) { return loss_[a * slots_ + b]; }
    double loss(Long a, Long b) const { return loss_[a * slots_ + b]; }

    Bigrams bigrams_;
    Long slots_;
    Long next_ = 0;
    double total_;                  // pairs of words
    std::vector<std::int32_t> slot_of_;
    std::vector<Long> pairs_;       // how often one class follows another
    std::vector<Long> sums_;        // how often a class is seen
    std::vector<char> used_;
    std::vector<double> weight_;    // what two classes add to the mutual information
    std::vector<double> loss_;      // what merging them loses, for i < j
};

}  // namespace caesura::cluster

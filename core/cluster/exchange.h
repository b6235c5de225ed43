// Exchange clustering (Kneser and Ney 1993; Martin, Liermann and Ney 1998). One word at a time is
// taken out of its class and put into the class where the likelihood of the class bigram model,
// sum N(c,c') log N(c,c') - 2 sum N(c) log N(c), is highest.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "cluster/bigrams.h"

namespace caesura::cluster {

class Exchange {
   public:
    // The class and the look of each word, numbers below `classes` and `looks`; `xlogx` is a table
    // of x log x. The views must outlive the object.
    Exchange(const Bigrams& bigrams, Ints word_class, Long classes,
             Ints look, Long looks, double weight, Doubles xlogx);

    // Visits every word once; returns how many moved.
    Long sweep(Cancel& cancel);

    Long classes() const { return classes_; }
    const std::vector<std::int32_t>& word_class() const { return word_class_; }
    const std::vector<Long>& pairs() const { return pairs_; }
    const std::vector<Long>& sums() const { return sums_; }

   private:
    // How often words of a class stand before and after the word that is visited.
    struct Contact {
        Long other, before, after;
    };

    double entropy(Long x) const;
    // Collects the neighbours of a word; returns how often it follows itself.
    Long gather(Long word);
    // Adds the counts of the word to a class, or subtracts them.
    void put(Long c, Long sign, Long own, Long count);
    double gain(Long c, Long own, Long count) const;
    Long best_class(Long word, Long home, Long own) const;

    Long& pairs(Long a, Long b) { return pairs_[a * classes_ + b]; }
    Long pairs(Long a, Long b) const { return pairs_[a * classes_ + b]; }
    Long& alike(Long c, Long look) { return alike_[c * looks_ + look]; }
    Long alike(Long c, Long look) const { return alike_[c * looks_ + look]; }

    Bigrams bigrams_;
    Long classes_, looks_;
    double weight_;
    Ints look_;
    Doubles xlogx_;
    std::vector<std::int32_t> word_class_;
    std::vector<Long> pairs_;    // how often one class follows another
    std::vector<Long> sums_;     // how often a class is seen
    std::vector<Long> members_;  // words of a class
    std::vector<Long> alike_;    // words of a class with a look
    std::vector<Long> before_, after_;
    std::vector<Contact> contacts_;
};

}  // namespace caesura::cluster

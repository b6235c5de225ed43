// One tree out of a filled chart: the best one, or one drawn by its probability. No back-pointers
// are kept. Only the items of the tree need their split, so the way back searches for it again,
// which costs O(n^2) against the O(n^3) of the chart and settles ties in one place.
#pragma once

#include <vector>

#include "induce/chart.h"

namespace caesura::induce {

// The first of equally good trees, one of them at random (both over logarithms), or a tree by its
// weight.
enum class Choice { first_best, random_best, by_weight };

// Random numbers of SplitMix64 (Steele et al. 2014). Each sentence has a state of its own, so that
// no draw depends on the order of sentences or on threads.
class Random {
   public:
    Random(std::uint64_t seed, std::uint64_t index)
        : state_((seed + 1) * 0xD1342543DE82EF95ull ^ index * 0x9E3779B97F4A7C15ull) {}
    void advance() { state_ += 0x9E3779B97F4A7C15ull; }
    // The number in [0, 1) of this state.
    double number() const;

   private:
    std::uint64_t state_;
};

// Chooses one of the values: logarithms, or weights if chosen by weight.
Long choose(Doubles values, Choice choice, Random random);

class TreeFinder {
   public:
    explicit TreeFinder(Long longest);

    // Writes the heads of one tree: positions in the sentence, -1 for the root.
    void find(const Factors& s, const Chart& c, const Form& form, Choice choice, Random random,
              View<std::int32_t> heads);

   private:
    // A side of `head` that reaches out to `other`, or the arc from `head` to `other`.
    struct Item {
        enum Kind { left_side, right_side, arc } kind;
        Long head, other;
    };

    std::vector<Item> agenda_;
    std::vector<double> values_;
};

}  // namespace caesura::induce

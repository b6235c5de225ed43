// A scorer for the joint search that knows arcs and boundaries instead of features.
//
// Each word has a score for every head, and a score for starting a sentence. A transition is charged
// what it loses against the best that its words could have had: the arc that it makes, and the arcs
// that it makes impossible (the idea of Goldberg & Nivre's 2012 dynamic oracles, with the network's
// arcs in place of gold ones). Without the second part a search from left to right would learn too
// late that it gave away a head.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/graph_stack.h"
#include "parse/spanning.h"

namespace caesura::parse {

// Arcs and starts of one document; read-only.
class ArcTable {
   public:
    // The scores of a network: of word d for its sizes[d] heads from base[d] on, the first of them
    // the root, and of starts. `crossing` weighs the arcs that a boundary crosses.
    ArcTable(const ArcScores& scores, Ints sizes, Floats start, float swap, double crossing);

    Long n() const { return std::ssize(base_); }
    // What each head costs each word: 0 for the best one, at least `floor_score`.
    ArcScores costs() const {
        return {{arcs_.data(), base_.size(), static_cast<std::size_t>(width_)}, base_};
    }
    // What a head (-1: root) costs a word.
    float arc(std::int32_t word, std::int32_t head) const {
        const Long row = word * width_;
        if (head < 0) return arcs_[static_cast<std::size_t>(row)];
        const Long place = head - base_[static_cast<std::size_t>(word)] + 1;
        if (place < 1 || place >= width_) return floor_score;
        return arcs_[static_cast<std::size_t>(row + place)];
    }

    // The best head (-1: root) of each word, and what the second best costs.
    std::vector<std::int32_t> best;
    std::vector<float> gap;
    // Evidence for a start, and what a boundary before a word costs the best arcs that span it.
    std::vector<float> start, cross;
    // The words whose best head is h, from children[first[h]] on, rising.
    std::vector<std::int32_t> first, children;
    float swap;

   private:
    Long width_;
    std::vector<float> arcs_;
    std::vector<std::int32_t> base_;
};

class ArcScorer {
   public:
    // Arcs have one label each: left, right, root.
    static constexpr std::int32_t transitions = 6;

    explicit ArcScorer(const ArcTable& table) : table_(table) {}
    void begin(const Words&) {}
    void score(const Arena& arena, std::int32_t item, float* scores) const;

   private:
    float lost(const Arena& arena, std::int32_t word, std::int32_t node, std::int32_t next,
               bool closed) const;

    const ArcTable& table_;
};

}  // namespace caesura::parse

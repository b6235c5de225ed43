// The choice of lemma rules: by the scores of the network, and by how words that end alike made
// their lemmas.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"

namespace caesura::network {

// Scores of rules: a row for each word. Columns are rules, those of `rules` (rising) unless it is
// empty.
struct RuleScores {
    const float* data;
    Long rows, columns, stride;
    Longs rules;

    const float* operator[](Long row) const { return data + row * stride; }
    Long rule(Long column) const { return rules.empty() ? column : rules[column]; }
    // The score of a rule; very low if it has none.
    float of(Long row, Long rule) const;
};

// Writes the best rule of each word: of choices[first[k]] to choices[last[k] - 1] for a word of
// kind k, or of all if there are none.
void best_rules(const RuleScores& scores, Longs kinds, Longs first, Longs last,
                View<const std::uint16_t> choices, View<Long> out);

// Rules that a word may take, rising, and the evidence for each; those of word i begin at first[i].
struct Candidates {
    std::vector<Long> first{0}, rules;
    std::vector<double> points;
};

// How often words with an ending took each rule. Endings are hashes in order; the rules of ending i
// are those from first[i] to first[i + 1] - 1.
class LemmaEndings {
   public:
    LemmaEndings(Codes keys, Longs first,
                 View<const std::uint16_t> rules, View<const std::uint16_t> counts);

    // Adds the chances of the rules that words with these endings took, rising. Of the endings,
    // the shortest first, those behind the first unknown one are left out.
    void chances(Codes endings, std::vector<Long>& rules, std::vector<double>& found) const;

    // The candidates of some rows, whose endings are those from bounds[i] to bounds[i + 1] - 1;
    // none for a word whose endings are all unknown. A candidate is at most `below` behind the best.
    Candidates candidates(const RuleScores& scores, Longs rows, Codes endings, Longs bounds,
                          double below) const;

   private:
    std::vector<std::uint32_t> keys_;
    std::vector<Long> first_;
    std::vector<std::uint16_t> rules_, counts_;
};

}  // namespace caesura::network

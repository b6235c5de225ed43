// The scorer of the hybrid system: what templates may name of a state, and the probabilities of the
// best transitions. A label of the classifier is a transition together with the label of its arc.
// Its probability is the softmax over the labels that are legal in the state, so that margins can be
// compared between states.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/compact.h"
#include "parse/hybrid.h"
#include "parse/templates.h"
#include "parse/words.h"

namespace caesura::parse::hybrid {

// The values that templates name, in the order of `caesura.stages.branching_features`.
struct Slots {
    // s0 is the top of the stack and n0 the next word, the two that a transition is about; then the
    // next words, heads (h) and children (l, r), what is below the top of the stack, what was passed
    // last, and neighbours in the text.
    enum Place { s0, n0, n1, n2, s0h, s0h2, s0l, s0l2, s0r, s0r2, n0l, n0l2, s1, s2, d0, n0_before,
                 s0_before, s0_after, n0h, n_places };
    // After the columns of all words come labels, valencies, label sets, the distance, flags.
    enum Value { none, s0_label, s0h_label, child_labels, n0_label = child_labels + 4,
                 n0_child_labels, valencies = n0_child_labels + 2, sets = valencies + 3,
                 distance = sets + 3, flags, n_values };
    static constexpr Long first_value = n_places * word_columns;
    static constexpr Long size = first_value + n_values;

    std::int32_t places[n_places];
    std::uint64_t values[size];

    // Fills all slots for the state as it stands.
    void fill(const Words& words, const State& state);
    // The same for a pair of words, as if no others were on the stack or in the deque.
    void fill_pair(const Words& words, const State& state, std::int32_t i, std::int32_t j);
    // A number that differs for all states that the classifier can tell apart.
    std::uint64_t signature(Kinds can) const;

   private:
    void fill_rest(const Words& words, const State& state, std::int32_t i, std::int32_t j);
};

// A label of the classifier, or the code of a transition that what the caller fixed has forced.
using Action = std::int32_t;
constexpr Action no_action = -1;

struct Choice {
    Action action = no_action;
    double probability = 0.0;
};

// Memory of one thread.
struct Scratch {
    Slots slots;
    std::vector<std::uint64_t> rows;
    std::vector<std::int32_t> sums;
    std::vector<Choice> best;  // the result of `choose` and `rank`
};

// Read-only; can be shared by threads.
class Classifier {
   public:
    // The kind of each label of the classifier, and the label of its arc (-1: none). Throws
    // DamagedModel if they do not fit the table.
    Classifier(const CompactRows& rows, const Templates& templates, Ints kinds,
               Ints labels, std::int32_t n_labels);

    std::int32_t n_labels() const { return n_labels_; }
    Long n_actions() const { return std::ssize(kinds_); }
    const Templates& templates() const { return templates_; }
    Long n_rows() const { return rows_->size(); }

    Transition transition(Action action) const {
        if (action >= 0) return {kinds_[action], labels_[action]};
        const std::int32_t forced = first_forced - action;
        return {forced % n_kinds, forced / n_kinds - 1};
    }

    // Writes the rows of the features in the slots.
    void find_rows(Scratch& scratch) const;
    // Sums up the rows of the features in the slots.
    void evaluate(Scratch& scratch) const;
    // From the sums, the k best of the labels that are legal, with their probabilities. `left` and
    // `right` are the labels that arcs in either direction must have (-1: any).
    void rank(Scratch& scratch, Kinds can, std::int32_t left, std::int32_t right,
              std::size_t k) const;
    // Evaluates the state in the slots and ranks its labels. If no label fits what is given, the
    // first legal transition is forced.
    void choose(const State& state, Kinds can, std::size_t k, Scratch& scratch) const;
    // The label and the probability of an arc in a state that has only these two words. `given` is
    // the label that it must have (-1: any).
    std::pair<std::int32_t, double> pair(const Words& words, const State& state, std::int32_t head,
                                         std::int32_t word, std::int32_t given,
                                         Scratch& scratch) const;

   private:
    static constexpr Action first_forced = -2;
    static Action forced(std::int32_t kind, std::int32_t label) {
        return first_forced - (kind + n_kinds * (label + 1));
    }
    bool may(std::size_t action, Kinds can, std::int32_t left, std::int32_t right) const;

    const CompactRows* rows_;
    Templates templates_;
    std::vector<std::int32_t> kinds_, labels_;
    std::int32_t n_labels_;
};

}  // namespace caesura::parse::hybrid

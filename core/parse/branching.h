// Selectional branching (Choi & McCallum 2013, section 3): branches where the classifier is unsure.
//
// The one-best sequence is made first. Where its best label leads by no more than a margin, the next
// best ones are recorded; the likeliest of them are then followed to the end, each from the state of
// the one-best sequence where it leaves it. Decisions are cached by all that the classifier sees of
// a state, so a branch that returns to a known state needs no evaluation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "parse/hybrid_scorer.h"

namespace caesura::parse::hybrid {

struct SearchOptions {
    std::size_t beam = 64;       // sequences of a sentence
    double margin = 0.88;        // the largest lead of a decision that branches
    std::size_t k = 2;           // labels of a state that are considered
    bool mean = true;            // score: the mean of probabilities, or the sum of their logarithms
    bool skip_labels = false;    // alternatives of the same kind do not branch
    bool keep_attached = true;   // branches that attach fewer words than the one-best cannot win
    bool single_root = true;
    bool memory = true;          // cache decisions
    int waves = 1;               // with more, the best branch is branched from in turn
};

// What is counted. `bound` is the number of evaluations that the paper's d·t - e allows.
enum Counter { sentences, steps, evaluations, remembered, unsure, sequences, one_best, bound,
               n_counters };
using Counts = std::array<Long, n_counters>;

// A cache with open addressing that is full when half of its places are used; key 0 is free.
template <class Value>
class Memo {
   public:
    explicit Memo(int bits) : keys_(std::size_t{1} << bits), values_(keys_.size()) {}

    void clear() {
        for (const std::size_t at : used_) keys_[at] = 0;
        used_.clear();
    }
    const Value* find(std::uint64_t key) const {
        const std::size_t at = place(key);
        return keys_[at] == 0 ? nullptr : &values_[at];
    }
    void put(std::uint64_t key, const Value& value) {
        if (used_.size() >= keys_.size() / 2) return;
        const std::size_t at = place(key);
        if (keys_[at] == 0) used_.push_back(at);
        keys_[at] = key;
        values_[at] = value;
    }

   private:
    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = keys_.size() - 1;
        std::size_t at = key & mask;
        while (keys_[at] != 0 && keys_[at] != key) at = (at + 1) & mask;
        return at;
    }
    std::vector<std::uint64_t> keys_;
    std::vector<Value> values_;
    std::vector<std::size_t> used_;
};

// The best label of a state, and the next best one if the decision is unsure.
struct Decision {
    Choice best, second;
};

// A step of a sequence; its probabilities are rounded to 32 bits.
struct Step {
    Action action;
    float probability;
    Action second;
    float second_probability;
};

// The sequences of a sentence. Sequence 0 is the one-best; another one shares the first `fork`
// steps with it, and the rest, from `begin` to `end`, is its own.
class Sequences {
   public:
    struct Sequence {
        std::size_t begin = 0, end = 0, fork = 0;
        double score = 0.0, log_probability = 0.0;
    };

    void clear() {
        steps_.clear();
        sequences_.clear();
    }
    std::size_t size() const { return sequences_.size(); }
    const Sequence& operator[](std::size_t number) const { return sequences_[number]; }
    std::size_t length(std::size_t number) const {
        const Sequence& one = sequences_[number];
        return one.fork + one.end - one.begin;
    }
    const Step& step(std::size_t number, std::size_t at) const {
        const Sequence& one = sequences_[number];
        return steps_[at < one.fork ? at : one.begin + at - one.fork];
    }
    // The sequence with the highest score; of equal ones the first.
    std::size_t best() const;

    // Appends a step of the sequence that is under way; `finish` ends it.
    void add(const Step& step) { steps_.push_back(step); }
    std::size_t under_way() const {
        return steps_.size() - (sequences_.empty() ? 0 : sequences_.back().end);
    }
    void finish(std::size_t fork, double score, double log_probability) {
        sequences_.push_back(
            {steps_.size() - under_way(), steps_.size(), fork, score, log_probability});
    }

   private:
    std::vector<Step> steps_;
    std::vector<Sequence> sequences_;
};

// Transitions that a sentence may take. Before the next word is shifted, each word of the stack is
// looked at once; trees of treebanks take two or three a word. Where heads are given, as many as
// there can be.
std::size_t most_steps(Long words, bool given);

// The search through the sentences of one thread.
class Search {
   public:
    Search(const Classifier& classifier, const SearchOptions& options)
        : classifier_(classifier), options_(options), system_(options.single_root) {}

    // Makes all sequences of a sentence. False if one of them has more steps than a sentence may
    // have.
    bool run(const Words& words, const Limits& limits, Counts& counts, Cancel& cancel);

    const Classifier& classifier() const { return classifier_; }
    const SearchOptions& options() const { return options_; }
    const System& system() const { return system_; }
    const Sequences& found() const { return sequences_; }
    Scratch& scratch() { return scratch_; }
    // The state at the end of a sequence of the sentence of the last run.
    const State& replay(std::size_t number);

   private:
    struct Fork {
        std::size_t step;
        Action action;
        double probability;
    };
    // The score of a sequence under way.
    struct Total {
        double probabilities = 0.0, logs = 0.0;
        void add(double probability);
    };

    bool first(const Words& words, Counts& counts, Cancel& cancel);
    bool follow(const Words& words, const Fork& fork, std::size_t base, Counts& counts);
    bool is_unsure(std::size_t a) const;
    Decision decision() const;
    void insert(const Fork& fork, std::size_t most);
    double score(const Total& total, std::size_t steps) const;

    const Classifier& classifier_;
    SearchOptions options_;
    System system_;
    State state_;
    Scratch scratch_;
    Memo<Decision> memo_{13};
    std::vector<Fork> forks_;
    Sequences sequences_;
    std::size_t most_ = 0, longest_ = 0;
    std::int32_t attached_ = 0;
};

}  // namespace caesura::parse::hybrid

// Ordinary beam search over the hybrid system, to compare with branching (research/hybrid_beam.py).
// All items of the beam make a step together; finished ones stay as they are. Decisions are cached
// as in branching, so that the two can be compared by the evaluations that they need.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "parse/branching.h"

namespace caesura::parse::hybrid {

class BeamSearch {
   public:
    BeamSearch(const Classifier& classifier, const SearchOptions& options)
        : classifier_(classifier), options_(options), system_(options.single_root) {}

    Scratch& scratch() { return scratch_; }

    // The best sequence of a sentence.
    Sequences run(const Words& words, Counts& counts, Cancel& cancel) {
        memo_.clear();
        history_.clear();
        items_.assign(1, {});
        items_[0].state.reset(static_cast<std::int32_t>(words.n), {});
        while (goes_on()) {
            if (history_.size() % 256 == 255) cancel.poll();
            best_.clear();
            for (std::size_t rank = 0; rank < items_.size(); ++rank) extend(words, rank, counts);
            step();
        }
        return found(counts);
    }

   private:
    struct Item {
        State state;
        double sum = 0.0;  // of probabilities, or of their logarithms
        double length = 0.0;
    };
    struct Candidate {
        double key;
        std::size_t parent;
        Action action;  // none: the parent is finished
        float probability;
    };

    // Whether an item can still win: a sum of logarithms only falls, a mean may rise.
    bool goes_on() const {
        const std::size_t seen = options_.mean ? items_.size() : 1;
        return std::any_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(seen),
                           [](const Item& item) { return !item.state.is_terminal(); });
    }

    double value(double probability) const {
        return options_.mean ? probability : std::log(std::max(probability, 1e-30));
    }
    double key(double sum, double length) const { return options_.mean ? sum / length : sum; }

    void insert(const Candidate& candidate) {
        std::size_t at = best_.size();
        while (at > 0 && best_[at - 1].key < candidate.key) --at;
        if (at >= options_.beam) return;
        if (best_.size() == options_.beam) best_.pop_back();
        best_.insert(best_.begin() + static_cast<std::ptrdiff_t>(at), candidate);
    }

    void extend(const Words& words, std::size_t rank, Counts& counts) {
        const Item& item = items_[rank];
        if (item.state.is_terminal()) {
            insert({key(item.sum, item.length), rank, no_action, 1.0f});
            return;
        }
        for (const Choice& choice : decide(words, item.state, counts))
            insert({key(item.sum + value(choice.probability), item.length + 1.0), rank,
                    choice.action, static_cast<float>(choice.probability)});
    }

    const std::vector<Choice>& decide(const Words& words, const State& state, Counts& counts) {
        const Kinds can = system_.legal(state);
        scratch_.slots.fill(words, state);
        const std::uint64_t key = options_.memory ? scratch_.slots.signature(can) : 0;
        const std::vector<Choice>* known = options_.memory ? memo_.find(key) : nullptr;
        ++counts[known ? remembered : evaluations];
        if (known) return *known;
        classifier_.choose(state, can, options_.beam, scratch_);
        if (options_.memory) memo_.put(key, scratch_.best);
        return scratch_.best;
    }

    // Replaces the items by the candidates; the last child of an item takes its state.
    void step() {
        std::vector<int> children(items_.size());
        for (const Candidate& one : best_) ++children[one.parent];
        std::vector<Item> next;
        for (const Candidate& one : best_) {
            Item& parent = items_[one.parent];
            Item child{{}, parent.sum, parent.length};
            child.state = --children[one.parent] == 0 ? std::move(parent.state) : parent.state;
            if (one.action != no_action) {
                child.sum += value(one.probability);
                child.length += 1.0;
                System::apply(child.state, classifier_.transition(one.action));
            }
            next.push_back(std::move(child));
        }
        items_ = std::move(next);
        history_.push_back(best_);
    }

    // The steps of the best item, from the last one back.
    Sequences found(Counts& counts) const {
        std::vector<Step> steps;
        std::size_t rank = 0;
        for (auto beam = history_.rbegin(); beam != history_.rend(); ++beam) {
            const Candidate& one = (*beam)[rank];
            if (one.action != no_action)
                steps.push_back({one.action, one.probability, no_action, 0.0f});
            rank = one.parent;
        }
        ++counts[sentences];
        counts[hybrid::steps] += std::ssize(steps);
        Sequences sequences;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) sequences.add(*step);
        sequences.finish(0, 0.0, 0.0);
        return sequences;
    }

    const Classifier& classifier_;
    SearchOptions options_;
    System system_;
    Scratch scratch_;
    Memo<std::vector<Choice>> memo_{14};
    std::vector<Item> items_;
    std::vector<Candidate> best_;
    std::vector<std::vector<Candidate>> history_;
};

}  // namespace caesura::parse::hybrid

// Sentences as charts see them, and the tables of a split-head grammar.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/view.h"

namespace caesura::induce {

enum Side { left, right };

struct Sentence {
    Ints classes, marks, fragments;
    Long comp;  // 1 if the sentence ends in a mark

    Long size() const { return std::ssize(classes); }
};

// Many sentences, one behind the other; `starts` ends with the number of words.
struct Sentences {
    Ints classes, marks, fragments;
    Bytes comps;
    Longs starts;

    Long size() const { return std::ssize(comps); }
    Long length(Long index) const { return starts[index + 1] - starts[index]; }
    Long longest(Long low, Long high) const {
        Long most = 1;
        for (Long index = low; index < high; index++) most = std::max(most, length(index));
        return most;
    }
    Sentence operator[](Long index) const {
        const Long a = starts[index], b = starts[index + 1];
        return {classes.slice(a, b), marks.slice(a, b), fragments.slice(a, b), comps[index]};
    }
};

// Probabilities, their logarithms (T = const double), or counts of events (T = double). An axis
// that a model does not use has length one.
template <class T>
struct Tables {
    Long classes = 0, root_comps = 0, stop_comps = 0, crosses = 0, adjacents = 0;
    bool fringe = false;  // stopping looks at the fringe instead of the head
    T* root_table = nullptr;
    T* attach_table = nullptr;
    T* stop_table = nullptr;
    T* go_table = nullptr;

    View<T> root(Long comp) const {
        return {root_table + std::min(comp, root_comps - 1) * classes,
                static_cast<std::size_t>(classes)};
    }
    // By class of the dependent.
    View<T> attach(Long side, Long cross, Long adjacent, Long head) const {
        const Long row = ((side * crosses + cross) * adjacents + adjacent) * classes + head;
        return {attach_table + row * classes, static_cast<std::size_t>(classes)};
    }
    View<T> stop(Long comp, Long side, Long adjacent) const {
        return decision(stop_table, comp, side, adjacent);
    }
    View<T> go(Long comp, Long side, Long adjacent) const {
        return decision(go_table, comp, side, adjacent);
    }
    bool adjacent() const { return adjacents == 2; }
    // Whether punctuation between head and dependent selects another table.
    Long cross(const Sentence& words, Long head, Long dependent) const {
        return crosses == 2 && words.marks[dependent] != words.marks[head] ? 1 : 0;
    }

   private:
    View<T> decision(T* table, Long comp, Long side, Long adjacent) const {
        const Long row = (std::min(comp, stop_comps - 1) * 2 + side) * 2 + adjacent;
        return {table + row * classes, static_cast<std::size_t>(classes)};
    }
};

using Parameters = Tables<const double>;
using Counts = Tables<double>;

}  // namespace caesura::induce

// The hybrid of arc-eager and list-based parsing (Choi & McCallum 2013, section 2).
//
// A state has a stack, a deque of words that were passed and return with the next shift, and the
// next word of the buffer. A shift or a reduce treats the words as arc-eager does; a pass looks
// deeper into the stack, so that crossing arcs can be made. Words count from 1, and 0 is the root.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"

namespace caesura::parse::hybrid {

enum Kind : std::int32_t {
    left_reduce, right_shift, no_shift, no_reduce, left_pass, right_pass, no_pass, n_kinds
};

// Bits of a set of kinds of transitions.
using Kinds = unsigned;
constexpr Kinds only(std::int32_t kind) { return 1u << kind; }
constexpr Kinds all_kinds = only(n_kinds) - 1;
constexpr Kinds left_arcs = only(left_reduce) | only(left_pass);
constexpr Kinds right_arcs = only(right_shift) | only(right_pass);
constexpr bool is_left(std::int32_t kind) { return only(kind) & left_arcs; }
constexpr bool is_right(std::int32_t kind) { return only(kind) & right_arcs; }
constexpr bool is_arc(std::int32_t kind) { return is_left(kind) || is_right(kind); }

// A kind and the label of its arc (-1: no arc).
struct Transition {
    std::int32_t kind;
    std::int32_t label;
};

constexpr std::int32_t no_head = -1;

// Heads and labels that the caller fixed, by word (the root has a place of its own); -1 where free.
// Both are empty if nothing is fixed.
struct Limits {
    Ints heads, labels;

    bool any() const { return !heads.empty(); }
    std::int32_t label(std::int32_t word) const { return labels.empty() ? -1 : labels[word]; }
};

// The children of a word: the leftmost two and the rightmost two, their numbers, their labels.
struct Children {
    enum Place { left, left2, right, right2, n_places };
    std::int32_t words[n_places] = {-1, -1, -1, -1};
    std::int32_t n_left = 0, n_right = 0;
    std::uint64_t left_labels = 0, right_labels = 0;
};

struct State {
    std::int32_t n = 0;     // words of the sentence
    std::int32_t next = 1;  // the first word of the buffer
    Limits limits;
    std::vector<std::int32_t> stack, deque;  // the front of the deque is its last item
    std::vector<std::int32_t> heads, labels;
    std::vector<Children> children;

    // The initial state of a sentence: the root on the stack, all words in the buffer.
    void reset(std::int32_t words, const Limits& given);
    bool is_terminal() const { return next > n; }
    std::int32_t top() const { return stack.back(); }
    // The number of words that have a head.
    std::int32_t attached() const;
    // The dependent of an arc of this kind.
    std::int32_t dependent(std::int32_t kind) const { return is_left(kind) ? top() : next; }
};

class System {
   public:
    explicit System(bool single_root) : single_root_(single_root) {}

    bool single_root() const { return single_root_; }
    // The transitions whose preconditions hold and after which all given arcs can still be made.
    Kinds legal(const State& state) const;
    // Makes a legal transition.
    static void apply(State& state, Transition transition);
    // The transition to make in any state, right or wrong (algorithm 1). `gold` has the head of each
    // word from place 1 on, -1 where it is unknown. A gold arc that cannot be made any more, since
    // its word has another head or a cycle would arise, is dropped.
    Kind oracle(const State& state, Ints gold) const;
    // The transition of the oracle and those that lose no more arcs. A word whose gold head cannot
    // be reached any more is wrong with any head and with none, so that an arc to it costs nothing.
    Kinds also_right(const State& state, Ints gold, Kind wanted) const;

   private:
    bool single_root_;
};

}  // namespace caesura::parse::hybrid

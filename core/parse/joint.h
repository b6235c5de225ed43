// Arc-standard with SWAP and SB (Björkelund et al. 2016, section 3): trees and boundaries.
//
// `legal` and `apply` are the transition system; `limit` narrows the legal transitions to those that
// respect what the caller fixed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"
#include "parse/graph_stack.h"

namespace caesura::parse {

// Numbers of transitions; from first_arc on left arcs, then right arcs, then root arcs.
constexpr std::int32_t shift = 0, swap = 1, sb = 2, first_arc = 3;

// Bits of a set of kinds of transitions.
using Kinds = unsigned;
constexpr Kinds can_shift = 1, can_swap = 2, can_sb = 4, can_left = 8, can_right = 16,
                can_root = 32;

// What the caller fixed; views of length 0 where nothing of the kind is fixed.
struct Limits {
    // Values of `starts`.
    static constexpr std::int8_t free = 0, must = 1, never = 2;

    Signs starts;   // where a sentence must or must never start
    Ints after;   // word w starts one too if the last start is not after this
    Ints heads;   // given heads (absent_token: free)
    Ints labels;  // given labels (-1: free)
    Ints wanted;  // the number of given dependents
    Ints rank;    // the projective order of the given arcs
    bool patient = false;             // whether a start need not be announced at once

    bool any() const { return !starts.empty() || !heads.empty(); }
    // What is fixed of the words from begin to end.
    Limits instance(Long begin, Long end) const {
        auto part = [&](auto view) { return view.empty() ? view : view.slice(begin, end); };
        return {part(starts), part(after), part(heads), part(labels), part(wanted), part(rank),
                patient};
    }
};

// The labelled transitions of a model and their semantics; read-only.
class JointSystem {
   public:
    // The labels that left, right and root arcs may carry, in the order of their transitions.
    // Throws DamagedModel if one is not below n_labels. The rules of a `guide`, which must outlive
    // the system, hold where the types of words are known.
    JointSystem(std::int32_t n_labels, Ints left, Ints right, Ints root, bool single_root,
                bool has_sb, const guidelines::Guide* guide = nullptr);

    std::int32_t size() const { return end_; }
    std::int32_t n_labels() const { return static_cast<std::int32_t>(left_of_.size()); }
    bool single_root() const { return single_root_; }
    bool has_sb() const { return has_sb_; }
    const guidelines::Guide* guide() const { return guide_; }
    // Where the right arcs and the root arcs begin.
    std::int32_t first_right() const { return first_right_; }
    std::int32_t first_root() const { return first_root_; }
    // The label of an arc, or -1.
    std::int32_t label(std::int32_t action) const {
        return labels_[static_cast<std::size_t>(action)];
    }
    // The transitions with a label, or -1.
    std::int32_t left_of(std::int32_t label) const {
        return left_of_[static_cast<std::size_t>(label)];
    }
    std::int32_t right_of(std::int32_t label) const {
        return right_of_[static_cast<std::size_t>(label)];
    }
    std::int32_t root_of(std::int32_t label) const {
        return root_of_[static_cast<std::size_t>(label)];
    }

    // All words shifted and the stack reduced to the root.
    bool is_terminal(const Arena& arena, const Item& state, Long n) const {
        return state.next == n && state.swapped < 0 && arena.node(state.stack).depth == 1;
    }
    // The transitions whose preconditions hold (section 3.1, and single_root).
    Kinds legal(const Arena& arena, const Item& state, Long n) const;
    // Those of them that respect the given boundaries and arcs.
    Kinds limit(const Limits& limits, Kinds can, const Arena& arena, const Item& state,
                Long n) const;
    // Adds the item that a transition leads to (and at most two nodes); returns its number.
    std::int32_t apply(const Limits& limits, Arena& arena, std::int32_t item,
                       std::int32_t action) const;

   private:
    bool single_root_, has_sb_;
    const guidelines::Guide* guide_;
    std::int32_t first_right_, first_root_, end_;
    std::vector<std::int32_t> labels_, left_of_, right_of_, root_of_;
};

}  // namespace caesura::parse

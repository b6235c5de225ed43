// Search states that share structure (Goldberg, Zhao & Huang 2013).
//
// A state is an item: a back-pointer, the transition that made it, and the numbers of the top node
// of its stack and of the first node that was swapped back to the buffer. A node is one stack entry
// with what features need of its subtree; it names the node below and never changes, so states
// share stacks and a transition costs the same in a short and in an endless document. Parents have
// lower numbers than their children, items and nodes alike.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"
#include "guidelines/guide.h"
#include "parse/words.h"

namespace caesura::parse {

// The children of a word on one side: the outermost two with their labels + 1 (0: none), how many,
// the set of labels (31 bits in each half), and what the guidelines see of them.
struct Children {
    std::int32_t outer = absent_token, inner = absent_token;
    std::uint16_t outer_label = 0, inner_label = 0;
    std::uint16_t valency = 0;
    guidelines::Kinds kinds = 0;
    std::uint64_t labels = 0;

    std::uint64_t hash() const {
        const std::uint64_t small = outer_label | std::uint64_t{inner_label} << 16 |
                                    std::uint64_t{valency} << 32;
        return static_cast<std::uint32_t>(outer + 2) * 0xC2B2AE3D27D4EB4Full +
               static_cast<std::uint32_t>(inner + 2) * 0x165667B19E3779F9ull +
               small * 0x8EBC6AF09C88C6E3ull + labels * 0x1D8E4E27C47D124Full;
    }
};

// A key with one more number.
inline std::uint64_t mixed(std::uint64_t key, std::uint64_t value) {
    return (key ^ (key >> 32)) * 0xA24BAED4963EE407ull + value;
}

struct Node {
    std::int32_t token = root_token;
    std::int32_t below = -1;  // -1: none
    std::int32_t depth = 1;
    std::int32_t kept = 0;  // given dependents attached so far
    Children left, right;
    // Keys of what features see of the node, and of the stack from the node down.
    std::uint64_t content = 0, chain = 0;
};

struct Item {
    std::int32_t parent = -1;
    std::int32_t action = -1, previous = -1;  // the transition and the one before
    std::int32_t stack = 0;                   // its top node
    std::int32_t next = 0;                    // the first word never shifted
    std::int32_t swapped = -1;                // the first swapped-back node (-1: none)
    std::int32_t last = 0;                    // the last announced sentence start
    // The arc made, or the start announced (as dependent).
    std::int32_t dependent = absent_token, head = absent_token;
    // Of the beam a few steps later: items that descend from this one, and all items.
    std::int32_t heirs = 0, rivals = 0;
    float margin = 0.0f;  // distance to the next best transition of the parent
    double score = 0.0;
};
static_assert(sizeof(Item) == 56 && sizeof(Node) == 80);

// Owns nodes and items. Node 0 is the artificial root, item 0 the initial state. References are
// valid until `grow`, and while transitions are made only where there is room.
class Arena {
   public:
    Arena(Long items, Long nodes) {
        reserve(items, nodes);
        reset();
    }

    Node& node(std::int32_t k) { return nodes_.data()[checked(k, n_nodes())]; }
    const Node& node(std::int32_t k) const { return nodes_.data()[checked(k, n_nodes())]; }
    Item& item(std::int32_t k) { return items_.data()[checked(k, n_items())]; }
    const Item& item(std::int32_t k) const { return items_.data()[checked(k, n_items())]; }
    std::int32_t n_nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
    std::int32_t n_items() const { return static_cast<std::int32_t>(items_.size()); }
    Long max_items() const { return static_cast<Long>(items_.capacity()); }
    Long max_nodes() const { return static_cast<Long>(nodes_.capacity()); }

    // Whether so many transitions may be made: an item and at most two nodes each.
    bool has_room(Long transitions) const {
        return n_items() + transitions <= max_items() && n_nodes() + 2 * transitions <= max_nodes();
    }
    void reserve(Long items, Long nodes) {
        items_.reserve(static_cast<std::size_t>(items));
        nodes_.reserve(static_cast<std::size_t>(nodes));
    }
    void grow() { reserve(2 * max_items(), 2 * max_nodes()); }
    // Removes everything but the artificial root and the initial state.
    void reset() {
        items_.clear();
        nodes_.clear();
        nodes_.emplace_back();
        items_.emplace_back();
        seal(nodes_[0]);
    }
    // Removes what was added since the arena had so many items and nodes.
    void shrink(std::int32_t items, std::int32_t nodes) {
        items_.resize(static_cast<std::size_t>(items));
        nodes_.resize(static_cast<std::size_t>(nodes));
    }

    std::int32_t add(const Item& item) {
        items_.push_back(item);
        return n_items() - 1;
    }
    // Adds a copy of a node on top of another one (-1: none). Call `seal` when it is complete.
    std::int32_t push(Node node, std::int32_t below) {
        node.below = below;
        node.depth = below >= 0 ? this->node(below).depth + 1 : 1;
        nodes_.push_back(node);
        return n_nodes() - 1;
    }
    // Computes the keys of a node whose fields are complete.
    void seal(Node& node) const {
        node.content = static_cast<std::uint32_t>(node.token + 2) * 0x9E3779B97F4A7C15ull +
                       static_cast<std::uint32_t>(node.kept) * 0x94D049BB133111EBull +
                       node.left.hash() + mixed(node.right.hash(), 0);
        seal_chain(node);
    }
    // The same if the content is that of the node it was copied from.
    void seal_chain(Node& node) const {
        node.chain = mixed(node.below >= 0 ? this->node(node.below).chain : 0, node.content);
    }

   private:
    static std::int32_t checked(std::int32_t k, [[maybe_unused]] std::int32_t used) {
        check_index(k, used);
        return k;
    }

    std::vector<Node> nodes_;
    std::vector<Item> items_;
};

}  // namespace caesura::parse

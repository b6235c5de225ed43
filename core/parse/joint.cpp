#include "parse/joint.h"

#include "base/errors.h"

namespace caesura::parse {
namespace {

// Adds a child to the attributes of its head. After SWAP a left arc may lead to the right.
void adopt(Node& head, std::int32_t token, std::int32_t label, guidelines::Kinds kind) {
    const bool left = token < head.token;
    Children& children = left ? head.left : head.right;
    const auto further = [left](std::int32_t a, std::int32_t b) { return left ? a < b : a > b; };
    const auto mark = static_cast<std::uint16_t>(label + 1);
    if (children.outer == absent_token || further(token, children.outer)) {
        children.inner = children.outer;
        children.inner_label = children.outer_label;
        children.outer = token;
        children.outer_label = mark;
    } else if (children.inner == absent_token || further(token, children.inner)) {
        children.inner = token;
        children.inner_label = mark;
    }
    children.kinds |= kind;
    if (children.valency < 0x7FFF) ++children.valency;
    children.labels |= std::uint64_t{1} << (label % 62 / 31 * 32 + label % 31);
}

}  // namespace

JointSystem::JointSystem(std::int32_t n_labels, Ints left, Ints right, Ints root, bool single_root,
                         bool has_sb, const guidelines::Guide* guide)
    : single_root_(single_root), has_sb_(has_sb), guide_(guide) {
    if (guide != nullptr && guide->n_labels() != n_labels)
        throw DamagedModel("the guidelines do not fit the labels");
    const auto size = [](Ints ids) {
        return static_cast<std::int32_t>(ids.size());
    };
    first_right_ = first_arc + size(left);
    first_root_ = first_right_ + size(right);
    end_ = first_root_ + size(root);
    labels_.assign(static_cast<std::size_t>(first_arc), -1);
    const auto add = [&](Ints ids, std::vector<std::int32_t>& action_of) {
        action_of.assign(static_cast<std::size_t>(n_labels > 0 ? n_labels : 1), -1);
        for (const std::int32_t label : ids) {
            if (label < 0 || label >= n_labels)
                throw DamagedModel("the parser's labels do not fit its transitions");
            action_of[static_cast<std::size_t>(label)] = static_cast<std::int32_t>(labels_.size());
            labels_.push_back(label);
        }
    };
    add(left, left_of_);
    add(right, right_of_);
    add(root, root_of_);
}

Kinds JointSystem::legal(const Arena& arena, const Item& state, Long n) const {
    const Node& top = arena.node(state.stack);
    const bool swapped = state.swapped >= 0;
    const std::int32_t b0 = swapped ? arena.node(state.swapped).token : state.next;
    const bool empty = !swapped && b0 >= n;
    Kinds can = 0;
    if (!empty && (b0 != state.last || top.depth == 1 || swapped)) can |= can_shift;
    if (has_sb_ && !empty && !swapped && state.last < b0) can |= can_sb;
    if (top.depth < 2) return can;
    const std::int32_t s1 = arena.node(top.below).token;
    if (s1 == root_token) {
        const bool closed = empty || (b0 == state.last && !swapped);
        if (!single_root_ || closed) can |= can_root;
    } else {
        can |= can_left | can_right;
        if (s1 < top.token) can |= can_swap;
    }
    return can;
}

Kinds JointSystem::limit(const Limits& limits, Kinds can, const Arena& arena, const Item& state,
                         Long n) const {
    const Node& top = arena.node(state.stack);
    const std::int32_t b0 = state.next;
    if (!limits.starts.empty() && state.swapped < 0 && b0 < n && b0 > state.last) {
        if (limits.starts[b0] == Limits::never) {
            can &= ~can_sb;
        } else if (limits.starts[b0] == Limits::must || state.last <= limits.after[b0]) {
            if (!limits.patient) return can_sb;
            can &= ~can_shift;
        }
    }
    if (limits.heads.empty() || top.depth < 2) return can;
    const Node& below = arena.node(top.below);
    const std::int32_t s0 = top.token, s1 = below.token;
    const std::int32_t head0 = limits.heads[s0];
    if (top.kept != limits.wanted[s0] || !(head0 == absent_token || head0 == s1))
        can &= ~(can_right | can_root);
    else if (head0 == s1 && (can & (can_right | can_root)) != 0)
        return can & (can_right | can_root);
    if (s1 == root_token) return can;
    const std::int32_t head1 = limits.heads[s1];
    if (below.kept != limits.wanted[s1] || !(head1 == absent_token || head1 == s0))
        can &= ~can_left;
    else if (head1 == s0)
        return can_left;
    if (limits.rank[s1] <= limits.rank[s0])
        can &= ~can_swap;
    else if (head0 != absent_token && head1 != absent_token && (can & can_swap) != 0)
        return can_swap;
    return can;
}

std::int32_t JointSystem::apply(const Limits& limits, Arena& arena, std::int32_t item,
                                std::int32_t action) const {
    const Item& old = arena.item(item);
    Item state;
    state.parent = item;
    state.action = action;
    state.previous = old.action;
    state.stack = old.stack;
    state.next = old.next;
    state.swapped = old.swapped;
    state.last = old.last;
    const std::int32_t top = old.stack;
    const std::int32_t below = arena.node(top).below;
    // A copy with the same content on top of another node.
    const auto push = [&](std::int32_t source, std::int32_t under) {
        const std::int32_t node = arena.push(arena.node(source), under);
        arena.seal_chain(arena.node(node));
        return node;
    };
    if (action == shift && old.swapped >= 0) {
        state.stack = push(old.swapped, top);
        state.swapped = arena.node(old.swapped).below;
    } else if (action == shift) {
        Node node;
        node.token = old.next;
        state.stack = arena.push(node, top);
        arena.seal(arena.node(state.stack));
        state.next = old.next + 1;
    } else if (action == swap) {
        state.swapped = push(below, old.swapped);
        state.stack = push(top, arena.node(below).below);
    } else if (action == sb) {
        state.last = old.next;
        state.dependent = old.next;
    } else {
        const bool left = action < first_right_;
        state.dependent = arena.node(left ? below : top).token;
        state.stack = below;
        // The root keeps no attributes: they would describe sentences that are over.
        if (action < first_root_) {
            state.stack = arena.push(arena.node(left ? top : below), arena.node(below).below);
            Node& head = arena.node(state.stack);
            adopt(head, state.dependent, label(action),
                  guide_ == nullptr ? guidelines::Kinds{0} : guide_->kind(label(action)));
            head.kept += !limits.heads.empty() && limits.heads[state.dependent] != absent_token;
            arena.seal(head);
        }
        state.head = arena.node(state.stack).token;
    }
    return arena.add(state);
}

}  // namespace caesura::parse

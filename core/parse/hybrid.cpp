#include "parse/hybrid.h"

#include <algorithm>

namespace caesura::parse::hybrid {
namespace {

// Whether `high` is an ancestor of `low`, by arcs that are made or given.
bool is_above(const State& state, std::int32_t high, std::int32_t low) {
    std::int32_t word = low;
    for (std::int32_t step = 0; step <= state.n && word > 0; ++step) {
        std::int32_t head = state.heads[word];
        if (head == no_head && state.limits.any()) head = state.limits.heads[word];
        if (head == high) return true;
        word = head;
    }
    return false;
}

bool root_given(const Limits& limits) {
    return limits.any() && std::count(limits.heads.begin() + 1, limits.heads.end(), 0) > 0;
}

// Whether a word after `word` has the head `head`.
bool has_later(Ints heads, const State& state, std::int32_t word, std::int32_t head) {
    for (std::int32_t later = word + 1; later <= state.n; ++later)
        if (heads[later] == head) return true;
    return false;
}

// Transitions after which all given arcs can still be made. The top of the stack is not the root.
Kinds allowed(const State& state) {
    const Ints given = state.limits.heads;
    const std::int32_t i = state.top(), j = state.next;
    Kinds can = all_kinds;
    if (given[i] == j && state.heads[i] == no_head) can &= left_arcs;
    if (given[j] == i && state.heads[j] == no_head) can &= right_arcs;
    // What lies deeper in the stack can be reached before j is shifted, and not after.
    for (std::size_t k = 0; k + 1 < state.stack.size(); ++k) {
        const std::int32_t below = state.stack[k];
        if ((given[j] == below && state.heads[j] == no_head) ||
            (below != 0 && given[below] == j && state.heads[below] == no_head)) {
            can &= ~(only(right_shift) | only(no_shift));
            break;
        }
    }
    // A word that is still to get a child stays.
    if (has_later(given, state, j, i)) can &= ~(only(left_reduce) | only(no_reduce));
    return can;
}

void attach(State& state, std::int32_t head, std::int32_t word, std::int32_t label) {
    state.heads[word] = head;
    state.labels[word] = label;
    Children& children = state.children[head];
    const std::uint64_t bit = std::uint64_t{1} << (std::max(label, 0) & 63);
    const bool left = word < head;
    ++(left ? children.n_left : children.n_right);
    (left ? children.left_labels : children.right_labels) |= bit;
    std::int32_t* outer = children.words + (left ? Children::left : Children::right);
    auto is_outside = [&](std::int32_t other) {
        return other < 0 || (left ? word < other : word > other);
    };
    if (is_outside(outer[0])) {
        outer[1] = outer[0];
        outer[0] = word;
    } else if (is_outside(outer[1])) {
        outer[1] = word;
    }
}

// Whether gold has this arc and it can still be made.
bool wants(Ints gold, const State& state, std::int32_t head, std::int32_t word) {
    return gold[word] == head && state.heads[word] == no_head;
}

// Whether an arc to `word` would close a cycle once all else has its gold head.
bool would_cycle(const State& state, Ints gold, std::int32_t head, std::int32_t word) {
    std::int32_t above = head;
    for (std::int32_t step = 0; step < state.n; ++step) {
        if (above == word) return true;
        if (above <= 0) return false;
        above = state.heads[above] != no_head ? state.heads[above] : gold[above];
    }
    return false;
}

}  // namespace

void State::reset(std::int32_t words, const Limits& given) {
    n = words;
    next = 1;
    limits = given;
    const auto size = static_cast<std::size_t>(words) + 1;
    stack.assign(1, 0);
    deque.clear();
    heads.assign(size, no_head);
    labels.assign(size, -1);
    children.assign(size, Children{});
}

std::int32_t State::attached() const {
    return n - static_cast<std::int32_t>(std::count(heads.begin() + 1, heads.end(), no_head));
}

Kinds System::legal(const State& state) const {
    const Limits& limits = state.limits;
    const std::int32_t i = state.top(), j = state.next;
    bool left = i != 0 && state.heads[i] == no_head;
    bool right = state.heads[j] == no_head;
    if (left && limits.any() && limits.heads[i] != no_head)
        left = limits.heads[i] == j;
    else if (left)
        left = !is_above(state, i, j);
    if (right && limits.any() && limits.heads[j] != no_head)
        right = limits.heads[j] == i;
    else if (right && i == 0)
        right = !single_root_ || (state.children[0].n_right == 0 && !root_given(limits));
    else if (right)
        right = !is_above(state, j, i);
    if (i == 0) {
        if (!right) return only(no_shift);
        const bool must = limits.any() && limits.heads[j] == 0;
        return only(right_shift) | (must ? 0 : only(no_shift));
    }
    Kinds can = only(no_shift) | only(no_pass);
    if (left) can |= left_arcs;
    if (right) can |= right_arcs;
    if (state.heads[i] != no_head) can |= only(no_reduce);
    if (limits.any()) can &= allowed(state);
    return can;
}

void System::apply(State& state, Transition transition) {
    const auto [kind, label] = transition;
    const std::int32_t i = state.top(), j = state.next;
    if (is_left(kind))
        attach(state, j, i, label);
    else if (is_right(kind))
        attach(state, i, j, label);
    if (kind == right_shift || kind == no_shift) {
        state.stack.insert(state.stack.end(), state.deque.rbegin(), state.deque.rend());
        state.stack.push_back(j);
        state.deque.clear();
        state.next = j + 1;
        return;
    }
    if (kind != left_reduce && kind != no_reduce) state.deque.push_back(i);
    state.stack.pop_back();
}

Kind System::oracle(const State& state, Ints gold) const {
    const Kinds can = legal(state);
    const std::int32_t i = state.top(), j = state.next;
    bool shiftable = true;
    for (std::size_t k = 0; shiftable && k + 1 < state.stack.size(); ++k) {
        const std::int32_t below = state.stack[k];
        shiftable = !wants(gold, state, below, j) &&
                    !(below != 0 && wants(gold, state, j, below));
    }
    const bool to_left = i != 0 && gold[i] == j && (can & left_arcs);
    const bool to_right = !to_left && gold[j] == i && (can & right_arcs);
    const bool reducible = i != 0 && (state.heads[i] != no_head || to_left) &&
                           !has_later(gold, state, j, i);
    if (to_left) return reducible ? left_reduce : left_pass;
    if (to_right) return shiftable || i == 0 ? right_shift : right_pass;
    if (shiftable || i == 0) return no_shift;
    return reducible ? no_reduce : no_pass;
}

Kinds System::also_right(const State& state, Ints gold, Kind wanted) const {
    Kinds right = only(wanted);
    if (is_arc(wanted)) return right;
    const Kinds can = legal(state);
    const std::int32_t i = state.top(), j = state.next;
    const bool rooted = single_root_ && state.children[0].n_right > 0;
    const bool left = (can & left_arcs) && ((0 < gold[i] && gold[i] < j) || (gold[i] == 0 && rooted));
    if (left && !would_cycle(state, gold, j, i))
        right |= only(has_later(gold, state, j, i) ? left_pass : left_reduce);
    if (i != 0 && (can & right_arcs) && 0 <= gold[j] && gold[j] < j) {
        bool lost = gold[j] != 0 || rooted;
        Kind kind = right_shift;
        for (std::size_t k = 0; k + 1 < state.stack.size(); ++k) {
            const std::int32_t below = state.stack[k];
            if (below != 0 && gold[j] == below)
                lost = false;
            else if (below != 0 && wants(gold, state, j, below))
                kind = right_pass;
        }
        if (lost && !would_cycle(state, gold, i, j)) right |= only(kind);
    }
    return right;
}

}  // namespace caesura::parse::hybrid

#include "parse/oracle.h"

#include <algorithm>
#include <numeric>

namespace caesura::parse {
namespace {

using Numbers = std::vector<std::int32_t>;

// The number of children that each word lacks at first.
Numbers count_children(Ints heads) {
    Numbers missing(heads.size());
    for (const std::int32_t head : heads)
        if (head >= 0) ++missing[static_cast<std::size_t>(head)];
    return missing;
}

std::int32_t find(View<std::int32_t> parents, std::int32_t i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

// Maximal projective components: words linked by arcs that arc-standard builds without SWAP.
Numbers components(Ints heads) {
    const auto n = static_cast<std::int32_t>(heads.size());
    Numbers missing = count_children(heads), parents(heads.size()), stack;
    std::iota(parents.begin(), parents.end(), 0);
    auto complete = [&](std::int32_t word) { return missing[static_cast<std::size_t>(word)] == 0; };
    auto link = [&](std::int32_t word, std::int32_t head) {
        parents[static_cast<std::size_t>(find(parents, word))] = find(parents, head);
        --missing[static_cast<std::size_t>(head)];
    };
    for (std::int32_t front = 0;;) {
        const std::size_t size = stack.size();
        const std::int32_t s0 = size >= 1 ? stack[size - 1] : root_token;
        const std::int32_t s1 = size >= 2 ? stack[size - 2] : root_token;
        if (size >= 2 && heads[s1] == s0 && complete(s1)) {
            link(s1, s0);
            stack.pop_back();
            stack.back() = s0;
        } else if (size >= 2 && heads[s0] == s1 && complete(s0)) {
            link(s0, s1);
            stack.pop_back();
        } else if (size == 1 && heads[s0] == root_token && complete(s0)) {
            stack.clear();
        } else if (front < n) {
            stack.push_back(front++);
        } else {
            break;
        }
    }
    for (std::int32_t i = 0; i < n; ++i) parents[static_cast<std::size_t>(i)] = find(parents, i);
    return parents;
}

}  // namespace

Numbers projective_rank(Ints heads) {
    const auto n = static_cast<std::int32_t>(heads.size());
    // The children of word h, and of the root (-1), begin at first[h + 1].
    Numbers first(heads.size() + 2), children(heads.size()), rank(heads.size(), -1);
    const View<std::int32_t> begin(first), child(children), number(rank);
    for (const std::int32_t head : heads) ++begin[std::max(head, root_token) + 2];
    for (std::int32_t i = 0; i <= n; ++i) begin[i + 1] += begin[i];
    Numbers filled = first;
    for (std::int32_t i = 0; i < n; ++i)
        child[filled[static_cast<std::size_t>(std::max(heads[i], root_token) + 1)]++] = i;
    Numbers at = first, path{root_token};
    std::int32_t count = 0;
    while (!path.empty()) {  // each round takes a child that is left, numbers a word, or goes up
        const std::int32_t h = path.back();
        std::int32_t& next = at[static_cast<std::size_t>(h + 1)];
        const bool more = next < begin[h + 2];
        if (more && (h == root_token || number[h] >= 0 || child[next] < h))
            path.push_back(child[next++]);
        else if (h != root_token && number[h] < 0)
            number[h] = count++;
        else
            path.pop_back();
    }
    if (count < n) rank.clear();
    return rank;
}

Numbers oracle(const JointSystem& system, const GoldTrees& gold, bool late, bool eager) {
    const auto n = static_cast<std::int32_t>(gold.heads.size());
    const Numbers ranks = projective_rank(gold.heads);
    if (ranks.size() < gold.heads.size()) return {cycle};
    const Numbers parts = components(gold.heads);
    Numbers children = count_children(gold.heads), stack, swapped, actions;
    const Ints heads = gold.heads, rank(ranks), part(parts);
    const View<std::int32_t> missing(children);
    std::int32_t front = 0, last = 0;
    // Words are swapped into their projective order, two of them once at most; all other
    // transitions bring a word nearer to its head, or end as stuck.
    while (!stack.empty() || !swapped.empty() || front < n) {
        const std::size_t size = stack.size();
        const std::int32_t s0 = size >= 1 ? stack[size - 1] : root_token;
        const std::int32_t s1 = size >= 2 ? stack[size - 2] : root_token;
        const std::int32_t b0 = swapped.empty() ? front : swapped.back();
        const bool empty = swapped.empty() && front >= n;
        std::int32_t action = shift;
        if (system.has_sb() && swapped.empty() && front < n && gold.starts[front] && front > last &&
            (!late || size == 0)) {
            action = sb;
            last = front;
        } else if (size >= 2 && heads[s1] == s0 && missing[s1] == 0) {
            action = system.left_of(gold.labels[s1]);
            --missing[s0];
            stack.pop_back();
            stack.back() = s0;
        } else if (size >= 1 && heads[s0] == s1 && missing[s0] == 0 &&
                   (size >= 2 || !system.single_root() || empty ||
                    (swapped.empty() && front == last))) {
            const std::int32_t label = gold.labels[s0];
            action = size >= 2 ? system.right_of(label) : system.root_of(label);
            if (size >= 2) --missing[s1];
            stack.pop_back();
        } else if (size >= 2 && rank[s1] > rank[s0] && s1 < s0 &&
                   (eager || empty || part[b0] != part[s0])) {
            action = swap;
            swapped.push_back(s1);
            stack.pop_back();
            stack.back() = s0;
        } else if (empty || (b0 == last && swapped.empty() && size > 0)) {
            return {stuck};
        } else {
            stack.push_back(b0);
            if (swapped.empty())
                ++front;
            else
                swapped.pop_back();
        }
        if (action < 0) return {inadmissible};
        actions.push_back(action);
    }
    return actions;
}

}  // namespace caesura::parse

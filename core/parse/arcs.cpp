#include "parse/arcs.h"

#include <algorithm>
#include <limits>

#include "parse/joint.h"

namespace caesura::parse {
namespace {

// A small preference for the first of several orders that build the same tree.
constexpr float late = -0.02f;
// Stack entries that are checked for dependents of a word that leaves the stack.
constexpr int deep = 16;

}  // namespace

ArcTable::ArcTable(const ArcScores& scores, Ints sizes,
                   Floats starts, float swap_cost, double crossing)
    : start(starts.begin(), starts.end()),
      swap(swap_cost),
      width_(static_cast<Long>(scores.arcs.columns())),
      arcs_(scores.arcs.data(), scores.arcs.data() + scores.arcs.rows() * scores.arcs.columns()),
      base_(scores.base.begin(), scores.base.end()) {
    const auto words = static_cast<std::int32_t>(n());
    best.resize(base_.size());
    gap.resize(base_.size());
    for (std::int32_t d = 0; d < words; ++d) {
        float* row = arcs_.data() + d * width_;
        const Long itself = d - scores.base[d] + 1;
        for (Long j = 0; j < width_; ++j)
            if (j >= sizes[d] || j == itself) row[j] = -std::numeric_limits<float>::infinity();
        const auto at = std::max_element(row, row + width_) - row;
        const float top = row[at];
        float second = floor_score;
        for (Long j = 0; j < width_; ++j) {
            row[j] = std::max(row[j] - top, floor_score);
            if (j != at) second = std::max(second, row[j]);
        }
        gap[static_cast<std::size_t>(d)] = -second;
        best[static_cast<std::size_t>(d)] =
            at == 0 ? root_token : static_cast<std::int32_t>(scores.base[d] + at - 1);
    }
    // Arcs open after their first word and close after their last one.
    std::vector<double> spans(base_.size() + 1);
    first.assign(base_.size() + 1, 0);
    for (const bool opens : {true, false}) {
        for (std::int32_t d = 0; d < words; ++d) {
            const auto word = static_cast<std::size_t>(d);
            if (best[word] < 0) continue;
            const std::int32_t at = opens ? std::min(d, best[word]) : std::max(d, best[word]);
            spans[static_cast<std::size_t>(at + 1)] += opens ? gap[word] : -gap[word];
            if (opens) ++first[static_cast<std::size_t>(best[word] + 1)];
        }
    }
    double sum = 0.0;
    for (std::size_t d = 0; d < base_.size(); ++d) {
        sum += spans[d];
        cross.push_back(static_cast<float>(crossing * sum));
        first[d + 1] += first[d];
    }
    children.resize(static_cast<std::size_t>(first.back()));
    std::vector<std::int32_t> fill = first;
    for (std::int32_t d = 0; d < words; ++d) {
        const std::int32_t head = best[static_cast<std::size_t>(d)];
        if (head >= 0)
            children[static_cast<std::size_t>(fill[static_cast<std::size_t>(head)]++)] = d;
    }
}

// What the words that want this one as their head lose when it leaves the stack.
float ArcScorer::lost(const Arena& arena, std::int32_t word, std::int32_t node,
                      std::int32_t next, bool closed) const {
    const Ints first(table_.first), children(table_.children),
        best(table_.best);
    const Floats gap(table_.gap);
    float loss = 0.0f;
    if (!closed)
        for (std::int32_t at = first[word + 1] - 1; at >= first[word] && children[at] >= next; --at)
            loss -= gap[children[at]];
    for (int k = 0; k < deep && arena.node(node).depth > 1; ++k) {
        const std::int32_t token = arena.node(node).token;
        if (best[token] == word) loss -= gap[token];
        node = arena.node(node).below;
    }
    return loss;
}

void ArcScorer::score(const Arena& arena, std::int32_t number, float* scores) const {
    constexpr std::int32_t left_arc = first_arc, right_arc = first_arc + 1,
                           root_arc = first_arc + 2;
    const Ints best(table_.best);
    const Floats gap(table_.gap);
    const Item& state = arena.item(number);
    const std::int32_t next = state.next;
    const Long n = table_.n();
    const bool swapped = state.swapped >= 0;
    const bool open = !swapped && next < n && state.last < next;
    const bool closed = next >= n || (!swapped && state.last == next);
    std::fill(scores, scores + 32, 0.0f);
    scores[parse::swap] = -table_.swap;
    float begin = 0.0f;
    if (open) {
        begin = Floats(table_.start)[next] - Floats(table_.cross)[next];
        if (begin < 0)
            scores[sb] = begin;
        else
            scores[shift] = -begin;
    }
    const Node& top = arena.node(state.stack);
    if (top.depth < 2) return;
    const Node& under = arena.node(top.below);
    const std::int32_t s0 = top.token, s1 = under.token;
    const std::int32_t below = top.depth > 2 ? under.below : 0;
    float right = table_.arc(s0, s1);
    right += lost(arena, s0, below, next, closed);
    if (s1 >= 0 && best[s1] == s0) right -= gap[s1];
    scores[right_arc] = scores[root_arc] = right;
    float left = floor_score;
    if (s1 >= 0) {
        left = table_.arc(s1, s0);
        left += lost(arena, s1, below, next, closed);
        if (best[s0] == s1) left -= gap[s0];
        scores[left_arc] = left;
    }
    // Of several orders that build the same tree one is preferred: boundaries first, then arcs.
    if (open && begin > 0) {
        for (const std::int32_t action : {shift, left_arc, right_arc, root_arc})
            scores[action] += late;
    } else if (left >= 0 || right >= 0) {
        scores[shift] += late;
        scores[sb] += late;
    }
}

}  // namespace caesura::parse

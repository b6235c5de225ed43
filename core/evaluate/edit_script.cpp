// The middle of a shortest script is found by a forward and a backward search that meet; both
// halves are solved in turn. Texts that differ much would cost quadratic time, so long ones are
// first cut at anchors, runs that occur once on either side, in the same order on both; and a
// search that has used up its budget settles for the furthest point it has reached. Time and memory
// stay linear.
#include "evaluate/edit_script.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace caesura::evaluate {
namespace {

// Sequences up to this many elements together are aligned without anchors or budget.
constexpr Long exact = 16'384;
// Differences that a search may find before it settles for the best point so far.
constexpr Long small_budget = 512;
// Lengths of anchors: long ones first, shorter ones inside large gaps.
constexpr Long anchor_lengths[] = {48, 24, 12};
// A gap with more elements than this on both sides is searched for shorter anchors.
constexpr Long large_gap = 1'024;
// From this length on one run in four is enough.
constexpr std::size_t many_runs = 50'000;

struct Point {
    Long x, y, differences;
};

// The furthest places that scripts reach on each diagonal, from either end.
struct Reach {
    std::vector<Long> forward, backward;
};

// A point on a shortest script, about half way; neither the first nor the last elements match.
// `forward[zero + k]` is the furthest place in a that a script of d differences reaches on diagonal
// k (place in a minus place in b); `backward` the same from the other end.
Point middle(Longs a, Longs b, Reach& reach, Long budget) {
    const Long n = std::ssize(a), m = std::ssize(b);
    const Long zero = m + 1, delta = n - m, far = n + m + 2;
    const bool odd = delta & 1;
    View<Long> forward(reach.forward), backward(reach.backward);
    forward[zero] = 0;
    backward[zero + delta] = n;
    Long low_f = 0, high_f = 0, low_b = delta, high_b = delta;
    const Long most = std::max<Long>(std::min(budget, n + m), 1);
    for (Long d = 1; d <= most; d++) {
        if (low_f > -m) {
            low_f--;
            forward[zero + low_f - 1] = -1;
        } else {
            low_f++;
        }
        if (high_f < n) {
            high_f++;
            forward[zero + high_f + 1] = -1;
        } else {
            high_f--;
        }
        for (Long k = high_f; k >= low_f; k -= 2) {
            const Long below = forward[zero + k - 1], above = forward[zero + k + 1];
            Long x = below >= above ? below + 1 : above;
            Long y = x - k;
            while (x < n && y < m && a[x] == b[y]) x++, y++;
            forward[zero + k] = x;
            if (odd && low_b <= k && k <= high_b && backward[zero + k] <= x) return {x, y, d};
        }
        if (low_b > -m) {
            low_b--;
            backward[zero + low_b - 1] = far;
        } else {
            low_b++;
        }
        if (high_b < n) {
            high_b++;
            backward[zero + high_b + 1] = far;
        } else {
            high_b--;
        }
        for (Long k = high_b; k >= low_b; k -= 2) {
            const Long below = backward[zero + k - 1], above = backward[zero + k + 1];
            Long x = below < above ? below : above - 1;
            Long y = x - k;
            while (x > 0 && y > 0 && a[x - 1] == b[y - 1]) x--, y--;
            backward[zero + k] = x;
            if (!odd && low_f <= k && k <= high_f && x <= forward[zero + k]) return {x, y, d};
        }
    }
    Long best_x = 0, best_y = 0;
    for (Long k = high_f; k >= low_f; k -= 2) {
        const Long x = std::min({forward[zero + k], n, m + k});
        if (2 * x - k > best_x + best_y) best_x = x, best_y = x - k;
    }
    return {best_x, best_y, most};
}

// Match what lies in the gaps without anchors. Halves of a gap wait on a stack, whose depth is the
// logarithm of the number of differences.
void solve(Longs a, Longs b, View<const Gap> gaps, View<Long> partner, Long budget,
           Cancel& cancel) {
    Long longest = 0;
    for (const Gap& gap : gaps) longest = std::max(longest, gap.size());
    Reach reach{std::vector<Long>(longest + 4), std::vector<Long>(longest + 4)};
    std::vector<Gap> waiting;
    Long spent = 0;
    for (const Gap& gap : gaps) {
        waiting.assign(1, gap);
        Long pieces = 0;
        while (!waiting.empty()) {
            if (++pieces > 2 * gap.size() + 2)
                throw std::logic_error("the search for a shortest edit script does not end");
            if (spent > 1'000'000) {
                cancel.poll();
                spent = 0;
            }
            Gap part = waiting.back();
            waiting.pop_back();
            spent += part.size() + 1;
            while (part.a0 < part.a1 && part.b0 < part.b1 && a[part.a0] == b[part.b0])
                partner[part.a0++] = part.b0++;
            while (part.a0 < part.a1 && part.b0 < part.b1 && a[part.a1 - 1] == b[part.b1 - 1])
                partner[--part.a1] = --part.b1;
            if (part.a0 == part.a1 || part.b0 == part.b1) continue;
            const Point point = middle(a.slice(part.a0, part.a1), b.slice(part.b0, part.b1), reach,
                                       budget);
            spent += point.differences * point.differences;
            const Long x = part.a0 + point.x, y = part.b0 + point.y;
            waiting.push_back({x, part.a1, y, part.b1});
            waiting.push_back({part.a0, x, part.b0, y});
        }
    }
}

struct Run {
    std::uint64_t hash;
    Long place;
};

// The runs of a length that occur once, by their rolling hashes, among those whose hash is zero
// under the mask. Sorted by hash.
std::vector<Run> runs_that_occur_once(Longs sequence, Long length, std::uint64_t mask) {
    constexpr std::uint64_t base = 0x9E3779B97F4A7C15ull;
    std::vector<Run> runs;
    std::uint64_t value = 0, top = 1;
    for (Long i = 1; i < length; i++) top *= base;
    for (Long i = 0; i < std::ssize(sequence); i++) {
        if (i >= length) value -= top * (static_cast<std::uint64_t>(sequence[i - length]) + 1);
        value = value * base + static_cast<std::uint64_t>(sequence[i]) + 1;
        if (i >= length - 1 && ((value >> 40) & mask) == 0) runs.push_back({value, i - length + 1});
    }
    std::sort(runs.begin(), runs.end(), [](const Run& x, const Run& y) {
        return x.hash != y.hash ? x.hash < y.hash : x.place < y.place;
    });
    std::vector<Run> once;
    for (std::size_t i = 0; i < runs.size();) {
        std::size_t next = i + 1;
        while (next < runs.size() && runs[next].hash == runs[i].hash) next++;
        if (next == i + 1) once.push_back(runs[i]);
        i = next;
    }
    return once;
}

using Pair = std::pair<Long, Long>;

// The pairs of a longest subsequence whose second numbers rise.
std::vector<Pair> rising(const std::vector<Pair>& pairs) {
    std::vector<Long> tails, before(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); i++) {
        const auto at = std::lower_bound(
            tails.begin(), tails.end(), pairs[i].second,
            [&](Long tail, Long value) { return pairs[tail].second < value; });
        before[i] = at == tails.begin() ? -1 : *(at - 1);
        if (at == tails.end())
            tails.push_back(static_cast<Long>(i));
        else
            *at = static_cast<Long>(i);
    }
    std::vector<Pair> chosen(tails.size());
    Long i = tails.empty() ? -1 : tails.back();
    for (std::size_t place = tails.size(); place-- > 0; i = before[i]) chosen[place] = pairs[i];
    return chosen;
}

// Pairs of places at which the same run stands, once in each, rising in both.
std::vector<Pair> anchors_of(Longs a, Longs b, Long length) {
    const std::uint64_t mask = std::min(a.size(), b.size()) > many_runs ? 3 : 0;
    const auto in_a = runs_that_occur_once(a, length, mask);
    const auto in_b = runs_that_occur_once(b, length, mask);
    std::vector<Pair> pairs;
    for (auto x = in_a.begin(), y = in_b.begin(); x != in_a.end() && y != in_b.end();) {
        if (x->hash == y->hash)
            pairs.emplace_back((x++)->place, (y++)->place);
        else
            (x->hash < y->hash ? x : y)++;
    }
    std::sort(pairs.begin(), pairs.end());
    return rising(pairs);
}

// Match the anchors and what equals around them; what lies between them is added to `between`.
void chain(Longs a, Longs b, const Gap& gap, const std::vector<Pair>& anchors, Long length,
           View<Long> partner, std::vector<Gap>& between) {
    Long i = gap.a0, j = gap.b0;
    for (auto [x, y] : anchors) {
        x += gap.a0, y += gap.b0;
        if (x < i || y < j) continue;
        if (!std::equal(a.begin() + x, a.begin() + x + length, b.begin() + y)) continue;
        while (x > i && y > j && a[x - 1] == b[y - 1]) x--, y--;
        if (x > i || y > j) between.push_back({i, x, j, y});
        i = x, j = y;
        while (i < gap.a1 && j < gap.b1 && a[i] == b[j]) partner[i++] = j++;
    }
    between.push_back({i, gap.a1, j, gap.b1});
}

}  // namespace

void fill_gaps(Longs a, Longs b, View<const Gap> gaps, View<Long> partner, Cancel& cancel) {
    std::vector<Gap> small, large, cut;
    for (const Gap& gap : gaps) (gap.size() <= exact ? small : large).push_back(gap);
    solve(a, b, small, partner, exact, cancel);
    for (const Long length : anchor_lengths) {
        cut.clear();
        for (const Gap& gap : large) {
            if (std::min(gap.a1 - gap.a0, gap.b1 - gap.b0) <= large_gap) {
                cut.push_back(gap);
                continue;
            }
            cancel.poll();
            const auto anchors =
                anchors_of(a.slice(gap.a0, gap.a1), b.slice(gap.b0, gap.b1), length);
            chain(a, b, gap, anchors, length, partner, cut);
        }
        large.swap(cut);
    }
    solve(a, b, large, partner, small_budget, cancel);
}

}  // namespace caesura::evaluate

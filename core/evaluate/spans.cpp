#include "evaluate/spans.h"

#include <algorithm>
#include <vector>

namespace caesura::evaluate {
namespace {

// Steps that a gap is slid at most.
constexpr Long most_steps = 200;

struct Slider {
    View<Long> at;
    Longs ours, theirs;
    Flags begins;

    Long size() const { return std::ssize(at); }

    // A run of theirs before `place` has no match: find a token's beginning close by.
    void slide_gap(Long place) const {
        const Long missing = at[place] - at[place - 1] - 1;
        for (Long step = 1; step < most_steps; step++) {
            const Long left = place - step;
            if (left < 1 || at[left] < 0 || at[left] != at[place - 1] - step + 1) break;
            if (theirs[at[left] + missing] != ours[left]) break;
            if (begins[left]) {
                for (Long k = left; k < place; k++) at[k] += missing;
                return;
            }
        }
        for (Long step = 0; step < most_steps; step++) {
            const Long right = place + step;
            if (right >= size() - 1 || at[right] < 0 || at[right] != at[place] + step) break;
            if (theirs[at[right] - missing] != ours[right]) break;
            if (begins[right + 1]) {
                for (Long k = place; k <= right; k++) at[k] -= missing;
                return;
            }
        }
    }

    // A run of ours has no match: find one of the same length that whole tokens make up.
    void slide_run(Long first, Long stop) const {
        for (Long step = 1; step < most_steps; step++) {
            const Long left = first - step;
            if (left < 1 || at[left] < 0 || at[left] != at[first - 1] - step + 1) break;
            if (ours[left] != ours[stop - step]) break;
            if (begins[left] && begins[stop - step]) {
                const Long last = at[first - 1];
                for (Long k = 1; k <= step; k++) at[stop - k] = last - k + 1;
                for (Long k = left; k < stop - step; k++) at[k] = -1;
                return;
            }
        }
        for (Long step = 0; step < most_steps; step++) {
            const Long right = stop + step;
            if (right >= size() - 1 || at[right] < 0 || at[right] != at[stop] + step) break;
            if (ours[right] != ours[first + step]) break;
            if (begins[first + step + 1] && begins[right + 1]) {
                const Long base = at[stop];
                for (Long k = 0; k <= step; k++) at[first + k] = base + k;
                for (Long k = first + step + 1; k <= right; k++) at[k] = -1;
                return;
            }
        }
    }
};

}  // namespace

void slide(View<Long> at, Longs ours, Longs theirs, Flags begins) {
    const Slider slider{at, ours, theirs, begins};
    const Long n = slider.size();
    for (Long i = 1; i < n;) {
        if (at[i] < 0 && at[i - 1] >= 0) {
            // A run of ours that has no match, between two that are neighbours over there.
            Long stop = i;
            while (stop < n && at[stop] < 0) stop++;
            if (stop < n && at[stop] == at[i - 1] + 1 && !(begins[i] && begins[stop]))
                slider.slide_run(i, stop);
            i = stop + 1;
        } else {
            if (at[i] >= 0 && at[i - 1] >= 0 && at[i] > at[i - 1] + 1 && !begins[i])
                slider.slide_gap(i);
            i++;
        }
    }
}

void hash_spans(Codes chars, Longs start, Longs end, View<Long> out) {
    for (std::size_t token = 0; token < start.size(); token++) {
        std::uint64_t value = 14695981039346656037ull;
        for (Long i = start[token]; i < end[token]; i++) {
            value = (value ^ chars[i]) * 1099511628211ull;
            value ^= value >> 29;
        }
        out[token] = static_cast<Long>(value >> 1);
    }
}

void expand(View<Long> at, Longs ours, Longs theirs, Longs first, Longs size, Longs their_start,
            Longs there) {
    const Long n = std::ssize(theirs);
    Long place = 0;
    for (std::size_t token = 0; token < first.size(); token++) {
        while (place < n && their_start[place] < there[token]) place++;
        const Long begin = first[token], limit = there[token] + size[token];
        Long count = 0;
        while (place + count < n && their_start[place + count] < limit) count++;
        bool same = begin + count <= std::ssize(ours);
        for (Long k = 0; same && k < count; k++) same = ours[begin + k] == theirs[place + k];
        for (Long k = 0; same && k < count; k++) at[begin + k] = place + k;
        place += count;
    }
}

void prefer(View<Long> best, Longs other) {
    const Long n = std::ssize(best);
    Long begin = 0, gain = 0;
    for (Long i = 0; i <= n; i++) {
        if (i == n || (best[i] >= 0 && best[i] == other[i])) {
            for (Long k = begin; gain > 0 && k < i; k++) best[k] = other[k];
            begin = i + 1;
            gain = 0;
        } else {
            gain += (other[i] >= 0) - (best[i] >= 0);
        }
    }
}

void gather(Longs parent, View<Long> low, View<Long> high, View<Long> empty) {
    for (Long node = std::ssize(parent) - 1; node >= 0; node--) {
        const Long above = parent[node];
        if (above < 0) continue;
        low[above] = std::min(low[above], low[node]);
        high[above] = std::max(high[above], high[node]);
        empty[above] = std::min(empty[above], empty[node]);
    }
}

void climb(Longs head, Flags marks, Long unknown, View<Long> out) {
    const Long n = std::ssize(head);
    for (Long word = 0; word < n; word++) {
        Long above = head[word];
        for (Long steps = 1; above >= 0 && marks[above]; steps++) {
            above = head[above];
            if (steps > n) {
                above = unknown;
                break;
            }
        }
        out[word] = above;
    }
}

void find_circles(Longs head, Longs bounds, View<bool> found) {
    // 0: not seen, -1: seen before; else the word from which the present climb began, plus one.
    std::vector<Long> state(head.size());
    for (std::size_t sentence = 0; sentence + 1 < bounds.size(); sentence++) {
        for (Long word = bounds[sentence]; word < bounds[sentence + 1]; word++) {
            Long at = word;
            for (; at >= 0 && state[at] == 0; at = head[at]) state[at] = word + 1;
            if (at >= 0 && state[at] == word + 1) found[sentence] = true;
            for (at = word; at >= 0 && state[at] == word + 1; at = head[at]) state[at] = -1;
        }
    }
}

}  // namespace caesura::evaluate

// Words that are tokens of their own are the same if their spans are. Where either side has a
// multi-word token the region is grown until both sides end together, and the words in it are
// aligned by a longest common subsequence of their lower-cased forms. Words of no width, which the
// shared task does not know, are the same if they stand at the same place and have the same form.
#include "evaluate/words.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace caesura::evaluate {
namespace {

// Regions with more cells than this are aligned in linear space.
constexpr Long table_cells = 4'000'000;

// Polls once in a few million cells.
struct Meter {
    Cancel& cancel;
    Long spent = 0;
    void spend(Long cells) {
        spent += cells;
        if (spent < 5'000'000) return;
        cancel.poll();
        spent = 0;
    }
};

// Longest common subsequence of the forms; the earliest equal pair is taken.
void align_region(const Words& gold, const Words& system, const Gap& region, View<Long> partner,
                  Meter& meter) {
    const Long rows = region.a1 - region.a0, columns = region.b1 - region.b0;
    if (rows == 0 || columns == 0) return;
    meter.spend(rows * columns);
    if (rows * columns > table_cells) {
        fill_gaps(gold.form, system.form, {&region, 1}, partner, meter.cancel);
        return;
    }
    std::vector<std::int32_t> cells((rows + 1) * (columns + 1));
    Matrix<std::int32_t> longest(cells.data(), rows + 1, columns + 1);
    const Longs ours = gold.form.slice(region.a0, region.a1);
    const Longs theirs = system.form.slice(region.b0, region.b1);
    for (Long i = rows - 1; i >= 0; i--) {
        for (Long j = columns - 1; j >= 0; j--) {
            std::int32_t best = std::max(longest(i + 1, j), longest(i, j + 1));
            if (ours[i] == theirs[j]) best = std::max(best, longest(i + 1, j + 1) + 1);
            longest(i, j) = best;
        }
    }
    for (Long i = 0, j = 0; i < rows && j < columns;) {
        if (ours[i] == theirs[j])
            partner[region.a0 + i++] = region.b0 + j++;
        else if (longest(i, j) == longest(i + 1, j))
            i++;
        else
            j++;
    }
}

// Whether word i lies behind the region that ends at `end` (multi-word tokens stretch it).
bool outside(const Words& words, Long i, Long end) {
    if (i >= words.size()) return true;
    return words.multi[i] ? words.start[i] >= end : words.end[i] > end;
}

// Moves g and s behind the region, which every multi-word token in it stretches.
void to_region_end(const Words& gold, const Words& system, Long& g, Long& s, Long end) {
    while (!(outside(gold, g, end) && outside(system, s, end))) {
        if (g < gold.size() && (s >= system.size() || gold.start[g] <= system.start[s])) {
            if (gold.multi[g]) end = std::max(end, gold.end[g]);
            g++;
        } else {
            if (system.multi[s]) end = std::max(end, system.end[s]);
            s++;
        }
    }
}

}  // namespace

void align_wide(const Words& gold, const Words& system, View<Long> partner, Cancel& cancel) {
    const Long n = gold.size(), m = system.size();
    Meter meter{cancel};
    for (Long g = 0, s = 0; g < n && s < m;) {
        const Long before = g + s;
        if (gold.multi[g] || system.multi[s]) {
            // The region starts with the multi-word token itself: a plain word of the other side
            // that began earlier cannot be part of it.
            Long end;
            if (gold.multi[g]) {
                end = gold.end[g];
                if (!system.multi[s] && system.start[s] < gold.start[g]) s++;
            } else {
                end = system.end[s];
                if (gold.start[g] < system.start[s]) g++;
            }
            Gap region{g, g, s, s};
            to_region_end(gold, system, region.a1, region.b1, end);
            g = region.a1, s = region.b1;
            align_region(gold, system, region, partner, meter);
        } else if (gold.start[g] == system.start[s] && gold.end[g] == system.end[s]) {
            partner[g++] = s++;
        } else if (gold.start[g] > system.start[s] ||
                   // Spans of one side coincide where several tokens are spelled with one character.
                   (gold.start[g] == system.start[s] && gold.end[g] > system.end[s] && s + 1 < m &&
                    system.start[s + 1] == gold.start[g])) {
            s++;
        } else {
            g++;
        }
        if (g + s == before) throw std::logic_error("the alignment of words does not end");
        meter.spend(g + s - before);
    }
}

void align_bare(const Words& gold, const Words& system, View<Long> partner, Cancel& cancel) {
    Meter meter{cancel};
    for (Gap region{0, 0, 0, 0}; region.a1 < gold.size() && region.b1 < system.size();) {
        region.a0 = region.a1, region.b0 = region.b1;
        const Long place = std::min(gold.start[region.a0], system.start[region.b0]);
        while (region.a1 < gold.size() && gold.start[region.a1] == place) region.a1++;
        while (region.b1 < system.size() && system.start[region.b1] == place) region.b1++;
        align_region(gold, system, region, partner, meter);
    }
}

}  // namespace caesura::evaluate

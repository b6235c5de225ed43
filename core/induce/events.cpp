// The decisions that a given tree is made of: counted, or multiplied into its probability.
#include <vector>

#include "induce/inference.h"

namespace caesura::induce {
namespace {

using Heads = Ints;

// The leftmost and the rightmost word below each word.
void find_reach(Heads heads, std::vector<std::int32_t>& first, std::vector<std::int32_t>& last) {
    const auto n = static_cast<std::int32_t>(heads.size());
    for (std::int32_t i = 0; i < n; i++) first[i] = last[i] = i;
    for (std::int32_t i = 0; i < n; i++) {
        // A word is passed only if its reach grows, so that even a circle ends.
        for (std::int32_t h = heads[i]; h >= 0 && (first[h] > i || last[h] < i); h = heads[h]) {
            first[h] = std::min(first[h], i);
            last[h] = std::max(last[h], i);
        }
    }
}

// Calls for the place in the tables of each decision of a tree.
template <class T, class Call>
void visit(const Tables<T>& t, const Sentence& words, Heads heads,
           const std::vector<std::int32_t>& first, const std::vector<std::int32_t>& last,
           Call call) {
    const Long n = words.size();
    for (Long h = 0; h < n; h++) {
        const Long head = words.classes[h];
        if (heads[h] < 0) call(t.root(words.comp)[head]);
        for (int side = 0; side < 2; side++) {
            Long at = head, adjacent = 1;
            const Long size = side == right ? n - 1 - h : h;
            for (Long step = 1; step <= size; step++) {
                const Long d = side == right ? h + step : h - step;
                if (heads[d] != h) continue;
                const Long near = std::min(adjacent, t.adjacents - 1);
                call(t.go(words.comp, side, adjacent)[at]);
                call(t.attach(side, t.cross(words, h, d), near, head)[words.classes[d]]);
                adjacent = 0;
                if (t.fringe) at = words.classes[side == right ? last[d] : first[d]];
            }
            call(t.stop(words.comp, side, adjacent)[at]);
        }
    }
}

template <class T, class Begin, class Call>
void visit_all(const Batch& batch, Heads heads, const Tables<T>& tables, Begin begin, Call call) {
    const auto longest = batch.sentences.longest(batch.range.low, batch.range.high);
    std::vector<std::int32_t> first(longest), last(longest);
    for (Long index = batch.range.low; index < batch.range.high; index++) {
        batch.cancel.poll();
        if (batch.sentences.length(index) == 0) continue;
        const auto& starts = batch.sentences.starts;
        const Heads tree = heads.slice(starts[index], starts[index + 1]);
        find_reach(tree, first, last);
        begin(index);
        visit(tables, batch.sentences[index], tree, first, last, call);
    }
}

}  // namespace

void count_events(const Batch& batch, Heads heads, const Counts& counts) {
    visit_all(batch, heads, counts, [](Long) {}, [](double& count) { count += 1.0; });
}

void score_events(const Batch& batch, Heads heads, const Parameters& logs, View<double> scores) {
    double* score = nullptr;
    visit_all(batch, heads, logs, [&](Long index) { *(score = &scores[index]) = 0.0; },
              [&](const double& log) { *score += log; });
}

}  // namespace caesura::induce

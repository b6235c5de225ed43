// Decoding of documents: the search over each of them, and its trees written out.
//
// What all items of the beam agree on is final: it is written, and its memory is used again. The
// search keeps back-pointers only as far as its items differ. To commit changes nothing that the
// search will do, so it may be done at any time: it is done when the arena is full.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "parse/beam.h"

namespace caesura::parse {

// Trees and boundaries of words, with the margins and the shares of what decided them. A margin is
// the distance to the next best transition of the same state (negative for a word that starts no
// sentence); a share is how many items of the beam descend from the decision shortly after it.
struct Trees {
    std::vector<std::int32_t> heads, labels;
    std::vector<std::int8_t> starts;
    std::vector<float> arc_margins, start_margins, arc_shares, start_shares;

    explicit Trees(Long n)
        : heads(static_cast<std::size_t>(n), absent_token),
          labels(heads.size(), -1),
          starts(heads.size(), 0),
          arc_margins(heads.size()),
          start_margins(heads.size()),
          arc_shares(heads.size(), 1.0f),
          start_shares(heads.size(), 1.0f) {}
};

// Writes the arcs and boundaries of the transitions that led from item 0 to this one. Words count
// from `begin`.
void write_path(const JointSystem& system, const Arena& arena, std::int32_t item,
                Long begin, Trees& trees);

// Writes what is final and removes from the arena what is no longer needed.
void commit(const JointSystem& system, Arena& arena, Beam& beam, Long begin, Trees& trees,
            std::vector<std::int32_t>& marks);

// How a call ended. If the search of an instance failed: its number, its words and steps, and the
// first word that the best item had not shifted.
struct Report {
    Outcome outcome = Outcome::done;
    Long instance = 0, words = 0, steps = 0;
    std::int32_t next = 0;
    // Steps and scored items of all instances; the score of the last one.
    Long all_steps = 0, scored = 0;
    double score = 0.0;
    Reads reads;
};

// What a search needs besides the scorer; all of it is read-only.
struct Task {
    const JointSystem& system;
    const Settings& settings;
    StartOdds odds;
    Limits limits;
    Words words;
};

// The memory of the search of one thread.
struct Workspace {
    // `steps` of the beam fit into the arena before its memory is used again.
    Workspace(std::int32_t width, Long transitions, Long steps)
        : arena(steps * width, 2 * steps * width),
          beam(width, static_cast<std::int32_t>(transitions)) {}

    void restart() {
        arena.reset();
        beam.reset();
    }

    Arena arena;
    Beam beam;
    std::vector<std::int32_t> marks;
};

// Searches through the instances, words bounds[k] to bounds[k + 1]; stops at the first failure.
template <Scorer S>
Report decode(S& scorer, const Task& task, Longs bounds, Workspace& work,
              Trees& trees, Cancel& cancel) {
    Report report;
    work.beam.scored = 0;
    const Long n = std::ssize(bounds) - 1;
    for (Long& k = report.instance; k < n; ++k) {
        const Long a = bounds[k], b = bounds[k + 1];
        const Words words = task.words.instance(k, a, b);
        const Limits limits = task.limits.instance(a, b);
        Arena& arena = work.arena;
        work.restart();
        if (b > a) trees.starts[static_cast<std::size_t>(a)] = 1;
        report.words = b - a;
        report.steps = 0;
        while ((report.outcome = advance(work.beam, scorer, task.system, limits, words, task.odds,
                                         task.settings, arena, report.steps, cancel)) ==
               Outcome::full) {
            commit(task.system, arena, work.beam, a, trees, work.marks);
            if (2 * Long{arena.n_items()} > arena.max_items() ||
                2 * Long{arena.n_nodes()} > arena.max_nodes())
                arena.grow();
        }
        const Item& best = arena.item(work.beam.best());
        report.all_steps += report.steps;
        report.next = best.next;
        report.score = best.score;
        if (report.outcome != Outcome::done) break;
        write_path(task.system, arena, work.beam.best(), a, trees);
        cancel.poll();
    }
    report.scored = work.beam.scored;
    return report;
}

// Finds different analyses of one document, best first; fewer than k if the beam holds no more.
template <Scorer S>
Report k_best(S& scorer, const Task& task, std::size_t k, Workspace& work,
              std::vector<std::pair<Trees, double>>& found, Cancel& cancel) {
    Report report;
    const JointSystem& system = task.system;
    const Long n = report.words = task.words.n;
    Arena& arena = work.arena;
    Beam& beam = work.beam;
    work.restart();
    beam.scored = 0;
    while ((report.outcome = advance(beam, scorer, system, task.limits, task.words, task.odds,
                                     task.settings, arena, report.steps, cancel)) == Outcome::full)
        arena.grow();
    report.next = arena.item(beam.best()).next;
    const auto is_terminal = [&](std::int32_t item) {
        return system.is_terminal(arena, arena.item(item), n);
    };
    // The best one has ended; those that come later than any derivation needs are left out.
    const Long most = most_steps(n, !task.limits.heads.empty());
    while (report.outcome == Outcome::done && report.steps < most &&
           !std::all_of(beam.items().begin(), beam.items().end(), is_terminal)) {
        if (!arena.has_room(task.settings.width)) arena.grow();
        beam.expand(scorer, system, task.limits, task.words, task.odds, task.settings, arena);
        if (++report.steps % 1024 == 0) cancel.poll();
    }
    report.scored = beam.scored;
    report.all_steps = report.steps;
    report.score = arena.item(beam.best()).score;
    if (report.outcome != Outcome::done) return report;
    std::set<std::vector<std::int32_t>> seen;
    for (const std::int32_t item : beam.items()) {
        if (found.size() == k) break;
        if (!is_terminal(item)) continue;
        Trees trees(n);
        if (n > 0) trees.starts[0] = 1;
        write_path(system, arena, item, 0, trees);
        std::vector<std::int32_t> key = trees.heads;
        key.insert(key.end(), trees.labels.begin(), trees.labels.end());
        key.insert(key.end(), trees.starts.begin(), trees.starts.end());
        if (seen.insert(std::move(key)).second)
            found.emplace_back(std::move(trees), arena.item(item).score);
    }
    return report;
}

}  // namespace caesura::parse

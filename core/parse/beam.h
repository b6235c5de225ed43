// Greedy and beam search over the transitions of a document (Björkelund et al. 2016, section 3.2).
//
// The search requests the scores of an item's transitions from a scorer and knows nothing else about
// it. Terminal items stay in the beam unchanged, since derivations differ in length; ties go to the
// earlier parent and then to the lower transition. The search pauses when the arena is full and goes
// on as if it had not, so a document may be endless.
//
// With a margin the beam is as wide as the text is ambiguous, which is selectional branching (Choi &
// McCallum 2013) for a beam over documents: an item offers only transitions that score close to its
// best one (boundaries from further away, other labels from nearer, as the settings say), items far
// behind the best are dropped, and of items with the same future, which features cannot tell apart
// any more, only the best goes on (Huang & Sagae 2010).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "parse/joint.h"
#include "parse/rows.h"

namespace caesura::parse {

// Scores the transitions of states. `begin` takes the words of the next document and forgets what
// depends on other words or weights. `score` writes a row of scores, a multiple of 32; those after
// the last transition are not used.
template <class S>
concept Scorer = requires(S scorer, const Words& words, const Arena& arena, std::int32_t item,
                          float* scores) {
    scorer.begin(words);
    scorer.score(arena, item, scores);
};

// What a linear scorer read: sums of groups that it computed, and rows of each kind.
struct Reads {
    Long sums = 0, full = 0, few = 0, held = 0;
};

// How to search (see `SearchOptions` in caesura.stages.joint_parser).
struct Settings {
    // A finite number that stands for no margin: infinite minus infinite is not a number.
    static constexpr double no_margin = 1e20;

    std::int32_t width = 1;
    double margin = no_margin, label_margin = no_margin, start_margin = no_margin;
    double behind = no_margin;
    double bonus = 0.0, plain_bonus = 0.0;  // added to the score of a boundary; in unedited text
    double evidence = 0.0, layout = 0.0;    // factors of log-odds
    std::int32_t patience = 400;
};

// Log-odds of a sentence start, by the evidence of the tokeniser and by what the layout says.
struct StartOdds {
    Floats evidence, layout;
};
// How much more the evidence of the tokeniser counts where a line begins.
constexpr double at_lines = 4.0;

// Why a search stopped: the best item is terminal; the arena is full; no item can go on; more
// transitions than any derivation needs.
enum class Outcome { done, full, dead, stuck };

// Transitions that n words may take; with given heads as many as there can be. A word is shifted
// once and again after each SWAP, of which there is one for two words at most, since only words in
// their order may be swapped; it gets one head, and SB comes before it once.
inline Long most_steps(Long n, bool given) {
    const Long most = n * (n + 2);
    return given ? most : std::min<Long>(most, 1000 + 64 * n);
}

// The beam and the memory of its search; memory of one thread.
class Beam {
   public:
    // A margin where there was no other choice.
    static constexpr float certain = 1e30f;

    // For systems with up to `transitions` transitions.
    Beam(std::int32_t width, std::int32_t transitions)
        : items_(static_cast<std::size_t>(width)),
          keys_(items_.size()),
          next_(items_.size()),
          scores_(static_cast<std::size_t>((transitions + 31) / 32 * 32)) {
        reset();
    }

    // The items, best first.
    Ints items() const {
        return {items_.data(), static_cast<std::size_t>(size_)};
    }
    std::int32_t best() const { return items_[0]; }
    std::int32_t width() const { return static_cast<std::int32_t>(items_.size()); }
    // Scores of the transitions of one item.
    float* scores() { return scores_.data(); }
    Long n_scores() const { return std::ssize(scores_); }

    // Starts again from one item.
    void reset(std::int32_t item = 0) {
        items_[0] = item;
        size_ = 1;
    }

    // Replaces the items by the best successors of all of them; returns their number. Successors that
    // the guidelines forbid are left out, unless there are no others.
    template <Scorer S>
    std::int32_t expand(S& scorer, const JointSystem& system, const Limits& limits,
                        const Words& words, const StartOdds& odds, const Settings& settings,
                        Arena& arena, bool guided = true);

    // Drops the items that disagree with the best one after `patience` words without agreement.
    // An item that shares its past up to half as many words ago stays.
    void lose_patience(const Arena& arena, std::int32_t patience);

    // Replaces the numbers of items by the number that `moved` has for each.
    void renumber(Ints moved) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(size_); ++k)
            items_[k] = moved[items_[k]];
    }

    // Items scored, since the beam was made.
    Long scored = 0;

   private:
    // The score of a transition that may not be made, and one that only such transitions are below.
    static constexpr float lost = -certain, almost_lost = -1e29f;
    static constexpr float rounding = 1e-5f;
    static constexpr double nowhere = -1e300;
    // Steps after which the items that descend from a decision are counted.
    static constexpr int agreement = 8;

    // A transition of an item; -1 keeps a terminal item.
    struct Candidate {
        double total;
        std::int32_t parent, action;
        float margin;
    };

    void insert(const Candidate& candidate, std::int32_t width);
    void offer(const Item& state, std::int32_t item, const JointSystem& system, Kinds can,
               const Settings& settings);
    void forbid(const JointSystem& system, const Limits& limits, Kinds can, std::int32_t s0,
                std::int32_t s1);
    void obey(const JointSystem& system, const Limits& limits, const Words& words, double margin,
              const Node& top, const Node& below);
    void add_bonus(const Words& words, const StartOdds& odds, std::int32_t next,
                   const Settings& settings);
    void make_items(const JointSystem& system, const Limits& limits, const Settings& settings,
                    Arena& arena);
    void note_agreement(Arena& arena, std::int32_t older) const;

    const RowFunctions& rows_ = row_functions();
    std::vector<std::int32_t> items_;
    std::int32_t size_ = 1;
    std::vector<std::uint64_t> keys_;  // of the items with the same future
    std::vector<Candidate> next_;      // sorted, best first
    std::int32_t kept_ = 0;
    std::vector<float> scores_;
    std::vector<std::int32_t> paths_;
};

template <Scorer S>
std::int32_t Beam::expand(S& scorer, const JointSystem& system, const Limits& limits,
                          const Words& words, const StartOdds& odds, const Settings& settings,
                          Arena& arena, bool guided) {
    kept_ = 0;
    guided = guided && system.guide() != nullptr && !words.types.empty();
    for (std::int32_t rank = 0; rank < size_; ++rank) {
        const std::int32_t item = items_[static_cast<std::size_t>(rank)];
        const Item& state = arena.item(item);
        if (system.is_terminal(arena, state, words.n)) {
            insert({state.score, item, -1, certain}, settings.width);
            continue;
        }
        Kinds can = system.legal(arena, state, words.n);
        if (limits.any()) can = system.limit(limits, can, arena, state, words.n);
        if (can == 0) continue;
        ++scored;
        scorer.score(arena, item, scores());
        if ((can & can_sb) != 0) add_bonus(words, odds, state.next, settings);
        const Node& top = arena.node(state.stack);
        const std::int32_t s1 = top.token >= 0 ? arena.node(top.below).token : absent_token;
        forbid(system, limits, can, top.token, s1);
        if (guided && top.depth > 1)
            obey(system, limits, words, settings.margin, top, arena.node(top.below));
        offer(state, item, system, can, settings);
    }
    if (kept_ == 0 && guided)
        return expand(scorer, system, limits, words, odds, settings, arena, false);
    make_items(system, limits, settings, arena);
    return size_;
}

// Searches one document until the best item is terminal or the arena is full. Every round adds a
// transition to all items, and there are no more rounds than `most_steps`. `steps` counts them.
template <Scorer S>
Outcome advance(Beam& beam, S& scorer, const JointSystem& system, const Limits& limits,
                const Words& words, const StartOdds& odds, const Settings& settings, Arena& arena,
                Long& steps, Cancel& cancel) {
    // How often agreement is checked in the time of the patience.
    const Long look = std::max(1, settings.patience / 4);
    const Long most = most_steps(words.n, !limits.heads.empty());
    scorer.begin(words);
    while (!system.is_terminal(arena, arena.item(beam.best()), words.n)) {
        if (!arena.has_room(settings.width)) return Outcome::full;
        if (steps >= most) return Outcome::stuck;
        if (beam.expand(scorer, system, limits, words, odds, settings, arena) == 0)
            return Outcome::dead;
        if (++steps % look == 0) beam.lose_patience(arena, settings.patience);
        if (steps % 1024 == 0) cancel.poll();
    }
    return Outcome::done;
}

}  // namespace caesura::parse

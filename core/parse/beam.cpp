#include "parse/beam.h"

namespace caesura::parse {

// Keeps the list of the best sorted; of equal candidates the first stays first.
void Beam::insert(const Candidate& candidate, std::int32_t width) {
    std::int32_t at = kept_;
    while (at > 0 && next_[static_cast<std::size_t>(at - 1)].total < candidate.total) --at;
    if (at >= width) return;
    kept_ = std::min(kept_ + 1, width);
    const auto begin = next_.begin();
    std::move_backward(begin + at, begin + kept_ - 1, begin + kept_);
    begin[at] = candidate;
}

// Adds what speaks for a boundary before the next word, besides what the scorer has learned.
void Beam::add_bonus(const Words& words, const StartOdds& odds, std::int32_t next,
                     const Settings& settings) {
    if (words.context.rows() == 0) return;
    const Ints gap = words.context[next];
    const bool plain = gap[Context::plain] != 0;
    scores_[sb] = static_cast<float>(scores_[sb] + (plain ? settings.plain_bonus : settings.bonus));
    if (settings.evidence == 0.0 && settings.layout == 0.0) return;
    double told = 0.0;
    if (!plain) {
        told = settings.evidence * odds.evidence[gap[Context::evidence]];
        if (gap[Context::learned_layout] != 0) told *= at_lines;
    }
    told += settings.layout * odds.layout[gap[Context::layout]];
    // What speaks for a boundary speaks against the next word in this sentence. The arcs that may
    // still come before either are left as they are.
    float& against = scores_[static_cast<std::size_t>(told > 0 ? shift : sb)];
    against = static_cast<float>(against - std::abs(told));
}

// Gives the lowest score to the transitions that may not be made.
void Beam::forbid(const JointSystem& system, const Limits& limits, Kinds can, std::int32_t s0,
                  std::int32_t s1) {
    const auto lose = [this](std::int32_t first, std::int32_t last) {
        for (std::int32_t a = first; a < last; ++a) scores_[static_cast<std::size_t>(a)] = lost;
    };
    for (std::int32_t a = 0; a < first_arc; ++a)
        if ((can & (1u << a)) == 0) lose(a, a + 1);
    const std::int32_t right = system.first_right(), root = system.first_root();
    const std::int32_t end = system.size();
    std::int32_t first_left = first_arc, last_left = (can & can_left) ? right : first_arc;
    std::int32_t first_right = right, last_right = (can & can_right) ? root : right;
    std::int32_t first_root = root, last_root = (can & can_root) ? end : root;
    if (!limits.labels.empty()) {
        // A given label that this kind of arc never carries is written over the result instead.
        const auto only = [](std::int32_t action, std::int32_t& first, std::int32_t& last) {
            if (action < 0) return;
            first = action;
            last = std::min(last, action + 1);
        };
        if (s1 >= 0 && limits.labels[s1] >= 0)
            only(system.left_of(limits.labels[s1]), first_left, last_left);
        if (s0 >= 0 && limits.labels[s0] >= 0) {
            only(system.right_of(limits.labels[s0]), first_right, last_right);
            only(system.root_of(limits.labels[s0]), first_root, last_root);
        }
    }
    lose(first_arc, std::min(first_left, right));
    lose(last_left, std::min(first_right, root));
    lose(std::max(last_right, right), std::min(first_root, end));
    lose(std::max(last_root, root), static_cast<std::int32_t>(scores_.size()));
}

// Gives the lowest score to arcs that the guidelines forbid, unless the label is given. Only arcs that
// score high enough to be offered are looked at.
void Beam::obey(const JointSystem& system, const Limits& limits, const Words& words, double margin,
                const Node& top, const Node& below) {
    const guidelines::Guide& guide = *system.guide();
    const auto seen = [&](const Node& node) {
        const auto kinds = static_cast<guidelines::Kinds>(node.left.kinds | node.right.kinds);
        return guidelines::Guide::Word{words.types[node.token], kinds};
    };
    const auto is_free = [&](std::int32_t token) {
        return limits.labels.empty() || limits.labels[token] < 0;
    };
    const bool first = below.token < top.token;
    std::optional<guidelines::Labels> left, right, root;
    const auto forbids = [&](std::int32_t a) {
        if (a < first_arc || !is_free(a < system.first_right() ? below.token : top.token))
            return false;
        auto& blocked = a < system.first_right() ? left : a < system.first_root() ? right : root;
        if (!blocked)
            blocked = &blocked == &left    ? guide.blocked(seen(below), seen(top), first)
                      : &blocked == &right ? guide.blocked(seen(top), seen(below), !first)
                                           : guide.blocked(seen(top));
        return blocked->has(system.label(a));
    };
    float* scores = scores_.data();
    for (bool again = true; again;) {
        again = false;
        const float best = rows_.highest(scores, n_scores());
        if (best < almost_lost) return;
        float floor = std::max(almost_lost, best - static_cast<float>(margin));
        floor -= std::abs(floor) * rounding;
        for (std::int64_t block = 0; block < n_scores(); block += 32)
            for (auto found = rows_.at_least(scores + block, floor); found != 0; found &= found - 1) {
                const auto a = static_cast<std::int32_t>(block + std::countr_zero(found));
                if (!forbids(a)) continue;
                again = again || scores[a] == best;
                scores[a] = lost;
            }
    }
}

// Inserts the transitions of an item whose scores are known.
void Beam::offer(const Item& state, std::int32_t item, const JointSystem& system, Kinds can,
                 const Settings& settings) {
    const float* scores = scores_.data();
    const Long n = n_scores();
    const double base = state.score;
    // Best and second best, from which the margin of each choice follows.
    const float best = rows_.highest(scores, n);
    Long block = 0;
    std::uint32_t found = rows_.at_least(scores, best);
    while (found == 0 && block + 32 < n) {
        block += 32;
        found = rows_.at_least(scores + block, best);
    }
    // Scores that are not numbers, or none of a transition that may be made.
    if (found == 0 || best < almost_lost) return;
    const auto best_action = static_cast<std::int32_t>(block + std::countr_zero(found));
    scores_[static_cast<std::size_t>(best_action)] = lost;
    const float second = rows_.highest(scores, n);
    scores_[static_cast<std::size_t>(best_action)] = best;
    const bool may_start = (can & can_sb) != 0;
    if (settings.width == 1) {
        const float other = best_action == shift && may_start ? scores[sb] : second;
        insert({base + best, item, best_action, best - other}, 1);
        return;
    }
    double worst = nowhere;
    const auto add = [&](std::int32_t action, float margin) {
        insert({base + scores[action], item, action, margin}, settings.width);
    };
    const auto update = [&] {
        if (kept_ == settings.width) worst = next_[static_cast<std::size_t>(kept_ - 1)].total;
    };
    update();
    if (base + best <= worst) return;
    // Rounded down: what passes is compared exactly below.
    float floor = std::max({static_cast<float>(worst - base), almost_lost,
                            best - static_cast<float>(settings.margin)});
    floor -= std::abs(floor) * rounding;
    // A transition that does not lead another label of the same arc by much offers no other way.
    const float label_floor = best - static_cast<float>(settings.label_margin);
    const auto kind = [&system](std::int32_t a) {
        if (a < first_arc) return a;
        return first_arc + (a >= system.first_right()) + (a >= system.first_root());
    };
    const std::int32_t best_kind = kind(best_action);
    for (block = 0; block < n; block += 32) {
        for (found = rows_.at_least(scores + block, floor); found != 0; found &= found - 1) {
            const auto a = static_cast<std::int32_t>(block + std::countr_zero(found));
            if (scores[a] < label_floor && a != best_action && kind(a) == best_kind) continue;
            if (base + scores[a] <= worst) continue;
            float margin = scores[a] - (a == best_action ? second : best);
            if (a == shift && may_start) margin = scores[a] - scores[sb];
            add(a, margin);
            update();
        }
    }
    const float least = best - static_cast<float>(settings.start_margin);
    if (may_start && least <= scores[sb] && scores[sb] < floor && base + scores[sb] > worst)
        add(sb, scores[sb] - best);
}

// Makes the items of the candidates that are not too far behind.
void Beam::make_items(const JointSystem& system, const Limits& limits, const Settings& settings,
                      Arena& arena) {
    while (kept_ > 1 &&
           next_[static_cast<std::size_t>(kept_ - 1)].total < next_[0].total - settings.behind)
        --kept_;
    const std::int32_t older = arena.n_items();
    const bool merge = settings.margin < Settings::no_margin;
    size_ = 0;
    std::size_t used = 0;
    for (std::int32_t k = 0; k < kept_; ++k) {
        const Candidate& candidate = next_[static_cast<std::size_t>(k)];
        std::int32_t made = candidate.parent;
        keys_[used] = 0;
        if (candidate.action >= 0) {
            const std::int32_t n_items = arena.n_items(), n_nodes = arena.n_nodes();
            made = system.apply(limits, arena, candidate.parent, candidate.action);
            Item& state = arena.item(made);
            state.score = candidate.total;
            state.margin = candidate.margin;
            if (merge) {
                // Items with equal keys have the same transitions before them, with the same scores.
                const auto pair = [](std::int32_t a, std::int32_t b) {
                    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) +
                           static_cast<std::uint32_t>(b);
                };
                std::uint64_t key = arena.node(state.stack).chain;
                if (state.swapped >= 0) key = mixed(key, arena.node(state.swapped).chain);
                key = mixed(key, pair(state.next, state.last));
                key = mixed(key, pair(state.action, state.previous));
                const auto known = keys_.begin() + static_cast<std::ptrdiff_t>(used);
                if (std::find(keys_.begin(), known, key) != known) {
                    // An item with the same future scores at least as high.
                    arena.shrink(n_items, n_nodes);
                    continue;
                }
                keys_[used] = key;
            }
        }
        items_[used++] = made;
    }
    size_ = static_cast<std::int32_t>(used);
    if (settings.width > 1) note_agreement(arena, older);
}

// Counts the items of the beam for the decisions that they descend from. Items that are older than
// this step, the terminal ones, were counted when they were made.
void Beam::note_agreement(Arena& arena, std::int32_t older) const {
    std::int32_t fresh = 0;
    for (const std::int32_t item : items()) fresh += item >= older;
    for (std::int32_t item : items()) {
        if (item < older) continue;
        for (int k = 0; k < agreement && item > 0; ++k) item = arena.item(item).parent;
        if (item <= 0) continue;
        ++arena.item(item).heirs;
        arena.item(item).rivals = fresh;
    }
}

void Beam::lose_patience(const Arena& arena, std::int32_t patience) {
    const auto next = [&arena](std::int32_t item) { return arena.item(item).next; };
    const std::int32_t most = next(best());
    // Item 0 is the last one known that all descend from.
    if (size_ == 1 || most - next(0) <= patience) return;
    // The last common ancestor: parents lie before their children.
    std::int32_t common = *std::min_element(items().begin(), items().end());
    paths_.assign(items().begin(), items().end());
    for (bool agree = false; !agree;) {
        agree = true;
        for (std::int32_t& item : paths_) {
            while (item > common) item = arena.item(item).parent;
            if (item < common) {
                common = item;
                agree = false;
            }
        }
    }
    if (most - next(common) <= patience) return;
    std::int32_t ancestor = best();
    while (next(ancestor) > most - patience / 2 && ancestor > 0)
        ancestor = arena.item(ancestor).parent;
    std::size_t kept = 1;
    for (std::size_t rank = 1; rank < static_cast<std::size_t>(size_); ++rank) {
        std::int32_t item = items_[rank];
        while (item > ancestor) item = arena.item(item).parent;
        if (item == ancestor) items_[kept++] = items_[rank];
    }
    size_ = static_cast<std::int32_t>(kept);
}

}  // namespace caesura::parse

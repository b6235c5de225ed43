#include "induce/tree.h"

#include <cmath>

#define CAESURA_NO_LANES
#include "base/hash.h"
#include "induce/fill.h"

namespace caesura::induce {
namespace {

// Scores this close, relative to a logarithm, are equal.
constexpr double tie = 1e-9;

Long choose_by_weight(Doubles values, Random random) {
    double total = 0.0;
    for (const double value : values) total += value;
    double left_over = random.number() * total;
    Long chosen = 0;
    for (Long k = 0; k < std::ssize(values); k++) {
        if (!(values[k] > 0.0)) continue;
        chosen = k;
        left_over -= values[k];
        if (left_over < 0.0) break;
    }
    return chosen;
}

}  // namespace

double Random::number() const { return static_cast<double>(mix(state_) >> 11) / 0x1p53; }

Long choose(Doubles values, Choice choice, Random random) {
    if (choice == Choice::by_weight) return choose_by_weight(values, random);
    double best = values[0];
    for (const double value : values) best = std::max(best, value);
    const double limit = best - tie * (1.0 + std::fabs(best));
    Long ties = 0, chosen = 0;
    for (Long k = 0; k < std::ssize(values); k++) {
        if (!(values[k] >= limit)) continue;
        if (++ties == 1) {
            chosen = k;
            if (choice == Choice::first_best) break;
            continue;
        }
        random.advance();
        if (random.number() * static_cast<double>(ties) < 1.0) chosen = k;
    }
    return chosen;
}

TreeFinder::TreeFinder(Long longest) : values_(static_cast<std::size_t>(longest + 1)) {
    agenda_.reserve(static_cast<std::size_t>(4 * longest + 8));
}

void TreeFinder::find(const Factors& s, const Chart& c, const Form& form, Choice choice,
                      Random random, View<std::int32_t> heads) {
    const Long n = s.n;
    const bool draw = choice == Choice::by_weight;
    const double none = draw ? 0.0 : -std::numeric_limits<double>::infinity();
    const auto both = [draw](double a, double b) { return draw ? a * b : a + b; };
    // Chooses among the splits from first to last.
    const auto pick = [&](Long first, Long last) {
        const auto size = static_cast<std::size_t>(last + 1 - first);
        return first + choose({values_.data(), size}, choice, random);
    };
    for (Long r = 0; r < n; r++)
        values_[r] = both(both(s.root[r], c.edge[left][r]), c.edge[right][(n - 1) * n + r]);
    random.advance();
    const Long root = pick(0, n - 1);
    heads[root] = -1;
    agenda_.assign({{Item::left_side, root, 0}, {Item::right_side, root, n - 1}});
    // An item is replaced by two that share its words, whatever the charts hold.
    while (!agenda_.empty()) {
        const auto [kind, h, other] = agenda_.back();
        agenda_.pop_back();
        random.advance();
        if (kind != Item::arc) {
            if (h == other) continue;
            const int side = kind == Item::right_side ? right : left;
            const Pair pair(s, form.constraint, std::min(h, other), std::max(h, other));
            Long first = side == right ? h + 1 : other, last = side == right ? other : h - 1;
            if (side == right && pair.first_right >= 0) first = pair.first_right;
            if (side == left && pair.last_left >= 0) last = pair.last_left - 1;
            for (Long d = first; d <= last; d++)
                values_[d - first] = both(c.take[side][h * n + d], c.edge[side][other * n + d]);
            const Long d = pick(first, last);
            heads[d] = static_cast<std::int32_t>(h);
            agenda_.push_back({kind, d, other});
            agenda_.push_back({Item::arc, h, d});
            continue;
        }
        const Long d = other;
        const int side = d > h ? right : left, step = d > h ? 1 : -1;
        const Pair pair(s, form.constraint, std::min(h, d), std::max(h, d));
        const Splits splits = side == right ? pair.from_i : pair.from_j;
        const Long first = std::min(h, d + 1), last = std::max(h, d - 1);
        for (Long k = first; k <= last; k++) {
            const double arc = form.adjacent && k == h ? s.near[h * n + d] : s.far[h * n + d];
            const Long edge = side == right ? s.last[k] : s.first[k];
            const bool allowed = (side == right ? k >= splits.limit : k <= splits.limit) ||
                                 (splits.edges && edge == k);
            const double way =
                both(both(c.go[side][h * n + k], c.seal[1 - side][d * n + k + step]), arc);
            values_[k - first] = allowed ? way : none;
        }
        const Long k = pick(first, last);
        agenda_.push_back({side == right ? Item::left_side : Item::right_side, d, k + step});
        agenda_.push_back({side == right ? Item::right_side : Item::left_side, h, k});
    }
}

}  // namespace caesura::induce

// The recursions of the chart over a semiring, and the outside pass. A file that includes this
// defines Lanes first, eight doubles of its instruction set; everything has internal linkage, so
// that code of one instruction set is never used for another.
//
// Spans grow by right edge and then by left edge, which keeps all inner loops on rows that lie
// next to each other in memory.
#pragma once

#include <limits>

#include "induce/chart.h"

namespace caesura::induce {
namespace {

// Where a head may stand open when it takes a dependent of another fragment: on the right, splits
// from `limit` on are allowed, and before it, with `edges`, the last words of fragments; on the
// left the mirror image. The conditions are those of the prose definitions, as what they leave if
// head and dependent lie in two fragments; within one, every split is allowed.
struct Splits {
    Long limit;
    bool edges;
};

inline Splits splits_of(Constraint constraint, Long head, Long dependent, Long own_edge,
                        Long other_edge) {
    switch (constraint) {
        case Constraint::free: return {head, false};
        case Constraint::thread: return {own_edge, false};
        case Constraint::tear: return {other_edge, true};
        default: return {dependent, true};
    }
}

// What constraints say of the pair of words i < j.
struct Pair {
    Pair(const Factors& s, Constraint constraint, Long i, Long j)
        : apart(s.first[i] != s.first[j]) {
        if (!apart) {
            from_i = {i, false};
            from_j = {j, false};
            return;
        }
        from_i = splits_of(constraint, i, j, s.last[i], s.first[j]);
        from_j = splits_of(constraint, j, i, s.first[j], s.last[i]);
        // Loose and strict: a word attached inside its fragment may not reach outside it.
        if (constraint >= Constraint::loose) {
            first_right = s.last[i] + 1;
            last_left = s.first[j];
        }
        // Strict: only fragments of one word take dependents outside.
        if (constraint == Constraint::strict) {
            i_takes = s.last[i] == s.first[i];
            j_takes = s.last[j] == s.first[j];
        }
    }

    bool apart;
    Splits from_i{}, from_j{};
    Long first_right = -1, last_left = -1;  // -1: no limit
    bool i_takes = true, j_takes = true;
};

template <class Ring>
class Filler {
   public:
    using Value = typename Ring::Value;

    Filler(Ring& ring, const Factors& s, const ChartOf<Value>& c, const Form& form)
        : ring_(ring), s_(s), c_(c), form_(form), n_(s.n) {}

    // Fills the chart; returns the weight of all trees together.
    Value fill(Cancel& cancel) {
        for (Long j = 0; j < n_; j++) {
            if (n_ > 64) cancel.poll();
            const Long at = j * n_ + j;
            for (int side = 0; side < 2; side++) {
                c_.go[side][at] = ring_.number(s_.go[side][1][j]);
                c_.seal[side][at] = c_.edge[side][at] = ring_.number(s_.stop[side][1][j]);
            }
            for (Long i = j - 1; i >= 0; i--) {
                const Pair pair(s_, form_.constraint, i, j);
                c_.take[right][i * n_ + j] = pair.i_takes ? take_right(pair, i, j) : ring_.zero();
                c_.take[left][j * n_ + i] = pair.j_takes ? take_left(pair, i, j) : ring_.zero();
                extend(pair, i, j);
            }
        }
        Value total = ring_.zero();
        const Value *lefts = c_.edge[left], *rights = c_.edge[right] + (n_ - 1) * n_;
        for (Long r = 0; r < n_; r++) {
            const Value way =
                ring_.times(ring_.times(ring_.root(r, s_.root[r]), lefts[r]), rights[r]);
            total = ring_.plus(total, way);
        }
        return total;
    }

   private:
    // Word i takes j. The split at i itself is apart: j is then the first dependent of its side.
    Value take_right(const Pair& pair, Long i, Long j) {
        const Value *open = c_.go[right] + i * n_, *sealed = c_.seal[left] + j * n_ + 1;
        Value total = ring_.zero(), lead = ring_.zero();
        Long first = pair.from_i.limit;
        if (pair.from_i.edges) {
            for (Long k = s_.last[i]; k < first; k = s_.last[k + 1]) {
                const Value way = ring_.times(open[k], sealed[k]);
                if (k == i)
                    lead = way;
                else
                    total = ring_.plus(total, way);
            }
        } else if (first == i) {
            lead = ring_.times(open[i], sealed[i]);
            first = i + 1;
        }
        total = ring_.plus(total, ring_.combine(open + first, sealed + first, j - first));
        return arc(i, j, total, lead);
    }

    // Word j takes i.
    Value take_left(const Pair& pair, Long i, Long j) {
        const Value *open = c_.go[left] + j * n_, *sealed = c_.seal[right] + i * n_ - 1;
        Value total = ring_.zero(), lead = ring_.zero();
        Long last = pair.from_j.limit;
        if (pair.from_j.edges) {
            for (Long k = s_.first[j]; k > last; k = s_.first[k - 1]) {
                const Value way = ring_.times(open[k], sealed[k]);
                if (k == j)
                    lead = way;
                else
                    total = ring_.plus(total, way);
            }
        } else if (last == j) {
            lead = ring_.times(open[j], sealed[j]);
            last = j - 1;
        }
        total = ring_.plus(total, ring_.combine(open + i + 1, sealed + i + 1, last - i));
        return arc(j, i, total, lead);
    }

    Value arc(Long head, Long dependent, const Value& total, const Value& lead) {
        const Long at = head * n_ + dependent;
        const double far = s_.far[at], near = form_.adjacent ? s_.near[at] : far;
        return ring_.arc(head, dependent,
                         ring_.plus(ring_.scaled(far, total), ring_.scaled(near, lead)));
    }

    // The right side of i out to j, and the left side of j out to i.
    void extend(const Pair& pair, Long i, Long j) {
        const Long ri = i * n_, rj = j * n_;
        const Long start = pair.first_right >= 0 ? pair.first_right : i + 1;
        Value total = ring_.combine(c_.take[right] + ri + start, c_.edge[right] + rj + start,
                                    j + 1 - start);
        Long at = form_.fringe ? j : i;
        c_.go[right][ri + j] = ring_.scaled(s_.go[right][0][at], total);
        c_.seal[right][ri + j] = c_.edge[right][rj + i] =
            ring_.scaled(s_.stop[right][0][at], total);
        const Long stop = pair.last_left >= 0 ? pair.last_left : j;
        total = ring_.combine(c_.take[left] + rj + i, c_.edge[left] + ri + i, stop - i);
        at = form_.fringe ? i : j;
        c_.go[left][rj + i] = ring_.scaled(s_.go[left][0][at], total);
        c_.seal[left][rj + i] = c_.edge[left][ri + j] = ring_.scaled(s_.stop[left][0][at], total);
    }

    Ring& ring_;
    const Factors s_;
    const ChartOf<Value> c_;
    const Form form_;
    const Long n_;
};

#ifndef CAESURA_NO_LANES

// The sum of a[k] * b[k].
inline double dot(const double* a, const double* b, Long count) {
    if (count <= 0) return 0.0;
    Lanes sum = Lanes::all(0.0);
    Long k = 0;
    for (; k + 8 <= count; k += 8) sum = fma(Lanes::load(a + k), Lanes::load(b + k), sum);
    if (k < count)
        sum = fma(Lanes::load(a + k, count - k), Lanes::load(b + k, count - k), sum);
    return sum.total();
}

// The largest a[k] + b[k].
inline double largest(const double* a, const double* b, Long count) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    if (count <= 0) return none;
    Lanes best = Lanes::all(none);
    Long k = 0;
    for (; k + 8 <= count; k += 8) best = max(Lanes::load(a + k) + Lanes::load(b + k), best);
    if (k < count)
        best = max(Lanes::load(a + k, count - k, none) + Lanes::load(b + k, count - k), best);
    return best.largest();
}

// What `dot` summed, handed back: the outside weight w to both factors of every product.
inline void spread(double w, const double* a, const double* b, double* outer_a, double* outer_b,
                   Long count) {
    const Lanes weight = Lanes::all(w);
    Long k = 0;
    for (; k + 8 <= count; k += 8) {
        fma(weight, Lanes::load(b + k), Lanes::load(outer_a + k)).store(outer_a + k);
        fma(weight, Lanes::load(a + k), Lanes::load(outer_b + k)).store(outer_b + k);
    }
    if (k < count) {
        const Long rest = count - k;
        fma(weight, Lanes::load(b + k, rest), Lanes::load(outer_a + k, rest))
            .store(outer_a + k, rest);
        fma(weight, Lanes::load(a + k, rest), Lanes::load(outer_b + k, rest))
            .store(outer_b + k, rest);
    }
}

// Weights of trees: products and sums of probabilities.
struct Sums {
    using Value = double;
    static double zero() { return 0.0; }
    static double number(double x) { return x; }
    static double root(Long, double x) { return x; }
    static double arc(Long, Long, double x) { return x; }
    static double plus(double a, double b) { return a + b; }
    static double times(double a, double b) { return a * b; }
    static double scaled(double factor, double x) { return factor * x; }
    static double combine(const double* a, const double* b, Long count) {
        return dot(a, b, count);
    }
};

// Scores of best trees: sums of logarithms and maxima.
struct Maxima {
    using Value = double;
    static double zero() { return -std::numeric_limits<double>::infinity(); }
    static double number(double x) { return x; }
    static double root(Long, double x) { return x; }
    static double arc(Long, Long, double x) { return x; }
    static double plus(double a, double b) { return a > b ? a : b; }
    static double times(double a, double b) { return a + b; }
    static double scaled(double factor, double x) { return factor + x; }
    static double combine(const double* a, const double* b, Long count) {
        return largest(a, b, count);
    }
};

template <class Ring>
double fill(const Factors& s, const Chart& c, const Form& form, Cancel& cancel) {
    Ring ring;
    return Filler<Ring>(ring, s, c, form).fill(cancel);
}

// Fills the outside chart: the spans of the inside pass in reverse order. Seals collect by head
// and by edge, as the loops find them; a finished span adds the two into `seal`.
class Outside {
   public:
    Outside(const Factors& s, const Chart& c, const Chart& o, const Form& form)
        : s_(s), c_(c), o_(o), form_(form), n_(s.n) {}

    void fill(Cancel& cancel) {
        for (int side = 0; side < 2; side++)
            for (double* items : {o_.go[side], o_.seal[side], o_.edge[side], o_.take[side]})
                for (Long k = 0; k < n_ * n_; k++) items[k] = 0.0;
        const Long top = (n_ - 1) * n_;
        for (Long r = 0; r < n_; r++) {
            o_.edge[left][r] = s_.root[r] * c_.edge[right][top + r];
            o_.edge[right][top + r] = s_.root[r] * c_.edge[left][r];
        }
        for (Long j = n_ - 1; j >= 0; j--) {
            if (n_ > 64) cancel.poll();
            for (Long i = 0; i < j; i++) {
                const Pair pair(s_, form_.constraint, i, j);
                reduce(pair, i, j);
                if (pair.i_takes) give_right(pair, i, j);
                if (pair.j_takes) give_left(pair, i, j);
            }
            const Long at = j * n_ + j;
            for (int side = 0; side < 2; side++) o_.seal[side][at] += o_.edge[side][at];
        }
    }

   private:
    // The right side of i, then the left side of j, to their arcs and the dependents' sides.
    void reduce(const Pair& pair, Long i, Long j) {
        const Long ri = i * n_, rj = j * n_;
        double w = weight(right, ri + j, rj + i, form_.fringe ? j : i);
        const Long start = pair.first_right >= 0 ? pair.first_right : i + 1;
        spread(w, c_.take[right] + ri + start, c_.edge[right] + rj + start,
               o_.take[right] + ri + start, o_.edge[right] + rj + start, j + 1 - start);
        w = weight(left, rj + i, ri + j, form_.fringe ? i : j);
        const Long stop = pair.last_left >= 0 ? pair.last_left : j;
        spread(w, c_.take[left] + rj + i, c_.edge[left] + ri + i, o_.take[left] + rj + i,
               o_.edge[left] + ri + i, stop - i);
    }

    double weight(int side, Long at, Long edge, Long decision) {
        const double sealed = o_.seal[side][at] + o_.edge[side][edge];
        o_.seal[side][at] = sealed;
        return o_.go[side][at] * s_.go[side][0][decision] + sealed * s_.stop[side][0][decision];
    }

    // The arc from i to j, to the open side of i and the sealed side of j.
    void give_right(const Pair& pair, Long i, Long j) {
        const Long ri = i * n_, rj = j * n_ + 1, ij = ri + j;
        const double w = o_.take[right][ij] * s_.far[ij];
        const double lead = form_.adjacent ? o_.take[right][ij] * s_.near[ij] : w;
        Long first = pair.from_i.limit;
        if (pair.from_i.edges) {
            for (Long k = s_.last[i]; k < first; k = s_.last[k + 1])
                hand_back(k == i ? lead : w, right, ri + k, rj + k);
        } else if (first == i) {
            hand_back(lead, right, ri + i, rj + i);
            first = i + 1;
        }
        spread(w, c_.go[right] + ri + first, c_.seal[left] + rj + first,
               o_.go[right] + ri + first, o_.seal[left] + rj + first, j - first);
    }

    // The arc from j to i.
    void give_left(const Pair& pair, Long i, Long j) {
        const Long ri = i * n_ - 1, rj = j * n_, ji = rj + i;
        const double w = o_.take[left][ji] * s_.far[ji];
        const double lead = form_.adjacent ? o_.take[left][ji] * s_.near[ji] : w;
        Long last = pair.from_j.limit;
        if (pair.from_j.edges) {
            for (Long k = s_.first[j]; k > last; k = s_.first[k - 1])
                hand_back(k == j ? lead : w, left, rj + k, ri + k);
        } else if (last == j) {
            hand_back(lead, left, rj + j, ri + j);
            last = j - 1;
        }
        spread(w, c_.go[left] + rj + i + 1, c_.seal[right] + ri + i + 1, o_.go[left] + rj + i + 1,
               o_.seal[right] + ri + i + 1, last - i);
    }

    void hand_back(double w, int side, Long open, Long sealed) {
        o_.go[side][open] += w * c_.seal[1 - side][sealed];
        o_.seal[1 - side][sealed] += w * c_.go[side][open];
    }

    const Factors s_;
    const Chart c_, o_;
    const Form form_;
    const Long n_;
};

void fill_outside(const Factors& s, const Chart& inside, const Chart& outside, const Form& form,
                  Cancel& cancel) {
    Outside(s, inside, outside, form).fill(cancel);
}

constexpr ChartKernels kernels{fill<Sums>, fill<Maxima>, fill_outside, dot};

#endif

}  // namespace
}  // namespace caesura::induce

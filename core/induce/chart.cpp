#include "induce/chart.h"

#include <cmath>
#include <limits>

#include "base/cpu.h"

namespace caesura::induce {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Outside this range of the scaled total, a sentence is weighed again with another scale.
constexpr double tiny = 1e-200, huge = 1e200;
constexpr int most_scales = 24;
// Longer sentences are levelled first.
constexpr Long most_unscaled = 30;

// Multiplies all attachments by a factor: each tree changes by its (n - 1)th power.
void multiply(const Factors& s, bool adjacent, double factor) {
    for (Long k = 0; k < s.n * s.n; k++) s.far[k] *= factor;
    for (Long k = 0; adjacent && k < s.n * s.n; k++) s.near[k] *= factor;
}

// Divides the attachments to each word by its best one; returns the logarithm of the product of
// these. Half-trees over the same number of words then weigh about the same.
double level(const Factors& s, bool adjacent) {
    double taken = 0.0;
    for (Long d = 0; d < s.n; d++) {
        double best = s.root[d];
        for (Long h = 0; h < s.n; h++)
            if (h != d) best = std::max(best, s.far[h * s.n + d]);
        if (!(best > 0.0)) continue;
        for (Long h = 0; h < s.n; h++) {
            s.far[h * s.n + d] /= best;
            if (adjacent) s.near[h * s.n + d] /= best;
        }
        s.root[d] /= best;
        taken += std::log(best);
    }
    return taken;
}

// Searches the logarithm of a scale with which the total is in range.
class ScaleSearch {
   public:
    // By how much the logarithm should change; 0 if the total is in range.
    double step(double total) {
        double step = 0.0;
        if (total < tiny) {
            low_ = power;
            step = high_ == infinity ? 2.0 : 0.5 * (high_ - power);
        } else if (!(total < huge)) {
            high_ = power;
            step = low_ == -infinity ? -2.0 : 0.5 * (low_ - power);
        }
        power += step;
        return step;
    }

    double power = 0.0;

   private:
    double low_ = -infinity, high_ = infinity;  // too small and too large, as far as known
};

}  // namespace

const ChartKernels& chart_kernels() {
#if defined(__x86_64__) || defined(_M_X64)
    if (cpu().avx512) return chart_kernels_avx512;
    if (cpu().avx2) return chart_kernels_avx2;
#endif
    return chart_kernels_portable;
}

Workspace::Workspace(Long longest, bool outside)
    : kernels_(chart_kernels()),
      numbers_(static_cast<std::size_t>((outside ? 18 : 10) * longest * longest + 9 * longest)),
      bounds_(static_cast<std::size_t>(2 * longest)),
      has_outside_(outside) {}

// Divides the memory for a sentence of n words.
void Workspace::place(Long n) {
    double* at = numbers_.data();
    const auto take = [&at](Long size) {
        at += size;
        return at - size;
    };
    factors.n = n;
    factors.root = take(n);
    for (int side = 0; side < 2; side++) {
        for (int adjacent = 0; adjacent < 2; adjacent++) {
            factors.stop[side][adjacent] = take(n);
            factors.go[side][adjacent] = take(n);
        }
    }
    factors.far = take(n * n);
    factors.near = take(n * n);
    for (Chart* chart : {&inside, &outside}) {
        if (chart == &outside && !has_outside_) break;
        for (int side = 0; side < 2; side++)
            for (double** items :
                 {&chart->go[side], &chart->seal[side], &chart->edge[side], &chart->take[side]})
                *items = take(n * n);
    }
    factors.first = bounds_.data();
    factors.last = factors.first + n;
}

void Workspace::find_fragments(Ints fragments) {
    const Long n = factors.n;
    for (Long i = 0; i < n; i++)
        factors.first[i] = i > 0 && fragments[i] == fragments[i - 1] ? factors.first[i - 1] : i;
    for (Long i = n - 1; i >= 0; i--)
        factors.last[i] = i + 1 < n && fragments[i] == fragments[i + 1] ? factors.last[i + 1] : i;
}

void Workspace::look_up(const Parameters& t, const Sentence& words) {
    const Long n = words.size();
    place(n);
    const auto root = t.root(words.comp);
    for (Long i = 0; i < n; i++) factors.root[i] = root[words.classes[i]];
    for (int side = 0; side < 2; side++) {
        for (int adjacent = 0; adjacent < 2; adjacent++) {
            const auto stop = t.stop(words.comp, side, adjacent);
            const auto go = t.go(words.comp, side, adjacent);
            for (Long i = 0; i < n; i++) {
                factors.stop[side][adjacent][i] = stop[words.classes[i]];
                factors.go[side][adjacent][i] = go[words.classes[i]];
            }
        }
    }
    const auto fill_row = [&](double* row, Long h, Long adjacent) {
        const Long head = words.classes[h];
        for (int side = 0; side < 2; side++) {
            const auto plain = t.attach(side, 0, adjacent, head);
            const auto crossed = t.attach(side, t.crosses - 1, adjacent, head);
            const Long end = side == left ? h : n;
            for (Long d = side == left ? 0 : h + 1; d < end; d++)
                row[d] = (words.marks[d] == words.marks[h] ? plain : crossed)[words.classes[d]];
        }
        row[h] = 0.0;
    };
    for (Long h = 0; h < n; h++) {
        fill_row(factors.far + h * n, h, 0);
        if (t.adjacent()) fill_row(factors.near + h * n, h, 1);
    }
    find_fragments(words.fragments);
}

void Workspace::set_arcs(Doubles arcs, Ints fragments) {
    const Long n = std::ssize(fragments);
    place(n);
    for (Long h = 0; h < n; h++) {
        factors.root[h] = arcs[h * n + h];
        for (Long d = 0; d < n; d++) factors.far[h * n + d] = arcs[h * n + d];
        for (int side = 0; side < 2; side++)
            for (int adjacent = 0; adjacent < 2; adjacent++)
                factors.stop[side][adjacent][h] = factors.go[side][adjacent][h] = 0.0;
    }
    find_fragments(fragments);
}

std::pair<double, double> Workspace::weigh(const Form& form, Cancel& cancel) {
    const double taken = factors.n > most_unscaled ? level(factors, form.adjacent) : 0.0;
    double total = kernels_.inside(factors, inside, form, cancel);
    ScaleSearch scale;
    for (int k = 0; k < most_scales; k++) {
        const double step = scale.step(total);
        if (step == 0.0) break;
        multiply(factors, form.adjacent, std::exp(step));
        total = kernels_.inside(factors, inside, form, cancel);
    }
    if (!(total > 0.0)) return {0.0, -infinity};
    const double added = scale.power * static_cast<double>(factors.n - 1);
    return {total, std::log(total) + taken - added};
}

}  // namespace caesura::induce

#include "tag/lattice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace caesura::tag {
namespace {

// Scores that are looked at together, which the compiler puts in vectors.
constexpr std::size_t n_lanes = 16;
constexpr double least = -std::numeric_limits<double>::infinity();

template <class T>
std::unique_ptr<T[]> room(Long size) {
    return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size));
}

}  // namespace

Lattice::Lattice(Long length, Long width)
    : length_(length),
      width_(width),
      sizes_(room<std::int32_t>(length)),
      labels_(room<std::int32_t>(length * width)),
      scores_(room<double>(length * width)),
      alpha_(room<double>(length * width * width)),
      beta_(room<double>(length * width * width)),
      back_(room<std::int8_t>(length * width * width)) {}

void Lattice::shift(Long first, Long last) {
    for (Long i = first; i < last; ++i) {
        const Long j = i - first;
        set_size(j, size(i));
        for (Long b = 0; b < size(i); ++b) {
            labels(j)[b] = labels(i)[b];
            scores(j)[b] = scores(i)[b];
        }
        // Nothing reads the pairs of the first word again.
        for (Long a = 0; j > 0 && a < size(j - 1); ++a)
            for (Long b = 0; b < size(i); ++b) {
                alpha(j, a, b) = alpha(i, a, b);
                back(j, a, b) = back(i, a, b);
            }
    }
}

float highest(Floats scores) {
    std::array<float, n_lanes> lanes;
    lanes.fill(scores[0]);
    const float* at = scores.data();
    std::size_t i = 0;
    for (; i + n_lanes <= scores.size(); i += n_lanes)
        for (std::size_t k = 0; k < n_lanes; ++k)
            lanes[k] = at[i + k] > lanes[k] ? at[i + k] : lanes[k];
    for (; i < scores.size(); ++i) lanes[0] = std::max(lanes[0], at[i]);
    return *std::max_element(lanes.begin(), lanes.end());
}

void select(Floats scores, float margin, std::int32_t must, Lattice& lattice, Long i) {
    const float floor = highest(scores) - margin;
    const auto labels = lattice.labels(i);
    const auto kept_scores = lattice.scores(i);
    const auto put = [&](Long at, std::int32_t label) {
        labels[at] = label;
        kept_scores[at] = scores[label];
    };
    Long kept = 0;
    const auto offer = [&](std::int32_t y) {
        const float value = scores[y];
        if (value < floor) return;
        if (kept < lattice.width())
            ++kept;
        else if (!(value > kept_scores[kept - 1]))
            return;
        Long at = kept - 1;
        for (; at > 0 && kept_scores[at - 1] < value; --at) {
            labels[at] = labels[at - 1];
            kept_scores[at] = kept_scores[at - 1];
        }
        put(at, y);
    };
    const auto n = static_cast<std::int32_t>(scores.size());
    constexpr auto block = static_cast<std::int32_t>(n_lanes);
    for (std::int32_t first = 0; first < n; first += block) {
        // Most blocks have no candidate.
        std::int32_t lower = 0;
        if (first + block <= n)
            for (std::int32_t k = 0; k < block; ++k) lower += scores.data()[first + k] < floor;
        if (lower == block) continue;
        for (std::int32_t y = first; y < std::min(first + block, n); ++y) offer(y);
    }
    if (must >= 0 && std::find(labels.begin(), labels.begin() + kept, must) == labels.begin() + kept) {
        if (kept < lattice.width()) ++kept;
        put(kept - 1, must);
    }
    lattice.set_size(i, kept);
}

double forward(const Lattice& lattice, Long n, const Transitions& moves, Long start) {
    std::array<double, widest> values;
    for (Long b = 0; b < lattice.size(0); ++b)
        lattice.alpha(0, 0, b) =
            lattice.scores(0)[b] + transition(moves, start, start, lattice.labels(0)[b]);
    for (Long i = 1; i < n; ++i) {
        const Long before = lattice.size(i - 2);
        for (Long a = 0; a < lattice.size(i - 1); ++a) {
            const Long last = lattice.labels(i - 1)[a];
            for (Long b = 0; b < lattice.size(i); ++b) {
                const Long label = lattice.labels(i)[b];
                double top = least;
                for (Long z = 0; z < before; ++z) {
                    const Long past = lattice.label(i - 2, z, start);
                    values[z] = lattice.alpha(i - 1, z, a) + transition(moves, past, last, label);
                    if (values[z] > top) top = values[z];
                }
                double total = 0.0;
                for (Long z = 0; z < before; ++z) total += std::exp(values[z] - top);
                lattice.alpha(i, a, b) = top + std::log(total) + lattice.scores(i)[b];
            }
        }
    }
    double top = least, total = 0.0;
    for (Long a = 0; a < lattice.size(n - 2); ++a)
        for (Long b = 0; b < lattice.size(n - 1); ++b)
            top = std::max(top, lattice.alpha(n - 1, a, b));
    for (Long a = 0; a < lattice.size(n - 2); ++a)
        for (Long b = 0; b < lattice.size(n - 1); ++b)
            total += std::exp(lattice.alpha(n - 1, a, b) - top);
    return top + std::log(total);
}

void backward(const Lattice& lattice, Long n, const Transitions& moves, Long start) {
    std::array<double, widest> values;
    for (Long a = 0; a < lattice.size(n - 2); ++a)
        for (Long b = 0; b < lattice.size(n - 1); ++b) lattice.beta(n - 1, a, b) = 0.0;
    for (Long i = n - 2; i >= 0; --i) {
        const Long after = lattice.size(i + 1);
        for (Long a = 0; a < lattice.size(i - 1); ++a) {
            const Long past = lattice.label(i - 1, a, start);
            for (Long b = 0; b < lattice.size(i); ++b) {
                const Long last = lattice.labels(i)[b];
                double top = least;
                for (Long c = 0; c < after; ++c) {
                    values[c] = lattice.beta(i + 1, b, c) + lattice.scores(i + 1)[c] +
                                transition(moves, past, last, lattice.labels(i + 1)[c]);
                    if (values[c] > top) top = values[c];
                }
                double total = 0.0;
                for (Long c = 0; c < after; ++c) total += std::exp(values[c] - top);
                lattice.beta(i, a, b) = top + std::log(total);
            }
        }
    }
}

void extend(const Lattice& lattice, Long i, const Transitions& moves, Long start) {
    const auto labels = lattice.labels(i);
    if (i == 0) {
        for (Long b = 0; b < lattice.size(0); ++b)
            lattice.alpha(0, 0, b) =
                lattice.scores(0)[b] + transition(moves, start, start, labels[b]);
        return;
    }
    const Long before = lattice.size(i - 2);
    for (Long a = 0; a < lattice.size(i - 1); ++a) {
        const Long last = lattice.labels(i - 1)[a];
        for (Long b = 0; b < lattice.size(i); ++b) {
            double top = least;
            Long choice = 0;
            for (Long z = 0; z < before; ++z) {
                const Long past = lattice.label(i - 2, z, start);
                const double value =
                    lattice.alpha(i - 1, z, a) + transition(moves, past, last, labels[b]);
                if (value > top) {
                    top = value;
                    choice = z;
                }
            }
            lattice.alpha(i, a, b) = top + lattice.scores(i)[b];
            lattice.back(i, a, b) = static_cast<std::int8_t>(choice);
        }
    }
}

Pair best_pair(const Lattice& lattice, Long n) {
    double top = least;
    Pair best{0, 0};
    for (Long a = 0; a < lattice.size(n - 2); ++a)
        for (Long b = 0; b < lattice.size(n - 1); ++b)
            if (lattice.alpha(n - 1, a, b) > top) {
                top = lattice.alpha(n - 1, a, b);
                best = {a, b};
            }
    return best;
}

void trace(const Lattice& lattice, Long last, Pair end, View<std::int32_t> path) {
    for (Long i = last; i > 0; --i) {
        path[i] = lattice.labels(i)[end.b];
        end = {lattice.back(i, end.a, end.b), end.a};
    }
    path[0] = lattice.labels(0)[end.b];
}

}  // namespace caesura::tag

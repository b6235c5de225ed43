#include <cmath>

namespace caesura::induce {
namespace {

struct Lanes {
    double v[8];

    static Lanes all(double x) { return {x, x, x, x, x, x, x, x}; }
    static Lanes load(const double* p, long long count = 8, double rest = 0.0) {
        Lanes lanes;
        for (int i = 0; i < 8; i++) lanes.v[i] = i < count ? p[i] : rest;
        return lanes;
    }
    void store(double* p, long long count = 8) const {
        for (int i = 0; i < 8 && i < count; i++) p[i] = v[i];
    }
    double total() const {
        return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    }
    double largest() const {
        double best = v[0];
        for (const double x : v) best = x > best ? x : best;
        return best;
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        Lanes sum;
        for (int i = 0; i < 8; i++) sum.v[i] = a.v[i] + b.v[i];
        return sum;
    }
};

inline Lanes max(const Lanes& a, const Lanes& b) {
    Lanes best;
    for (int i = 0; i < 8; i++) best.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return best;
}

inline Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    Lanes sum;
    for (int i = 0; i < 8; i++) sum.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
    return sum;
}

}  // namespace
}  // namespace caesura::induce

#include "induce/fill.h"

namespace caesura::induce {
const ChartKernels chart_kernels_portable = kernels;
}  // namespace caesura::induce

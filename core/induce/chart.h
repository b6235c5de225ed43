// The split-head chart of Eisner, O(n^3), one derivation for each tree. For head h and the outer
// edge k of its right side, `go` weighs everything up to the decision to take another dependent,
// `seal` everything up to the decision to stop, and `take` the arc to a dependent with its inner
// side sealed; left sides are mirror images. fill.h has the recursions over a semiring; they are
// compiled for several instruction sets.
#pragma once

#include <utility>
#include <vector>

#include "base/cancel.h"
#include "induce/sentences.h"

namespace caesura::induce {

// The constraints of Spitkovsky, Alshawi & Jurafsky (2011); Python's numbers.
enum class Constraint : std::int32_t { free, thread, tear, sprawl, loose, strict };

// Which decisions a grammar looks at, and the constraint that applies.
struct Form {
    bool fringe, adjacent;
    Constraint constraint;
};

// The factors of one sentence by position (probabilities or logarithms).
struct Factors {
    Long n;
    // [head x n + dependent]: attachment to further dependents of a side, and to its first one.
    double *far, *near;
    double* root;
    // [side][adjacent], by position of the head or of the fringe.
    double *stop[2][2], *go[2][2];
    // The first and the last word of the fragment that a word lies in.
    Long *first, *last;
};

// Items by side: [head x n + outer edge or dependent]; `edge` holds seals as [edge x n + head], so
// that all inner loops read rows.
template <class Value>
struct ChartOf {
    Value *go[2], *seal[2], *edge[2], *take[2];
};
using Chart = ChartOf<double>;

// Sums have eight lanes, a fixed tree of additions and explicit fma, so each variant gives the
// same bits.
struct ChartKernels {
    double (*inside)(const Factors&, const Chart&, const Form&, Cancel&);
    double (*viterbi)(const Factors&, const Chart&, const Form&, Cancel&);
    void (*outside)(const Factors&, const Chart& inside, const Chart& outside, const Form&,
                    Cancel&);
    double (*dot)(const double*, const double*, Long);
};
extern const ChartKernels chart_kernels_portable;
#if defined(__x86_64__) || defined(_M_X64)
extern const ChartKernels chart_kernels_avx2, chart_kernels_avx512;
#endif
// The kernels of the largest instruction set that may be used.
const ChartKernels& chart_kernels();

// Factors and charts of sentences up to a length; its memory is used for one after the other.
class Workspace {
   public:
    Workspace(Long longest, bool outside);

    // Looks up the factors of a sentence.
    void look_up(const Parameters& parameters, const Sentence& words);
    // Sets factors to arc weights [head x n + dependent] with the roots on the diagonal.
    void set_arcs(Doubles arcs, Ints fragments);

    // The total weight of all trees, scaled to a range, and its true logarithm; 0 and minus
    // infinity if there is no tree. Changes the attachment factors.
    std::pair<double, double> weigh(const Form& form, Cancel& cancel);
    // The score of the best tree.
    double maximise(const Form& form, Cancel& cancel) {
        return kernels_.viterbi(factors, inside, form, cancel);
    }
    void fill_outside(const Form& form, Cancel& cancel) {
        kernels_.outside(factors, inside, outside, form, cancel);
    }
    double dot(const double* a, const double* b, Long count) const {
        return kernels_.dot(a, b, count);
    }

    Factors factors{};
    Chart inside{}, outside{};

   private:
    void place(Long n);
    void find_fragments(Ints fragments);

    const ChartKernels& kernels_;
    std::vector<double> numbers_;
    std::vector<Long> bounds_;
    bool has_outside_;
};

}  // namespace caesura::induce

// What the classifier of the branching parser learns from, and three linear learners over it.
//
// The feature rows of every state are found once, so that an epoch only adds and updates rows.
// Rows are numbered in the order in which they are first seen, and the weights have a row for each
// number: their size follows from the data, not from the modulus of the hash.
//
// Multinomial logistic regression with AdaGrad (Choi & McCallum 2013, algorithm 2; Duchi et al.
// 2011) touches all labels of the features of a state and no others: where a feature is 0 its
// gradient is 0, so that this is exact. Labels whose probability is off by no more than `least` can
// be left alone, too. The perceptron and the hinge loss are there for the paper's comparison.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/branching_trees.h"

namespace caesura::parse::hybrid {

// Trees: heads and labels with a place more for each root.
struct Gold {
    Ints heads, labels;
};

// The transitions of the oracle for all sentences of a batch, one behind the other.
struct Derivations {
    std::vector<std::int32_t> kinds, labels;
    std::vector<Long> lengths;
};
Derivations derive(const Batch& batch, const Gold& gold, bool single_root, Cancel& cancel);

// States: feature rows by their numbers, the right label, the legal transitions, the sentence.
class Examples {
   public:
    // States with this many features, whose rows are below `table_size`.
    Examples(Long templates, Long table_size)
        : templates_(templates), number_of_(static_cast<std::size_t>(table_size)) {}
    // Examples that were stored: the numbers of rows are places in `row_of`.
    Examples(Ints2 rows, Ints gold, Bytes legal, Ints sentence, Codes row_of);

    Long size() const { return std::ssize(gold_); }
    Long templates() const { return templates_; }
    const std::vector<std::int32_t>& rows() const { return rows_; }
    const std::vector<std::int32_t>& gold() const { return gold_; }
    const std::vector<std::uint8_t>& legal() const { return legal_; }
    const std::vector<std::int32_t>& sentence() const { return sentence_; }
    // The row of the table that each number stands for.
    const std::vector<std::uint32_t>& row_of() const { return row_of_; }

    Ints rows_at(Long state) const {
        return {rows_.data() + state * templates_, static_cast<std::size_t>(templates_)};
    }
    // The number of rows of the table; 0 of examples that were stored, which cannot grow.
    Long table_size() const { return std::ssize(number_of_); }
    // Makes room for more states.
    void reserve(Long states);
    void add(Hashes rows, std::int32_t gold, Kinds legal, std::int32_t sentence);

   private:
    Long templates_;
    std::vector<std::int32_t> rows_, gold_, sentence_;
    std::vector<std::uint8_t> legal_;
    std::vector<std::uint32_t> row_of_;
    std::vector<std::uint32_t> number_of_;  // the number of each row plus 1, or 0
};

// What `observe` needs besides the batch and its trees.
struct Observation {
    Flags chosen;             // the sentences that are observed
    bool own;                            // the parser's sequences instead of the oracle's
    bool twice;                          // add what two sequences share for each of them
    Ints2 numbers;  // the label for a kind and the label of an arc + 1, or -1
};

// Adds the states of the oracle's sequences, or those of the one-best sequence and of the sequence
// with most right arcs (section 3.3). States whose right label was never seen are left out, and
// sentences whose search makes no progress.
void observe(const Brancher& brancher, const Batch& batch, const Gold& gold,
             const Observation& observation, Examples& examples, Counts& counts, Cancel& cancel);

enum class Learner { logistic, perceptron, hinge };

struct Learning {
    Learner learner;
    Ints kinds;  // of each label
    float rate, offset;              // alpha and rho of AdaGrad
    double least;
};

struct Progress {
    double loss = 0.0;
    Long wrong = 0;
};

// One pass over the states of `order`. `more` holds the sums of squares (logistic regression, hinge
// loss) or, for averaging, the sum of tick times step (perceptron).
Progress learn(const Examples& examples, Longs order, const Learning& learning,
               Matrix<float> weights, Matrix<float> more, double tick, Cancel& cancel);

}  // namespace caesura::parse::hybrid

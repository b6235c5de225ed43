// Logistic regression on one weight for each hashed feature (Duchi, Hazan & Singer 2011 in
// training). In use the weights are 8-bit codes of a book of 256 values, and only rows that are not
// zero have one: a bit states which rows do, and the number of those before it where the code is. So
// a table of 2**24 rows takes 3 MB and the codes, and a look at most features ends at their bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/arith.h"
#include "base/view.h"

namespace caesura::tokenize {

inline double probability_of(double score) {
    return 1.0 / (1.0 + std::exp(-std::fmin(std::fmax(score, -30.0), 30.0)));
}

class Weights {
   public:
    // A table of 2**bits rows. The values are those of the codes from -128 on. Throws DamagedModel
    // if the rows do not rise within the table.
    Weights(int bits, View<const std::int64_t> rows, View<const std::int8_t> codes,
            View<const float> values);

    int bits() const { return bits_; }
    View<const std::int8_t> codes() const { return codes_; }
    // The rows that have a code.
    std::vector<std::int64_t> rows() const;

    // The sum of the weights of rows.
    double score(View<const std::uint64_t> rows) const {
        double sum = 0.0;
        for (const std::uint64_t row : rows) prefetch(&there_[row >> 6]);
        for (const std::uint64_t row : rows) {
            const std::uint64_t there = there_[row >> 6], bit = 1ull << (row & 63);
            if ((there & bit) == 0) continue;
            const std::int64_t rank = before_[row >> 6] + ones(there & (bit - 1));
            sum += values_[codes_[rank] + 128];
        }
        return sum;
    }

   private:
    static std::int64_t ones(std::uint64_t x) {
        x -= (x >> 1) & 0x5555555555555555ull;
        x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
        x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
        return static_cast<std::int64_t>((x * 0x0101010101010101ull) >> 56);
    }

    int bits_;
    std::vector<std::uint64_t> there_;   // a bit for each row
    std::vector<std::uint32_t> before_;  // how many are set before each 64 of them
    std::vector<std::int8_t> codes_;
    std::vector<float> values_;
};

// Weights in training: values, sums of squared gradients, counts of the features. Features that
// were seen less often than `least` are not learned.
struct LearningTable {
    View<float> weights, squares;
    View<std::uint8_t> seen;
    int least;
};

// Sums over the instances of an epoch.
struct Progress {
    double instances, loss, errors;
};

// Counts the features of an instance, up to 255.
void tally(View<const std::uint64_t> rows, LearningTable& table);

// Makes a step of AdaGrad on an instance; returns what the model decided before it.
bool step(View<const std::uint64_t> rows, bool truth, double rate, LearningTable& table,
          Progress& progress);

}  // namespace caesura::tokenize

// Logistic regression on one weight for each hashed feature (Duchi, Hazan & Singer 2011 in
// training). In use the weights are 8-bit codes of a book of 256 values, and only rows that are not
// zero have one. A block of 64 rows states by a bit for each which rows do, and holds its first
// codes; few blocks have more. So a table of 2**24 rows takes 4 MB and those codes, and a feature
// seldom needs more than one access to memory, which is requested before it is needed.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"
#include "base/sparse_array.h"
#include "base/view.h"

namespace caesura::tokenize {

inline double probability_of(double score) {
    return 1.0 / (1.0 + std::exp(-std::fmin(std::fmax(score, -30.0), 30.0)));
}

// Features of an instance at most.
constexpr std::size_t most_features = 76;
using Features = std::array<std::uint64_t, most_features>;

class Weights {
   public:
    // A table of 2**bits rows, of which those at these distances from one another have a code; a
    // code of 0 is none. The values are those of the codes from -128 on. Throws DamagedModel if the
    // rows do not rise within the table.
    Weights(int bits, Bytes gaps, Signs codes, Floats values);

    int bits() const { return bits_; }
    // The rows that have a code, and the codes.
    std::vector<Long> rows() const;
    std::vector<std::int8_t> codes() const;

    // Requests the memory that `score` reads first.
    void request(Hashes rows) const {
        for (const std::uint64_t row : rows) prefetch(&blocks_[row / 64]);
    }
    // The sum of the weights of rows, of which there are at most `most_features`. Which rows have a
    // weight cannot be predicted, so they are first collected without a branch.
    double score(Hashes rows) const {
        std::uint64_t found[most_features];
        const std::uint8_t* codes[most_features];
        std::size_t n = 0;
        for (const std::uint64_t row : rows) {
            found[n] = row;
            n += blocks_[row / 64].there >> (row % 64) & 1;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const Block& block = blocks_[found[i] / 64];
            codes[i] = code(block, ones(block.there & ((1ull << (found[i] % 64)) - 1)));
            prefetch(codes[i]);
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += values_[*codes[i]];
        return sum;
    }

   private:
    static constexpr std::uint32_t n_first = 4;

    struct Block {
        std::uint64_t there = 0;  // a bit for each row
        std::uint32_t more = 0;   // where its other codes begin
        std::uint8_t first[n_first] = {};
    };

    const std::uint8_t* code(const Block& block, std::uint32_t rank) const {
        return rank < n_first ? &block.first[rank] : more_.data() + block.more + (rank - n_first);
    }

    static std::uint32_t ones(std::uint64_t x) {
        x -= (x >> 1) & 0x5555555555555555ull;
        x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
        x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
        return static_cast<std::uint32_t>((x * 0x0101010101010101ull) >> 56);
    }

    int bits_;
    std::vector<Block> blocks_;
    std::vector<std::uint8_t> more_;
    std::vector<float> values_;  // by code plus 128, as codes are stored
};

// The rows of instances that are decided one after another. Those of the next instance are computed
// before this one is scored, with the state that the usual decision leads to, so that their memory
// is there in time.
template <class State>
class Rows {
   public:
    explicit Rows(const Weights& weights) : weights_(weights) {}

    // The rows of instance `at`; make(at, state, room) computes them.
    template <class Make>
    Hashes get(Long at, const State& state, Make make) {
        if (at != at_ || state != state_) {
            rows_ = make(at, state, rooms_[current_]);
            weights_.request(rows_);
        }
        return rows_;
    }
    // Prepares those of the instance that comes next if nothing unusual is decided.
    template <class Make>
    void expect(Long at, const State& state, Make make) {
        current_ = 1 - current_;
        at_ = at;
        state_ = state;
        rows_ = make(at, state, rooms_[current_]);
        weights_.request(rows_);
    }

   private:
    const Weights& weights_;
    Long at_ = -1;
    State state_;
    Hashes rows_;
    Features rooms_[2];
    int current_ = 0;
};

// Weights in training: values, sums of squared gradients, counts of the features. Only blocks of
// rows that features touch take memory. Features that were seen less often than `least` are not
// learned.
class LearningTable {
   public:
    static constexpr Long block_rows = 16;
    struct Block {
        float weights[block_rows], squares[block_rows];
        std::uint8_t seen[block_rows];
    };

    // A table of 2**bits rows, at least one block.
    LearningTable(int bits, int least)
        : bits_(bits), least_(least), blocks_((Long{1} << bits) / block_rows) {}

    int bits() const { return bits_; }
    int least() const { return least_; }
    void prefetch(std::uint64_t row) const { blocks_.prefetch(row / block_rows); }
    // The block of a row, or null if it takes no memory.
    Block* find(std::uint64_t row) const { return blocks_.find(row / block_rows); }
    Block* touch(std::uint64_t row) { return blocks_.touch(row / block_rows); }

    // Rows that were learned, with their weights and squares.
    struct Entries {
        std::vector<Long> rows;
        std::vector<float> weights, squares;
    };
    Entries entries() const;
    // Replaces all weights and squares; what was seen stays.
    void set_entries(Longs rows, Floats weights, Floats squares);

   private:
    int bits_, least_;
    SparseArray<Block> blocks_;
};

// Sums over the instances of an epoch.
struct Progress {
    double instances, loss, errors;
};

// Counts the features of an instance, up to 255.
void tally(Hashes rows, LearningTable& table);

// Makes a step of AdaGrad on an instance; returns what the model decided before it.
bool step(Hashes rows, bool truth, double rate, LearningTable& table, Progress& progress);

}  // namespace caesura::tokenize

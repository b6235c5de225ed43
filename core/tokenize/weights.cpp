#include "tokenize/weights.h"

#include <algorithm>
#include <bit>

#include "base/errors.h"
#include "learn/updates.h"

namespace caesura::tokenize {

Weights::Weights(int bits, Bytes gaps, Signs codes, Floats values)
    : bits_(bits),
      blocks_(std::max<std::size_t>(1, (std::size_t{1} << bits) / 64)),
      values_(values.begin(), values.end()) {
    Long row = -1, last = -1;
    std::uint32_t rank = 0;
    for (Long i = 0; i < std::ssize(gaps); ++i) {
        row += gaps[i];
        if (gaps[i] == 0 || row >> bits != 0)
            throw DamagedModel("the rows of a table do not rise within it");
        if (codes[i] == 0) continue;
        rank = row / 64 == last / 64 && last >= 0 ? rank + 1 : 0;
        last = row;
        Block& block = blocks_[last / 64];
        block.there |= 1ull << (last % 64);
        const auto code = static_cast<std::uint8_t>(codes[i] + 128);
        if (rank < n_first) {
            block.first[rank] = code;
            block.more = static_cast<std::uint32_t>(more_.size());
        } else {
            more_.push_back(code);
        }
    }
}

std::vector<Long> Weights::rows() const {
    std::vector<Long> found;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        for (std::uint64_t bits = blocks_[b].there; bits != 0; bits &= bits - 1)
            found.push_back(static_cast<Long>(b) * 64 + std::countr_zero(bits));
    return found;
}

std::vector<std::int8_t> Weights::codes() const {
    std::vector<std::int8_t> found;
    for (const Block& block : blocks_)
        for (std::uint32_t rank = 0; rank < ones(block.there); ++rank)
            found.push_back(static_cast<std::int8_t>(*code(block, rank) - 128));
    return found;
}

LearningTable::Entries LearningTable::entries() const {
    Entries found;
    for (const std::uint32_t b : blocks_.indices()) {
        const Block& block = *blocks_.find(b);
        for (Long k = 0; k < block_rows; ++k) {
            if (block.weights[k] == 0.0f && block.squares[k] == 0.0f) continue;
            found.rows.push_back(b * block_rows + k);
            found.weights.push_back(block.weights[k]);
            found.squares.push_back(block.squares[k]);
        }
    }
    return found;
}

void LearningTable::set_entries(Longs rows, Floats weights, Floats squares) {
    for (const std::uint32_t b : blocks_.indices()) {
        Block& block = *blocks_.find(b);
        std::ranges::fill(block.weights, 0.0f);
        std::ranges::fill(block.squares, 0.0f);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<std::uint64_t>(rows.data()[i]);
        Block& block = *touch(row);
        block.weights[row % block_rows] = weights.data()[i];
        block.squares[row % block_rows] = squares.data()[i];
    }
}

void tally(Hashes rows, LearningTable& table) {
    for (const std::uint64_t row : rows)
        if (std::uint8_t& seen = table.touch(row)->seen[row % LearningTable::block_rows];
            seen < 255)
            ++seen;
}

bool step(Hashes rows, bool truth, double rate, LearningTable& table, Progress& progress) {
    constexpr auto n = static_cast<std::uint64_t>(LearningTable::block_rows);
    LearningTable::Block* blocks[most_features];
    for (const std::uint64_t row : rows) table.prefetch(row);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        blocks[i] = table.find(rows[i]);
        if (blocks[i] != nullptr) prefetch(&blocks[i]->weights[rows[i] % n]);
    }
    double score = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (blocks[i] != nullptr) score += blocks[i]->weights[rows[i] % n];
    const double gradient = probability_of(score) - (truth ? 1.0 : 0.0);
    progress.instances += 1.0;
    progress.loss -= std::log(std::max(1e-12, 1.0 - std::abs(gradient)));
    progress.errors += std::abs(gradient) > 0.5 ? 1.0 : 0.0;
    if (std::abs(gradient) > 1e-3) {
        const auto squared = static_cast<float>(gradient * gradient);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint64_t k = rows[i] % n;
            const int seen = blocks[i] != nullptr ? blocks[i]->seen[k] : 0;
            if (seen < table.least()) continue;
            LearningTable::Block& block = *table.touch(rows[i]);
            block.weights[k] -= static_cast<float>(
                learn::adagrad(block.squares[k], gradient, squared, rate, 0.0));
        }
    }
    return score > 0.0;
}

}  // namespace caesura::tokenize

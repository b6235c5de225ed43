#include "tokenize/weights.h"

#include <algorithm>
#include <bit>

#include "base/errors.h"
#include "learn/updates.h"

namespace caesura::tokenize {

Weights::Weights(int bits, View<const std::int64_t> rows, View<const std::int8_t> codes,
                 View<const float> values)
    : bits_(bits),
      there_(std::max<std::size_t>(1, (std::size_t{1} << bits) / 64)),
      before_(there_.size()),
      codes_(codes.begin(), codes.end()),
      values_(values.begin(), values.end()) {
    std::int64_t word = 0, last = -1;
    const auto n = static_cast<std::int64_t>(rows.size());
    for (std::int64_t i = 0; i < n; ++i) {
        if (rows[i] <= last || rows[i] >> bits != 0)
            throw DamagedModel("the rows of a table do not rise within it");
        last = rows[i];
        while (word < last / 64) before_[++word] = static_cast<std::uint32_t>(i);
        there_[word] |= 1ull << (last % 64);
    }
    std::fill(before_.begin() + word + 1, before_.end(), static_cast<std::uint32_t>(n));
}

std::vector<std::int64_t> Weights::rows() const {
    std::vector<std::int64_t> found;
    found.reserve(codes_.size());
    for (std::size_t word = 0; word < there_.size(); ++word)
        for (std::uint64_t bits = there_[word]; bits != 0; bits &= bits - 1)
            found.push_back(static_cast<std::int64_t>(word) * 64 + std::countr_zero(bits));
    return found;
}

void tally(View<const std::uint64_t> rows, LearningTable& table) {
    for (const std::uint64_t row : rows)
        if (std::uint8_t& seen = table.seen[row]; seen < 255) ++seen;
}

bool step(View<const std::uint64_t> rows, bool truth, double rate, LearningTable& table,
          Progress& progress) {
    double score = 0.0;
    for (const std::uint64_t row : rows) score += table.weights[row];
    const double gradient = probability_of(score) - (truth ? 1.0 : 0.0);
    progress.instances += 1.0;
    progress.loss -= std::log(std::max(1e-12, 1.0 - std::abs(gradient)));
    progress.errors += std::abs(gradient) > 0.5 ? 1.0 : 0.0;
    if (std::abs(gradient) > 1e-3) {
        const auto squared = static_cast<float>(gradient * gradient);
        for (const std::uint64_t row : rows) {
            if (table.seen[row] < table.least) continue;
            table.weights[row] -= static_cast<float>(
                learn::adagrad(table.squares[row], gradient, squared, rate, 0.0));
        }
    }
    return score > 0.0;
}

}  // namespace caesura::tokenize

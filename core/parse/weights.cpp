#include "parse/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "parse/quantised.h"

namespace caesura::parse {
namespace {

// The share of totals that is subtracted from weights (see learn/updates.h).
float share_of(Long ticks) {
    return ticks > 0 ? static_cast<float>(1.0 / static_cast<double>(ticks)) : 0.0f;
}

}  // namespace

void Weights::add(const Weights& other, float share) {
    for (const std::uint32_t row : other.rows()) {
        float* to = touch(row);
        const float* from = other.find(row);
        for (Long k = 0; k < 2 * width_; ++k) to[k] += from[k] * share;
    }
}

// Calls visit(column, weight, total) where one of both is not 0, and end(row) after each row.
template <class Visit, class End>
void Weights::visit(Visit visit, End end) const {
    constexpr std::size_t ahead = 4;  // rows that are requested before they are needed
    const std::vector<std::uint32_t> numbers = rows();
    for (std::size_t r = 0; r < numbers.size(); ++r) {
        if (r + ahead < numbers.size())
            for (Long k = 0; k < 2 * width_; k += 16)
                caesura::prefetch(find(numbers[r + ahead]) + k);
        const float* weights = find(numbers[r]);
        const float* totals = weights + width_;
        for (Long first = 0; first < width_; first += 2) {
            // Most are 0, which is found out for two columns at once.
            std::uint64_t bits[2];
            std::memcpy(&bits[0], weights + first, 8);
            std::memcpy(&bits[1], totals + first, 8);
            if ((bits[0] | bits[1]) == 0) continue;
            for (Long k = first; k < first + 2; ++k)
                if (weights[k] != 0.0f || totals[k] != 0.0f)
                    visit(numbers[r], k, weights[k], totals[k]);
        }
        end();
    }
}

std::vector<float> Weights::largest(Long ticks) const {
    const float share = share_of(ticks);
    std::vector<float> tops;
    tops.reserve(n_rows());
    float top = 0.0f;
    visit(
        [&](std::uint32_t, Long, float weight, float total) {
            const float average = std::fabs(weight - total * share);
            top = std::isnan(average) ? INFINITY : std::max(top, average);
        },
        [&] {
            tops.push_back(top);
            top = 0.0f;
        });
    return tops;
}

Weights::Rounded Weights::round(Long ticks, Signs shifts, double unit) const {
    const float share = share_of(ticks);
    Rounded found;
    float inverse[most_shift + 1];
    for (int shift = 0; shift <= most_shift; ++shift) inverse[shift] = inverse_scale(unit, shift);
    const std::int8_t* shift = shifts.data();
    std::size_t before = 0;
    visit(
        [&](std::uint32_t, Long k, float weight, float total) {
            const std::int8_t value = to_byte((weight - total * share) * inverse[*shift]);
            if (value == 0) return;
            found.columns.push_back(static_cast<std::uint16_t>(k));
            found.values.push_back(value);
        },
        [&] {
            found.counts.push_back(static_cast<std::uint32_t>(found.values.size() - before));
            before = found.values.size();
            ++shift;
        });
    return found;
}

Weights::Entries Weights::entries() const {
    Entries found;
    visit(
        [&](std::uint32_t row, Long k, float weight, float total) {
            found.places.push_back(static_cast<std::uint64_t>(row * width_ + k));
            found.weights.push_back(weight);
            found.totals.push_back(total);
        },
        [] {});
    return found;
}

}  // namespace caesura::parse

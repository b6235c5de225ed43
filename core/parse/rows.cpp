#include "parse/rows.h"

#include "base/prefetch.h"
#include "base/cpu.h"

namespace caesura::parse {
namespace portable {
namespace {

constexpr std::int64_t lanes = 32;
constexpr std::uint64_t cache_line = 64;

// Sums in integers of a type; unsigned, since a sum of the last column may not fit.
template <class Sum, class Signed>
void sum_rows(const std::int8_t* table, std::int64_t width, const std::uint64_t* rows,
              std::int64_t n, std::int32_t* sums) {
    for (std::int64_t at = 0; at < width; at += lanes) {
        Sum total[lanes] = {};
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t* row = table + static_cast<std::int64_t>(rows[i]) * width;
            const auto scale = static_cast<Sum>(1 << row[width - 1]);
            for (std::int64_t k = 0; k < lanes; ++k)
                total[k] = static_cast<Sum>(total[k] + static_cast<Sum>(row[at + k]) * scale);
        }
        for (std::int64_t k = 0; k < lanes; ++k) sums[at + k] = static_cast<Signed>(total[k]);
    }
}

void sum_floats(const float* const* rows, std::int64_t n, std::int64_t width, float* sums) {
    for (std::int64_t at = 0; at < width; at += lanes) {
        float total[lanes] = {};
        for (std::int64_t i = 0; i < n; ++i) {
            const float* row = rows[i] + at;
            for (std::int64_t k = 0; k < lanes; ++k) total[k] += row[k];
        }
        for (std::int64_t k = 0; k < lanes; ++k) sums[at + k] = total[k];
    }
}

void join(const std::int32_t* sums, std::int64_t width, const std::int64_t* rows, std::int64_t n,
          float unit, std::int32_t* kept, float* scores) {
    for (std::int64_t at = 0; at < width; at += lanes) {
        std::int32_t total[lanes] = {};
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int32_t* row = sums + rows[i] * width + at;
            for (std::int64_t k = 0; k < lanes; ++k) total[k] += row[k];
        }
        for (std::int64_t k = 0; k < lanes; ++k) kept[at + k] = total[k];
        for (std::int64_t k = 0; k < lanes; ++k)
            scores[at + k] = static_cast<float>(total[k]) * unit;
    }
}

// Lane by lane, then half against half: of zeros with different signs, every variant has the same.
float highest(const float* scores, std::int64_t n) {
    float best[lanes];
    for (float& value : best) value = -3e38f;
    for (std::int64_t at = 0; at < n; at += lanes)
        for (std::int64_t k = 0; k < lanes; ++k)
            best[k] = scores[at + k] > best[k] ? scores[at + k] : best[k];
    for (std::int64_t half = lanes / 2; half > 0; half /= 2)
        for (std::int64_t k = 0; k < half; ++k)
            best[k] = best[half + k] > best[k] ? best[half + k] : best[k];
    return best[0];
}

std::uint32_t at_least(const float* scores, float floor) {
    std::uint32_t found = 0;
    for (std::uint32_t k = 0; k < lanes; ++k)
        found |= static_cast<std::uint32_t>(scores[k] >= floor) << k;
    return found;
}

}  // namespace

std::uint64_t sort(const RowTable& table, const std::uint64_t* features, std::int64_t n,
                   std::uint64_t place, RowLists& lists) {
    const auto width = static_cast<std::uint64_t>(table.width);
    std::int64_t n_full = lists.n_full, n_few = lists.n_few, n_held = lists.n_held;
    std::uint64_t most = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const Entry entry(table.lookup[features[i]]);
        const std::uint64_t is_full = entry.is_full(), is_short = entry.is_short();
        // If the row is of another kind, the first row is requested: that costs less than a branch.
        const std::int8_t* row = table.full + entry.number() * width * is_full;
        for (std::uint64_t at = 0; at < width; at += cache_line) prefetch(row + at);
        prefetch(table.shorts + entry.number() * is_short);
        lists.full[n_full] = entry.number();
        most += entry.most() * is_full;
        n_full += static_cast<std::int64_t>(is_full);
        lists.few[n_few] = lists.held[n_held] = entry.bits();
        lists.few_at[n_few] = lists.held_at[n_held] = place;
        n_few += static_cast<std::int64_t>(is_short);
        n_held += static_cast<std::int64_t>(1 - is_full - is_short - entry.is_empty());
    }
    lists.n_full = n_full;
    lists.n_few = n_few;
    lists.n_held = n_held;
    return most;
}

const RowFunctions rows = {sum_rows<std::uint32_t, std::int32_t>,
                           sum_rows<std::uint16_t, std::int16_t>,
                           sort, sum_floats, join, highest, at_least};

}  // namespace portable

const RowFunctions& row_functions() {
#if defined(__x86_64__) || defined(_M_X64)
    if (cpu().avx512) return avx512::rows;
    if (cpu().avx2) return avx2::rows;
#endif
    return portable::rows;
}

}  // namespace caesura::parse

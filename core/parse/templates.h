// Feature templates as integers: each joins the values of up to four slots into a hash.
#pragma once

#include <cstdint>
#include <string>

#include "base/errors.h"
#include "base/hash.h"
#include "base/view.h"

namespace caesura::parse {

// Odd numbers that the values of a template are multiplied by (as in `caesura.stages.templates`).
constexpr std::uint64_t multipliers[4] = {0x9E3779B97F4A7C15ull, 0xC2B2AE3D27D4EB4Full,
                                          0x165667B19E3779F9ull, 0xD6E8FEB86659FD93ull};

// The upper half of a feature's hash, scrambled: modulo the size of a table it is the row.
inline std::uint64_t row_of(std::uint64_t hash) {
    return ((hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93ull) >> 32;
}

// Templates group after group; `ends` says where each group ends.
class Templates {
   public:
    Templates() = default;
    // Throws DamagedModel if a template names a slot that is not below `slots`, or if the groups
    // do not cover all templates.
    Templates(Ints2 slots, Hashes seeds, Longs ends, Long n_slots, std::size_t n_groups)
        : slots_(slots), seeds_(seeds), ends_(ends) {
        bool fits = slots.columns() == 4 && slots.rows() == seeds.size() &&
                    ends.size() == n_groups && n_groups > 0;
        for (std::size_t t = 0; fits && t < slots.rows(); ++t)
            for (const std::int32_t slot : slots[static_cast<std::ptrdiff_t>(t)])
                fits = fits && slot >= 0 && slot < n_slots;
        Long last = 0;
        for (const Long end : ends) {
            fits = fits && end >= last;
            last = end;
        }
        if (!fits || last != std::ssize(seeds))
            throw DamagedModel("the templates of the parser do not fit its features");
    }

    Long size() const { return std::ssize(seeds_); }
    Long begin(Long group) const { return group > 0 ? ends_[group - 1] : 0; }
    Long end(Long group) const { return ends_[group]; }

    // The row of a template's feature in a table of mask + 1 rows.
    std::uint64_t row(Long t, const std::uint64_t* values, std::uint64_t mask) const {
        const std::int32_t* slot = slots_.data() + 4 * t;
        return row_of(seeds_[t] + values[slot[0]] * multipliers[0] +
                      values[slot[1]] * multipliers[1] + values[slot[2]] * multipliers[2] +
                      values[slot[3]] * multipliers[3]) &
               mask;
    }

    // One template: its seed and its slots.
    struct Plan {
        std::uint64_t seed;
        std::uint16_t slots[4];
    };
    Plan plan(Long t) const {
        const std::int32_t* slot = slots_.data() + 4 * t;
        const auto narrow = [](std::int32_t s) { return static_cast<std::uint16_t>(s); };
        return {seeds_[t], {narrow(slot[0]), narrow(slot[1]), narrow(slot[2]), narrow(slot[3])}};
    }
    // The number of its slots up to the last one that is not `none` (at least 1).
    int atoms(Long t, Long none) const {
        int n = 4;
        while (n > 1 && slots_(t, n - 1) == none) --n;
        return n;
    }

   private:
    Ints2 slots_;
    Hashes seeds_;
    Longs ends_;
};

}  // namespace caesura::parse

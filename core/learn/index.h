// From feature keys to rows: an open-addressing index over the 32-bit keys of a model's features.
// A key is the upper half of a feature's 64-bit hash. A feature that training did not keep finds no
// row, so it adds no noise; with half a million keys, one unseen feature in ten thousand is taken
// for another one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arith.h"
#include "base/view.h"

namespace caesura::learn {

// Places that an entry may try, on average, before it finds a free one. Tables are filled by two
// thirds at most, where entries that are not chosen to collide try two or three. A model file whose
// keys were chosen to collide is refused when its table is made; so no later search is long.
constexpr std::int64_t most_places = 64;

inline std::uint32_t key_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

class FeatureIndex {
   public:
    FeatureIndex() : slots_(16) {}
    // Indexes distinct keys by their position; throws DamagedModel if too many collide.
    explicit FeatureIndex(View<const std::uint32_t> keys);

    void prefetch(std::uint32_t key) const { caesura::prefetch(&slots_[place_of(key)]); }

    // The row of a key, or -1.
    std::int64_t find(std::uint32_t key) const {
        for (std::uint32_t at = place_of(key);; at = (at + 1) & mask()) {
            const std::uint64_t slot = slots_[at];
            if (slot == 0) return -1;  // a third of the slots is free
            if (key_of(slot) == key) return static_cast<std::int64_t>(slot & 0xFFFFFFFF) - 1;
        }
    }

   private:
    std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
    std::uint32_t place_of(std::uint32_t key) const { return (key * 0x9E3779B1u) & mask(); }

    // The key in the upper half, row + 1 in the lower; 0 is free.
    std::vector<std::uint64_t> slots_;
};

}  // namespace caesura::learn

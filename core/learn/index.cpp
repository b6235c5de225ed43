#include "learn/index.h"

#include "base/errors.h"

namespace caesura::learn {

FeatureIndex::FeatureIndex(View<const std::uint32_t> keys) {
    std::size_t size = 16;
    while (2 * size < 3 * keys.size() + 1) size *= 2;
    slots_.resize(size);
    const auto n = static_cast<std::int64_t>(keys.size());
    std::int64_t left = most_places * (n + most_places);
    for (std::int64_t row = 0; row < n; ++row) {
        std::uint32_t at = place_of(keys[row]);
        while (slots_[at] != 0) {
            at = (at + 1) & mask();
            if (--left < 0)
                throw DamagedModel("the model's features all want the same place of their table");
        }
        slots_[at] = (static_cast<std::uint64_t>(keys[row]) << 32) |
                     static_cast<std::uint64_t>(row + 1);
    }
}

}  // namespace caesura::learn

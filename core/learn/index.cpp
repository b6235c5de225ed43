#include "learn/index.h"

#include "base/errors.h"

namespace caesura::learn {

FeatureIndex::FeatureIndex(Codes keys) : keys_(keys) {
    // Four to eight keys in a bucket: as many as a cache line has, or half of it.
    while (shift_ > 0 && (keys.size() >> (32 - shift_)) >= 8) --shift_;
    begins_.resize((std::size_t{1} << (32 - shift_)) + 1);
    std::size_t bucket = 0;
    for (std::size_t row = 0; row < keys.size(); ++row) {
        const std::uint32_t key = keys[static_cast<std::ptrdiff_t>(row)];
        if (row > 0 && keys[static_cast<std::ptrdiff_t>(row) - 1] >= key)
            throw DamagedModel("the model's feature keys do not rise");
        while (bucket <= bucket_of(key)) begins_[bucket++] = static_cast<std::uint32_t>(row);
    }
    while (bucket < begins_.size()) begins_[bucket++] = static_cast<std::uint32_t>(keys.size());
}

}  // namespace caesura::learn

// From feature keys to rows: the keys of a model's features, rising, in buckets by their upper bits.
// A key is the upper half of a feature's 64-bit hash. A feature that training did not keep finds no
// row, so it adds no noise; with half a million keys, one unseen feature in ten thousand is taken
// for another one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"
#include "base/view.h"

namespace caesura::learn {

// Places that an entry of a hash table may try, on average, before it finds a free one. Tables are
// filled by two thirds at most, where entries that are not chosen to collide try two or three. A
// model file whose keys were chosen to collide is refused when its table is made.
constexpr Long most_places = 64;

inline std::uint32_t key_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

class FeatureIndex {
   public:
    FeatureIndex() : begins_(2) {}
    // Indexes keys by their position; they stay where they are. Throws DamagedModel unless they
    // rise.
    explicit FeatureIndex(Codes keys);

    // Both wait for memory that `find` reads, the second for what the first requests.
    void prefetch_bucket(std::uint32_t key) const { prefetch(&begins_[bucket_of(key)]); }
    void prefetch_key(std::uint32_t key) const {
        const std::uint32_t* keys = keys_.data() + begins_[bucket_of(key)];
        prefetch(keys);
        prefetch(keys + scanned - 1);
    }

    // The row of a key, or -1.
    Long find(std::uint32_t key) const {
        const std::size_t bucket = bucket_of(key);
        Long at = begins_[bucket];
        const Long end = begins_[bucket + 1];
        if (end - at <= scanned && at + scanned <= std::ssize(keys_)) {
            // Keys of later buckets are larger. The end of a loop could not be predicted.
            std::int32_t smaller = 0;
            for (int k = 0; k < scanned; ++k) smaller += keys_.data()[at + k] < key;
            at += smaller;
        } else {
            at = std::lower_bound(keys_.begin() + at, keys_.begin() + end, key) - keys_.begin();
        }
        return at < end && keys_[at] == key ? at : -1;
    }

   private:
    // Keys that are compared at once. Few buckets have more: keys are hashes, though those of a
    // model file may be chosen otherwise.
    static constexpr Long scanned = 16;

    std::size_t bucket_of(std::uint32_t key) const {
        return static_cast<std::size_t>(std::uint64_t{key} >> shift_);
    }

    Codes keys_;
    std::vector<std::uint32_t> begins_;  // of buckets; one more than there are
    int shift_ = 32;
};

}  // namespace caesura::learn

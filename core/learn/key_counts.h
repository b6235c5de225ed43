// Counts features by key, to number those that are frequent. Memory is proportional to the number
// of different keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learn/index.h"

namespace caesura::learn {

class KeyCounts {
 public:
    // Counts the feature with a hash; 0 is no feature.
    void add(std::uint64_t hash, std::uint32_t times = 1) {
        if (hash == 0) return;
        if (entries_.size() == limit_) merge();
        entries_.push_back({key_of(hash), times});
    }

    // The keys that occurred at least `cutoff` times, rising.
    std::vector<std::uint32_t> frequent(Long cutoff) {
        merge();
        std::vector<std::uint32_t> keys;
        for (const Entry& entry : entries_)
            if (entry.times >= cutoff) keys.push_back(entry.key);
        return keys;
    }

 private:
    struct Entry {
        std::uint32_t key;
        std::uint32_t times;
    };

    // Sorts the entries, and adds those of one key up.
    void merge() {
        std::sort(entries_.begin(), entries_.end(),
                  [](const Entry& a, const Entry& b) { return a.key < b.key; });
        std::size_t size = 0;
        for (const Entry& entry : entries_) {
            if (size > 0 && entries_[size - 1].key == entry.key)
                entries_[size - 1].times += entry.times;
            else
                entries_[size++] = entry;
        }
        entries_.resize(size);
        limit_ = std::max(limit_, 2 * size);
    }

    std::vector<Entry> entries_;
    std::size_t limit_ = 1 << 16;
};

}  // namespace caesura::learn

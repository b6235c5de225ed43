// A sparse difference of feature vectors: an open-addressing table over row and transition, which
// grows up to a limit. Features beyond it are dropped, and counted.
#pragma once

#include <cstdint>
#include <vector>

namespace caesura::parse {

class Delta {
   public:
    struct Entry {
        std::uint32_t row;
        std::int32_t action;
        float value;
        std::uint32_t slot;
    };

    // At most 7/8 of 2^bits entries.
    explicit Delta(int bits)
        : most_((std::size_t{1} << bits) - (std::size_t{1} << bits) / 8), slots_(1024) {}

    void add(std::uint32_t row, std::int32_t action, float value) {
        std::uint32_t slot = first_slot(row, action);
        while (is_used(slot)) {
            Entry& entry = entries_[slots_[slot]];
            if (entry.row == row && entry.action == action) {
                entry.value += value;
                return;
            }
            slot = (slot + 1) & mask();
        }
        if (entries_.size() > most_) {
            ++dropped_;
            return;
        }
        slots_[slot] = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({row, action, value, slot});
        if (2 * entries_.size() > slots_.size()) grow();
    }

    // In the order in which they were added first.
    const std::vector<Entry>& entries() const { return entries_; }
    Long dropped() const { return dropped_; }
    void clear() { entries_.clear(); }

   private:
    std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
    std::uint32_t first_slot(std::uint32_t row, std::int32_t action) const {
        const std::uint64_t key = std::uint64_t{row} << 32 | static_cast<std::uint32_t>(action);
        return static_cast<std::uint32_t>(key * 0x9E3779B97F4A7C15ull >> 32) & mask();
    }
    // A slot names its entry, which names it; other slots are left from earlier differences.
    bool is_used(std::uint32_t slot) const {
        const std::uint32_t number = slots_[slot];
        return number < entries_.size() && entries_[number].slot == slot;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), 0);
        for (std::size_t k = 0; k < entries_.size(); ++k) {
            // No earlier entry has this slot, so that a slot is free unless it was assigned here.
            entries_[k].slot = UINT32_MAX;
        }
        for (std::size_t k = 0; k < entries_.size(); ++k) {
            std::uint32_t slot = first_slot(entries_[k].row, entries_[k].action);
            while (is_used(slot)) slot = (slot + 1) & mask();
            slots_[slot] = static_cast<std::uint32_t>(k);
            entries_[k].slot = slot;
        }
    }

    std::size_t most_;
    Long dropped_ = 0;
    std::vector<std::uint32_t> slots_;
    std::vector<Entry> entries_;
};

}  // namespace caesura::parse

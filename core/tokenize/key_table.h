// An open-addressing table from 64-bit hashes of strings to values. A table whose keys were chosen
// to collide is refused when it is filled, so no later search is long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.h"
#include "learn/index.h"

namespace caesura::tokenize {

struct Nothing {};

template <class Value>
class KeyTable {
   public:
    KeyTable() = default;
    // Room for some keys, which are `what` of a model; `spare` times as many places or more.
    KeyTable(std::size_t keys, std::size_t spare, const char* what)
        : what_(what), left_(learn::most_places * (static_cast<Long>(keys) + learn::most_places)) {
        if (keys == 0) return;
        std::size_t size = 1;
        while (size <= spare * keys) size *= 2;
        slots_.resize(size);
    }

    bool empty() const { return slots_.empty(); }

    // The value of a key, which is entered if it is not there.
    Value& insert(std::uint64_t key) {
        std::uint64_t at = place_of(key);
        while (slots_[at].key != 0 && slots_[at].key != key) {
            at = (at + 1) & mask();
            if (--left_ < 0)
                throw DamagedModel(std::string("the model's ") + what_ +
                                   " all want the same place of their table");
        }
        slots_[at].key = key;
        return slots_[at].value;
    }

    // The value of a key, or null. The table is not empty.
    const Value* find(std::uint64_t key) const {
        for (std::uint64_t at = place_of(key); slots_[at].key != 0; at = (at + 1) & mask())
            if (slots_[at].key == key) return &slots_[at].value;
        return nullptr;
    }
    bool contains(std::uint64_t key) const { return find(key) != nullptr; }

   private:
    struct Slot {
        std::uint64_t key = 0;  // 0 is free
        [[no_unique_address]] Value value{};
    };

    std::uint64_t mask() const { return slots_.size() - 1; }
    std::uint64_t place_of(std::uint64_t key) const { return (key ^ (key >> 32)) & mask(); }

    std::vector<Slot> slots_;
    const char* what_ = "";
    Long left_ = 0;
};

}  // namespace caesura::tokenize

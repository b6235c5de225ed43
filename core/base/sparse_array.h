// A large array of zeros, of which only the elements that are touched take memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "base/aligned.h"
#include "base/prefetch.h"
#include "base/view.h"

namespace caesura {

// An element is `width` values of a trivial type, for which 0 is all bits 0.
template <class T>
class SparseArray {
   public:
    explicit SparseArray(std::int64_t size, std::int64_t width = 1)
        : size_(size),
          width_(width),
          page_bits_(std::bit_width(std::max<std::uint64_t>(
                         1, page_bytes / (sizeof(T) * static_cast<std::uint64_t>(width)))) -
                     1),
          place_of_(static_cast<std::uint32_t*>(
              std::calloc(static_cast<std::size_t>(size), sizeof(std::uint32_t)))) {
        if (!place_of_) throw std::bad_alloc();
    }

    std::int64_t size() const { return size_; }
    std::int64_t width() const { return width_; }
    // How many elements take memory.
    std::size_t touched() const { return touched_; }
    // Their numbers, rising.
    std::vector<std::uint32_t> indices() const {
        std::vector<std::uint32_t> found;
        found.reserve(touched_);
        for (std::int64_t k = 0; k < size_; ++k)
            if (place_of_[k] != 0) found.push_back(static_cast<std::uint32_t>(k));
        return found;
    }

    void prefetch(std::uint64_t k) const { caesura::prefetch(&place_of_[k]); }
    // An element, or null if it takes no memory.
    T* find(std::uint64_t k) const {
        check_index(static_cast<std::int64_t>(k), size_);
        const std::uint32_t place = place_of_[k];
        return place == 0 ? nullptr : at(place - 1);
    }
    // An element, which gets memory if it has none.
    T* touch(std::uint64_t k) {
        check_index(static_cast<std::int64_t>(k), size_);
        std::uint32_t& place = place_of_[k];
        if (place == 0) {
            if (touched_ >> page_bits_ == pages_.size())
                pages_.emplace_back(static_cast<std::size_t>(width_) << page_bits_);
            place = static_cast<std::uint32_t>(++touched_);
        }
        return at(place - 1);
    }

   private:
    static constexpr std::uint64_t page_bytes = 1 << 18;
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    T* at(std::uint32_t place) const {
        return pages_[place >> page_bits_].data() +
               (place & ((1u << page_bits_) - 1)) * static_cast<std::size_t>(width_);
    }

    std::int64_t size_, width_;
    int page_bits_;
    // The place of each element plus 1, or 0: pages of the system, which take memory when written.
    std::unique_ptr<std::uint32_t[], Free> place_of_;
    std::size_t touched_ = 0;
    std::vector<Aligned<T>> pages_;
};

}  // namespace caesura

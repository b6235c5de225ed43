// Memory of the network: aligned to cache lines and filled with zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "network/kernels.h"

namespace caesura::network {

constexpr std::size_t kAlignment = 64;

constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

struct AlignedDelete {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{kAlignment}); }
};
using Aligned = std::unique_ptr<std::byte, AlignedDelete>;

// Bytes that are zero; code of 16 lanes may read a little beyond them.
inline Aligned aligned_zeros(std::size_t bytes) {
    bytes += 4 * kAlignment;
    Aligned found(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlignment})));
    std::memset(found.get(), 0, bytes);
    return found;
}

// Arrays that live as long as the arena.
class Arena {
   public:
    template <class T>
    T* get(std::size_t n) {
        blocks_.push_back(aligned_zeros(n * sizeof(T)));
        return reinterpret_cast<T*>(blocks_.back().get());
    }

   private:
    std::vector<Aligned> blocks_;
};

// An array that grows, and keeps its memory from call to call. Growing loses the contents.
template <class T>
class Buffer {
   public:
    T* get(std::size_t n) {
        if (n > size_) {
            block_.reset();
            block_ = aligned_zeros(n * sizeof(T));
            size_ = n;
        }
        return reinterpret_cast<T*>(block_.get());
    }
    T* data() const { return reinterpret_cast<T*>(block_.get()); }

   private:
    Aligned block_;
    std::size_t size_ = 0;
};

// Rounded rows, with room for those that a product reads beyond the last.
class RowBuffer {
   public:
    Rows get(std::size_t n, std::size_t width) {
        n += kSpareRows;
        return {values_.get(n * width), scale_.get(n), zero_.get(n)};
    }

   private:
    Buffer<std::int16_t> values_;
    Buffer<float> scale_;
    Buffer<std::int32_t> zero_;
};

// A product of some columns of another one; the last choice is kept.
class Selection {
   public:
    const Product& of(const Product& product, int group, std::vector<Long> columns);

   private:
    std::vector<Long> columns_;
    Arena arena_;
    Product product_;
};

}  // namespace caesura::network

// Memory that begins at a cache line.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace caesura {

// Zeros.
template <class T>
class Aligned {
   public:
    Aligned() = default;
    explicit Aligned(std::size_t size)
        : size_(size),
          data_(static_cast<T*>(::operator new(size * sizeof(T) + 64, std::align_val_t(64)))) {
        std::uninitialized_value_construct_n(data_.get(), size);
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

   private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t(64)); }
    };
    std::size_t size_ = 0;
    std::unique_ptr<T[], Free> data_;
};

}  // namespace caesura

// Memory that begins at a cache line; much of it in large pages, so that few addresses must be
// translated where it is read at random.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace caesura {

constexpr std::size_t large_page = std::size_t{1} << 21;

// Zeros.
template <class T>
class Aligned {
   public:
    Aligned() = default;
    explicit Aligned(std::size_t size) : size_(size), data_(nullptr, Free{alignment(size)}) {
        const std::size_t bytes = size * sizeof(T);
        data_.reset(static_cast<T*>(::operator new(bytes + 64, data_.get_deleter().alignment)));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        // Without effect where the system has no large pages.
        if (bytes >= large_page)
            madvise(data_.get(), bytes / large_page * large_page, MADV_HUGEPAGE);
#endif
        std::uninitialized_value_construct_n(data_.get(), size);
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

   private:
    struct Free {
        std::align_val_t alignment{64};
        void operator()(T* p) const { ::operator delete(p, alignment); }
    };
    static std::align_val_t alignment(std::size_t size) {
        return std::align_val_t(size * sizeof(T) >= large_page ? large_page : 64);
    }

    std::size_t size_ = 0;
    std::unique_ptr<T[], Free> data_;
};

}  // namespace caesura

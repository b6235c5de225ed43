// Objects that calls borrow, one for each thread that is under way.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace caesura {

template <class T>
class Pool {
   public:
    class Lease {
       public:
        Lease(Pool& pool, std::unique_ptr<T> object)
            : pool_(pool), object_(std::move(object)) {}
        ~Lease() {
            const std::lock_guard lock(pool_.mutex_);
            pool_.free_.push_back(std::move(object_));
        }
        Lease(const Lease&) = delete;
        T& operator*() const { return *object_; }
        T* operator->() const { return object_.get(); }

       private:
        Pool& pool_;
        std::unique_ptr<T> object_;
    };

    // A free object, or a new one.
    Lease borrow() {
        return borrow([] { return std::make_unique<T>(); });
    }
    template <class Make>
    Lease borrow(const Make& make) {
        std::unique_ptr<T> object;
        {
            const std::lock_guard lock(mutex_);
            if (!free_.empty()) {
                object = std::move(free_.back());
                free_.pop_back();
            }
            free_.reserve(free_.capacity() + 1);  // giving back never fails
        }
        return {*this, object ? std::move(object) : make()};
    }

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> free_;
};

}  // namespace caesura

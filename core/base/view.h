// Views of memory that is owned elsewhere. With CAESURA_CHECKED (sanitizer builds) every index is
// checked; otherwise they cost what a pointer costs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <type_traits>

namespace caesura {

[[noreturn]] inline void index_failed(std::ptrdiff_t index, std::ptrdiff_t size) {
    std::fprintf(stderr, "caesura: index %td of a view of %td\n", index, size);
    std::abort();
}

inline void check_index([[maybe_unused]] std::ptrdiff_t index,
                        [[maybe_unused]] std::ptrdiff_t size) {
#ifdef CAESURA_CHECKED
    if (index < 0 || index >= size) index_failed(index, size);
#endif
}

// A row of values. `View<const T>` is read-only.
template <class T>
class View {
   public:
    View() = default;
    View(T* data, std::size_t size) : data_(data), size_(size) {}
    // From a vector or an array, and from a writable view to a read-only one.
    template <class C>
        requires requires(C& c) { { c.data() } -> std::convertible_to<T*>; c.size(); }
    View(C&& c) : data_(c.data()), size_(c.size()) {}  // NOLINT(google-explicit-constructor)

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() const { return data_; }
    T* end() const { return data_ + size_; }
    T& operator[](std::ptrdiff_t i) const {
        check_index(i, static_cast<std::ptrdiff_t>(size_));
        return data_[i];
    }
    View slice(std::ptrdiff_t first, std::ptrdiff_t last) const {
#ifdef CAESURA_CHECKED
        if (first < 0 || last < first || last > static_cast<std::ptrdiff_t>(size_))
            index_failed(last, static_cast<std::ptrdiff_t>(size_));
#endif
        return {data_ + first, static_cast<std::size_t>(last - first)};
    }

   private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// Rows of equal length, one behind the other.
template <class T>
class Matrix {
   public:
    Matrix() = default;
    Matrix(T* data, std::size_t rows, std::size_t columns)
        : data_(data), rows_(rows), columns_(columns) {}
    // From another owner of rows, and from a writable matrix to a read-only one.
    template <class C>
        requires requires(C& c) { { c.data() } -> std::convertible_to<T*>; c.rows(); }
    Matrix(C&& c)  // NOLINT(google-explicit-constructor)
        : data_(c.data()), rows_(c.rows()), columns_(c.columns()) {}

    T* data() const { return data_; }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    View<T> operator[](std::ptrdiff_t row) const {
        check_index(row, static_cast<std::ptrdiff_t>(rows_));
        return {data_ + row * static_cast<std::ptrdiff_t>(columns_), columns_};
    }
    T& operator()(std::ptrdiff_t row, std::ptrdiff_t column) const {
        check_index(row, static_cast<std::ptrdiff_t>(rows_));
        check_index(column, static_cast<std::ptrdiff_t>(columns_));
        return data_[row * static_cast<std::ptrdiff_t>(columns_) + column];
    }
    Matrix slice(std::ptrdiff_t first, std::ptrdiff_t last) const {
#ifdef CAESURA_CHECKED
        if (first < 0 || last < first || last > static_cast<std::ptrdiff_t>(rows_))
            index_failed(last, static_cast<std::ptrdiff_t>(rows_));
#endif
        return {data_ + first * static_cast<std::ptrdiff_t>(columns_),
                static_cast<std::size_t>(last - first), columns_};
    }

   private:
    T* data_ = nullptr;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
};

// Numbers and places, and read-only rows and matrices of the types that arrays have.
using Long = std::int64_t;
using Signs = View<const std::int8_t>;
using Bytes = View<const std::uint8_t>;
using Ints = View<const std::int32_t>;
using Codes = View<const std::uint32_t>;
using Longs = View<const std::int64_t>;
using Hashes = View<const std::uint64_t>;
using Flags = View<const bool>;
using Floats = View<const float>;
using Doubles = View<const double>;
using Ints2 = Matrix<const std::int32_t>;
using Hashes2 = Matrix<const std::uint64_t>;
using Floats2 = Matrix<const float>;
using Doubles2 = Matrix<const double>;

}  // namespace caesura

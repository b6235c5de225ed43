// Arrays of numpy as arguments and results. A bound function takes a View or a Matrix where Python
// passes an array: C-contiguous and of exactly its type, never copied or converted. A vector, a
// Grid or a View that it returns becomes a new array.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <concepts>
#include <initializer_list>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/view.h"

namespace caesura {
namespace nb = nanobind;
using namespace nb::literals;

template <class T, int axes>
using NdArray = nb::ndarray<T, nb::ndim<axes>, nb::c_contig, nb::device::cpu>;

// A row of values whose type is selected at run time. Pass `.noconvert()` for it.
using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
bool has_type(const AnyArray& array) {
    return array.dtype() == nb::dtype<T>();
}
// The values, or none if they are of another type.
template <class T>
View<const T> view_as(const AnyArray& array) {
    if (!has_type<T>(array)) return {};
    return {static_cast<const T*>(array.data()), array.shape(0)};
}

// A matrix that owns its values.
template <class T>
class Grid {
   public:
    Grid(std::integral auto rows, std::integral auto columns, T value = {})
        : Grid({}, rows, columns) {
        values_.resize(rows_ * columns_, value);
    }
    Grid(std::vector<T> values, std::integral auto rows, std::integral auto columns)
        : values_(std::move(values)),
          rows_(static_cast<std::size_t>(rows)),
          columns_(static_cast<std::size_t>(columns)) {}

    T* data() { return values_.data(); }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::vector<T>&& take() { return std::move(values_); }

   private:
    std::vector<T> values_;
    std::size_t rows_, columns_;
};

// The call runs without the GIL. Arguments are read before, and results are turned into arrays
// behind it.
inline constexpr nb::call_guard<nb::gil_scoped_release> without_gil;

// The object that a constructor makes has views of its arguments, which live as long as it does.
struct KeepArguments {
    static void precall(PyObject**, std::size_t, nb::detail::cleanup_list*) {}
    static void postcall(PyObject** arguments, std::size_t n, nb::handle) {
        for (std::size_t i = 1; i < n; ++i) {
            const nb::handle argument = arguments[i];
            // A memoryview also keeps a buffer from being resized.
            nb::object kept = PyObject_CheckBuffer(argument.ptr())
                                  ? nb::steal(PyMemoryView_FromObject(argument.ptr()))
                                  : nb::borrow(argument);
            if (!kept.is_valid()) throw nb::python_error();
            nb::keep_alive_obj(arguments[0], kept);
        }
    }
};
inline constexpr nb::call_policy<KeepArguments> keep_arguments;

}  // namespace caesura

namespace nanobind::detail {

template <class Value_, class T, int axes>
struct array_caster {
    using Array = caesura::NdArray<T, axes>;
    NB_TYPE_CASTER(Value_, make_caster<Array>::Name)

    bool from_python(handle source, std::uint32_t, cleanup_list* cleanup) noexcept {
        if (!PyObject_CheckBuffer(source.ptr()) || !array.from_python(source, 0, cleanup))
            return false;
        const Array& found = array.value;
        if constexpr (axes == 1)
            value = {found.data(), found.shape(0)};
        else
            value = {found.data(), found.shape(0), found.shape(1)};
        return true;
    }

    static handle from_cpp(const Value_& view, rv_policy policy, cleanup_list* cleanup) {
        using Owner = std::vector<std::remove_const_t<T>>;
        return make_caster<Owner>::from_cpp(Owner(view.begin(), view.end()), policy, cleanup);
    }

    make_caster<Array> array;  // keeps the memory
};
template <class T>
struct type_caster<caesura::View<T>> : array_caster<caesura::View<T>, T, 1> {};
template <class T>
struct type_caster<caesura::Matrix<T>> : array_caster<caesura::Matrix<T>, T, 2> {};

// The array of an optional view is kept for the call, too.
template <class T>
struct type_caster<std::optional<caesura::View<T>>> {
    using Value = std::optional<caesura::View<T>>;
    using Caster = make_caster<caesura::View<T>>;
    template <class>
    using Cast = Value;
    static constexpr auto Name = optional_name(Caster::Name);

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        is_given = !source.is_none();
        return !is_given || caster.from_python(source, flags, cleanup);
    }
    template <class>
    bool can_cast() const {
        return true;
    }
    explicit operator Value() const { return is_given ? Value(caster.value) : Value(); }

    Caster caster;
    bool is_given = false;
};

template <class T, int axes>
handle new_array(std::vector<T>&& values, std::initializer_list<std::size_t> shape) try {
    auto* kept = new std::vector<T>(std::move(values));
    capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return ndarray<numpy, T, ndim<axes>, c_contig>(kept->data(), shape, owner).cast().release();
} catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
}

template <class T>
    requires std::is_arithmetic_v<T>
struct type_caster<std::vector<T>> {
    static constexpr auto Name = make_caster<ndarray<numpy, T, ndim<1>, c_contig>>::Name;
    static handle from_cpp(std::vector<T> values, rv_policy, cleanup_list*) {
        const std::size_t size = values.size();
        return new_array<T, 1>(std::move(values), {size});
    }
};
template <class T>
struct type_caster<caesura::Grid<T>> {
    static constexpr auto Name = make_caster<ndarray<numpy, T, ndim<2>, c_contig>>::Name;
    static handle from_cpp(caesura::Grid<T> grid, rv_policy, cleanup_list*) {
        return new_array<T, 2>(grid.take(), {grid.rows(), grid.columns()});
    }
};

}  // namespace nanobind::detail

// Arrays of numpy as views. An argument of type In<T> is read-only, Out<T> is written; both are
// C-contiguous and never copied or converted (pass `.noconvert()` for each).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <utility>
#include <vector>

#include "base/view.h"

namespace caesura {
namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using Array2 = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <class T>
View<const T> view(const In<T>& a) {
    return {a.data(), a.shape(0)};
}
template <class T>
View<T> view(const Out<T>& a) {
    return {a.data(), a.shape(0)};
}
template <class T>
Matrix<const T> matrix(const In2<T>& a) {
    return {a.data(), a.shape(0), a.shape(1)};
}
template <class T>
Matrix<T> matrix(const Out2<T>& a) {
    return {a.data(), a.shape(0), a.shape(1)};
}

// A new numpy array that owns the memory of a vector. Call it with the GIL.
template <class T>
Array<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}
template <class T>
Array2<T> to_numpy(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array2<T>(kept->data(), {rows, columns}, owner);
}

}  // namespace caesura

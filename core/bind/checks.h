// Checks of arguments that many functions share; each throws ArgumentError.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>

#include "base/errors.h"
#include "base/view.h"

namespace caesura {

inline void require(bool holds, const char* what) {
    if (!holds) throw ArgumentError(what);
}

// All arrays have as many values as the first.
void require_lengths(const char* what, const auto& first, const auto&... others) {
    require(((others.size() == first.size()) && ...), what);
}

// A condition on the arrays of a model.
inline void damaged(bool holds, const char* what) {
    if (!holds) throw DamagedModel(what);
}

// Every value is in [low, high).
template <class T>
void require_range(View<const T> values, Long low, Long high, const char* name) {
    for (const T value : values)
        if (static_cast<Long>(value) < low || static_cast<Long>(value) >= high)
            throw ArgumentError(std::string(name) + " has the value " + std::to_string(value) +
                                ", which is outside " + std::to_string(low) + " to " +
                                std::to_string(high - 1));
}

// Each pair of begin and end is a part of `size` values.
inline void require_spans(Longs begins, Longs ends, std::size_t size, const char* what) {
    require_lengths("begins and ends must be of the same length", begins, ends);
    for (std::ptrdiff_t i = 0; i < std::ssize(begins); ++i)
        require(0 <= begins[i] && begins[i] <= ends[i] && ends[i] <= static_cast<Long>(size), what);
}

// Values never fall, and lie between the bounds.
template <class T>
void require_rising(View<const T> values, Long low, Long high, const char* name) {
    for (const T value : values) {
        if (static_cast<Long>(value) < low || static_cast<Long>(value) > high)
            throw ArgumentError(std::string(name) + " must rise within its range");
        low = static_cast<Long>(value);
    }
}

}  // namespace caesura

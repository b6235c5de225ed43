// Checks of arguments that many functions share; each throws ArgumentError.
#pragma once

#include <cstdint>
#include <string>

#include "base/errors.h"
#include "base/view.h"

namespace caesura {

inline void require(bool holds, const char* what) {
    if (!holds) throw ArgumentError(what);
}

// A condition on the arrays of a model.
inline void damaged(bool holds, const char* what) {
    if (!holds) throw DamagedModel(what);
}

// Every value is in [low, high).
template <class T>
void require_range(View<const T> values, std::int64_t low, std::int64_t high, const char* name) {
    for (const T value : values)
        if (static_cast<std::int64_t>(value) < low || static_cast<std::int64_t>(value) >= high)
            throw ArgumentError(std::string(name) + " has the value " + std::to_string(value) +
                                ", which is outside " + std::to_string(low) + " to " +
                                std::to_string(high - 1));
}

// Values never fall, and lie between the bounds.
template <class T>
void require_rising(View<const T> values, std::int64_t low, std::int64_t high, const char* name) {
    for (const T value : values) {
        if (static_cast<std::int64_t>(value) < low || static_cast<std::int64_t>(value) > high)
            throw ArgumentError(std::string(name) + " must rise within its range");
        low = static_cast<std::int64_t>(value);
    }
}

}  // namespace caesura

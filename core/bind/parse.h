// Objects of the parsers that several bindings take.
#pragma once

#include "bind/arrays.h"
#include "parse/compact.h"
#include "parse/templates.h"

namespace caesura {

// Templates that keep their arrays alive.
struct SharedTemplates {
    In2<std::int32_t> slots;
    In<std::uint64_t> seeds;
    In<std::int64_t> ends;

    parse::Templates check(std::int64_t n_slots, std::size_t n_groups) const {
        return {matrix(slots), view(seeds), view(ends), n_slots, n_groups};
    }
};

}  // namespace caesura

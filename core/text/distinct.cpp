#include "text/distinct.h"

#include <algorithm>

#include "base/hash.h"

namespace caesura::text {

Distinct distinct_spans(Codes codes, Offsets begins, Offsets ends) {
    Distinct found;
    found.numbers.reserve(begins.size());
    std::size_t size = 16;
    while (size < 2 * begins.size()) size *= 2;
    std::vector<std::int32_t> slots(size, -1);  // numbers of strings
    for (Long t = 0; t < std::ssize(begins); ++t) {
        const Codes span = codes.slice(begins[t], ends[t]);
        std::uint64_t hash = span.size();
        for (const std::uint32_t code : span) hash = fold(hash, code);
        std::size_t at = hash & (size - 1);
        for (; slots[at] >= 0; at = (at + 1) & (size - 1)) {
            const Long first = found.firsts[slots[at]];
            const Codes other = codes.slice(begins[first], ends[first]);
            if (std::equal(span.begin(), span.end(), other.begin(), other.end())) break;
        }
        if (slots[at] < 0) {
            slots[at] = static_cast<std::int32_t>(found.firsts.size());
            found.firsts.push_back(t);
        }
        found.numbers.push_back(slots[at]);
    }
    return found;
}

}  // namespace caesura::text

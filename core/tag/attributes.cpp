#include "tag/attributes.h"

#include <algorithm>

#include "base/hash.h"

namespace caesura::tag {
namespace {

constexpr std::uint64_t salt = 0x51ED270B9F3C2A1Dull;
constexpr std::size_t longest_length = 12;

void fill_form(Codes codes, Bytes kinds, bool is_long, View<std::uint64_t> out) {
    std::uint64_t form_hash = salt, shape_hash = salt, seen = 0;
    int last = 255, run = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const int kind = kinds[i];
        form_hash = fold(form_hash, codes[i]);
        seen |= std::uint64_t{1} << kind;
        run = kind == last ? run + 1 : 1;
        last = kind;
        // Runs count up to two, so that "Aa", "AA" and "AAA" differ and long words agree.
        if (run <= 2) shape_hash = fold(shape_hash, static_cast<std::uint64_t>(kind + 1));
    }
    out[form] = mix(form_hash);
    out[shape] = mix(shape_hash);
    const std::uint64_t first = codes.empty() ? 0 : kinds[0];
    const std::uint64_t length = std::min(codes.size(), longest_length);
    out[signature] = mix(1 + seen + (first << 16) + (length << 24));
    // Suffix of three with the shape: "Xing" is a name more often than "xing".
    if (is_long) out[edges] = mix(fold(fold(out[suffix + 2], seen), first));
}

void fill_lower(Codes codes, View<std::uint64_t> out) {
    const auto n = static_cast<std::ptrdiff_t>(codes.size());
    std::uint64_t hash = salt;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        hash = fold(hash, codes[i]);
        if (i < longest_affix) out[prefix + i] = mix(hash);
    }
    out[lower] = mix(hash);
    hash = salt + 1;
    for (std::ptrdiff_t i = 0; i < std::min<std::ptrdiff_t>(longest_affix, n); ++i) {
        hash = fold(hash, codes[n - 1 - i]);
        out[suffix + i] = mix(hash);
    }
}

}  // namespace

void fill_attributes(const Strings& forms, Bytes kinds, const Strings& lowers,
                     Matrix<std::uint64_t> attributes) {
    Long begin = 0;
    for (Long n = 0; n < static_cast<Long>(attributes.rows()); ++n) {
        fill_lower(lowers[n], attributes[n]);
        fill_form(forms[n], kinds.slice(begin, forms.ends[n]), lowers[n].size() > 3, attributes[n]);
        begin = forms.ends[n];
    }
}

}  // namespace caesura::tag

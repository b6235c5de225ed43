#include "text/prepared.h"

namespace caesura::text {
namespace {

bool parts_digits(std::uint32_t code) {
    return code == 0x20 || code == 0xA0 || code == 0x2009 || code == 0x202F;
}

}  // namespace

std::uint64_t hash_of(Codes codes) {
    std::uint64_t value = 0;
    for (const std::uint32_t code : codes) value = value * hash_base + code + 1;
    return value;
}

void PreparedText::classify(Codes codes, const CharacterTable& table) {
    const std::size_t n = codes.size() + 2 * margin;
    classes_.assign(n, EDGE);
    folded_.assign(n, 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        classes_[i + margin] = table.classes[codes[i]];
        folded_[i + margin] = table.folded[codes[i]];
    }
}

std::vector<Long> PreparedText::blanks_in_numbers() const {
    std::vector<Long> found;
    const auto digit = [&](Long i) { return classes_[i] == DIGIT; };
    const Long end = std::ssize(classes_) - margin;
    for (Long i = margin; i < end; ++i) {
        if (!parts_digits(folded_[i]) || !digit(i - 1)) continue;
        if (!digit(i + 1) || !digit(i + 2) || !digit(i + 3) || digit(i + 4)) continue;
        if (!(digit(i - 2) && digit(i - 3) && digit(i - 4))) found.push_back(i);
    }
    return found;
}

void PreparedText::prepare(bool join, Offsets inside) {
    kinds_ = classes_;
    codes_ = folded_;
    const Long n = std::ssize(kinds_);
    for (const Long i : inside) kinds_[i] = DIGIT;
    for (Long i = margin; join && i < n - margin; ++i) {
        if (kinds_[i] != NEWLINE || kinds_[i - 1] <= NEWLINE) continue;
        const int pair = codes_[i] == '\r' && codes_[i + 1] == '\n';
        if (kinds_[i + 1 + pair] <= NEWLINE) continue;
        for (Long k = i; k <= i + pair; ++k) {
            kinds_[k] = SPACE;
            codes_[k] = ' ';
        }
    }
    prefix_.resize(n + 1);
    run_end_.resize(n + 1);
    next_space_.resize(n + 1);
    std::uint64_t hash = prefix_[0] = 0;
    for (Long i = 0; i < n; ++i)
        prefix_[i + 1] = hash = hash * hash_base + codes_[i] + 1;
    auto space = static_cast<std::int32_t>(n), end = space;
    next_space_[n] = run_end_[n] = space;
    for (std::int32_t i = space - 1; i >= 0; --i) {
        if (kinds_[i] <= NEWLINE) space = i;
        if (!is_wordlike(kinds_[i])) end = i;
        next_space_[i] = space;
        run_end_[i] = end;
    }
}

}  // namespace caesura::text

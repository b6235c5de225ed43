// The linear scorer of training: a row of 32-bit weights for each hashed feature. Floats are added
// in the order of the templates, group after group.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "parse/rows.h"
#include "parse/slots.h"
#include "parse/templates.h"
#include "parse/weights.h"

namespace caesura::parse {

// Memory of one thread. Templates come in four groups, by what they look at: the front of the
// buffer; s1; s0 and the front of the buffer; more. Sums of the first three are kept by the key of
// what the group looks at.
class Linear32 {
   public:
    static constexpr std::size_t groups = 4;

    Linear32(const Templates& templates, Long width)
        : templates_(templates),
          width_(width),
          rows_(static_cast<std::size_t>(templates.size())),
          found_(rows_.size()),
          sums_((kept + 1) * static_cast<std::size_t>(width)) {}

    Long width() const { return width_; }
    // The weights of the next document; they outlive its search.
    void use(const Weights& weights) { weights_ = &weights; }
    void begin(const Words& words) {
        words_ = words;
        keys_.fill(0);
    }

    void score(const Arena& arena, std::int32_t item, float* scores) {
        const Item& state = arena.item(item);
        const Node& top = arena.node(state.stack);
        slots_.fill(words_, arena, state);
        sum_group(groups - 1, kept);
        const auto* places = slots_.places;
        const std::uint64_t front =
            (code(places[Slots::b0]) * multipliers[1] + code(places[Slots::b1])) *
                multipliers[2] + code(places[Slots::b2]);
        const std::uint64_t second = top.depth >= 2 ? arena.node(top.below).content : 1;
        const std::uint64_t both = (top.content ^ (front >> 32)) * multipliers[3] + front;
        const float* own = sums(kept);
        const float* a = known(0, front);
        const float* b = known(1, second);
        const float* c = known(2, both);
        for (Long k = 0; k < width_; ++k) scores[k] = own[k] + a[k] + b[k] + c[k];
    }

    // The rows of all features of an item, in the order of the templates.
    Hashes rows(const Arena& arena, std::int32_t item) {
        slots_.fill(words_, arena, arena.item(item));
        find_rows(0, templates_.size());
        return rows_;
    }

   private:
    static constexpr int kept_bits = 6;
    static constexpr std::size_t kept = (groups - 1) << kept_bits;

    float* sums(std::size_t place) {
        return sums_.data() + place * static_cast<std::size_t>(width_);
    }

    void find_rows(Long first, Long last) {
        for (Long t = first; t < last; ++t) {
            const std::uint64_t row = templates_.row(t, slots_.values, weights_->mask());
            rows_[static_cast<std::size_t>(t)] = row;
            weights_->prefetch(row);
        }
    }

    void sum_group(Long group, std::size_t place) {
        const Long first = templates_.begin(group), last = templates_.end(group);
        find_rows(first, last);
        std::size_t n = 0;
        for (Long t = first; t < last; ++t) {
            found_[n] = weights_->find(rows_[static_cast<std::size_t>(t)]);
            n += found_[n] != nullptr;
        }
        functions_.sum_floats(found_.data(), static_cast<Long>(n), width_, sums(place));
    }

    const float* known(Long group, std::uint64_t key) {
        const std::uint64_t hash = (key ^ (key >> 32)) * multipliers[3];
        const std::size_t place = (static_cast<std::size_t>(group) << kept_bits) +
                                  static_cast<std::size_t>(hash >> (64 - kept_bits));
        if (keys_[place] != key) {
            keys_[place] = key;
            sum_group(group, place);
        }
        return sums(place);
    }

    const RowFunctions& functions_ = row_functions();
    Templates templates_;
    Long width_;
    const Weights* weights_ = nullptr;
    Words words_;
    Slots slots_;
    std::array<std::uint64_t, kept> keys_{};
    std::vector<std::uint64_t> rows_;
    std::vector<const float*> found_;
    std::vector<float> sums_;
};

}  // namespace caesura::parse

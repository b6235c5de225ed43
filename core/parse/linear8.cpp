#include "parse/linear8.h"

#include <algorithm>

namespace caesura::parse {
Linear8::Linear8(const CompactRows& rows, const Templates& templates)
    : rows_(rows),
      templates_(templates),
      keys_(static_cast<std::size_t>(own)),
      sums_(static_cast<std::size_t>((own + 1) * rows.width())) {
    const auto n = static_cast<std::size_t>(templates.size() + RowLists::spare);
    hashed_.resize(n);
    for (auto& list : memory_) list.resize(n);
    // Within a group the templates of few atoms come first; the order changes no sum.
    for (int group = 0; group < n_groups; ++group) {
        for (int atoms = 1; atoms <= 4; ++atoms) {
            auto& [begin, end] = of_size_[group][atoms - 1];
            begin = std::ssize(plans_);
            for (Long t = templates.begin(group); t < templates.end(group); ++t)
                if (templates.atoms(t, Slots::first_state + Slots::none) == atoms)
                    plans_.push_back(templates.plan(t));
            end = std::ssize(plans_);
        }
    }
}

void Linear8::begin(const Words& words) {
    words_ = words;
    std::fill(keys_.begin(), keys_.end(), 0);
}

// Notes where the sum of a group is kept; whether it has still to be computed.
bool Linear8::is_new(Group group, std::uint64_t key) {
    const std::uint64_t spread = (key ^ (key >> 32)) * 0xD6E8FEB86659FD93ull;
    const std::uint64_t place =
        (static_cast<std::uint64_t>(group) << kept_bits) + (spread >> (64 - kept_bits));
    at_[group] = static_cast<Long>(place);
    const bool found = keys_[place] == key;
    keys_[place] = key;
    return !found;
}

// Computes the rows of a group's features and requests their entries.
void Linear8::hash_group(Group group) {
    hash<1>(group);
    hash<2>(group);
    hash<3>(group);
    hash<4>(group);
}

template <int atoms>
void Linear8::hash(Group group) {
    const auto mask = static_cast<std::uint64_t>(rows_.size() - 1);
    const std::uint64_t* values = slots_.values;
    const auto [begin, end] = of_size_[group][atoms - 1];
    for (Long t = begin; t < end; ++t) {
        const Templates::Plan& plan = plans_.data()[t];
        std::uint64_t sum = plan.seed;
        for (int k = 0; k < atoms; ++k) sum += values[plan.slots[k]] * multipliers[k];
        const std::uint64_t row = row_of(sum) & mask;
        hashed_.data()[t] = row;
        prefetch(rows_.lookup() + row);
    }
}

// Sums the full rows of the wanted groups, then adds the others, which have arrived meanwhile.
void Linear8::add_rows(int n_wanted) {
    Long first = 0;
    for (int k = 0; k < n_wanted; ++k) {
        // Sums below this fit into 16 bits.
        const auto sum = highest_[k] < 1 << 15 ? functions_.sum_low_bytes : functions_.sum_bytes;
        sum(rows_.full(), rows_.width(), lists_.full + first, last_[k] - first,
            sums(at_[wanted_[k]]));
        first = last_[k];
    }
    for (Long k = 0; k < lists_.n_held; ++k)
        rows_.add_entry(Entry(lists_.held[k]), sums(static_cast<Long>(lists_.held_at[k])));
    for (Long k = 0; k < lists_.n_few; ++k)
        rows_.add_short(Entry(lists_.few[k]), sums(static_cast<Long>(lists_.few_at[k])));
}

void Linear8::score(const Arena& arena, std::int32_t number, float* scores) {
    const Item& item = arena.item(number);
    const Node& top = arena.node(item.stack);
    slots_.fill_state(words_, arena, item);
    const std::int32_t* places = slots_.places;
    const std::uint64_t front =
        (code(places[Slots::b0]) * multipliers[1] + code(places[Slots::b1])) * multipliers[2] +
        code(places[Slots::b2]);
    const std::uint64_t below = top.depth >= 2 ? arena.node(top.below).content : 1;
    const std::uint64_t s0 = code(places[Slots::s0]), s1 = code(places[Slots::s1]);
    const std::uint64_t tree_key = mixed(top.content, front);
    std::uint64_t key = mixed(mixed(tree_key, below), code(places[Slots::s2]));
    key = mixed(key, (static_cast<std::uint64_t>(item.action) << 32) +
                         static_cast<std::uint32_t>(item.previous));
    key = mixed(mixed(key, slots_.state(Slots::length)), slots_.state(Slots::flags));
    const auto unit = static_cast<float>(rows_.unit());
    if (!is_new(whole, key)) {
        functions_.join(sums_.data(), rows_.width(), at_ + whole, 1, unit, sums(at_[whole]),
                        scores);
        return;
    }
    slots_.fill_words(words_, arena, item);
    int n_wanted = 0;
    const auto want = [&](Group group, std::uint64_t of) {
        wanted_[n_wanted] = group;
        n_wanted += is_new(group, of);
    };
    want(buffer, front);
    want(second, below);
    want(word, mixed(s0, front));
    want(tree, tree_key);
    want(pair, mixed(s0, s1));
    wanted_[n_wanted++] = whole;
    for (int k = 0; k < n_wanted; ++k) hash_group(wanted_[k]);
    const Long kept = at_[whole];
    at_[whole] = own;
    lists_ = {memory_[0].data(), memory_[1].data(), memory_[2].data(), memory_[3].data(),
              memory_[4].data()};
    for (int k = 0; k < n_wanted; ++k) {
        const Group group = wanted_[k];
        const Long first = templates_.begin(group);
        highest_[k] = functions_.sort(rows_.view(), hashed_.data() + first,
                                      templates_.end(group) - first,
                                      static_cast<std::uint64_t>(at_[group]), lists_);
        last_[k] = lists_.n_full;
    }
    add_rows(n_wanted);
    reads.sums += n_wanted;
    reads.full += lists_.n_full;
    reads.few += lists_.n_few;
    reads.held += lists_.n_held;
    functions_.join(sums_.data(), rows_.width(), at_, n_groups, unit, sums(kept), scores);
}

}  // namespace caesura::parse

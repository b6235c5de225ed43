// The linear scorer for decoding: 8-bit rows, and no sum computed twice.
//
// Most of the time goes into fetching rows. What the templates of a group look at is the key of
// their sum, and the sums of the last keys are kept, as are those of whole states, since a beam has
// many states that differ only where no feature looks. All hashes are computed first, and the memory
// of their rows is requested before the rows are added. Sums of integers are exact in any order, so
// none of this changes the scores.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "parse/beam.h"
#include "parse/compact.h"
#include "parse/slots.h"
#include "parse/templates.h"

namespace caesura::parse {

class Linear8 {
   public:
    // Groups of templates by what they look at: the front of the buffer; s1 with its children; the
    // word s0, alone or with the buffer; s0 with its children, too; the words s1 and s0; or more.
    enum Group { buffer, second, word, tree, pair, whole, n_groups };

    // Views of a model, which outlives the scorer, and the memory of one thread.
    Linear8(const CompactRows& rows, const Templates& templates);

    void begin(const Words& words);
    void score(const Arena& arena, std::int32_t item, float* scores);

    Reads reads;

   private:
    // So many bits of a key say where a sum of its group is kept. After the kept sums comes that of
    // the features of a state itself.
    static constexpr int kept_bits = 6;
    static constexpr Long own = Long{n_groups} << kept_bits;

    bool is_new(Group group, std::uint64_t key);
    void hash_group(Group group);
    template <int atoms>
    void hash(Group group);
    void add_rows(int n_wanted);
    std::int32_t* sums(Long row) { return sums_.data() + row * rows_.width(); }

    const CompactRows& rows_;
    const Templates& templates_;
    const RowFunctions& functions_ = row_functions();
    std::vector<Templates::Plan> plans_;
    // Where the templates of so many atoms are in a group.
    std::pair<Long, Long> of_size_[n_groups][4];
    Words words_;
    Slots slots_;
    std::vector<std::uint64_t> keys_;
    Aligned<std::int32_t> sums_;
    Long at_[n_groups];       // where the sum of each group is
    Group wanted_[n_groups];          // groups whose sums are not kept
    Long last_[n_groups];     // where the full rows of each wanted group end
    std::uint64_t highest_[n_groups]; // how far from 0 their sum may be
    std::vector<std::uint64_t> hashed_, memory_[5];
    RowLists lists_{};
};

}  // namespace caesura::parse

// Rules of the guidelines of Universal Dependencies that decoders obey: which labels an arc may have,
// given the classes of its words and the dependents that they already have.
//
// The rules are data, which `caesura.guidelines.decoding` makes of a guideline table. A class is what
// the rules see of a word (its tag), a kind is what they see of a dependent (its label).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/view.h"

namespace caesura::guidelines {

// A set of kinds of dependents. Kinds from `first_free` on only matter to what they bar.
using Kinds = std::uint16_t;
constexpr Kinds subject = 1, object = 2, oblique = 4, predicate = 8, mark = 16;
// An oblique dependent of a nominal that has neither a copula nor a subject.
constexpr Kinds oblique_of_nominal = 32, first_free = 64;
constexpr int n_kinds = 16;

// A set of labels.
class Labels {
   public:
    static constexpr std::int32_t most = 256;

    void add(std::int32_t label) { words_[place(label)] |= bit(label); }
    bool has(std::int32_t label) const { return (words_[place(label)] & bit(label)) != 0; }
    void add(const Labels& other) {
        for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
    }

   private:
    static std::size_t place(std::int32_t label) { return static_cast<std::size_t>(label) / 64; }
    static std::uint64_t bit(std::int32_t label) { return std::uint64_t{1} << (label % 64); }

    std::array<std::uint64_t, most / 64> words_{};
};

class Guide {
   public:
    // What the rules see of a word.
    struct Word {
        std::uint8_t type = 0;
        Kinds dependents = 0;
    };

    // By label: its kind, the kinds that a word with this label must not have, and whether its head
    // comes first. By class: whether it is a mark or a nominal (1, 2), and the labels that it may
    // have. Throws DamagedModel if the arrays do not fit together.
    Guide(View<const Kinds> kind, View<const Kinds> barred, Bytes rightward,
          Bytes types, Matrix<const std::uint8_t> allowed);

    std::int32_t n_labels() const { return static_cast<std::int32_t>(kind_.size()); }
    std::int32_t n_types() const { return static_cast<std::int32_t>(types_.size()); }
    bool is_mark(std::uint8_t type) const { return (types_[type] & 1) != 0; }
    Kinds kind(std::int32_t label) const { return kind_[static_cast<std::size_t>(label)]; }

    // The labels that a word must not have if its head is the root.
    Labels blocked(Word word) const {
        Labels found = not_allowed_[word.type];
        Kinds seen = word.dependents;
        if ((seen & (subject | predicate)) == 0 && (seen & oblique) != 0 &&
            (types_[word.type] & 2) != 0)
            seen |= oblique_of_nominal;
        for (; seen != 0; seen &= static_cast<Kinds>(seen - 1))
            found.add(barring_[static_cast<std::size_t>(std::countr_zero(seen))]);
        return found;
    }
    // The same below another word. `left`: the dependent comes first.
    Labels blocked(Word word, Word head, bool left) const {
        Labels found = blocked(word);
        if (left) found.add(rightward_);
        if ((types_[head.type] & 1) != 0) found.add(not_mark_);
        if ((head.dependents & subject) != 0) found.add(subjects_);
        if ((head.dependents & object) != 0) found.add(objects_);
        return found;
    }

   private:
    std::vector<Kinds> kind_;
    std::vector<std::uint8_t> types_;
    std::vector<Labels> not_allowed_;         // by class
    std::array<Labels, n_kinds> barring_{};  // what a word with a dependent of a kind must not have
    Labels rightward_, not_mark_, subjects_, objects_;
};

// Scores from which labels and heads are chosen together, of words that lie one behind another.
struct Choice {
    Floats2 labels;        // of each label of each word below its head
    Floats2 arcs;          // of each head, the root first; see parse/spanning.h
    Ints base;     // the word of column 1 of `arcs`
    Signs starts;    // 1 where a sentence starts
    Ints given;    // heads that stay (-2: none)
    Bytes types;    // the class of each word
    Bytes others;   // its second best class, and what that costs
    Floats losses;
};

// Chooses labels that the rules allow, so that the sum of all scores falls as little as possible:
// dependents before their heads, and of the changes that mend a violation the cheapest one. A word
// may take another label, another head (`heads` is changed), or its other class (`other` is set to 1).
// What cannot be mended stays.
void choose(const Guide& guide, const Choice& scores, View<std::int32_t> heads,
            View<std::int32_t> labels, View<std::uint8_t> other);

// Moves each mark whose arc crosses another one to the nearest ancestor of its head from which it
// does not; if there is none, to the nearest such word. `no_head` is 1 for marks and 2 for other words
// that take no mark.
void mend_crossing(Bytes no_head, Signs starts,
                   Ints given, View<std::int32_t> heads);

}  // namespace caesura::guidelines

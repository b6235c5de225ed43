// What templates of the joint system may name of an item: words, labels, distances, last steps.
// Everything is written to slots as hashes once, before the templates pick from them. The slots are
// those of `caesura.stages.joint_features`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "parse/graph_stack.h"

namespace caesura::parse {

// A small number (from -1 on) as a hash.
inline std::uint64_t code(Long value) {
    return static_cast<std::uint64_t>(value + 1) * 0x9E3779B97F4A7C15ull;
}

// Buckets 1, 2, 3, 4, 5-10, more (as ZPar).
inline int distance_bucket(std::int32_t d) {
    if (d < 0) d = -d;
    return d <= 4 ? d : (d <= 10 ? 5 : 6);
}

// Buckets of the number of words since the last sentence start.
inline int length_bucket(std::int32_t d) {
    if (d <= 4) return std::max(d, 0);
    if (d <= 12) return d <= 7 ? 5 : 6;
    if (d <= 40) return d <= 20 ? 7 : 8;
    return 9;
}

struct Slots {
    // Words: stack, buffer, their neighbours in the text, their children.
    enum Place { s0, s1, s2, b0, b1, b2, s0_before, s0_after, s1_before, s1_after, b0_before,
                 b0_before2, s0_children, s1_children = s0_children + 4, n_places = s1_children + 4 };
    // After the columns of all words come those of the state.
    enum State { none, s0_labels, s1_labels = s0_labels + 4, s0_valency = s1_labels + 4,
                 s1_valency = s0_valency + 2, s0_sets = s1_valency + 2, s1_sets = s0_sets + 2,
                 s1s0_distance = s1_sets + 2, s0b0_distance, last_step, step_before, length, flags,
                 context, n_states = context + 4 };
    static constexpr Long first_state = n_places * word_columns;
    static constexpr Long size = first_state + n_states;

    std::int32_t places[n_places];
    std::uint64_t values[size];

    std::uint64_t& state(int k) { return values[first_state + k]; }
    std::uint64_t state(int k) const { return values[first_state + k]; }

    // The words of stack and buffer, and what is known of the state. This and the contents of the
    // two nodes tell apart all that templates can.
    void fill_state(const Words& words, const Arena& arena, const Item& item) {
        const auto n = static_cast<std::int32_t>(words.n);
        const Node& top = arena.node(item.stack);
        places[s0] = top.token;
        places[s1] = places[s2] = absent_token;
        if (top.depth >= 2) {
            const Node& below = arena.node(top.below);
            places[s1] = below.token;
            if (top.depth >= 3) places[s2] = arena.node(below.below).token;
        }
        // Swapped-back words come before those never shifted.
        std::int32_t next = item.next, back = item.swapped;
        for (int k = b0; k <= b2; ++k) {
            places[k] = absent_token;
            if (back >= 0) {
                places[k] = arena.node(back).token;
                back = arena.node(back).below;
            } else if (next < n) {
                places[k] = next++;
            }
        }
        const std::int32_t first = places[b0], head = places[s0], second = places[s1];
        places[s0_before] = head >= 1 ? head - 1 : absent_token;
        places[s0_after] = head >= 0 && head + 1 < n ? head + 1 : absent_token;
        places[s1_before] = second >= 1 ? second - 1 : absent_token;
        places[s1_after] = second >= 0 && second + 1 < n ? second + 1 : absent_token;
        places[b0_before] = first >= 1 ? first - 1 : absent_token;
        places[b0_before2] = first >= 2 ? first - 2 : absent_token;
        state(none) = 0;
        state(s1s0_distance) =
            code(second >= 0 ? distance_bucket(head - second) : (second == root_token ? 7 : 8));
        state(s0b0_distance) = code(head >= 0 && first >= 0 ? distance_bucket(first - head) : 7);
        state(last_step) = code(item.action + 1);
        state(step_before) = code(item.previous + 1);
        state(length) = code(first >= 0 ? length_bucket(first - item.last) : 10);
        int flag = (top.depth <= 2 ? top.depth : 0) + (item.swapped >= 0 ? 3 : 0);
        flag += first == item.last ? 6 : (first < 0 ? 12 : (first < item.last ? 18 : 0));
        state(flags) = code(flag);
        for (int k = 0; k < 4; ++k)
            state(context + k) = code(first >= 0 ? words.context(first, k) : (k < 2 ? 7 : 31));
    }

    // The children of the two words under decision, and all columns of all words.
    void fill_words(const Words& words, const Arena& arena, const Item& item) {
        const Node& top = arena.node(item.stack);
        fill_children(top, s0_children, s0_labels, s0_valency, s0_sets);
        fill_children(arena.node(top.depth >= 2 ? top.below : 0), s1_children, s1_labels,
                      s1_valency, s1_sets);
        for (int k = 0; k < n_places; ++k)
            std::memcpy(values + k * word_columns, words.row(places[k]),
                        word_columns * sizeof(std::uint64_t));
    }

    void fill(const Words& words, const Arena& arena, const Item& item) {
        fill_state(words, arena, item);
        fill_words(words, arena, item);
    }

   private:
    void fill_children(const Node& node, int place, int labels, int valency, int sets) {
        for (const Children* side : {&node.left, &node.right}) {
            places[place++] = side->outer;
            places[place++] = side->inner;
            state(labels++) = code(side->outer_label);
            state(labels++) = code(side->inner_label);
            state(valency++) = code(std::min<int>(side->valency, 6));
            state(sets++) = side->labels + 1;
        }
    }
};

}  // namespace caesura::parse

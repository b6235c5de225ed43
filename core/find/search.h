// Pattern matching over trees: a small machine with backtracking over the words of each sentence.
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "base/view.h"

namespace caesura::find {

// Instructions. BIND tries the words that one node may be, one after the other; RELATED and SAME
// look at words that are bound; NOT and END_NOT hold a part that must fail; EMIT writes a match and
// goes back for the next. The numbers are those of `caesura.find.codes`.
enum Operation : std::int32_t { BIND, RELATED, SAME, TEST, NOT, END_NOT, EMIT };
enum Relation : std::int32_t { CHILD, DESCENDANT, ORDER, SIBLING, SIBLING_BEFORE, SIBLING_NEXT };
// The words that BIND tries.
enum Source : std::int32_t { ALL, HEAD, CHILDREN, ANCESTORS, AFTER, BEFORE, SIBLINGS };

// Eight numbers, whose meaning depends on the operation:
// BIND: node, source, base, low, high, test, kept (-1 within NOT);
// RELATED: relation, first, second, low, high, test; SAME: node, column, other node, its column,
// wanted; TEST: node, test; NOT and END_NOT: where the other one is.
struct Instruction {
    std::int32_t operation, a, b, c, d, e, f, g;
};

// The tree of a document's words, and what each word passed.
struct Words {
    Longs tests;  // a bit for each test
    Ints2 columns;
    Ints heads, first_child, next_child;
    Longs bounds;  // of sentences
};

struct Limits {
    Long steps, matches;
};

struct Progress {
    Long rows, sentence;
};

// The first child of each word and the next child of its head, -1 where there is none.
void find_family(Ints heads, View<std::int32_t> first_child, View<std::int32_t> next_child);

// Searches sentences from `begin` on; returns the rows written and the sentence to go on with. A
// row holds the word of each node, -1 for nodes that the program does not bind. A sentence is begun
// only if all its matches have room; one that takes more steps or has more matches than allowed is
// cut short and marked.
Progress search(View<const Instruction> code, const Words& words, Long begin, Long slots,
                const Limits& limits, Matrix<std::int32_t> rows, View<bool> cut, Cancel& cancel);

// Throws ArgumentError if an instruction names a node, test, column or place that does not exist.
void check_program(View<const Instruction> code, const Words& words, Long slots, Long width);

}  // namespace caesura::find

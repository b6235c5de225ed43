// The words of a document as a parser sees them: hashed columns, and the gap before each word.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace caesura::parse {

// Numbers of words that are none (as in `Document.head`).
constexpr std::int32_t root_token = -1;
constexpr std::int32_t absent_token = -2;

// Rows of the word table before word 0: the absent word and the artificial root.
constexpr Long first_word = 2;
// Columns of the word table (see `COLUMNS` of `caesura.stages.joint_features`).
constexpr Long word_columns = 8;
// Columns of the context of a word (see `caesura.stages.word_table`).
constexpr Long context_columns = 6;
enum Context : Long { paragraph, speaker, evidence, learned_layout, layout, plain };

// What a search does not need is empty.
struct Words {
    Long n = 0;
    Hashes2 table;  // n + first_word rows
    Ints2 context;  // n rows
    Bytes types;    // what the guidelines see of each word

    // Hashes of a word, the root or the absent word.
    const std::uint64_t* row(std::int32_t token) const {
        return table[token + first_word].data();
    }
    // Words of the document with this number, if documents lie one behind another and each has its
    // own first rows in the table.
    Words instance(Long number, Long begin, Long end) const {
        Words part{end - begin, {}, {}, {}};
        if (table.rows() > 0)
            part.table = table.slice(begin + first_word * number, end + first_word * (number + 1));
        if (context.rows() > 0) part.context = context.slice(begin, end);
        if (!types.empty()) part.types = types.slice(begin, end);
        return part;
    }
};

}  // namespace caesura::parse

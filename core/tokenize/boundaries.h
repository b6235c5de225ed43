// Where tokens begin, decided left to right for every pair of neighbouring characters.
//
// A binary logistic model over hashed features: character and class windows, the token so far, the
// white-space chunk and what is left of it, the runs of letters around the position, and what kind
// of chunk it is (address, e-mail); where words are not separated by spaces, also which known words
// lie before, after and across the position; at periods, hyphens and units what is known of the
// type. No feature looks further than `window` characters, so a text may be cut into blocks without
// any effect on the result.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "tokenize/starts.h"
#include "tokenize/vocabulary.h"
#include "tokenize/weights.h"

namespace caesura::tokenize {

// The token and the white-space chunk that are open at a position.
struct Open {
    Long token = 0, chunk = 0;  // where they began
    std::uint64_t kind = 0;             // what the chunk looks like
    bool any = false;                   // whether one is open

    bool operator==(const Open&) const = default;
};

// What else says where tokens begin, by position; each may be empty. `forced` has 1 where a token
// must begin and -1 where none may; `odds` are added to those of the table.
struct Hints {
    Signs forced;
    Floats odds;
};

struct Spans {
    std::vector<Long> begins, ends;
};

// Appends the tokens that end at positions from `first` to `last`. Returns the position that was
// reached, which may lie a known chunk behind `last`.
Long find_tokens(const Text& text, Long first, Long last, const Hints& hints,
                 const Vocabulary& vocabulary, const Weights& weights, Open& open, Spans& found);

// One pass of AdaGrad over a text whose tokens begin where `begins` says.
void learn_tokens(const Text& text, Bytes begins, const Vocabulary& vocabulary,
                  const Pass& pass, LearningTable& table, Progress& progress, Cancel& cancel);

}  // namespace caesura::tokenize

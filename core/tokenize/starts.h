// The probability that a sentence starts at each token, decided left to right.
//
// A binary logistic model over hashed features of the tokens around a gap: forms, shapes, endings,
// the gap itself (nothing, space, newline, blank line), how long the sentence and the line already
// are, open quotes and brackets, what is known of the types beside it, and how much punctuation and
// upper case came before, which tells written text from transcripts; where a line begins, also what
// the layout says about the gap. It sees three tokens back and `ahead` tokens on.
#pragma once

#include "base/cancel.h"
#include "tokenize/marks.h"
#include "tokenize/weights.h"

namespace caesura::tokenize {

// A truth with this bit is known but not learned.
constexpr std::int8_t pass = 2;

// What the decision at a token takes from those before it.
struct StartState {
    Long since = 0;     // tokens since the last start
    std::uint64_t first = 0;    // the form of the first token of the sentence
    Long quotes = 0, brackets = 0;
    std::uint64_t stops = 0, capitals = 0, signs = 0;  // a bit for each of the last tokens
    Long count = 0;     // tokens of the text
    Long line = 0;      // tokens of the line
    double note = 0.0;          // the probability of a start behind the note

    bool operator==(const StartState&) const = default;
};

// Writes the probability for each of the tokens, which begin at rows[behind]; what is given (1 yes,
// 0 no, -1 open) is obeyed. A model that did not learn from the layout gets no `breaks`.
void find_starts(ConstMarks rows, Kinds breaks, Signs given, const Weights& weights,
                 double threshold, StartState& state, View<float> evidence);

// How an epoch passes over a text. With `own` the history is what the model itself decided, as it
// will be in use. A negative rate counts the features instead.
struct Pass {
    int bits;
    double rate;
    bool own;
};

// One pass of AdaGrad over a document.
void learn_starts(ConstMarks rows, Kinds breaks, Signs truth, const Pass& pass,
                  LearningTable& table, Progress& progress, Cancel& cancel);

}  // namespace caesura::tokenize

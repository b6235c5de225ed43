// Where a sentence surely ends at its mark, with or without a blank behind it.
//
// A place is a run of marks that end sentences in their script (Sentence_Terminal of Unicode) with
// the closing quotes and brackets behind it. The table of `ended.cpp` tells which marks are sure
// beside which letters. All other places are for models to decide: an ellipsis, a place inside of
// quotes or brackets, a quotation that ends in ? or !, and before lower case. At some places a
// sentence surely goes on: `"Great!" Tom said`, and spaced dots before lower case.
#pragma once

#include <vector>

#include "layout/lines.h"

namespace caesura::layout {

// No place is known by more characters before its end, or by more behind it.
constexpr Long place_behind = 64, place_ahead = 48;

// Where the run of marks begins, and the first ink behind the place: whether a sentence starts there,
// or surely none does.
struct Ended {
    Long begin, end;
    bool starts;
};

// Appends the sure places whose ends are at `first` or later. At the end of the characters more is expected unless `last` is set.
void find_ended(Kinds kinds, Codes codes, Long first, bool last,
                std::vector<Ended>& places);

}  // namespace caesura::layout

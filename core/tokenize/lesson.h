// A document as a tokeniser learns from it, prepared once for all epochs.
#pragma once

#include <vector>

#include "tokenize/boundaries.h"
#include "tokenize/starts.h"

namespace caesura::tokenize {

class Lesson {
   public:
    // Tokens by offset. The truth about starts may have the bit `pass`; without `breaks` nothing is
    // learned from the layout.
    Lesson(const text::CharacterTable& characters, const Vocabulary& vocabulary, Codes codes,
           Offsets begins, Offsets ends, Offsets paragraphs, Kinds breaks, Signs starts);

    void learn_cuts(const Vocabulary& vocabulary, const Pass& pass, LearningTable& table,
                    Progress& progress, Cancel& cancel) const {
        learn_tokens(text_.joined(), begins_, vocabulary, pass, table, progress, cancel);
    }
    void learn_starts(const Pass& pass, LearningTable& table, Progress& progress,
                      Cancel& cancel) const {
        tokenize::learn_starts(marks_, breaks_, starts_, pass, table, progress, cancel);
    }

   private:
    text::PreparedText text_;
    std::vector<std::uint8_t> begins_;  // by position
    std::vector<Mark> marks_;
    std::vector<std::uint8_t> breaks_;
    std::vector<std::int8_t> starts_;
};

}  // namespace caesura::tokenize

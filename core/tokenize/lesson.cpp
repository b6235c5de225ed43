#include "tokenize/lesson.h"

namespace caesura::tokenize {

Lesson::Lesson(const text::CharacterTable& characters, const Vocabulary& vocabulary, Codes codes,
               Offsets begins, Offsets ends, Offsets paragraphs, Kinds breaks, Signs starts)
    : begins_(codes.size() + 2 * text::margin),
      breaks_(learned(breaks)),
      starts_(starts.begin(), starts.end()) {
    text_.classify(codes, characters);
    text_.prepare(true);
    for (const Long begin : begins) begins_[begin + text::margin] = 1;
    marks_ = marks_of(text_.written(), begins, ends, paragraphs, breaks, vocabulary);
}

}  // namespace caesura::tokenize

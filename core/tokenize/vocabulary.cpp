#include "tokenize/vocabulary.h"

namespace caesura::tokenize {
namespace {

// Calls `enter` with each string as a stretch of the prepared text of all.
template <class Enter>
void for_each(const text::CharacterTable& characters, const Strings& strings, Enter enter) {
    text::PreparedText prepared;
    prepared.classify(strings.codes, characters);
    prepared.prepare(false);
    const Text text = prepared.written();
    Long start = text::margin;
    for (std::size_t i = 0; i < strings.ends.size(); ++i) {
        const Long end = strings.ends[i] + text::margin;
        enter(text, i, start, end);
        start = end;
    }
}

}  // namespace

Vocabulary::Vocabulary(const text::CharacterTable& characters, Strings seen, Strings named,
                       Strings types, Codes bits, Strings chunks, Codes cuts, Strings whole)
    : seen_(seen.ends.size(), 4, "words"),
      named_(named.ends.size(), 4, "words"),
      whole_(whole.ends.size(), 2, "words"),
      types_(types.ends.size(), 2, "word types"),
      chunks_(chunks.ends.size(), 3, "chunks") {
    for_each(characters, seen, [&](const Text& text, std::size_t, Long a, Long b) {
        seen_.insert(text.hash(a, b));
    });
    for_each(characters, named, [&](const Text& text, std::size_t, Long a, Long b) {
        named_.insert(text.hash(a, b));
    });
    for_each(characters, types,
             [&](const Text& text, std::size_t i, Long a, Long b) {
                 types_.insert(text.hash(a, b)) |= bits[i];
             });
    for_each(characters, chunks,
             [&](const Text& text, std::size_t i, Long a, Long b) {
                 const std::uint64_t key = chunk_key(text, a, b);
                 if (!chunks_.find(key)) chunks_.insert(key) = cuts[i];
             });
    Long start = 0;
    for (const Long end : whole.ends) {
        whole_.insert(text::hash_of(whole.codes.slice(start, end)));
        start = end;
    }
}

// The hash of a chunk, case included.
std::uint64_t Vocabulary::chunk_key(const Text& text, Long start, Long end) {
    constexpr std::uint64_t factor = 0xBF58476D1CE4E5B9ull;
    std::uint64_t classes = 1;
    for (Long i = start; i < end; ++i) classes = classes * 37 + text.classes[i];
    const std::uint64_t key = (text.hash(start, end) ^ (classes * factor)) * factor;
    return (key ^ (key >> 29)) | 1;
}

}  // namespace caesura::tokenize

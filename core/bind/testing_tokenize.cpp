#include "bind/bind.h"
#include "bind/tokenize.h"
#include "tokenize/marks.h"
#include "tokenize/weights.h"

namespace caesura {
namespace {

using text::CharacterTable;

text::PreparedText prepared(const CharacterTable& table, Codes codes, bool join = true) {
    require_codes(codes);
    text::PreparedText text;
    text.classify(codes, table);
    text.prepare(join);
    return text;
}

void check_span(Codes codes, Long start, Long end) {
    require(0 <= start && start <= end && end <= std::ssize(codes),
            "the span lies outside the text");
}

std::uint64_t text_hash(const CharacterTable& table, Codes codes, Long start, Long end) {
    check_span(codes, start, end);
    const auto text = prepared(table, codes, false);
    return text.written().hash(start + text::margin, end + text::margin);
}

auto joined_lines(const CharacterTable& table, Codes codes) {
    const auto text = prepared(table, codes);
    const text::Text joined = text.joined();
    return std::pair(std::vector(joined.classes.begin(), joined.classes.end()),
                     std::vector(joined.folded.begin(), joined.folded.end()));
}

std::uint32_t type_bits(const SharedVocabulary& vocabulary, Codes codes, Long start, Long end) {
    check_span(codes, start, end);
    if (!vocabulary.knows_types()) return 0;
    const auto text = prepared(vocabulary.characters, codes);
    return vocabulary.bits(text.written(), start + text::margin, end + text::margin);
}

std::vector<std::uint8_t> token_gaps(const SharedVocabulary& vocabulary, Codes codes, Longs begins,
                                     Longs ends, Bytes breaks) {
    require_spans(begins, ends, codes.size(), "the span lies outside the text");
    require_lengths("the columns must be of the same length", begins, breaks);
    const auto text = prepared(vocabulary.characters, codes);
    const auto rows = tokenize::marks_of(text.written(), begins, ends, {}, breaks, vocabulary);
    std::vector<std::uint8_t> gaps;
    for (std::size_t t = 0; t < begins.size(); ++t)
        gaps.push_back(rows[t + tokenize::behind].gap);
    return gaps;
}

bool learn_instance(tokenize::LearningTable& table, Hashes rows, bool truth, double rate,
                    View<double> sums) {
    require_range(rows, 0, Long{1} << table.bits(), "rows");
    require(rows.size() <= tokenize::most_features, "there are too many features");
    tokenize::Progress progress{sums[0], sums[1], sums[2]};
    const bool decided = tokenize::step(rows, truth, rate, table, progress);
    sums[0] = progress.instances;
    sums[1] = progress.loss;
    sums[2] = progress.errors;
    return decided;
}

}  // namespace

void bind_testing_tokenize(nb::module_& m) {
    m.def("text_hash", &text_hash, "table"_a, "codes"_a, "start"_a, "end"_a,
          "The hash of a span.");
    m.def("joined_lines", &joined_lines, "table"_a, "codes"_a,
          "Classes and lower-case twins with blanks for newlines that stand alone, and a margin.");
    m.def("type_bits", &type_bits, "vocabulary"_a, "codes"_a, "start"_a, "end"_a);
    m.def("token_gaps", &token_gaps, "vocabulary"_a, "codes"_a, "begins"_a, "ends"_a, "breaks"_a,
          "The gap before each token where sentence starts are decided.");
    m.def("learn_instance", &learn_instance, "table"_a, "rows"_a, "truth"_a, "rate"_a, "sums"_a);
}

}  // namespace caesura

#include <nanobind/stl/pair.h>

#include "bind/bind.h"
#include "bind/tokenize.h"
#include "tokenize/marks.h"
#include "tokenize/weights.h"

namespace caesura {
namespace {

using namespace nb::literals;

text::PreparedText prepared(const text::CharacterTable& table, const In<std::uint32_t>& codes,
                            bool join = true) {
    require_codes(view(codes));
    text::PreparedText text;
    text.classify(view(codes), table);
    text.prepare(join);
    return text;
}

void check_span(const In<std::uint32_t>& codes, std::int64_t start, std::int64_t end) {
    require(0 <= start && start <= end && end <= static_cast<std::int64_t>(codes.shape(0)),
            "the span lies outside the text");
}

}  // namespace

void bind_testing_tokenize(nb::module_& m) {
    m.def(
        "text_hash",
        [](const SharedCharacters& table, In<std::uint32_t> codes, std::int64_t start,
           std::int64_t end) {
            check_span(codes, start, end);
            const auto text = prepared(table, codes, false);
            return text.written().hash(start + text::margin, end + text::margin);
        },
        "table"_a, "codes"_a.noconvert(), "start"_a, "end"_a, "The hash of a span.");
    m.def(
        "joined_lines",
        [](const SharedCharacters& table, In<std::uint32_t> codes) {
            const auto text = prepared(table, codes);
            const text::Text joined = text.joined();
            return std::pair(
                to_numpy(std::vector(joined.classes.begin(), joined.classes.end())),
                to_numpy(std::vector(joined.folded.begin(), joined.folded.end())));
        },
        "table"_a, "codes"_a.noconvert(),
        "Classes and lower-case twins with blanks for newlines that stand alone, and a margin.");
    m.def(
        "type_bits",
        [](const SharedVocabulary& vocabulary, In<std::uint32_t> codes, std::int64_t start,
           std::int64_t end) {
            check_span(codes, start, end);
            const auto text = prepared(vocabulary.characters, codes);
            return vocabulary.knows_types() ? vocabulary.bits(text.written(), start + text::margin,
                                                              end + text::margin)
                                            : 0;
        },
        "vocabulary"_a, "codes"_a.noconvert(), "start"_a, "end"_a);
    m.def(
        "token_gaps",
        [](const SharedVocabulary& vocabulary, In<std::uint32_t> codes, In<std::int64_t> begins,
           In<std::int64_t> ends, In<std::uint8_t> breaks) {
            require(begins.shape(0) == ends.shape(0) && begins.shape(0) == breaks.shape(0),
                    "the columns must be of the same length");
            for (std::size_t t = 0; t < begins.shape(0); ++t)
                check_span(codes, begins.data()[t], ends.data()[t]);
            const auto text = prepared(vocabulary.characters, codes);
            const auto rows = tokenize::marks_of(text.written(), view(begins), view(ends), {},
                                                 view(breaks), vocabulary);
            std::vector<std::uint8_t> gaps;
            for (std::size_t t = 0; t < begins.shape(0); ++t)
                gaps.push_back(rows[t + tokenize::behind].gap);
            return to_numpy(std::move(gaps));
        },
        "vocabulary"_a, "codes"_a.noconvert(), "begins"_a.noconvert(), "ends"_a.noconvert(),
        "breaks"_a.noconvert(), "The gap before each token where sentence starts are decided.");
    m.def(
        "learn_instance",
        [](tokenize::LearningTable& table, In<std::uint64_t> rows, bool truth, double rate,
           Out<double> sums) {
            require_range(view(rows), 0, std::int64_t{1} << table.bits(), "rows");
            require(rows.shape(0) <= tokenize::most_features, "there are too many features");
            double* const sum = sums.data();
            tokenize::Progress progress{sum[0], sum[1], sum[2]};
            const bool decided = tokenize::step(view(rows), truth, rate, table, progress);
            sum[0] = progress.instances;
            sum[1] = progress.loss;
            sum[2] = progress.errors;
            return decided;
        },
        "table"_a, "rows"_a.noconvert(), "truth"_a, "rate"_a, "sums"_a.noconvert());
}

}  // namespace caesura

#include "bind/tokenize.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bind/bind.h"
#include "tokenize/decoder.h"
#include "tokenize/lesson.h"

namespace caesura {
namespace {

using namespace nb::literals;
using namespace tokenize;
using Long = std::int64_t;
using Longs = In<Long>;
using Points = In<std::uint32_t>;
using Bytes = In<std::uint8_t>;

auto plain(const char* name) { return nb::arg(name).noconvert(); }

Long size_of(const auto& array) { return static_cast<Long>(array.shape(0)); }

// Strings of a model, which have at least one character and `longest` at most.
tokenize::Strings strings(const PackedStrings& packed, Long longest) {
    const auto& [codes, ends] = packed;
    require_codes(view(codes));
    Long last = 0;
    for (const Long end : view(ends)) {
        damaged(last < end && end - last <= longest && end <= size_of(codes),
                "the model's tokenizer has strings that are empty or too long");
        last = end;
    }
    require(last == size_of(codes), "ends must end with the number of code points");
    return {view(codes), view(ends)};
}

// Weights from the arrays of a model, which are copied.
class SharedWeights : public Weights {
   public:
    SharedWeights(int bits, Bytes gaps, In<std::int8_t> codes, In<float> values)
        : Weights(checked(bits, gaps, codes, values), view(gaps), view(codes), view(values)) {}

   private:
    static int checked(int bits, const Bytes& gaps, const In<std::int8_t>& codes,
                       const In<float>& values) {
        require(0 < bits && bits <= 32, "bits must be from 1 to 32");
        require(gaps.shape(0) == codes.shape(0), "each row needs a code");
        require(values.shape(0) == 256, "each code needs a value");
        return bits;
    }
};

using Columns = std::tuple<Array<Long>, Array<Long>, Array<float>, Array<std::uint8_t>,
                           Array<std::uint8_t>>;

Columns to_columns(Decided&& decided) {
    return {to_numpy(std::move(decided.starts)), to_numpy(std::move(decided.ends)),
            to_numpy(std::move(decided.evidence)), to_numpy(std::move(decided.breaks)),
            to_numpy(std::move(decided.hyphenated))};
}

std::vector<Long> vector_of(const Longs& values) { return {view(values).begin(), view(values).end()}; }

class SharedModel : public Model {
   public:
    SharedModel(const SharedVocabulary& vocabulary, const SharedWeights& cuts,
                const SharedWeights& begins, bool layout)
        : Model{vocabulary.characters, vocabulary, cuts, begins, layout} {}

    std::pair<Array<Long>, Columns> decode(Points codes, Longs ends, In<std::int8_t> known,
                                           double threshold, bool weigh, bool numbers) const {
        require_codes(view(codes));
        require_rising(view(ends), 0, size_of(codes), "ends");
        require(known.shape(0) == 0 || known.shape(0) == codes.shape(0),
                "each character needs a hint");
        std::vector<Long> counts;
        Decided all;
        {
            Cancel cancel;
            nb::gil_scoped_release release;
            counts.reserve(ends.shape(0));
            Long start = 0;
            for (const Long end : view(ends)) {
                Decoder decoder(*this, {threshold, weigh, numbers}, {});
                decoder.take(view(codes).slice(start, end));
                const bool hinted = known.shape(0) > 0;
                all.append(decoder.decide(hinted ? view(known).slice(start, end)
                                                 : View<const std::int8_t>(),
                                          {}, true));
                counts.push_back(static_cast<Long>(all.starts.size()));
                start = end;
                cancel.poll();
            }
        }
        return {to_numpy(std::move(counts)), to_columns(std::move(all))};
    }

    Array<float> start_evidence(Points codes, Longs first, Longs last, Longs paragraphs,
                                Bytes breaks, In<std::int8_t> given, double threshold) const {
        check_tokens(codes, first, last, breaks);
        require(given.shape(0) == first.shape(0), "each token needs to be given or open");
        std::vector<float> evidence(first.shape(0));
        {
            nb::gil_scoped_release release;
            text::PreparedText prepared;
            prepared.classify(view(codes), characters);
            prepared.prepare(false);
            const auto rows = marks_of(prepared.written(), view(first), view(last),
                                       view(paragraphs), view(breaks), vocabulary);
            StartState state;
            find_starts(rows, learned(view(breaks)), view(given), begins, threshold, state,
                        evidence);
        }
        return to_numpy(std::move(evidence));
    }

    static void check_tokens(const Points& codes, const Longs& begins, const Longs& ends,
                             const Bytes& breaks) {
        require_codes(view(codes));
        require(begins.shape(0) == ends.shape(0), "begins and ends must be of the same length");
        require(breaks.shape(0) == 0 || breaks.shape(0) == begins.shape(0),
                "each token needs a code of the layout");
        Long end = 0;
        for (std::size_t t = 0; t < begins.shape(0); ++t) {
            require(end <= begins.data()[t] && begins.data()[t] < ends.data()[t],
                    "tokens must follow each other");
            end = ends.data()[t];
        }
        require(end <= size_of(codes), "a token ends outside the text");
    }
};

class SharedDecoder : public Decoder {
   public:
    SharedDecoder(const SharedModel& model, double threshold, bool weigh, bool numbers,
                  Longs starts, Longs no_starts, bool all_starts, Longs paragraphs)
        : Decoder(model, {threshold, weigh, numbers},
                  {vector_of(starts), vector_of(no_starts), vector_of(paragraphs), all_starts}) {}

    void feed(Points codes) {
        require_codes(view(codes));
        take(view(codes));
    }

    Columns next(In<std::int8_t> known, std::optional<In<float>> odds, bool last) {
        require(known.shape(0) == 0 || known.shape(0) == kept().size(),
                "each character that is kept needs a hint");
        std::optional<View<const float>> added;
        if (odds) added = view(*odds);
        Decided decided;
        {
            nb::gil_scoped_release release;
            decided = decide(view(known), added, last);
        }
        return to_columns(std::move(decided));
    }

    Array<std::uint32_t> characters() const {
        return to_numpy(std::vector<std::uint32_t>(kept().begin(), kept().end()));
    }
    std::pair<Array<Long>, Array<Long>> undecided() const {
        return {to_numpy(std::vector(held().begins)), to_numpy(std::vector(held().ends))};
    }
};

class SharedLesson : public Lesson {
   public:
    SharedLesson(const SharedVocabulary& vocabulary, Points codes, Longs first, Longs last,
                 Longs paragraphs, Bytes breaks, In<std::int8_t> starts)
        : Lesson(vocabulary.characters, vocabulary,
                 checked(codes, first, last, breaks, starts), view(first), view(last),
                 view(paragraphs), view(breaks), view(starts)) {}

    void cuts(const SharedVocabulary& vocabulary, LearningTable& table, double rate, bool own,
              Out<double> sums) const {
        learn(table, rate, own, sums, [&](const Pass& pass, Progress& progress, Cancel& cancel) {
            learn_cuts(vocabulary, pass, table, progress, cancel);
        });
    }
    void starts(LearningTable& table, double rate, bool own, Out<double> sums) const {
        learn(table, rate, own, sums, [&](const Pass& pass, Progress& progress, Cancel& cancel) {
            learn_starts(pass, table, progress, cancel);
        });
    }

   private:
    static text::Codes checked(const Points& codes, const Longs& begins, const Longs& ends,
                               const Bytes& breaks, const In<std::int8_t>& starts) {
        SharedModel::check_tokens(codes, begins, ends, breaks);
        require(starts.shape(0) == begins.shape(0), "each token needs a truth");
        return view(codes);
    }

    template <class Learn>
    static void learn(const LearningTable& table, double rate, bool own, const Out<double>& sums,
                      Learn learn) {
        require(sums.shape(0) == 3, "there are three sums");
        double* const sum = sums.data();
        Progress progress{sum[0], sum[1], sum[2]};
        {
            Cancel cancel;
            nb::gil_scoped_release release;
            learn(Pass{table.bits(), rate, own}, progress, cancel);
        }
        sum[0] = progress.instances;
        sum[1] = progress.loss;
        sum[2] = progress.errors;
    }
};

}  // namespace

SharedVocabulary::SharedVocabulary(const SharedCharacters& table, PackedStrings seen,
                                   PackedStrings named, PackedStrings types,
                                   In<std::uint32_t> bits, PackedStrings chunks,
                                   In<std::uint32_t> cuts, PackedStrings whole)
    : Vocabulary(table, strings(seen, longest_seen), strings(named, longest_named),
                 (require(bits.shape(0) == types.second.shape(0), "each type needs bits"),
                  strings(types, longest_type)),
                 view(bits),
                 (require(cuts.shape(0) == chunks.second.shape(0), "each chunk needs cuts"),
                  strings(chunks, longest_chunk)),
                 view(cuts), strings(whole, 3 * longest_chunk)),
      characters(table) {}

void bind_tokenize(nb::module_& m) {
    nb::class_<SharedVocabulary>(m, "TokenVocabulary",
                                 "What a tokeniser knows of strings; read-only.")
        .def(nb::init<const SharedCharacters&, PackedStrings, PackedStrings, PackedStrings, Points,
                      PackedStrings, Points, PackedStrings>(),
             nb::keep_alive<1, 2>(), "characters"_a, "seen"_a, "named"_a, "types"_a, plain("bits"),
             "chunks"_a, plain("cuts"), "whole"_a,
             "Strings are pairs: code points, one string behind the other, and where each ends.");
    nb::class_<SharedWeights>(m, "TokenWeights", "Coded weights of hashed features; read-only.")
        .def(nb::init<int, Bytes, In<std::int8_t>, In<float>>(), "bits"_a, plain("gaps"),
             plain("codes"), plain("values"))
        .def_prop_ro("rows", [](const SharedWeights& self) { return to_numpy(self.rows()); },
                     nb::rv_policy::automatic, "The rows that have a code.")
        .def_prop_ro(
            "codes",
            [](const SharedWeights& self) { return to_numpy(self.codes()); },
            nb::rv_policy::automatic);
    nb::class_<SharedModel>(m, "TokenModel", "Tokenises texts; read-only.")
        .def(nb::init<const SharedVocabulary&, const SharedWeights&, const SharedWeights&, bool>(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
             "vocabulary"_a, "cuts"_a, "begins"_a, "layout"_a)
        .def("decode", &SharedModel::decode, plain("codes"), plain("ends"), plain("known"),
             "threshold"_a, "weigh"_a, "numbers"_a,
             "Return the tokens of whole texts, one text behind the other: where the tokens of\n"
             "each text end, and columns as those of a decoder, with offsets in each text.")
        .def("start_evidence", &SharedModel::start_evidence, plain("codes"), plain("begins"),
             plain("ends"), plain("paragraphs"), plain("breaks"), plain("given"), "threshold"_a,
             "Return the probability that a sentence starts at each token of a text. `given` is\n"
             "1 or 0 where that is decided, and else -1.");
    nb::class_<SharedDecoder>(m, "TokenDecoder", "Tokenises a text that comes in blocks.")
        .def(nb::init<const SharedModel&, double, bool, bool, Longs, Longs, bool, Longs>(),
             nb::keep_alive<1, 2>(), "model"_a, "threshold"_a, "weigh"_a, "numbers"_a,
             plain("starts"), plain("no_starts"), "all_starts"_a, plain("paragraphs"))
        .def("start_at", [](SharedDecoder& decoder, Longs offsets) {
                 decoder.start_at(view(offsets));
             }, plain("offsets"), "Take more starts that are given, of text that is not decided.")
        .def("take", &SharedDecoder::feed, plain("codes"), "Take the next characters.")
        .def("decide", &SharedDecoder::next, plain("known"), nb::arg("odds").noconvert().none(),
             "last"_a,
             "Return what is decided now: starts, ends, evidence, codes of the layout, and\n"
             "whether a line end parts the token. `known` has 1 where a token must begin and -1\n"
             "where none may, and `odds` are added to the scores of the characters kept.")
        .def_prop_ro("base", &SharedDecoder::base, "The offset of the first character kept.")
        .def_prop_ro("kept", &SharedDecoder::characters,
                     nb::rv_policy::automatic, "The characters that are kept.")
        .def_prop_ro("held", &SharedDecoder::undecided, nb::rv_policy::automatic,
                     "Where the tokens start and end that are known and not decided.");
    nb::class_<LearningTable>(m, "TokenTable",
                              "Weights in training; only rows that features touch take memory.")
        .def(
            "__init__",
            [](LearningTable* self, int bits, int least) {
                require(bits >= 4 && bits <= 31, "bits must be 4 to 31");
                new (self) LearningTable(bits, least);
            },
            "bits"_a, "least"_a,
            "A table of 2**bits rows. Features that were seen less often than `least` are not\n"
            "learned.")
        .def_prop_ro("bits", &LearningTable::bits)
        .def(
            "entries",
            [](const LearningTable& self) {
                auto found = self.entries();
                return std::tuple(to_numpy(std::move(found.rows)),
                                  to_numpy(std::move(found.weights)),
                                  to_numpy(std::move(found.squares)));
            },
            "The rows that were learned, rising, their weights and sums of squares.")
        .def(
            "set_entries",
            [](LearningTable& self, Longs rows, In<float> weights, In<float> squares) {
                require(weights.shape(0) == rows.shape(0) && squares.shape(0) == rows.shape(0),
                        "each row must have a weight and a square");
                require_range(view(rows), 0, std::int64_t{1} << self.bits(), "rows");
                self.set_entries(view(rows), view(weights), view(squares));
            },
            plain("rows"), plain("weights"), plain("squares"),
            "Replace all weights and sums of squares; the counts of features stay.");
    nb::class_<SharedLesson>(m, "TokenLesson", "A document to learn from.")
        .def(nb::init<const SharedVocabulary&, Points, Longs, Longs, Longs, Bytes,
                      In<std::int8_t>>(),
             "vocabulary"_a, plain("codes"), plain("begins"), plain("ends"), plain("paragraphs"),
             plain("breaks"), plain("starts"),
             "Starts are 0 or 1, and 2 more where they are not learned. Without breaks nothing\n"
             "is learned from the layout.")
        .def("learn_cuts", &SharedLesson::cuts, "vocabulary"_a, "table"_a, "rate"_a, "own"_a,
             plain("sums"),
             "Make a pass over the token boundaries, and add to the instances, the loss and the\n"
             "errors in `sums`. A negative rate counts the features.")
        .def("learn_starts", &SharedLesson::starts, "table"_a, "rate"_a, "own"_a, plain("sums"),
             "The same for the sentence starts.");
}

}  // namespace caesura

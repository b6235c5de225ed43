#include "bind/tokenize.h"

#include "bind/bind.h"
#include "tokenize/decoder.h"
#include "tokenize/lesson.h"

namespace caesura {
namespace {

using namespace tokenize;
using PackedStrings = std::pair<Codes, Longs>;

// Strings of a model, which have at least one character and `longest` at most.
Strings strings(const PackedStrings& packed, Long longest) {
    const auto& [codes, ends] = packed;
    require_codes(codes);
    Long last = 0;
    for (const Long end : ends) {
        damaged(last < end && end - last <= longest && end <= std::ssize(codes),
                "the model's tokenizer has strings that are empty or too long");
        last = end;
    }
    require(last == std::ssize(codes), "ends must end with the number of code points");
    return {codes, ends};
}

void new_vocabulary(SharedVocabulary* self, const text::CharacterTable& table,
                    const PackedStrings& seen, const PackedStrings& named,
                    const PackedStrings& types, Codes bits, const PackedStrings& chunks,
                    Codes cuts, const PackedStrings& whole) {
    require_lengths("each type needs bits", types.second, bits);
    require_lengths("each chunk needs cuts", chunks.second, cuts);
    new (self) SharedVocabulary(table, strings(seen, longest_seen), strings(named, longest_named),
                                strings(types, longest_type), bits, strings(chunks, longest_chunk),
                                cuts, strings(whole, 3 * longest_chunk));
}

void new_weights(Weights* self, int bits, Bytes gaps, Signs codes, Floats values) {
    require(0 < bits && bits <= 32, "bits must be from 1 to 32");
    require_lengths("each row needs a code", gaps, codes);
    require(values.size() == 256, "each code needs a value");
    new (self) Weights(bits, gaps, codes, values);
}

auto columns_of(Decided&& decided) {
    return std::tuple(std::move(decided.starts), std::move(decided.ends),
                      std::move(decided.evidence), std::move(decided.breaks),
                      std::move(decided.hyphenated));
}

void new_model(Model* self, const SharedVocabulary& vocabulary, const Weights& cuts,
               const Weights& begins, bool layout) {
    new (self) Model{vocabulary.characters, vocabulary, cuts, begins, layout};
}

auto decode(const Model& self, Codes codes, Longs ends, Signs known, double threshold, bool weigh,
            bool numbers) {
    require_strings(codes, ends);
    if (!known.empty()) require_lengths("each character needs a hint", codes, known);
    std::vector<Long> counts;
    Decided all;
    Cancel cancel;
    Long start = 0;
    for (const Long end : ends) {
        Decoder decoder(self, {threshold, weigh, numbers}, {});
        decoder.take(codes.slice(start, end));
        all.append(decoder.decide(known.empty() ? known : known.slice(start, end), {}, true));
        counts.push_back(std::ssize(all.starts));
        start = end;
        cancel.poll();
    }
    return std::pair(std::move(counts), columns_of(std::move(all)));
}

void check_tokens(Codes codes, Longs begins, Longs ends, Bytes breaks) {
    require_codes(codes);
    require_lengths("begins and ends must be of the same length", begins, ends);
    if (!breaks.empty()) require_lengths("each token needs a code of the layout", begins, breaks);
    Long end = 0;
    for (std::ptrdiff_t t = 0; t < std::ssize(begins); ++t) {
        require(end <= begins[t] && begins[t] < ends[t], "tokens must follow each other");
        end = ends[t];
    }
    require(end <= std::ssize(codes), "a token ends outside the text");
}

std::vector<float> start_evidence(const Model& self, Codes codes, Longs begins, Longs ends,
                                  Longs paragraphs, Bytes breaks, Signs given, double threshold) {
    check_tokens(codes, begins, ends, breaks);
    require_lengths("each token needs to be given or open", begins, given);
    std::vector<float> evidence(begins.size());
    text::PreparedText prepared;
    prepared.classify(codes, self.characters);
    prepared.prepare(false);
    const auto rows =
        marks_of(prepared.written(), begins, ends, paragraphs, breaks, self.vocabulary);
    StartState state;
    find_starts(rows, learned(breaks), given, self.begins, threshold, state, evidence);
    return evidence;
}

void new_decoder(Decoder* self, const Model& model, double threshold, bool weigh, bool numbers,
                 Longs starts, Longs no_starts, bool all_starts, Longs paragraphs) {
    const auto copied = [](Longs values) { return std::vector(values.begin(), values.end()); };
    new (self) Decoder(model, {threshold, weigh, numbers},
                       {copied(starts), copied(no_starts), copied(paragraphs), all_starts});
}

void take(Decoder& self, Codes codes) {
    require_codes(codes);
    self.take(codes);
}

auto decide(Decoder& self, Signs known, std::optional<Floats> odds, bool last) {
    if (!known.empty())
        require_lengths("each character that is kept needs a hint", self.kept(), known);
    return columns_of(self.decide(known, odds, last));
}

void new_lesson(Lesson* self, const SharedVocabulary& vocabulary, Codes codes, Longs begins,
                Longs ends, Longs paragraphs, Bytes breaks, Signs starts) {
    check_tokens(codes, begins, ends, breaks);
    require_lengths("each token needs a truth", begins, starts);
    new (self) Lesson(vocabulary.characters, vocabulary, codes, begins, ends, paragraphs, breaks,
                      starts);
}

// Makes a pass that adds to the instances, the loss and the errors in `sums`.
void add_pass(View<double> sums, auto pass) {
    require(sums.size() == 3, "there are three sums");
    Progress progress{sums[0], sums[1], sums[2]};
    Cancel cancel;
    pass(progress, cancel);
    sums[0] = progress.instances;
    sums[1] = progress.loss;
    sums[2] = progress.errors;
}

void add_cuts(const Lesson& self, const SharedVocabulary& vocabulary, LearningTable& table,
              double rate, bool own, View<double> sums) {
    add_pass(sums, [&](Progress& progress, Cancel& cancel) {
        self.learn_cuts(vocabulary, {table.bits(), rate, own}, table, progress, cancel);
    });
}

void add_starts(const Lesson& self, LearningTable& table, double rate, bool own,
                View<double> sums) {
    add_pass(sums, [&](Progress& progress, Cancel& cancel) {
        self.learn_starts({table.bits(), rate, own}, table, progress, cancel);
    });
}

}  // namespace

void bind_tokenize(nb::module_& m) {
    nb::class_<SharedVocabulary>(m, "TokenVocabulary",
                                 "What a tokeniser knows of strings; read-only.")
        .def("__init__", &new_vocabulary, nb::keep_alive<1, 2>(), "characters"_a, "seen"_a,
             "named"_a, "types"_a, "bits"_a, "chunks"_a, "cuts"_a, "whole"_a,
             "Strings are pairs: code points, one string behind the other, and where each ends.");
    nb::class_<Weights>(m, "TokenWeights", "Coded weights of hashed features; read-only.")
        .def("__init__", &new_weights, "bits"_a, "gaps"_a, "codes"_a, "values"_a)
        .def_prop_ro("rows", &Weights::rows, "The rows that have a code.")
        .def_prop_ro("codes", &Weights::codes);
    nb::class_<Model>(m, "TokenModel", "Tokenises texts; read-only.")
        .def("__init__", &new_model, keep_arguments, "vocabulary"_a, "cuts"_a, "begins"_a,
             "layout"_a)
        .def("decode", &decode, without_gil, "codes"_a, "ends"_a, "known"_a, "threshold"_a,
             "weigh"_a, "numbers"_a,
             "Return the tokens of whole texts, one text behind the other: where the tokens of\n"
             "each text end, and columns as those of a decoder, with offsets in each text.")
        .def("start_evidence", &start_evidence, without_gil, "codes"_a, "begins"_a, "ends"_a,
             "paragraphs"_a, "breaks"_a, "given"_a, "threshold"_a,
             "Return the probability that a sentence starts at each token of a text. `given` is\n"
             "1 or 0 where that is decided, and else -1.");
    nb::class_<Decoder>(m, "TokenDecoder", "Tokenises a text that comes in blocks.")
        .def("__init__", &new_decoder, nb::keep_alive<1, 2>(), "model"_a, "threshold"_a, "weigh"_a,
             "numbers"_a, "starts"_a, "no_starts"_a, "all_starts"_a, "paragraphs"_a)
        .def("start_at", &Decoder::start_at, "offsets"_a,
             "Take more starts that are given, of text that is not decided.")
        .def("take", &take, "codes"_a, "Take the next characters.")
        .def("decide", &decide, without_gil, "known"_a, "odds"_a.none(), "last"_a,
             "Return what is decided now: starts, ends, evidence, codes of the layout, and\n"
             "whether a line end parts the token. `known` has 1 where a token must begin and -1\n"
             "where none may, and `odds` are added to the scores of the characters kept.")
        .def_prop_ro("base", &Decoder::base, "The offset of the first character kept.")
        .def_prop_ro("kept", &Decoder::kept, "The characters that are kept.")
        .def_prop_ro(
            "held",
            [](const Decoder& self) { return std::pair(self.held().begins, self.held().ends); },
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
                return std::tuple(std::move(found.rows), std::move(found.weights),
                                  std::move(found.squares));
            },
            "The rows that were learned, rising, their weights and sums of squares.")
        .def(
            "set_entries",
            [](LearningTable& self, Longs rows, Floats weights, Floats squares) {
                require_lengths("each row must have a weight and a square", rows, weights, squares);
                require_range(rows, 0, Long{1} << self.bits(), "rows");
                self.set_entries(rows, weights, squares);
            },
            "rows"_a, "weights"_a, "squares"_a,
            "Replace all weights and sums of squares; the counts of features stay.");
    nb::class_<Lesson>(m, "TokenLesson", "A document to learn from.")
        .def("__init__", &new_lesson, "vocabulary"_a, "codes"_a, "begins"_a, "ends"_a,
             "paragraphs"_a, "breaks"_a, "starts"_a,
             "Starts are 0 or 1, and 2 more where they are not learned. Without breaks nothing\n"
             "is learned from the layout.")
        .def("learn_cuts", &add_cuts, without_gil, "vocabulary"_a, "table"_a, "rate"_a, "own"_a,
             "sums"_a,
             "Make a pass over the token boundaries, and add to the instances, the loss and the\n"
             "errors in `sums`. A negative rate counts the features.")
        .def("learn_starts", &add_starts, without_gil, "table"_a, "rate"_a, "own"_a, "sums"_a,
             "The same for the sentence starts.");
}

}  // namespace caesura

#include <bit>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "induce/arc_model.h"
#include "induce/inference.h"
#include "induce/kbest.h"

namespace caesura {
namespace {

using induce::Batch;
using induce::Constraint;
using induce::Counts;
using induce::Parameters;
using Heads = View<std::int32_t>;

template <class T>
void new_tables(induce::Tables<T>* self, const NdArray<T, 2>& root, const NdArray<T, 5>& attach,
                const NdArray<T, 4>& stop, const NdArray<T, 4>& go, bool fringe) {
    const std::size_t classes = root.shape(1);
    const auto one_or_two = [](std::size_t size) { return size == 1 || size == 2; };
    damaged(classes >= 1 && one_or_two(root.shape(0)), "the grammar's roots have the wrong shape");
    damaged(attach.shape(0) == 2 && one_or_two(attach.shape(1)) && one_or_two(attach.shape(2)) &&
                attach.shape(3) == classes && attach.shape(4) == classes,
            "the grammar's attachments have the wrong shape");
    for (const auto* table : {&stop, &go})
        damaged(one_or_two(table->shape(0)) && table->shape(1) == 2 && table->shape(2) == 2 &&
                    table->shape(3) == classes && table->shape(0) == stop.shape(0),
                "the grammar's stops have the wrong shape");
    new (self) induce::Tables<T>{
        static_cast<Long>(classes),         static_cast<Long>(root.shape(0)),
        static_cast<Long>(stop.shape(0)),   static_cast<Long>(attach.shape(1)),
        static_cast<Long>(attach.shape(2)), fringe,
        root.data(),                        attach.data(),
        stop.data(),                        go.data()};
}

// Sentences over word classes, checked.
struct Sentences : induce::Sentences {
    Sentences(Ints classes, Ints marks, Ints fragments, Bytes comps, Longs starts)
        : induce::Sentences{classes, marks, fragments, comps, starts} {
        require_lengths("each word must have a class, marks and a fragment", classes, marks,
                        fragments);
        require(starts.size() == comps.size() + 1, "each sentence must have a start");
        require_rising(starts, 0, std::ssize(classes), "starts");
        require_range(classes, 0, INT32_MAX, "classes");
        for (const Long number : classes) known_ = std::max(known_, number + 1);
    }

    // Sentences low..high, or all of them, for a grammar over so many classes.
    Batch batch(Long known, Long constraint, Long low, Long high, Cancel& cancel) const {
        require(0 <= low && low <= high && high <= size(),
                "the sentences lie outside of the text");
        require(known_ <= known, "a word has a class that the grammar does not know");
        require(constraint >= 0 && constraint <= static_cast<Long>(Constraint::strict),
                "there is no such constraint");
        return {*this, {low, high}, static_cast<Constraint>(constraint), cancel};
    }
    Batch batch(Long known, Long constraint, Cancel& cancel) const {
        return batch(known, constraint, 0, size(), cancel);
    }
    induce::ArcTask arcs(Ints numbers, Longs places, std::size_t arcs, std::size_t weights,
                         Cancel& cancel) const {
        require_lengths("each word must have a number", classes, numbers);
        require(std::has_single_bit(weights), "the number of weights must be a power of two");
        require_places(places, arcs);
        return {*this, numbers, places, cancel};
    }

    void require_words(Ints heads) const {
        require_lengths("heads must have a place for each word", classes, heads);
    }
    void require_sentences(const auto&... arrays) const {
        require_lengths("an array must have a place for each sentence", comps, arrays...);
    }
    void require_heads(Ints heads) const {
        require_words(heads);
        for (Long k = 0; k < size(); k++)
            require_range(heads.slice(starts[k], starts[k + 1]), INT32_MIN, length(k), "heads");
    }
    void require_places(Longs places, std::size_t arcs) const {
        constexpr auto what = "each sentence must have a place for each of its arcs";
        require(places.size() == starts.size() && places[0] == 0, what);
        for (Long k = 0; k < size(); k++)
            require(places[k + 1] - places[k] == length(k) * length(k), what);
        require(places[size()] == static_cast<Long>(arcs), what);
    }

   private:
    Long known_ = 0;
};

void expect(const Sentences& self, const Parameters& parameters, Long constraint, Long low,
            Long high, const Counts& counts, View<double> scores, View<std::uint8_t> lifted) {
    Cancel cancel;
    const Batch batch = self.batch(parameters.classes, constraint, low, high, cancel);
    require(counts.classes == parameters.classes && counts.adjacents == parameters.adjacents &&
                counts.fringe == parameters.fringe,
            "counts must have the shape of the parameters");
    self.require_sentences(scores, lifted);
    induce::expect(batch, parameters, counts, scores, lifted);
}

void weigh(const Sentences& self, const Parameters& parameters, Long constraint, Long low,
           Long high, View<double> scores) {
    Cancel cancel;
    const Batch batch = self.batch(parameters.classes, constraint, low, high, cancel);
    self.require_sentences(scores);
    induce::weigh(batch, parameters, scores);
}

void best(const Sentences& self, const Parameters& logs, Long constraint, Long seed, Long low,
          Long high, Heads heads, View<double> scores, View<std::uint8_t> lifted) {
    Cancel cancel;
    const Batch batch = self.batch(logs.classes, constraint, low, high, cancel);
    self.require_words(heads);
    self.require_sentences(scores, lifted);
    induce::find_best(batch, logs, seed, heads, scores, lifted);
}

void draw(const Sentences& self, const Parameters& parameters, Long constraint, Long seed,
          Long low, Long high, Heads heads, View<std::uint8_t> lifted) {
    Cancel cancel;
    const Batch batch = self.batch(parameters.classes, constraint, low, high, cancel);
    self.require_words(heads);
    self.require_sentences(lifted);
    induce::draw(batch, parameters, seed, heads, lifted);
}

void posteriors(const Sentences& self, const Parameters& parameters, Long constraint, Longs places,
                View<double> arcs) {
    Cancel cancel;
    const Batch batch = self.batch(parameters.classes, constraint, cancel);
    self.require_places(places, arcs.size());
    induce::find_posteriors(batch, parameters, places, arcs);
}

void heaviest(const Sentences& self, Doubles arcs, Longs places, Long constraint, Heads heads) {
    Cancel cancel;
    const Batch batch = self.batch(INT64_MAX, constraint, cancel);
    self.require_places(places, arcs.size());
    self.require_words(heads);
    induce::find_heaviest(batch, places, arcs, heads);
}

void least_risk(const Sentences& self, const Parameters& parameters, Long constraint, Heads heads) {
    Cancel cancel;
    const Batch batch = self.batch(parameters.classes, constraint, cancel);
    self.require_words(heads);
    induce::find_least_risk(batch, parameters, heads);
}

auto k_best(const Sentences& self, const Parameters& logs, Long constraint, Long index, Long k) {
    Cancel cancel;
    const Batch batch = self.batch(logs.classes, constraint, index, index + 1, cancel);
    require(k >= 1, "k must be 1 or more");
    const auto trees = induce::find_k_best(self[index], logs, batch.constraint, k, cancel);
    std::vector<std::int32_t> heads;
    std::vector<double> scores;
    for (const induce::ScoredTree& tree : trees) {
        heads.insert(heads.end(), tree.heads.begin(), tree.heads.end());
        scores.push_back(tree.score);
    }
    return std::pair(Grid(std::move(heads), trees.size(), self.length(index)), std::move(scores));
}

void count(const Sentences& self, Ints heads, Long low, Long high, const Counts& counts) {
    Cancel cancel;
    const Batch batch = self.batch(counts.classes, 0, low, high, cancel);
    self.require_heads(heads);
    induce::count_events(batch, heads, counts);
}

void score(const Sentences& self, Ints heads, const Parameters& logs, View<double> scores) {
    Cancel cancel;
    const Batch batch = self.batch(logs.classes, 0, cancel);
    self.require_heads(heads);
    self.require_sentences(scores);
    induce::score_events(batch, heads, logs, scores);
}

void score_arcs(const Sentences& self, Ints numbers, Longs places, Doubles weights,
                View<double> chances) {
    Cancel cancel;
    induce::score_arcs(self.arcs(numbers, places, chances.size(), weights.size(), cancel), weights,
                       chances);
}

void learn_arcs(const Sentences& self, Longs order, Ints numbers, Longs places, Doubles aims,
                View<double> weights, View<double> squares, double rate, double decay) {
    Cancel cancel;
    const auto task = self.arcs(numbers, places, aims.size(), weights.size(), cancel);
    require_lengths("each weight must have a square", weights, squares);
    require_range(order, 0, self.size(), "order");
    induce::learn_arcs(task, order, aims, weights, squares, {rate, decay});
}

template <class T>
void bind_tables(nb::module_& m, const char* name, const char* doc) {
    nb::class_<induce::Tables<T>>(m, name, doc)
        .def("__init__", &new_tables<T>, keep_arguments, "root"_a.noconvert(),
             "attach"_a.noconvert(), "stop"_a.noconvert(), "go"_a.noconvert(), "fringe"_a);
}

}  // namespace

void bind_induce(nb::module_& m) {
    bind_tables<const double>(m, "GrammarTables", "Probabilities of a grammar or their logarithms.");
    bind_tables<double>(m, "GrammarCounts", "Counts of a grammar's events, to be added to.");
    nb::class_<Sentences>(m, "GrammarSentences", "Sentences over word classes.")
        .def(nb::init<Ints, Ints, Ints, Bytes, Longs>(), keep_arguments, "classes"_a, "marks"_a,
             "fragments"_a, "comps"_a, "starts"_a)
        .def("expect", &expect, without_gil, "parameters"_a, "constraint"_a, "low"_a, "high"_a,
             "counts"_a, "scores"_a, "lifted"_a,
             "Add the expected counts of sentences low..high, and write their log-probabilities.")
        .def("weigh", &weigh, without_gil, "parameters"_a, "constraint"_a, "low"_a, "high"_a,
             "scores"_a, "Write the log-probability of sentences low..high.")
        .def("best", &best, without_gil, "logs"_a, "constraint"_a, "seed"_a, "low"_a, "high"_a,
             "heads"_a, "scores"_a, "lifted"_a,
             "Write the best trees of sentences low..high; a seed below 0 settles ties to the left.")
        .def("draw", &draw, without_gil, "parameters"_a, "constraint"_a, "seed"_a, "low"_a,
             "high"_a, "heads"_a, "lifted"_a,
             "Draw trees of sentences low..high by their probability.")
        .def("posteriors", &posteriors, without_gil, "parameters"_a, "constraint"_a, "places"_a,
             "arcs"_a, "Write the probability of each arc, those of roots on the diagonal.")
        .def("heaviest", &heaviest, without_gil, "arcs"_a, "places"_a, "constraint"_a, "heads"_a,
             "Write the trees whose arcs have the largest sum.")
        .def("least_risk", &least_risk, without_gil, "parameters"_a, "constraint"_a, "heads"_a,
             "Write the trees with the most arcs expected to be right.")
        .def("k_best", &k_best, without_gil, "logs"_a, "constraint"_a, "index"_a, "k"_a,
             "The heads and scores of up to k trees of a sentence, the best first.")
        .def("count", &count, without_gil, "heads"_a, "low"_a, "high"_a, "counts"_a,
             "Add the events of the trees of sentences low..high to counts.")
        .def("score", &score, without_gil, "heads"_a, "logs"_a, "scores"_a,
             "Write the log-probability of each tree.")
        .def("score_arcs", &score_arcs, without_gil, "numbers"_a, "places"_a, "weights"_a,
             "chances"_a, "Write the probability of each arc under an arc model.")
        .def("learn_arcs", &learn_arcs, without_gil, "order"_a, "numbers"_a, "places"_a, "aims"_a,
             "weights"_a, "squares"_a, "rate"_a, "decay"_a,
             "One pass over sentences: weights move towards the probabilities `aims`.");
}

}  // namespace caesura

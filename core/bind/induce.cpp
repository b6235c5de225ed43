#include <nanobind/stl/pair.h>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "induce/arc_model.h"
#include "induce/inference.h"
#include "induce/kbest.h"

namespace caesura {
namespace {

using namespace nb::literals;
using induce::Constraint;
using Long = std::int64_t;

template <class T, int axes>
using Axes = nb::ndarray<T, nb::ndim<axes>, nb::c_contig, nb::device::cpu>;

// The tables of a grammar, checked; keeps their arrays alive.
template <class T>
class SharedTables {
   public:
    SharedTables(Axes<T, 2> root, Axes<T, 5> attach, Axes<T, 4> stop, Axes<T, 4> go, bool fringe)
        : root_(std::move(root)),
          attach_(std::move(attach)),
          stop_(std::move(stop)),
          go_(std::move(go)) {
        const std::size_t classes = root_.shape(1);
        damaged(classes >= 1 && (root_.shape(0) == 1 || root_.shape(0) == 2),
                "the grammar's roots have the wrong shape");
        damaged(attach_.shape(0) == 2 && (attach_.shape(1) == 1 || attach_.shape(1) == 2) &&
                    (attach_.shape(2) == 1 || attach_.shape(2) == 2) &&
                    attach_.shape(3) == classes && attach_.shape(4) == classes,
                "the grammar's attachments have the wrong shape");
        for (const Axes<T, 4>& table : {stop_, go_})
            damaged((table.shape(0) == 1 || table.shape(0) == 2) && table.shape(1) == 2 &&
                        table.shape(2) == 2 && table.shape(3) == classes,
                    "the grammar's stops have the wrong shape");
        damaged(stop_.shape(0) == go_.shape(0), "the grammar's stops have the wrong shape");
        tables_.classes = static_cast<Long>(classes);
        tables_.root_comps = static_cast<Long>(root_.shape(0));
        tables_.stop_comps = static_cast<Long>(stop_.shape(0));
        tables_.crosses = static_cast<Long>(attach_.shape(1));
        tables_.adjacents = static_cast<Long>(attach_.shape(2));
        tables_.fringe = fringe;
        tables_.root_table = root_.data();
        tables_.attach_table = attach_.data();
        tables_.stop_table = stop_.data();
        tables_.go_table = go_.data();
    }

    const induce::Tables<T>& tables() const { return tables_; }

   private:
    Axes<T, 2> root_;
    Axes<T, 5> attach_;
    Axes<T, 4> stop_, go_;
    induce::Tables<T> tables_;
};
using SharedParameters = SharedTables<const double>;
using SharedCounts = SharedTables<double>;

Constraint constraint_of(Long number) {
    require(number >= 0 && number <= static_cast<Long>(Constraint::strict),
            "there is no such constraint");
    return static_cast<Constraint>(number);
}

// Calls without the GIL.
template <class Call>
void run(Call call) {
    Cancel cancel;
    nb::gil_scoped_release release;
    call(cancel);
}

// Sentences over word classes, checked; keeps their arrays alive.
class SharedSentences {
   public:
    SharedSentences(In<std::int32_t> classes, In<std::int32_t> marks, In<std::int32_t> fragments,
                    In<std::uint8_t> comps, In<Long> starts)
        : classes_(std::move(classes)),
          marks_(std::move(marks)),
          fragments_(std::move(fragments)),
          comps_(std::move(comps)),
          starts_(std::move(starts)),
          all_{view(classes_), view(marks_), view(fragments_), view(comps_), view(starts_)} {
        require(marks_.shape(0) == words() && fragments_.shape(0) == words(),
                "each word must have a class, marks and a fragment");
        require(starts_.shape(0) == comps_.shape(0) + 1, "each sentence must have a start");
        require_rising(all_.starts, 0, static_cast<Long>(words()), "starts");
        require_range(all_.classes, 0, INT32_MAX, "classes");
        for (const std::int32_t number : all_.classes)
            classes_known_ = std::max<Long>(classes_known_, number + 1);
    }

    void expect(const SharedParameters& parameters, Long constraint, Long low, Long high,
                SharedCounts& counts, Out<double> scores, Out<std::uint8_t> lifted) const {
        const induce::Parameters& from = parameters.tables();
        const induce::Counts& to = counts.tables();
        check(from.classes, low, high);
        require(to.classes == from.classes && to.adjacents == from.adjacents &&
                    to.fringe == from.fringe,
                "counts must have the shape of the parameters");
        require_sentences(scores.shape(0));
        require_sentences(lifted.shape(0));
        run([&](Cancel& cancel) {
            induce::expect(batch(constraint, low, high, cancel), from, to, view(scores),
                           view(lifted));
        });
    }

    void weigh(const SharedParameters& parameters, Long constraint, Long low, Long high,
               Out<double> scores) const {
        check(parameters.tables().classes, low, high);
        require_sentences(scores.shape(0));
        run([&](Cancel& cancel) {
            induce::weigh(batch(constraint, low, high, cancel), parameters.tables(), view(scores));
        });
    }

    void best(const SharedParameters& logs, Long constraint, Long seed, Long low, Long high,
              Out<std::int32_t> heads, Out<double> scores, Out<std::uint8_t> lifted) const {
        check(logs.tables().classes, low, high);
        require_words(heads.shape(0));
        require_sentences(scores.shape(0));
        require_sentences(lifted.shape(0));
        run([&](Cancel& cancel) {
            induce::find_best(batch(constraint, low, high, cancel), logs.tables(), seed,
                              view(heads), view(scores), view(lifted));
        });
    }

    void draw(const SharedParameters& parameters, Long constraint, Long seed, Long low, Long high,
              Out<std::int32_t> heads, Out<std::uint8_t> lifted) const {
        check(parameters.tables().classes, low, high);
        require_words(heads.shape(0));
        require_sentences(lifted.shape(0));
        run([&](Cancel& cancel) {
            induce::draw(batch(constraint, low, high, cancel), parameters.tables(), seed,
                         view(heads), view(lifted));
        });
    }

    void posteriors(const SharedParameters& parameters, Long constraint, In<Long> places,
                    Out<double> arcs) const {
        check(parameters.tables().classes, 0, all_.size());
        check_places(places, arcs.shape(0));
        run([&](Cancel& cancel) {
            induce::find_posteriors(batch(constraint, 0, all_.size(), cancel),
                                    parameters.tables(), view(places), view(arcs));
        });
    }

    void heaviest(In<double> arcs, In<Long> places, Long constraint,
                  Out<std::int32_t> heads) const {
        check_places(places, arcs.shape(0));
        require_words(heads.shape(0));
        run([&](Cancel& cancel) {
            induce::find_heaviest(batch(constraint, 0, all_.size(), cancel), view(places),
                                  view(arcs), view(heads));
        });
    }

    void least_risk(const SharedParameters& parameters, Long constraint,
                    Out<std::int32_t> heads) const {
        check(parameters.tables().classes, 0, all_.size());
        require_words(heads.shape(0));
        run([&](Cancel& cancel) {
            induce::find_least_risk(batch(constraint, 0, all_.size(), cancel),
                                    parameters.tables(), view(heads));
        });
    }

    std::pair<Array2<std::int32_t>, Array<double>> k_best(const SharedParameters& logs,
                                                          Long constraint, Long index,
                                                          Long k) const {
        check(logs.tables().classes, index, index + 1);
        require(k >= 1, "k must be 1 or more");
        std::vector<induce::ScoredTree> trees;
        run([&](Cancel& cancel) {
            trees = induce::find_k_best(all_[index], logs.tables(), constraint_of(constraint), k,
                                        cancel);
        });
        std::vector<std::int32_t> heads;
        std::vector<double> scores;
        for (const induce::ScoredTree& tree : trees) {
            heads.insert(heads.end(), tree.heads.begin(), tree.heads.end());
            scores.push_back(tree.score);
        }
        return {to_numpy(std::move(heads), trees.size(), all_.length(index)),
                to_numpy(std::move(scores))};
    }

    void count(In<std::int32_t> heads, Long low, Long high, SharedCounts& counts) const {
        check(counts.tables().classes, low, high);
        check_heads(heads);
        run([&](Cancel& cancel) {
            induce::count_events(batch(0, low, high, cancel), view(heads), counts.tables());
        });
    }

    void score(In<std::int32_t> heads, const SharedParameters& logs, Out<double> scores) const {
        check(logs.tables().classes, 0, all_.size());
        check_heads(heads);
        require_sentences(scores.shape(0));
        run([&](Cancel& cancel) {
            induce::score_events(batch(0, 0, all_.size(), cancel), view(heads), logs.tables(),
                                 view(scores));
        });
    }

    void score_arcs(In<std::int32_t> numbers, In<Long> places, In<double> weights,
                    Out<double> chances) const {
        check_arcs(numbers, weights.shape(0));
        check_places(places, chances.shape(0));
        run([&](Cancel& cancel) {
            induce::score_arcs({all_, view(numbers), view(places), cancel}, view(weights),
                               view(chances));
        });
    }

    void learn_arcs(In<Long> order, In<std::int32_t> numbers, In<Long> places, In<double> aims,
                    Out<double> weights, Out<double> squares, double rate, double decay) const {
        check_arcs(numbers, weights.shape(0));
        check_places(places, aims.shape(0));
        require(squares.shape(0) == weights.shape(0), "each weight must have a square");
        require_range(view(order), 0, all_.size(), "order");
        run([&](Cancel& cancel) {
            induce::learn_arcs({all_, view(numbers), view(places), cancel}, view(order),
                               view(aims), view(weights), view(squares), {rate, decay});
        });
    }

   private:
    std::size_t words() const { return classes_.shape(0); }

    induce::Batch batch(Long constraint, Long low, Long high, Cancel& cancel) const {
        return {all_, {low, high}, constraint_of(constraint), cancel};
    }

    void check(Long classes, Long low, Long high) const {
        require(0 <= low && low <= high && high <= all_.size(),
                "the sentences lie outside of the text");
        require(classes_known_ <= classes, "a word has a class that the grammar does not know");
    }
    void require_words(std::size_t size) const {
        require(size == words(), "heads must have a place for each word");
    }
    void require_sentences(std::size_t size) const {
        require(size == comps_.shape(0), "an array must have a place for each sentence");
    }
    void check_heads(const In<std::int32_t>& heads) const {
        require_words(heads.shape(0));
        for (Long index = 0; index < all_.size(); index++)
            require_range(view(heads).slice(all_.starts[index], all_.starts[index + 1]), INT32_MIN,
                          all_.length(index), "heads");
    }
    void check_places(const In<Long>& places, std::size_t arcs) const {
        require(places.shape(0) == starts_.shape(0) && places.data()[0] == 0,
                "each sentence must have a place for its arcs");
        for (Long index = 0; index < all_.size(); index++) {
            const Long n = all_.length(index);
            require(places.data()[index + 1] - places.data()[index] == n * n,
                    "each sentence must have a place for each of its arcs");
        }
        require(places.data()[all_.size()] == static_cast<Long>(arcs),
                "each sentence must have a place for each of its arcs");
    }
    void check_arcs(const In<std::int32_t>& numbers, std::size_t weights) const {
        require(numbers.shape(0) == words(), "each word must have a number");
        require(weights > 0 && (weights & (weights - 1)) == 0,
                "the number of weights must be a power of two");
    }

    In<std::int32_t> classes_, marks_, fragments_;
    In<std::uint8_t> comps_;
    In<Long> starts_;
    induce::Sentences all_;
    Long classes_known_ = 0;
};

template <class T>
void bind_tables(nb::module_& m, const char* name, const char* doc) {
    nb::class_<SharedTables<T>>(m, name, doc)
        .def(nb::init<Axes<T, 2>, Axes<T, 5>, Axes<T, 4>, Axes<T, 4>, bool>(),
             "root"_a.noconvert(), "attach"_a.noconvert(), "stop"_a.noconvert(),
             "go"_a.noconvert(), "fringe"_a);
}

}  // namespace

void bind_induce(nb::module_& m) {
    bind_tables<const double>(m, "GrammarTables", "Probabilities of a grammar or their logarithms.");
    bind_tables<double>(m, "GrammarCounts", "Counts of a grammar's events, to be added to.");
    nb::class_<SharedSentences>(m, "GrammarSentences", "Sentences over word classes.")
        .def(nb::init<In<std::int32_t>, In<std::int32_t>, In<std::int32_t>, In<std::uint8_t>,
                      In<Long>>(),
             "classes"_a.noconvert(), "marks"_a.noconvert(), "fragments"_a.noconvert(),
             "comps"_a.noconvert(), "starts"_a.noconvert())
        .def("expect", &SharedSentences::expect, "parameters"_a, "constraint"_a, "low"_a, "high"_a,
             "counts"_a, "scores"_a.noconvert(), "lifted"_a.noconvert(),
             "Add the expected counts of sentences low..high, and write their log-probabilities.")
        .def("weigh", &SharedSentences::weigh, "parameters"_a, "constraint"_a, "low"_a, "high"_a,
             "scores"_a.noconvert(), "Write the log-probability of sentences low..high.")
        .def("best", &SharedSentences::best, "logs"_a, "constraint"_a, "seed"_a, "low"_a, "high"_a,
             "heads"_a.noconvert(), "scores"_a.noconvert(), "lifted"_a.noconvert(),
             "Write the best trees of sentences low..high; a seed below 0 settles ties to the left.")
        .def("draw", &SharedSentences::draw, "parameters"_a, "constraint"_a, "seed"_a, "low"_a,
             "high"_a, "heads"_a.noconvert(), "lifted"_a.noconvert(),
             "Draw trees of sentences low..high by their probability.")
        .def("posteriors", &SharedSentences::posteriors, "parameters"_a, "constraint"_a,
             "places"_a.noconvert(), "arcs"_a.noconvert(),
             "Write the probability of each arc, those of roots on the diagonal.")
        .def("heaviest", &SharedSentences::heaviest, "arcs"_a.noconvert(), "places"_a.noconvert(),
             "constraint"_a, "heads"_a.noconvert(),
             "Write the trees whose arcs have the largest sum.")
        .def("least_risk", &SharedSentences::least_risk, "parameters"_a, "constraint"_a,
             "heads"_a.noconvert(), "Write the trees with the most arcs expected to be right.")
        .def("k_best", &SharedSentences::k_best, "logs"_a, "constraint"_a, "index"_a, "k"_a,
             "The heads and scores of up to k trees of a sentence, the best first.")
        .def("count", &SharedSentences::count, "heads"_a.noconvert(), "low"_a, "high"_a,
             "counts"_a, "Add the events of the trees of sentences low..high to counts.")
        .def("score", &SharedSentences::score, "heads"_a.noconvert(), "logs"_a,
             "scores"_a.noconvert(), "Write the log-probability of each tree.")
        .def("score_arcs", &SharedSentences::score_arcs, "numbers"_a.noconvert(),
             "places"_a.noconvert(), "weights"_a.noconvert(), "chances"_a.noconvert(),
             "Write the probability of each arc under an arc model.")
        .def("learn_arcs", &SharedSentences::learn_arcs, "order"_a.noconvert(),
             "numbers"_a.noconvert(), "places"_a.noconvert(), "aims"_a.noconvert(),
             "weights"_a.noconvert(), "squares"_a.noconvert(), "rate"_a, "decay"_a,
             "One pass over sentences: weights move towards the probabilities `aims`.");
}

}  // namespace caesura

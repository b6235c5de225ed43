#include <algorithm>
#include <optional>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "cluster/brown.h"
#include "cluster/exchange.h"
#include "cluster/hidden.h"

namespace caesura {
namespace {

using namespace nb::literals;
using Long = std::int64_t;

// The bigrams of a text, checked; keeps their arrays alive.
struct SharedBigrams {
    In<Long> counts, next_at;
    In<std::int32_t> next_word;
    In<Long> next_count, last_at;
    In<std::int32_t> last_word;
    In<Long> last_count;

    cluster::Bigrams views() const {
        return {view(counts),
                {view(next_at), view(next_word), view(next_count)},
                {view(last_at), view(last_word), view(last_count)}};
    }

    void check() const {
        const cluster::Bigrams all = views();
        require(all.size() >= cluster::first_word, "counts must begin with two special rows");
        require_range(all.counts, 0, INT64_MAX, "counts");
        for (const cluster::Neighbours& side : {all.next, all.last}) {
            const Long n = static_cast<Long>(side.word.size());
            require(side.count.size() == side.word.size(), "each neighbour must have a count");
            require(side.at.size() == all.counts.size() + 1, "each word must have neighbours");
            require_rising(side.at, 0, n, "the places of neighbours");
            require_range(side.word, 0, all.size(), "neighbours");
            require_range(side.count, 0, INT64_MAX, "the counts of neighbours");
        }
    }
};

// Calls without the GIL.
template <class Call>
auto run(Call call) {
    Cancel cancel;
    nb::gil_scoped_release release;
    return call(cancel);
}

class Brown {
   public:
    Brown(const SharedBigrams& bigrams, Long classes) : bigrams_(bigrams) {
        require(classes >= 1, "classes must be 1 or more");
        table_.emplace(bigrams_.views(), classes);
        run([&](Cancel& cancel) { table_->start(cancel); });
    }

    Long add_words(Long count) {
        return run([&](Cancel& cancel) { return table_->add_words(count, cancel); });
    }
    Array2<std::int32_t> merge_all() {
        const auto merges = run([&](Cancel& cancel) { return table_->merge_all(cancel); });
        std::vector<std::int32_t> flat;
        for (const auto& [kept, dropped] : merges) {
            flat.push_back(kept);
            flat.push_back(dropped);
        }
        return to_numpy(std::move(flat), merges.size(), 2);
    }
    Array<std::int32_t> slot_of() const {
        const auto slots = table_->slot_of();
        return to_numpy(std::vector<std::int32_t>(slots.begin(), slots.end()));
    }
    Long slots() const { return table_->slots(); }

   private:
    SharedBigrams bigrams_;
    std::optional<cluster::Brown> table_;
};

class Exchange {
   public:
    Exchange(const SharedBigrams& bigrams, In<std::int32_t> word_class, Long classes,
             In<std::int32_t> looks, double weight, In<double> xlogx)
        : bigrams_(bigrams), looks_(std::move(looks)), xlogx_(std::move(xlogx)) {
        const auto size = bigrams_.counts.shape(0);
        require(word_class.shape(0) == size && looks_.shape(0) == size,
                "each word must have a class and a look");
        require(xlogx_.shape(0) >= 1, "the table of entropies is empty");
        require_range(view(word_class), 0, classes, "word_class");
        require_range(view(looks_), 0, INT32_MAX, "looks");
        Long most = 0;
        for (const std::int32_t look : view(looks_)) most = std::max<Long>(most, look + 1);
        table_.emplace(bigrams_.views(), view(word_class), classes, view(looks_), most, weight,
                       view(xlogx_));
    }

    Long sweep() {
        return run([&](Cancel& cancel) { return table_->sweep(cancel); });
    }
    Array<std::int32_t> word_class() const { return to_numpy(std::vector(table_->word_class())); }
    Array2<Long> pairs() const {
        return to_numpy(std::vector(table_->pairs()), table_->classes(), table_->classes());
    }
    Array<Long> sums() const { return to_numpy(std::vector(table_->sums())); }

   private:
    SharedBigrams bigrams_;
    In<std::int32_t> looks_;
    In<double> xlogx_;
    std::optional<cluster::Exchange> table_;
};

cluster::Text text_of(const In<std::int32_t>& symbols, const In<Long>& starts, std::size_t rows) {
    require(starts.shape(0) >= 1, "starts must end with the length of the text");
    require_rising(view(starts), 0, symbols.shape(0), "starts");
    require_range(view(symbols), 0, static_cast<Long>(rows), "symbols");
    return {view(symbols), view(starts)};
}

cluster::HiddenTables<const double> tables_of(const In<double>& start, const In2<double>& move,
                                              const In2<double>& emit) {
    const std::size_t states = start.shape(0);
    require(states >= 1 && move.shape(0) == states && move.shape(1) == states &&
                emit.shape(1) == states,
            "the tables must have the same states");
    return {view(start), matrix(move), matrix(emit)};
}

double expect_states(In<std::int32_t> symbols, In<Long> starts, In<double> start, In2<double> move,
                     In2<double> emit, Out<double> started, Out2<double> moved,
                     Out2<double> emitted) {
    const auto model = tables_of(start, move, emit);
    const auto text = text_of(symbols, starts, emit.shape(0));
    require(started.shape(0) == start.shape(0) && moved.shape(0) == move.shape(0) &&
                moved.shape(1) == move.shape(1) && emitted.shape(0) == emit.shape(0) &&
                emitted.shape(1) == emit.shape(1),
            "counts must have the shape of the model");
    const cluster::HiddenTables<double> counts{view(started), matrix(moved), matrix(emitted)};
    return run(
        [&](Cancel& cancel) { return cluster::expect_states(text, model, counts, cancel); });
}

Array<std::int32_t> best_states(In<std::int32_t> symbols, In<Long> starts, In<double> start,
                                In2<double> move, In2<double> emit) {
    const auto model = tables_of(start, move, emit);
    const auto text = text_of(symbols, starts, emit.shape(0));
    std::vector<std::int32_t> found(symbols.shape(0));
    run([&](Cancel& cancel) { cluster::best_states(text, model, found, cancel); });
    return to_numpy(std::move(found));
}

}  // namespace

void bind_cluster(nb::module_& m) {
    nb::class_<SharedBigrams>(m, "Bigrams", "Counts of words and of neighbouring words.")
        .def(
            "__init__",
            [](SharedBigrams* self, In<Long> counts, In<Long> next_at, In<std::int32_t> next_word,
               In<Long> next_count, In<Long> last_at, In<std::int32_t> last_word,
               In<Long> last_count) {
                SharedBigrams all{counts,  next_at,   next_word, next_count,
                                  last_at, last_word, last_count};
                all.check();
                new (self) SharedBigrams(std::move(all));
            },
            "counts"_a.noconvert(), "next_at"_a.noconvert(), "next_word"_a.noconvert(),
            "next_count"_a.noconvert(), "last_at"_a.noconvert(), "last_word"_a.noconvert(),
            "last_count"_a.noconvert());
    nb::class_<Brown>(m, "Brown", "Brown clustering of the words of a text.")
        .def(nb::init<const SharedBigrams&, Long>(), "bigrams"_a, "classes"_a)
        .def("add_words", &Brown::add_words, "count"_a,
             "Add up to so many words, each followed by the best merger; returns the next word.")
        .def("merge_all", &Brown::merge_all,
             "Merge the classes to one; returns pairs (kept, dropped) in the order of merging.")
        .def_prop_ro("slots", &Brown::slots)
        .def_prop_ro("slot_of", &Brown::slot_of, nb::rv_policy::automatic,
                     "The slot of each word's class.");
    nb::class_<Exchange>(m, "Exchange", "Exchange clustering of the words of a text.")
        .def(nb::init<const SharedBigrams&, In<std::int32_t>, Long, In<std::int32_t>, double,
                      In<double>>(),
             "bigrams"_a, "word_class"_a.noconvert(), "classes"_a, "looks"_a.noconvert(),
             "weight"_a, "xlogx"_a.noconvert())
        .def("sweep", &Exchange::sweep, "Visit every word once; returns how many moved.")
        .def_prop_ro("word_class", &Exchange::word_class, nb::rv_policy::automatic)
        .def_prop_ro("pairs", &Exchange::pairs, nb::rv_policy::automatic,
                     "How often one class follows another.")
        .def_prop_ro("sums", &Exchange::sums, nb::rv_policy::automatic,
                     "How often each class is seen.");
    m.def("expect_states", &expect_states, "symbols"_a.noconvert(), "starts"_a.noconvert(),
          "start"_a.noconvert(), "move"_a.noconvert(), "emit"_a.noconvert(),
          "started"_a.noconvert(), "moved"_a.noconvert(), "emitted"_a.noconvert(),
          "Add the expected counts of a hidden Markov model; returns the log-likelihood.");
    m.def("best_states", &best_states, "symbols"_a.noconvert(), "starts"_a.noconvert(),
          "start"_a.noconvert(), "move"_a.noconvert(), "emit"_a.noconvert(),
          "The most probable state of each symbol, by logarithms; of equals the first.");
}

}  // namespace caesura

#include <algorithm>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "cluster/brown.h"
#include "cluster/exchange.h"
#include "cluster/hidden.h"

namespace caesura {
namespace {

using cluster::Bigrams;
using cluster::Brown;
using cluster::Exchange;

void new_bigrams(Bigrams* self, Longs counts, Longs next_at, Ints next_word, Longs next_count,
                 Longs last_at, Ints last_word, Longs last_count) {
    const Bigrams all{counts, {next_at, next_word, next_count}, {last_at, last_word, last_count}};
    require(all.size() >= cluster::first_word, "counts must begin with two special rows");
    require_range(counts, 0, INT64_MAX, "counts");
    for (const cluster::Neighbours& side : {all.next, all.last}) {
        require_lengths("each neighbour must have a count", side.word, side.count);
        require(side.at.size() == counts.size() + 1, "each word must have neighbours");
        require_rising(side.at, 0, std::ssize(side.word), "the places of neighbours");
        require_range(side.word, 0, all.size(), "neighbours");
        require_range(side.count, 0, INT64_MAX, "the counts of neighbours");
    }
    new (self) Bigrams(all);
}

void new_brown(Brown* self, const Bigrams& bigrams, Long classes) {
    require(classes >= 1, "classes must be 1 or more");
    Cancel cancel;
    Brown table(bigrams, classes);
    table.start(cancel);
    new (self) Brown(std::move(table));
}

Long add_words(Brown& self, Long count) {
    Cancel cancel;
    return self.add_words(count, cancel);
}

Grid<std::int32_t> merge_all(Brown& self) {
    Cancel cancel;
    std::vector<std::int32_t> flat;
    for (const auto& [kept, dropped] : self.merge_all(cancel))
        flat.insert(flat.end(), {kept, dropped});
    const std::size_t merges = flat.size() / 2;
    return {std::move(flat), merges, 2};
}

void new_exchange(Exchange* self, const Bigrams& bigrams, Ints word_class, Long classes,
                  Ints looks, double weight, Doubles xlogx) {
    require_lengths("each word must have a class and a look", bigrams.counts, word_class, looks);
    require(!xlogx.empty(), "the table of entropies is empty");
    require_range(word_class, 0, classes, "word_class");
    require_range(looks, 0, INT32_MAX, "looks");
    const Long n = looks.empty() ? 0 : Long{*std::max_element(looks.begin(), looks.end())} + 1;
    new (self) Exchange(bigrams, word_class, classes, looks, n, weight, xlogx);
}

Long sweep(Exchange& self) {
    Cancel cancel;
    return self.sweep(cancel);
}

cluster::Text text_of(Ints symbols, Longs starts, Doubles2 emit) {
    require(!starts.empty(), "starts must end with the length of the text");
    require_rising(starts, 0, std::ssize(symbols), "starts");
    require_range(symbols, 0, static_cast<Long>(emit.rows()), "symbols");
    return {symbols, starts};
}

cluster::HiddenTables<const double> tables_of(Doubles start, Doubles2 move, Doubles2 emit) {
    const std::size_t states = start.size();
    require(states >= 1 && move.rows() == states && move.columns() == states &&
                emit.columns() == states,
            "the tables must have the same states");
    return {start, move, emit};
}

double expect_states(Ints symbols, Longs starts, Doubles start, Doubles2 move, Doubles2 emit,
                     View<double> started, Matrix<double> moved, Matrix<double> emitted) {
    const auto model = tables_of(start, move, emit);
    const auto text = text_of(symbols, starts, emit);
    require(started.size() == start.size() && moved.rows() == move.rows() &&
                moved.columns() == move.columns() && emitted.rows() == emit.rows() &&
                emitted.columns() == emit.columns(),
            "counts must have the shape of the model");
    Cancel cancel;
    return cluster::expect_states(text, model, {started, moved, emitted}, cancel);
}

std::vector<std::int32_t> best_states(Ints symbols, Longs starts, Doubles start,
                                      Doubles2 move, Doubles2 emit) {
    const auto model = tables_of(start, move, emit);
    const auto text = text_of(symbols, starts, emit);
    std::vector<std::int32_t> found(symbols.size());
    Cancel cancel;
    cluster::best_states(text, model, found, cancel);
    return found;
}

}  // namespace

void bind_cluster(nb::module_& m) {
    nb::class_<Bigrams>(m, "Bigrams", "Counts of words and of neighbouring words.")
        .def("__init__", &new_bigrams, keep_arguments, "counts"_a, "next_at"_a, "next_word"_a,
             "next_count"_a, "last_at"_a, "last_word"_a, "last_count"_a);
    nb::class_<Brown>(m, "Brown", "Brown clustering of the words of a text.")
        .def("__init__", &new_brown, without_gil, keep_arguments, "bigrams"_a, "classes"_a)
        .def("add_words", &add_words, without_gil, "count"_a,
             "Add up to so many words, each followed by the best merger; returns the next word.")
        .def("merge_all", &merge_all, without_gil,
             "Merge the classes to one; returns pairs (kept, dropped) in the order of merging.")
        .def_prop_ro("slots", &Brown::slots)
        .def_prop_ro("slot_of", &Brown::slot_of, "The slot of each word's class.");
    nb::class_<Exchange>(m, "Exchange", "Exchange clustering of the words of a text.")
        .def("__init__", &new_exchange, keep_arguments, "bigrams"_a, "word_class"_a, "classes"_a,
             "looks"_a, "weight"_a, "xlogx"_a)
        .def("sweep", &sweep, without_gil, "Visit every word once; returns how many moved.")
        .def_prop_ro("word_class", &Exchange::word_class)
        .def_prop_ro(
            "pairs",
            [](const Exchange& self) {
                return Grid(self.pairs(), self.classes(), self.classes());
            },
            "How often one class follows another.")
        .def_prop_ro("sums", &Exchange::sums, "How often each class is seen.");
    m.def("expect_states", &expect_states, without_gil, "symbols"_a, "starts"_a, "start"_a,
          "move"_a, "emit"_a, "started"_a, "moved"_a, "emitted"_a,
          "Add the expected counts of a hidden Markov model; returns the log-likelihood.");
    m.def("best_states", &best_states, without_gil, "symbols"_a, "starts"_a, "start"_a, "move"_a,
          "emit"_a, "The most probable state of each symbol, by logarithms; of equals the first.");
}

}  // namespace caesura

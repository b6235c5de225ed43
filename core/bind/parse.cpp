#include "bind/parse.h"

#include <nanobind/stl/vector.h>

#include <numeric>

#include "base/pool.h"
#include "bind/bind.h"
#include "parse/arcs.h"
#include "parse/decode.h"
#include "parse/linear8.h"

namespace caesura {
namespace {

using parse::CompactRows;
using parse::JointSystem;
using parse::Report;
using parse::Settings;
using parse::Trees;
using parse::Workspace;

void new_rows(CompactRows* self, const AnyArray& counts, const AnyArray& columns,
              const AnyArray& values, Signs exponents, Long width) {
    new (self) CompactRows(sparse_rows(counts, columns, values, exponents), width);
}

CompactRows of_table(Matrix<const std::int8_t> table, double unit) {
    std::vector<std::uint32_t> numbers(table.rows());
    std::iota(numbers.begin(), numbers.end(), 0u);
    return {std::ssize(numbers), numbers, table, unit};
}

Grid<std::int8_t> dense(const CompactRows& rows) {
    Grid<std::int8_t> table(rows.size(), rows.width());
    for (Long r = 0; r < rows.size(); ++r) rows.unfold(r, table.data() + r * rows.width());
    return table;
}

auto filled(const CompactRows& rows) {
    CompactRows::Filled found = rows.filled();
    const std::size_t n = found.numbers.size();
    return std::pair(std::move(found.numbers), Grid(std::move(found.table), n, rows.width()));
}

void bind_rows(nb::module_& m) {
    nb::class_<CompactRows>(m, "ParserRows", "The 8-bit weights of a parser; read-only.")
        .def("__init__", &new_rows, without_gil, "counts"_a.noconvert(), "columns"_a.noconvert(),
             "values"_a.noconvert(), "exponents"_a, "width"_a,
             "The sparse rows of a model file, padded to `width` columns.")
        .def_static("of_table", &of_table, "table"_a, "unit"_a,
                    "The rows of a dense table, whose last column holds the exponents.")
        .def_static(
            "of_rows",
            [](Long size, Codes numbers, Matrix<const std::int8_t> table, double unit) {
                return CompactRows(size, numbers, table, unit);
            },
            without_gil, "size"_a, "numbers"_a, "table"_a, "unit"_a,
            "Rows of a table of `size` rows that have these numbers, which rise; the others are\n"
            "empty. The last column holds the exponents.")
        .def("table", &dense, "The dense table.")
        .def("filled", &filled, without_gil,
             "Return the numbers of the rows that are not empty, and these rows.")
        .def_prop_ro("unit", &CompactRows::unit, "What the integers of the table count in.")
        .def_prop_ro("width", &CompactRows::width, "The width of a row of the table.")
        .def_prop_ro("nbytes", &CompactRows::bytes, "The memory that the rows take.")
        .def("__len__", &CompactRows::size);
}

// The columns of `caesura.stages.tree_parser.Parse`.
auto columns_of(Trees&& trees) {
    return std::tuple(std::move(trees.heads), std::move(trees.labels), std::move(trees.starts),
                      std::move(trees.arc_margins), std::move(trees.start_margins),
                      std::move(trees.arc_shares), std::move(trees.start_shares));
}

// The search for the trees of documents with a scorer and the memory of one thread.
template <class S>
struct Search {
    S scorer;
    Workspace work;

    auto decode(const parse::Task& task, Longs bounds) {
        Trees trees(task.words.n);
        Cancel cancel;
        const Report report = parse::decode(scorer, task, bounds, work, trees, cancel);
        return std::pair(columns_of(std::move(trees)), report);
    }
    auto k_best(const parse::Task& task, std::size_t k) {
        std::vector<std::pair<Trees, double>> all;
        Cancel cancel;
        const Report report = parse::k_best(scorer, task, k, work, all, cancel);
        std::vector<std::pair<decltype(columns_of(Trees(0))), double>> found;
        for (auto& [trees, score] : all) found.emplace_back(columns_of(std::move(trees)), score);
        return std::pair(std::move(found), report);
    }
};

// Steps of a beam that an arena holds: few enough for the caches.
constexpr Long arena_steps = 1024;

// The joint parser with the weights of a linear model; threads share it.
class JointDecoder {
   public:
    JointDecoder(const CompactRows& rows, const JointSystem& system, Ints2 slots, Hashes seeds,
                 Longs ends, const Settings& settings, Floats evidence, Floats layout,
                 Long arena_steps)
        : rows_(rows),
          system_(system),
          templates_(slots, seeds, ends, parse::Slots::size, parse::Linear8::n_groups),
          settings_(settings),
          odds_{evidence, layout},
          arena_steps_(arena_steps) {
        require(arena_steps > 1, "the arena must hold some steps");
        damaged(system.size() < rows.width(), "the weights do not fit the transitions");
    }

    auto decode(Hashes2 table, Ints2 context, Bytes types, Longs bounds,
                const LimitArrays& limits) {
        const Long instances = std::ssize(bounds) - 1;
        const parse::Words words = checked(table, context, types, instances);
        require(instances >= 0 && bounds[0] == 0 && bounds[instances] == words.n,
                "bounds must start with 0 and end with the number of words");
        require_rising(bounds, 0, words.n, "bounds");
        const auto search = borrow();
        search->scorer.reads = {};
        auto found = search->decode(task(words, limits), bounds);
        found.second.reads = search->scorer.reads;
        return found;
    }
    auto k_best(Hashes2 table, Ints2 context, Bytes types, const LimitArrays& limits,
                std::size_t k) {
        return borrow()->k_best(task(checked(table, context, types, 1), limits), k);
    }

   private:
    parse::Words checked(Hashes2 table, Ints2 context, Bytes types, Long instances) const {
        parse::Words words = words_of(table, context, instances);
        check_context(words, odds_);
        words.types = types;
        if (types.empty()) return words;
        require(std::ssize(types) == words.n && system_.guide() != nullptr,
                "the types are not of the same words");
        require_range(types, 0, system_.guide()->n_types(), "types");
        return words;
    }
    parse::Task task(const parse::Words& words, const LimitArrays& limits) const {
        return {system_, settings_, odds_, limits_of(limits, words.n, system_), words};
    }
    Pool<Search<parse::Linear8>>::Lease borrow() {
        return pool_.borrow([this] {
            return std::unique_ptr<Search<parse::Linear8>>(new Search<parse::Linear8>{
                parse::Linear8(rows_, templates_),
                Workspace(settings_.width, rows_.width(), arena_steps_)});
        });
    }

    const CompactRows& rows_;
    const JointSystem& system_;
    parse::Templates templates_;
    Settings settings_;
    parse::StartOdds odds_;
    Long arena_steps_;
    Pool<Search<parse::Linear8>> pool_;
};

// The joint parser with the scores of a network, of one document.
class ArcDecoder {
   public:
    ArcDecoder(Floats2 arcs, Ints base, Ints sizes, Floats start, float swap, double crossing,
               const JointSystem& system, const Settings& settings)
        : table_(checked(arcs, base, sizes, start), sizes, start, swap, crossing),
          system_(system),
          settings_(settings) {
        require(system.size() <= parse::ArcScorer::transitions, "each arc must have one label");
    }

    auto decode(const LimitArrays& limits) {
        const Long bounds[] = {0, table_.n()};
        return search().decode(task(limits), {bounds, 2});
    }
    auto k_best(const LimitArrays& limits, std::size_t k) {
        return search().k_best(task(limits), k);
    }
    std::vector<std::int32_t> best_trees(Signs starts, Ints given, Ints heads) const {
        require(std::ssize(starts) == table_.n(), same_words);
        require_lengths(same_words, starts, given, heads);
        std::vector<std::int32_t> found(heads.begin(), heads.end());
        parse::best_trees(table_.costs(), starts, given, found);
        return found;
    }

   private:
    static constexpr auto same_words = "scores, starts and heads are not of the same words";

    static parse::ArcScores checked(Floats2 arcs, Ints base, Ints sizes, Floats start) {
        const Long n = std::ssize(base);
        require(arcs.rows() == base.size(), same_words);
        require_lengths(same_words, base, sizes, start);
        for (Long d = 0; d < n; ++d)
            require(base[d] >= 0 && sizes[d] >= 1 &&
                        sizes[d] <= static_cast<Long>(arcs.columns()) &&
                        Long{base[d]} + sizes[d] - 1 <= n,
                    "a word has scores for heads outside of the text");
        return {arcs, base};
    }
    parse::Task task(const LimitArrays& limits) const {
        return {system_, settings_, {}, limits_of(limits, table_.n(), system_),
                {table_.n(), {}, {}, {}}};
    }
    Search<parse::ArcScorer> search() const {
        const Long steps = std::min(arena_steps, 4 * table_.n() + 16);
        return {parse::ArcScorer(table_), Workspace(settings_.width, system_.size(), steps)};
    }

    parse::ArcTable table_;
    const JointSystem& system_;
    Settings settings_;
};

void new_settings(Settings* self, std::int32_t width, double margin, double label_margin,
                  double start_margin, double behind, double bonus, double plain_bonus,
                  double evidence, double layout, std::int32_t patience) {
    require(width > 0 && width <= 1 << 20, "the beam must have a width of 1 or more");
    require(patience > 0, "the patience must be positive");
    new (self) Settings{width, margin,      label_margin, start_margin, behind,
                        bonus, plain_bonus, evidence,     layout,       patience};
}

void bind_systems(nb::module_& m) {
    nb::class_<JointSystem>(m, "JointSystem",
                            "The labelled transitions of a joint parser; read-only.")
        .def(nb::init<std::int32_t, Ints, Ints, Ints, bool, bool, const guidelines::Guide*>(),
             nb::keep_alive<1, 8>(), "n_labels"_a, "left"_a, "right"_a, "root"_a, "single_root"_a,
             "sb"_a, "guide"_a.none() = nullptr,
             "The numbers of the labels that each kind of arc may have.")
        .def("__len__", &JointSystem::size);
    nb::class_<Settings>(m, "BeamSettings", "How a beam searches (see `SearchOptions`).")
        .def("__init__", &new_settings, "width"_a, "margin"_a, "label_margin"_a, "start_margin"_a,
             "behind"_a, "bonus"_a, "plain_bonus"_a, "evidence"_a, "layout"_a, "patience"_a)
        .def_ro("width", &Settings::width);
    nb::class_<Report>(m, "SearchReport", "How a search ended, and what it took.")
        .def_prop_ro("done", [](const Report& r) { return r.outcome == parse::Outcome::done; })
        .def_prop_ro("dead", [](const Report& r) { return r.outcome == parse::Outcome::dead; },
                     "Whether no transition was left.")
        .def_ro("instance", &Report::instance, "The instance whose search ended it.")
        .def_ro("words", &Report::words, "The words of that instance.")
        .def_ro("steps", &Report::steps, "The transitions of that instance.")
        .def_ro("next", &Report::next, "The first word that its best state had not shifted.")
        .def_ro("score", &Report::score, "The score of its best state.")
        .def_ro("all_steps", &Report::all_steps, "The transitions of all instances.")
        .def_ro("scored", &Report::scored, "The states whose transitions were scored.")
        .def_prop_ro(
            "reads",
            [](const Report& r) {
                return std::tuple(r.reads.sums, r.reads.full, r.reads.few, r.reads.held);
            },
            "Sums that a linear scorer computed, and the rows of each kind that it read.");
}

void bind_decoders(nb::module_& m) {
    nb::class_<JointDecoder>(m, "JointDecoder",
                             "Finds trees and boundaries with a linear model; threads share it.")
        .def(nb::init<const CompactRows&, const JointSystem&, Ints2, Hashes, Longs,
                      const Settings&, Floats, Floats, Long>(),
             keep_arguments, "rows"_a, "system"_a, "slots"_a, "seeds"_a, "ends"_a, "settings"_a,
             "evidence"_a, "layout"_a, "arena_steps"_a = arena_steps,
             "Templates are in groups for decoding. `evidence` and `layout` are log-odds of a\n"
             "start by the values of the context.")
        .def("decode", &JointDecoder::decode, without_gil, "table"_a, "context"_a, "types"_a,
             "bounds"_a, "limits"_a,
             "Decode instances, words bounds[k] to bounds[k + 1]; stops at the first failure.\n"
             "Heads count from the first word of each. `types` is what the guide sees of each\n"
             "word, or empty.")
        .def("k_best", &JointDecoder::k_best, without_gil, "table"_a, "context"_a, "types"_a,
             "limits"_a, "k"_a,
             "Find up to k different analyses of one document with their scores, best first.");
    nb::class_<ArcDecoder>(m, "ArcDecoder",
                           "Finds trees and boundaries of one document by scores of arcs.")
        .def(nb::init<Floats2, Ints, Ints, Floats, float, double, const JointSystem&,
                      const Settings&>(),
             nb::keep_alive<1, 8>(), "arcs"_a, "base"_a, "sizes"_a, "start"_a, "swap"_a,
             "crossing"_a, "system"_a, "settings"_a,
             "arcs[d, j] is the score of head base[d] + j - 1 of word d for j below sizes[d], and\n"
             "of the root for j = 0; `start` is evidence for a sentence start.")
        .def("decode", &ArcDecoder::decode, without_gil, "limits"_a, "Decode the document.")
        .def("k_best", &ArcDecoder::k_best, without_gil, "limits"_a, "k"_a,
             "Find up to k different analyses with their scores, best first.")
        .def("best_trees", &ArcDecoder::best_trees, without_gil, "starts"_a, "given"_a, "heads"_a,
             "Return the heads of all words (-1: root), each sentence by itself. `starts` is 1 where\n"
             "a sentence starts; `heads` is a tree of each sentence, which must have the heads\n"
             "that are `given` (-2: none).");
}

}  // namespace

void bind_parse(nb::module_& m) {
    bind_rows(m);
    bind_systems(m);
    bind_decoders(m);
}

}  // namespace caesura

#include "bind/parse.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "base/pool.h"
#include "bind/bind.h"
#include "bind/learn.h"
#include "parse/arcs.h"
#include "parse/decode.h"
#include "parse/linear8.h"

namespace caesura {
namespace {

using namespace nb::literals;
using parse::CompactRows;

void new_rows(CompactRows* self, In<std::uint32_t> begin, SharedTable::Raw column,
              In<std::int8_t> value, In<std::int8_t> exponent, std::int64_t width) {
    learn::SparseRows rows;
    rows.begin = view(begin);
    rows.value8 = view(value);
    rows.exponent = view(exponent);
    if (column.dtype() == nb::dtype<std::uint8_t>())
        rows.column8 = {static_cast<const std::uint8_t*>(column.data()), column.shape(0)};
    else if (column.dtype() == nb::dtype<std::uint16_t>())
        rows.column16 = {static_cast<const std::uint16_t*>(column.data()), column.shape(0)};
    nb::gil_scoped_release release;
    new (self) CompactRows(rows, width);
}

void bind_rows(nb::module_& m) {
    nb::class_<CompactRows>(m, "ParserRows", "The 8-bit weights of a parser; read-only.")
        .def("__init__", &new_rows, "begin"_a.noconvert(), "column"_a.noconvert(),
             "value"_a.noconvert(), "exponent"_a.noconvert(), "width"_a,
             "The sparse rows of a model file, padded to `width` columns.")
        .def_static(
            "of_table",
            [](In2<std::int8_t> table, double unit) {
                std::vector<std::uint32_t> numbers(table.shape(0));
                std::iota(numbers.begin(), numbers.end(), 0u);
                return CompactRows(static_cast<std::int64_t>(numbers.size()), numbers,
                                   matrix(table), unit);
            },
            "table"_a.noconvert(), "unit"_a,
            "The rows of a dense table, whose last column holds the exponents.")
        .def_static(
            "of_rows",
            [](std::int64_t size, In<std::uint32_t> numbers, In2<std::int8_t> table, double unit) {
                nb::gil_scoped_release release;
                return CompactRows(size, view(numbers), matrix(table), unit);
            },
            "size"_a, "numbers"_a.noconvert(), "table"_a.noconvert(), "unit"_a,
            "Rows of a table of `size` rows that have these numbers, which rise; the others are\n"
            "empty. The last column holds the exponents.")
        .def(
            "table",
            [](const CompactRows& rows) {
                const auto n = static_cast<std::size_t>(rows.size());
                const auto width = static_cast<std::size_t>(rows.width());
                std::vector<std::int8_t> table(n * width);
                for (std::size_t r = 0; r < n; ++r)
                    rows.unfold(static_cast<std::int64_t>(r), table.data() + r * width);
                return to_numpy(std::move(table), n, width);
            },
            "The dense table.")
        .def(
            "filled",
            [](const CompactRows& rows) {
                CompactRows::Filled found;
                {
                    nb::gil_scoped_release release;
                    found = rows.filled();
                }
                const std::size_t n = found.numbers.size();
                return std::pair(
                    to_numpy(std::move(found.numbers)),
                    to_numpy(std::move(found.table), n, static_cast<std::size_t>(rows.width())));
            },
            "Return the numbers of the rows that are not empty, and these rows.")
        .def_prop_ro("unit", &CompactRows::unit, "What the integers of the table count in.")
        .def_prop_ro("width", &CompactRows::width, "The width of a row of the table.")
        .def_prop_ro("nbytes", &CompactRows::bytes, "The memory that the rows take.")
        .def("__len__", &CompactRows::size);
}

using Ints = In<std::int32_t>;
using parse::JointSystem;
using parse::Report;
using parse::Settings;
using parse::Trees;
using parse::Workspace;

// The columns of `caesura.stages.joint_decode.Result`.
using TreeArrays =
    std::tuple<Array<std::int32_t>, Array<std::int32_t>, Array<std::int8_t>, Array<float>,
               Array<float>, Array<float>, Array<float>>;

TreeArrays arrays_of(Trees&& trees) {
    return {to_numpy(std::move(trees.heads)),         to_numpy(std::move(trees.labels)),
            to_numpy(std::move(trees.starts)),        to_numpy(std::move(trees.arc_margins)),
            to_numpy(std::move(trees.start_margins)), to_numpy(std::move(trees.arc_shares)),
            to_numpy(std::move(trees.start_shares))};
}

std::vector<std::pair<TreeArrays, double>> arrays_of(std::vector<std::pair<Trees, double>>&& all) {
    std::vector<std::pair<TreeArrays, double>> found;
    for (auto& [trees, score] : all) found.emplace_back(arrays_of(std::move(trees)), score);
    return found;
}

// The search for the trees of documents with a scorer and the memory of one thread.
template <class S>
struct Search {
    Search(S made, Workspace memory) : scorer(std::move(made)), work(std::move(memory)) {}
    S scorer;
    Workspace work;

    std::pair<TreeArrays, Report> decode(const parse::Task& task,
                                         View<const std::int64_t> bounds) {
        Trees trees(task.words.n);
        Report report;
        Cancel cancel;
        {
            nb::gil_scoped_release release;
            report = parse::decode(scorer, task, bounds, work, trees, cancel);
        }
        return {arrays_of(std::move(trees)), report};
    }
    auto k_best(const parse::Task& task, std::size_t k) {
        std::vector<std::pair<Trees, double>> found;
        Report report;
        Cancel cancel;
        {
            nb::gil_scoped_release release;
            report = parse::k_best(scorer, task, k, work, found, cancel);
        }
        return std::pair(arrays_of(std::move(found)), report);
    }
};

// Steps of a beam that an arena holds: few enough for the caches.
constexpr std::int64_t arena_steps = 1024;

std::vector<float> copied(const In<float>& values) {
    return {values.data(), values.data() + values.shape(0)};
}

// The joint parser with the weights of a linear model; threads share it.
class JointDecoder {
   public:
    JointDecoder(const CompactRows& rows, const JointSystem& system, In2<std::int32_t> slots,
                 In<std::uint64_t> seeds, In<std::int64_t> ends, const Settings& settings,
                 In<float> evidence, In<float> layout, std::int64_t arena_steps)
        : rows_(rows),
          system_(system),
          arrays_{slots, seeds, ends},
          templates_(arrays_.check(parse::Slots::size, parse::Linear8::n_groups)),
          settings_(settings),
          evidence_(copied(evidence)),
          layout_(copied(layout)),
          arena_steps_(arena_steps) {
        require(arena_steps > 1, "the arena must hold some steps");
        damaged(system.size() < rows.width(), "the weights do not fit the transitions");
    }

    std::pair<TreeArrays, Report> decode(In2<std::uint64_t> table, In2<std::int32_t> context,
                                         In<std::int64_t> bounds, const LimitArrays& limits) {
        const std::int64_t instances = static_cast<std::int64_t>(bounds.shape(0)) - 1;
        const parse::Words words = checked(table, context, instances);
        require(instances >= 0 && bounds.data()[0] == 0 && bounds.data()[instances] == words.n,
                "bounds must start with 0 and end with the number of words");
        require_rising(view(bounds), 0, words.n, "bounds");
        const auto search = borrow();
        search->scorer.reads = {};
        auto found = search->decode(task(words, limits), view(bounds));
        found.second.reads = search->scorer.reads;
        return found;
    }
    auto k_best(In2<std::uint64_t> table, In2<std::int32_t> context, const LimitArrays& limits,
                std::size_t k) {
        const parse::Words words = checked(table, context, 1);
        return borrow()->k_best(task(words, limits), k);
    }

   private:
    parse::Words checked(const In2<std::uint64_t>& table, const In2<std::int32_t>& context,
                         std::int64_t instances) const {
        const parse::Words words = words_of(table, context, instances);
        check_context(words, {evidence_, layout_});
        return words;
    }
    parse::Task task(const parse::Words& words, const LimitArrays& limits) const {
        return {system_, settings_, {evidence_, layout_}, limits_of(limits, words.n, system_),
                words};
    }
    Pool<Search<parse::Linear8>>::Lease borrow() {
        return pool_.borrow([this] {
            return std::make_unique<Search<parse::Linear8>>(
                parse::Linear8(rows_, templates_),
                Workspace(settings_.width, rows_.width(), arena_steps_));
        });
    }

    const CompactRows& rows_;
    const JointSystem& system_;
    SharedTemplates arrays_;
    parse::Templates templates_;
    Settings settings_;
    std::vector<float> evidence_, layout_;
    std::int64_t arena_steps_;
    Pool<Search<parse::Linear8>> pool_;
};

// The joint parser with the scores of a network, of one document.
class ArcDecoder {
   public:
    ArcDecoder(In2<float> arcs, Ints base, Ints sizes, In<float> start, float swap,
               double crossing, const JointSystem& system, const Settings& settings)
        : table_(checked(arcs, base, sizes, start), view(sizes), view(start), swap, crossing),
          system_(system),
          settings_(settings) {
        require(system.size() <= parse::ArcScorer::transitions, "each arc must have one label");
    }

    auto decode(const LimitArrays& limits) {
        const std::int64_t bounds[] = {0, table_.n()};
        return search().decode(task(limits), {bounds, 2});
    }
    auto k_best(const LimitArrays& limits, std::size_t k) {
        return search().k_best(task(limits), k);
    }
    Array<std::int32_t> best_trees(In<std::int8_t> starts, Ints given, Ints heads) const {
        const auto n = static_cast<std::size_t>(table_.n());
        require(starts.shape(0) == n && given.shape(0) == n && heads.shape(0) == n,
                "scores, starts and heads are not of the same words");
        std::vector<std::int32_t> found(heads.data(), heads.data() + n);
        {
            nb::gil_scoped_release release;
            parse::best_trees(table_.costs(), view(starts), view(given), found);
        }
        return to_numpy(std::move(found));
    }

   private:
    static parse::ArcScores checked(const In2<float>& arcs, const Ints& base, const Ints& sizes,
                                    const In<float>& start) {
        const std::size_t n = arcs.shape(0);
        require(base.shape(0) == n && sizes.shape(0) == n && start.shape(0) == n,
                "scores, starts and heads are not of the same words");
        for (std::size_t d = 0; d < n; ++d) {
            const std::int64_t first = base.data()[d], size = sizes.data()[d];
            require(first >= 0 && size >= 1 && size <= static_cast<std::int64_t>(arcs.shape(1)) &&
                        first + size - 1 <= static_cast<std::int64_t>(n),
                    "a word has scores for heads outside of the text");
        }
        return {matrix(arcs), view(base)};
    }
    parse::Task task(const LimitArrays& limits) const {
        return {system_, settings_, {}, limits_of(limits, table_.n(), system_),
                {table_.n(), {}, {}}};
    }
    Search<parse::ArcScorer> search() const {
        const std::int64_t steps = std::min<std::int64_t>(arena_steps, 4 * table_.n() + 16);
        return {parse::ArcScorer(table_), Workspace(settings_.width, system_.size(), steps)};
    }

    parse::ArcTable table_;
    const JointSystem& system_;
    Settings settings_;
};

void bind_systems(nb::module_& m) {
    nb::class_<JointSystem>(m, "JointSystem",
                            "The labelled transitions of a joint parser; read-only.")
        .def(
            "__init__",
            [](JointSystem* self, std::int32_t n_labels, const Ints& left, const Ints& right,
               const Ints& root, bool single_root, bool sb) {
                new (self)
                    JointSystem(n_labels, view(left), view(right), view(root), single_root, sb);
            },
            "n_labels"_a, "left"_a.noconvert(), "right"_a.noconvert(), "root"_a.noconvert(),
            "single_root"_a, "sb"_a,
            "The numbers of the labels that each kind of arc may have.")
        .def("__len__", &JointSystem::size);
    nb::class_<Settings>(m, "BeamSettings", "How a beam searches (see `SearchOptions`).")
        .def(
            "__init__",
            [](Settings* self, std::int32_t width, double margin, double label_margin,
               double start_margin, double behind, double bonus, double plain_bonus,
               double evidence, double layout, std::int32_t patience) {
                require(width > 0 && width <= 1 << 20, "the beam must have a width of 1 or more");
                require(patience > 0, "the patience must be positive");
                new (self) Settings{width, margin,      label_margin, start_margin, behind,
                                    bonus, plain_bonus, evidence,     layout,       patience};
            },
            "width"_a, "margin"_a, "label_margin"_a, "start_margin"_a, "behind"_a, "bonus"_a,
            "plain_bonus"_a, "evidence"_a, "layout"_a, "patience"_a)
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
        .def(nb::init<const CompactRows&, const JointSystem&, In2<std::int32_t>,
                      In<std::uint64_t>, In<std::int64_t>, const Settings&, In<float>,
                      In<float>, std::int64_t>(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), "rows"_a, "system"_a,
             "slots"_a.noconvert(), "seeds"_a.noconvert(), "ends"_a.noconvert(), "settings"_a,
             "evidence"_a.noconvert(), "layout"_a.noconvert(), "arena_steps"_a = arena_steps,
             "Templates are in groups for decoding. `evidence` and `layout` are log-odds of a\n"
             "start by the values of the context.")
        .def("decode", &JointDecoder::decode, "table"_a.noconvert(), "context"_a.noconvert(),
             "bounds"_a.noconvert(), "limits"_a.noconvert(),
             "Decode instances, words bounds[k] to bounds[k + 1]; stops at the first failure.\n"
             "Heads count from the first word of each.")
        .def("k_best", &JointDecoder::k_best, "table"_a.noconvert(), "context"_a.noconvert(),
             "limits"_a.noconvert(), "k"_a,
             "Find up to k different analyses of one document with their scores, best first.");
    nb::class_<ArcDecoder>(m, "ArcDecoder",
                           "Finds trees and boundaries of one document by scores of arcs.")
        .def(nb::init<In2<float>, Ints, Ints, In<float>, float, double, const JointSystem&,
                      const Settings&>(),
             nb::keep_alive<1, 8>(), "arcs"_a.noconvert(), "base"_a.noconvert(),
             "sizes"_a.noconvert(), "start"_a.noconvert(), "swap"_a, "crossing"_a, "system"_a,
             "settings"_a,
             "arcs[d, j] is the score of head base[d] + j - 1 of word d for j below sizes[d], and\n"
             "of the root for j = 0; `start` is evidence for a sentence start.")
        .def("decode", &ArcDecoder::decode, "limits"_a.noconvert(), "Decode the document.")
        .def("k_best", &ArcDecoder::k_best, "limits"_a.noconvert(), "k"_a,
             "Find up to k different analyses with their scores, best first.")
        .def("best_trees", &ArcDecoder::best_trees, "starts"_a.noconvert(), "given"_a.noconvert(),
             "heads"_a.noconvert(),
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

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bind/bind.h"

#include "bind/parse.h"
#include "parse/arcs.h"
#include "parse/beam.h"
#include "parse/linear8.h"
#include "parse/rows.h"

namespace caesura {
namespace {

using namespace nb::literals;
using parse::JointSystem;

// States of the joint system over the words of one document.
class JointStates {
   public:
    JointStates(const JointSystem& system, In2<std::uint64_t> table, In2<std::int32_t> context)
        : table_(table), context_(context), system_(system), words_(words_of(table, context, 1)) {}

    unsigned legal(std::int32_t item) const { return system_.legal(arena_, at(item), words_.n); }
    bool is_terminal(std::int32_t item) const {
        return system_.is_terminal(arena_, at(item), words_.n);
    }
    std::int32_t apply(std::int32_t item, std::int32_t action) {
        at(item);
        require(action >= 0 && action < system_.size(), "there is no such transition");
        if (!arena_.has_room(1)) arena_.grow();
        return system_.apply({}, arena_, item, action);
    }
    // The dependent, its head and the last start of a state.
    auto item(std::int32_t number) const {
        const parse::Item& item = at(number);
        return std::tuple(item.dependent, item.head, item.last);
    }
    // The rows of all features in a table of so many rows.
    Array<std::uint64_t> rows(std::int32_t item, In2<std::int32_t> slots, In<std::uint64_t> seeds,
                              In<std::int64_t> ends, std::uint64_t size) const {
        const auto templates =
            SharedTemplates{slots, seeds, ends}.check(parse::Slots::size, ends.shape(0));
        parse::Slots values;
        values.fill(words_, arena_, at(item));
        std::vector<std::uint64_t> found;
        for (std::int64_t t = 0; t < templates.size(); ++t)
            found.push_back(templates.row(t, values.values, size - 1));
        return to_numpy(std::move(found));
    }
    const parse::Item& at(std::int32_t item) const {
        require(item >= 0 && item < arena_.n_items(), "there is no such state");
        return arena_.item(item);
    }
    const parse::Arena& arena() const { return arena_; }
    const parse::Words& words() const { return words_; }

   private:
    In2<std::uint64_t> table_;
    In2<std::int32_t> context_;
    const JointSystem& system_;
    parse::Words words_;
    parse::Arena arena_{1024, 2048};
};

// The linear scorer, whose sums are kept from one state to the next.
class Scorer8 {
   public:
    Scorer8(const parse::CompactRows& rows, In2<std::int32_t> slots, In<std::uint64_t> seeds,
            In<std::int64_t> ends)
        : arrays_{slots, seeds, ends},
          templates_(arrays_.check(parse::Slots::size, parse::Linear8::n_groups)),
          width_(static_cast<std::size_t>(rows.width())),
          scorer_(rows, templates_) {}

    void begin(const JointStates& states) { scorer_.begin(states.words()); }
    Array<float> score(const JointStates& states, std::int32_t item) {
        states.at(item);
        std::vector<float> scores(width_);
        scorer_.score(states.arena(), item, scores.data());
        return to_numpy(std::move(scores));
    }

   private:
    SharedTemplates arrays_;
    parse::Templates templates_;
    std::size_t width_;
    parse::Linear8 scorer_;
};

void bind_joint(nb::module_& m) {
    nb::class_<JointStates>(m, "JointStates")
        .def(nb::init<const JointSystem&, In2<std::uint64_t>, In2<std::int32_t>>(),
             nb::keep_alive<1, 2>(), "system"_a, "table"_a.noconvert(), "context"_a.noconvert())
        .def("legal", &JointStates::legal, "item"_a)
        .def("is_terminal", &JointStates::is_terminal, "item"_a)
        .def("apply", &JointStates::apply, "item"_a, "action"_a)
        .def("item", &JointStates::item, "item"_a)
        .def("rows", &JointStates::rows, "item"_a, "slots"_a.noconvert(), "seeds"_a.noconvert(),
             "ends"_a.noconvert(), "size"_a);
    nb::class_<Scorer8>(m, "Scorer8")
        .def(nb::init<const parse::CompactRows&, In2<std::int32_t>, In<std::uint64_t>,
                      In<std::int64_t>>(),
             nb::keep_alive<1, 2>(), "rows"_a, "slots"_a.noconvert(), "seeds"_a.noconvert(),
             "ends"_a.noconvert())
        .def("begin", &Scorer8::begin, "states"_a)
        .def("score", &Scorer8::score, "states"_a, "item"_a);
    m.def(
        "arc_table",
        [](In2<float> arcs, In<std::int32_t> base, In<std::int32_t> sizes, In<float> start,
           double crossing) {
            parse::ArcTable table({matrix(arcs), view(base)}, view(sizes), view(start), 1.0f,
                                  crossing);
            const Matrix<const float> costs = table.costs().arcs;
            return std::tuple(
                to_numpy(std::vector<float>(costs.data(), costs.data() + arcs.size()),
                         costs.rows(), costs.columns()),
                to_numpy(std::move(table.best)), to_numpy(std::move(table.gap)),
                to_numpy(std::move(table.cross)), to_numpy(std::move(table.first)),
                to_numpy(std::move(table.children)));
        },
        "arcs"_a, "base"_a, "sizes"_a, "start"_a, "crossing"_a,
        "Costs of arcs, best heads, gaps, what boundaries cross, and children by best heads.");
    m.def("most_steps", &parse::most_steps, "n"_a, "given"_a);
}

}  // namespace

void bind_testing_parse(nb::module_& m) {
    bind_joint(m);
    m.def(
        "sum_rows",
        [](const parse::CompactRows& table, In<std::uint64_t> rows) {
            require_range(view(rows), 0, table.size(), "rows");
            std::vector<std::uint64_t> list(rows.data(), rows.data() + rows.shape(0));
            std::vector<std::int32_t> sums(static_cast<std::size_t>(table.width()));
            table.sum(list, sums.data());
            return to_numpy(std::move(sums));
        },
        "table"_a, "rows"_a.noconvert(), "The sum of rows of the weights of a parser.");
    m.def(
        "sum_bytes",
        [](In2<std::int8_t> table, In<std::uint64_t> rows, bool low) {
            const auto width = static_cast<std::int64_t>(table.shape(1));
            require(width % 32 == 0, "rows must be whole blocks of 32");
            require_range(view(rows), 0, static_cast<std::int64_t>(table.shape(0)), "rows");
            std::vector<std::int32_t> sums(table.shape(1));
            const auto& functions = parse::row_functions();
            (low ? functions.sum_low_bytes : functions.sum_bytes)(
                table.data(), width, rows.data(), static_cast<std::int64_t>(rows.shape(0)),
                sums.data());
            return to_numpy(std::move(sums));
        },
        "table"_a.noconvert(), "rows"_a.noconvert(), "low"_a);
    m.def(
        "sum_floats",
        [](In2<float> table, In<std::uint64_t> rows) {
            const auto width = static_cast<std::int64_t>(table.shape(1));
            require(width % 32 == 0, "rows must be whole blocks of 32");
            require_range(view(rows), 0, static_cast<std::int64_t>(table.shape(0)), "rows");
            std::vector<float> sums(table.shape(1));
            std::vector<const float*> pointers;
            for (const std::uint64_t row : view(rows))
                pointers.push_back(table.data() + static_cast<std::int64_t>(row) * width);
            parse::row_functions().sum_floats(pointers.data(),
                                              static_cast<std::int64_t>(pointers.size()), width,
                                              sums.data());
            return to_numpy(std::move(sums));
        },
        "table"_a.noconvert(), "rows"_a.noconvert());
    m.def(
        "join_sums",
        [](In2<std::int32_t> sums, In<std::int64_t> rows, float unit) {
            const auto width = static_cast<std::int64_t>(sums.shape(1));
            require(width % 32 == 0, "rows must be whole blocks of 32");
            require_range(view(rows), 0, static_cast<std::int64_t>(sums.shape(0)), "rows");
            std::vector<std::int32_t> kept(sums.shape(1));
            std::vector<float> scores(sums.shape(1));
            parse::row_functions().join(sums.data(), width, rows.data(),
                                        static_cast<std::int64_t>(rows.shape(0)), unit,
                                        kept.data(), scores.data());
            return std::pair(to_numpy(std::move(kept)), to_numpy(std::move(scores)));
        },
        "sums"_a.noconvert(), "rows"_a.noconvert(), "unit"_a);
    m.def(
        "highest_score",
        [](In<float> scores, float floor) {
            require(scores.shape(0) > 0 && scores.shape(0) % 32 == 0, "scores come in blocks of 32");
            const auto& functions = parse::row_functions();
            return std::pair(
                functions.highest(scores.data(), static_cast<std::int64_t>(scores.shape(0))),
                functions.at_least(scores.data(), floor));
        },
        "scores"_a.noconvert(), "floor"_a,
        "The highest score, and which of the first 32 are at least as high as a floor.");
}

}  // namespace caesura

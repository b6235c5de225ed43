#include "bind/bind.h"
#include "bind/parse.h"
#include "parse/arcs.h"
#include "parse/beam.h"
#include "parse/linear8.h"
#include "parse/rows.h"

namespace caesura {
namespace {

using parse::CompactRows;
using parse::JointSystem;

// States of the joint system over the words of one document.
class JointStates {
   public:
    JointStates(const JointSystem& system, Hashes2 table, Ints2 context)
        : system_(system), words_(words_of(table, context, 1)) {}

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
    std::vector<std::uint64_t> rows(std::int32_t item, Ints2 slots, Hashes seeds, Longs ends,
                                    std::uint64_t size) const {
        const parse::Templates templates(slots, seeds, ends, parse::Slots::size, ends.size());
        parse::Slots values;
        values.fill(words_, arena_, at(item));
        std::vector<std::uint64_t> found;
        for (Long t = 0; t < templates.size(); ++t)
            found.push_back(templates.row(t, values.values, size - 1));
        return found;
    }
    const parse::Item& at(std::int32_t item) const {
        require(item >= 0 && item < arena_.n_items(), "there is no such state");
        return arena_.item(item);
    }
    const parse::Arena& arena() const { return arena_; }
    const parse::Words& words() const { return words_; }

   private:
    const JointSystem& system_;
    parse::Words words_;
    parse::Arena arena_{1024, 2048};
};

// The linear scorer, whose sums are kept from one state to the next.
class Scorer8 {
   public:
    Scorer8(const CompactRows& rows, Ints2 slots, Hashes seeds, Longs ends)
        : templates_(slots, seeds, ends, parse::Slots::size, parse::Linear8::n_groups),
          width_(static_cast<std::size_t>(rows.width())),
          scorer_(rows, templates_) {}

    void begin(const JointStates& states) { scorer_.begin(states.words()); }
    std::vector<float> score(const JointStates& states, std::int32_t item) {
        states.at(item);
        std::vector<float> scores(width_);
        scorer_.score(states.arena(), item, scores.data());
        return scores;
    }

   private:
    parse::Templates templates_;
    std::size_t width_;
    parse::Linear8 scorer_;
};

auto arc_table(Floats2 arcs, Ints base, Ints sizes, Floats start, double crossing) {
    parse::ArcTable table({arcs, base}, sizes, start, 1.0f, crossing);
    const Floats2 costs = table.costs().arcs;
    const float* end = costs.data() + costs.rows() * costs.columns();
    return std::tuple(Grid(std::vector(costs.data(), end), costs.rows(), costs.columns()),
                      std::move(table.best), std::move(table.gap), std::move(table.cross),
                      std::move(table.first), std::move(table.children));
}

std::vector<std::int32_t> sum_rows(const CompactRows& table, Hashes rows) {
    require_range(rows, 0, table.size(), "rows");
    std::vector<std::uint64_t> list(rows.begin(), rows.end());
    std::vector<std::int32_t> sums(static_cast<std::size_t>(table.width()));
    table.sum(list, sums.data());
    return sums;
}

// The width of a table of whole blocks, in which these rows are.
template <class T, class Row>
Long checked_width(Matrix<const T> table, View<const Row> rows) {
    require(table.columns() % 32 == 0, "rows must be whole blocks of 32");
    require_range(rows, 0, static_cast<Long>(table.rows()), "rows");
    return static_cast<Long>(table.columns());
}

std::vector<std::int32_t> sum_bytes(Matrix<const std::int8_t> table, Hashes rows, bool low) {
    const Long width = checked_width(table, rows);
    std::vector<std::int32_t> sums(table.columns());
    const auto& functions = parse::row_functions();
    (low ? functions.sum_low_bytes : functions.sum_bytes)(table.data(), width, rows.data(),
                                                          std::ssize(rows), sums.data());
    return sums;
}

std::vector<float> sum_floats(Floats2 table, Hashes rows) {
    const Long width = checked_width(table, rows);
    std::vector<float> sums(table.columns());
    std::vector<const float*> pointers;
    for (const std::uint64_t row : rows)
        pointers.push_back(table[static_cast<std::ptrdiff_t>(row)].data());
    parse::row_functions().sum_floats(pointers.data(), std::ssize(pointers), width, sums.data());
    return sums;
}

auto join_sums(Ints2 sums, Longs rows, float unit) {
    const Long width = checked_width(sums, rows);
    std::vector<std::int32_t> kept(sums.columns());
    std::vector<float> scores(sums.columns());
    parse::row_functions().join(sums.data(), width, rows.data(), std::ssize(rows), unit,
                                kept.data(), scores.data());
    return std::pair(std::move(kept), std::move(scores));
}

auto highest_score(Floats scores, float floor) {
    require(!scores.empty() && scores.size() % 32 == 0, "scores come in blocks of 32");
    const auto& functions = parse::row_functions();
    return std::pair(functions.highest(scores.data(), std::ssize(scores)),
                     functions.at_least(scores.data(), floor));
}

}  // namespace

void bind_testing_parse(nb::module_& m) {
    nb::class_<JointStates>(m, "JointStates")
        .def(nb::init<const JointSystem&, Hashes2, Ints2>(), keep_arguments, "system"_a,
             "table"_a, "context"_a)
        .def("legal", &JointStates::legal, "item"_a)
        .def("is_terminal", &JointStates::is_terminal, "item"_a)
        .def("apply", &JointStates::apply, "item"_a, "action"_a)
        .def("item", &JointStates::item, "item"_a)
        .def("rows", &JointStates::rows, "item"_a, "slots"_a, "seeds"_a, "ends"_a, "size"_a);
    nb::class_<Scorer8>(m, "Scorer8")
        .def(nb::init<const CompactRows&, Ints2, Hashes, Longs>(), keep_arguments, "rows"_a,
             "slots"_a, "seeds"_a, "ends"_a)
        .def("begin", &Scorer8::begin, "states"_a)
        .def("score", &Scorer8::score, "states"_a, "item"_a);
    m.def("arc_table", &arc_table, "arcs"_a, "base"_a, "sizes"_a, "start"_a, "crossing"_a,
          "Costs of arcs, best heads, gaps, what boundaries cross, and children by best heads.");
    m.def("most_steps", &parse::most_steps, "n"_a, "given"_a);
    m.def("sum_rows", &sum_rows, "table"_a, "rows"_a,
          "The sum of rows of the weights of a parser.");
    m.def("sum_bytes", &sum_bytes, "table"_a, "rows"_a, "low"_a);
    m.def("sum_floats", &sum_floats, "table"_a, "rows"_a);
    m.def("join_sums", &join_sums, "sums"_a, "rows"_a, "unit"_a);
    m.def("highest_score", &highest_score, "scores"_a, "floor"_a,
          "The highest score, and which of the first 32 are at least as high as a floor.");
}

}  // namespace caesura

#include "induce/inference.h"

#include <limits>

#include "induce/tree.h"

namespace caesura::induce {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

// Calls for each sentence of the batch that has words, with the place of its first word.
template <class Call>
void for_each(const Batch& batch, Call call) {
    for (Long index = batch.range.low; index < batch.range.high; index++) {
        batch.cancel.poll();
        if (batch.sentences.length(index) > 0)
            call(index, batch.sentences[index], batch.sentences.starts[index]);
    }
}

Form form_of(const Parameters& parameters, Constraint constraint) {
    return {parameters.fringe, parameters.adjacent(), constraint};
}

Workspace workspace_of(const Batch& batch, bool outside) {
    return {batch.sentences.longest(batch.range.low, batch.range.high), outside};
}

// Weighs a sentence, without the constraint if that leaves no tree; the form is the one used.
std::pair<double, double> weigh_or_lift(Workspace& chart, const Parameters& parameters,
                                        const Sentence& words, Form& form, Cancel& cancel) {
    chart.look_up(parameters, words);
    const auto weight = chart.weigh(form, cancel);
    if (weight.first > 0.0 || form.constraint == Constraint::free) return weight;
    form.constraint = Constraint::free;
    chart.look_up(parameters, words);
    return chart.weigh(form, cancel);
}

// The arc from h to d and the inner side of d, if h has no nearer dependent on that side.
double nearest_arc(const Workspace& chart, Long h, Long d, Constraint constraint) {
    const Factors& s = chart.factors;
    const Long n = s.n;
    const bool to_right = d > h;
    if (s.first[h] != s.first[d]) {
        const Long edge = to_right ? s.last[h] : s.first[h];
        switch (constraint) {
            case Constraint::free: break;
            case Constraint::strict:
                if (s.last[h] != s.first[h]) return 0.0;
                [[fallthrough]];
            default:
                if (edge != h) return 0.0;
        }
    }
    return s.near[h * n + d] *
           (to_right ? chart.inside.seal[left][d * n + h + 1]
                     : chart.inside.seal[right][d * n + h - 1]);
}

// Adds the expected number of each event of a sentence to the counts.
void collect(const Workspace& chart, const Sentence& words, double total, const Form& form,
             const Counts& counts) {
    const Chart &c = chart.inside, &o = chart.outside;
    const Long n = words.size(), top = (n - 1) * n;
    const double by = 1.0 / total;
    const auto root = counts.root(words.comp);
    for (Long h = 0; h < n; h++)
        root[words.classes[h]] +=
            chart.factors.root[h] * c.edge[left][h] * c.edge[right][top + h] * by;
    for (int side = 0; side < 2; side++) {
        const View<double> stop[2] = {counts.stop(words.comp, side, 0),
                                      counts.stop(words.comp, side, 1)};
        const View<double> go[2] = {counts.go(words.comp, side, 0),
                                    counts.go(words.comp, side, 1)};
        for (Long h = 0; h < n; h++) {
            const Long head = words.classes[h], at = h * n;
            const double *seals = c.seal[side] + at, *outer_seals = o.seal[side] + at;
            const double *goes = c.go[side] + at, *outer_goes = o.go[side] + at;
            const double *takes = c.take[side] + at, *outer_takes = o.take[side] + at;
            stop[1][head] += seals[h] * outer_seals[h] * by;
            go[1][head] += goes[h] * outer_goes[h] * by;
            const Long low = side == left ? 0 : h + 1, high = side == left ? h : n;
            if (form.fringe) {
                for (Long k = low; k < high; k++) {
                    stop[0][words.classes[k]] += seals[k] * outer_seals[k] * by;
                    go[0][words.classes[k]] += goes[k] * outer_goes[k] * by;
                }
            } else {
                stop[0][head] += chart.dot(seals + low, outer_seals + low, high - low) * by;
                go[0][head] += chart.dot(goes + low, outer_goes + low, high - low) * by;
            }
            const View<double> plain = counts.attach(side, 0, 0, head);
            const View<double> crossed = counts.attach(side, counts.crosses - 1, 0, head);
            for (Long d = low; d < high; d++) {
                const Long own = words.classes[d];
                const bool same = words.marks[d] == words.marks[h];
                const double p = takes[d] * outer_takes[d] * by;
                if (!form.adjacent) {
                    (same ? plain : crossed)[own] += p;
                    continue;
                }
                const double q = outer_takes[d] * goes[h] * by *
                                 nearest_arc(chart, h, d, form.constraint);
                counts.attach(side, same ? 0 : counts.crosses - 1, 1, head)[own] += q;
                (same ? plain : crossed)[own] += std::max(p - q, 0.0);
            }
        }
    }
}

// Writes the posteriors of arcs and roots of a sentence; returns the form that was used.
Form write_posteriors(Workspace& chart, const Parameters& parameters, const Sentence& words,
                      Constraint constraint, View<double> arcs, Cancel& cancel) {
    Form form = form_of(parameters, constraint);
    const double total = weigh_or_lift(chart, parameters, words, form, cancel).first;
    std::fill(arcs.begin(), arcs.end(), 0.0);
    if (!(total > 0.0)) return form;
    chart.fill_outside(form, cancel);
    const Chart &c = chart.inside, &o = chart.outside;
    const Long n = words.size();
    for (Long h = 0; h < n; h++) {
        for (Long d = 0; d < n; d++) {
            const int side = d < h ? left : right;
            const Long at = h * n + d;
            arcs[at] = d == h ? chart.factors.root[h] * c.edge[left][h] *
                                    c.edge[right][(n - 1) * n + h] / total
                              : c.take[side][at] * o.take[side][at] / total;
        }
    }
    return form;
}

// Writes the tree whose arcs have the largest sum; returns the sum.
double write_heaviest(Workspace& chart, TreeFinder& finder, Doubles arcs, Ints fragments,
                      Constraint constraint, View<std::int32_t> heads, Cancel& cancel) {
    const Form form{false, false, constraint};
    chart.set_arcs(arcs, fragments);
    const double score = chart.maximise(form, cancel);
    finder.find(chart.factors, chart.inside, form, Choice::first_best, Random(0, 0), heads);
    return score;
}

}  // namespace

void expect(const Batch& batch, const Parameters& parameters, const Counts& counts,
            View<double> scores, View<std::uint8_t> lifted) {
    Workspace chart = workspace_of(batch, true);
    for_each(batch, [&](Long index, const Sentence& words, Long) {
        Form form = form_of(parameters, batch.constraint);
        const auto [total, score] = weigh_or_lift(chart, parameters, words, form, batch.cancel);
        if (form.constraint != batch.constraint) lifted[index] = 1;
        scores[index] = score;
        if (!(total > 0.0)) return;
        chart.fill_outside(form, batch.cancel);
        collect(chart, words, total, form, counts);
    });
}

void weigh(const Batch& batch, const Parameters& parameters, View<double> scores) {
    Workspace chart = workspace_of(batch, false);
    const Form form = form_of(parameters, batch.constraint);
    for_each(batch, [&](Long index, const Sentence& words, Long) {
        chart.look_up(parameters, words);
        scores[index] = chart.weigh(form, batch.cancel).second;
    });
}

void find_best(const Batch& batch, const Parameters& logs, Long seed, View<std::int32_t> heads,
               View<double> scores, View<std::uint8_t> lifted) {
    Workspace chart = workspace_of(batch, false);
    TreeFinder finder(batch.sentences.longest(batch.range.low, batch.range.high));
    const Choice choice = seed < 0 ? Choice::first_best : Choice::random_best;
    for_each(batch, [&](Long index, const Sentence& words, Long start) {
        Form form = form_of(logs, batch.constraint);
        chart.look_up(logs, words);
        scores[index] = chart.maximise(form, batch.cancel);
        if (scores[index] == none && form.constraint != Constraint::free) {
            lifted[index] = 1;
            form.constraint = Constraint::free;
            scores[index] = chart.maximise(form, batch.cancel);
        }
        const Random random(static_cast<std::uint64_t>(std::max<Long>(seed, 0)),
                            static_cast<std::uint64_t>(index));
        finder.find(chart.factors, chart.inside, form, choice, random,
                    heads.slice(start, start + words.size()));
    });
}

void draw(const Batch& batch, const Parameters& parameters, Long seed, View<std::int32_t> heads,
          View<std::uint8_t> lifted) {
    Workspace chart = workspace_of(batch, false);
    TreeFinder finder(batch.sentences.longest(batch.range.low, batch.range.high));
    for_each(batch, [&](Long index, const Sentence& words, Long start) {
        Form form = form_of(parameters, batch.constraint);
        weigh_or_lift(chart, parameters, words, form, batch.cancel);
        if (form.constraint != batch.constraint) lifted[index] = 1;
        const Random random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(index));
        finder.find(chart.factors, chart.inside, form, Choice::by_weight, random,
                    heads.slice(start, start + words.size()));
    });
}

void find_posteriors(const Batch& batch, const Parameters& parameters, Longs places,
                     View<double> arcs) {
    Workspace chart = workspace_of(batch, true);
    for_each(batch, [&](Long index, const Sentence& words, Long) {
        write_posteriors(chart, parameters, words, batch.constraint,
                         arcs.slice(places[index], places[index + 1]), batch.cancel);
    });
}

void find_heaviest(const Batch& batch, Longs places, Doubles arcs, View<std::int32_t> heads) {
    Workspace chart = workspace_of(batch, false);
    TreeFinder finder(batch.sentences.longest(batch.range.low, batch.range.high));
    for_each(batch, [&](Long index, const Sentence& words, Long start) {
        const auto mine = arcs.slice(places[index], places[index + 1]);
        const auto tree = heads.slice(start, start + words.size());
        const double score = write_heaviest(chart, finder, mine, words.fragments,
                                            batch.constraint, tree, batch.cancel);
        if (score == none && batch.constraint != Constraint::free)
            write_heaviest(chart, finder, mine, words.fragments, Constraint::free, tree,
                           batch.cancel);
    });
}

void find_least_risk(const Batch& batch, const Parameters& parameters, View<std::int32_t> heads) {
    Workspace chart = workspace_of(batch, true);
    const Long longest = batch.sentences.longest(batch.range.low, batch.range.high);
    TreeFinder finder(longest);
    std::vector<double> room(static_cast<std::size_t>(longest * longest));
    for_each(batch, [&](Long, const Sentence& words, Long start) {
        const Long n = words.size();
        const auto arcs = View<double>(room).slice(0, n * n);
        const Form form = write_posteriors(chart, parameters, words, batch.constraint, arcs,
                                           batch.cancel);
        write_heaviest(chart, finder, arcs, words.fragments, form.constraint,
                       heads.slice(start, start + n), batch.cancel);
    });
}

}  // namespace caesura::induce

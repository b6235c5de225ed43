#include "parse/branching_learning.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "learn/updates.h"
#include "parse/rows.h"

namespace caesura::parse::hybrid {
namespace {

// The sequence whose tree has most right arcs with right labels; of equal ones the first.
std::size_t most_right(Search& search, const Gold& gold) {
    std::size_t best = 0;
    std::int32_t most = -1;
    for (std::size_t r = 0; r < search.found().size(); ++r) {
        const State& state = search.replay(r);
        std::int32_t right = 0;
        for (std::int32_t w = 1; w <= state.n; ++w)
            right += state.heads[w] == gold.heads[w] && state.labels[w] == gold.labels[w];
        if (right > most) {
            best = r;
            most = right;
        }
    }
    return best;
}

// The oracle's transition in a state.
struct Wanted {
    Kind kind;
    std::int32_t label;
};
Wanted wanted(const System& system, const State& state, const Gold& gold) {
    const Kind kind = system.oracle(state, gold.heads);
    return {kind, is_arc(kind) ? gold.labels[state.dependent(kind)] : -1};
}

// The sentence whose states are observed.
class Observer {
   public:
    Observer(Search& search, const Words& words, const Gold& gold, std::int32_t sentence,
             Ints2 numbers, Examples& examples)
        : search_(search), words_(words), gold_(gold), sentence_(sentence), numbers_(numbers),
          examples_(examples) {}

    // The states of the oracle's sequence.
    void follow_oracle() {
        walk([&](std::size_t, const Wanted& step) {
            add(step, 0);
            return Transition{step.kind, step.label};
        });
    }
    // The states of a sequence of the search from step `skip` on.
    void follow(std::size_t number, std::size_t skip) {
        walk([&](std::size_t at, const Wanted& step) {
            if (at >= skip) add(step, search_.system().also_right(state_, gold_.heads, step.kind));
            const Action action = search_.found().step(number, at).action;
            return search_.classifier().transition(action);
        });
    }

   private:
    template <class Visit>
    void walk(Visit visit) {
        state_.reset(static_cast<std::int32_t>(gold_.heads.size()) - 1, {});
        for (std::size_t at = 0; !state_.is_terminal(); ++at)
            System::apply(state_, visit(at, wanted(search_.system(), state_, gold_)));
    }

    void add(const Wanted& step, Kinds right) {
        std::int32_t gold = numbers_(step.kind, step.label + 1);
        if (gold < 0) return;
        const Classifier& classifier = search_.classifier();
        Scratch& scratch = search_.scratch();
        scratch.slots.fill(words_, state_);
        if (std::popcount(right) > 1) {
            // Several are as right: the one with the highest score is learned.
            classifier.evaluate(scratch);
            classifier.rank(scratch, right, -1, -1, 1);
            gold = scratch.best[0].action;
        }
        classifier.find_rows(scratch);
        examples_.add(scratch.rows, gold, search_.system().legal(state_), sentence_);
    }

    Search& search_;
    const Words& words_;
    const Gold& gold_;
    std::int32_t sentence_;
    Ints2 numbers_;
    Examples& examples_;
    State state_;
};

}  // namespace

Derivations derive(const Batch& batch, const Gold& gold, bool single_root, Cancel& cancel) {
    const System system(single_root);
    Derivations found;
    State state;
    for (Long k = 0; k < batch.size(); ++k) {
        cancel.poll();
        const Gold own{batch.rooted(gold.heads, k), batch.rooted(gold.labels, k)};
        const std::size_t before = found.kinds.size();
        state.reset(static_cast<std::int32_t>(batch.length(k)), {});
        while (!state.is_terminal()) {
            const Wanted step = wanted(system, state, own);
            found.kinds.push_back(step.kind);
            found.labels.push_back(step.label);
            System::apply(state, {step.kind, step.label});
        }
        found.lengths.push_back(static_cast<Long>(found.kinds.size() - before));
    }
    return found;
}

Examples::Examples(Ints2 rows, Ints gold, Bytes legal, Ints sentence, Codes row_of)
    : templates_(static_cast<Long>(rows.columns())),
      rows_(rows.data(), rows.data() + rows.rows() * rows.columns()),
      gold_(gold.begin(), gold.end()),
      sentence_(sentence.begin(), sentence.end()),
      legal_(legal.begin(), legal.end()),
      row_of_(row_of.begin(), row_of.end()) {}

void Examples::reserve(Long states) {
    const auto all = static_cast<std::size_t>(size() + states);
    rows_.reserve(all * static_cast<std::size_t>(templates_));
    gold_.reserve(all);
    legal_.reserve(all);
    sentence_.reserve(all);
}

void Examples::add(Hashes rows, std::int32_t gold, Kinds legal, std::int32_t sentence) {
    for (const std::uint64_t row : rows) {
        std::uint32_t& number = number_of_[row];
        if (number == 0) {
            row_of_.push_back(static_cast<std::uint32_t>(row));
            number = static_cast<std::uint32_t>(row_of_.size());
        }
        rows_.push_back(static_cast<std::int32_t>(number - 1));
    }
    gold_.push_back(gold);
    legal_.push_back(static_cast<std::uint8_t>(legal));
    sentence_.push_back(sentence);
}

void observe(const Brancher& brancher, const Batch& batch, const Gold& gold,
             const Observation& observation, Examples& examples, Counts& counts, Cancel& cancel) {
    Search search(brancher.classifier(), brancher.options());
    for (Long k = 0; k < batch.size(); ++k) {
        if (!observation.chosen[k]) continue;
        cancel.poll();
        const Words words = batch.words(k);
        const Gold own{batch.rooted(gold.heads, k), batch.rooted(gold.labels, k)};
        Observer observer(search, words, own, static_cast<std::int32_t>(k), observation.numbers,
                          examples);
        if (!observation.own) {
            observer.follow_oracle();
            continue;
        }
        if (!search.run(words, {}, counts, cancel)) continue;
        const std::size_t best = most_right(search, own);
        observer.follow(0, 0);
        if (best > 0) observer.follow(best, observation.twice ? 0 : search.found()[best].fork);
    }
}

Progress learn(const Examples& examples, Longs order, const Learning& learning,
               Matrix<float> weights, Matrix<float> more, double tick, Cancel& cancel) {
    const Ints kinds = learning.kinds;
    const Long labels = std::ssize(kinds);
    const auto width = static_cast<Long>(weights.columns());
    const float rate = learning.rate, offset = learning.offset;
    std::vector<float> scores(weights.columns()), slopes(weights.columns());
    std::vector<std::uint64_t> rows(static_cast<std::size_t>(examples.templates()));
    std::vector<const float*> found(rows.size());
    std::vector<Long> touched;
    Progress progress;
    auto step = [&](std::uint64_t row, Long label, float slope, float squared) {
        const auto r = static_cast<std::ptrdiff_t>(row);
        weights(r, label) += learn::adagrad(more(r, label), slope, squared, rate, offset);
    };
    for (Long k = 0; k < std::ssize(order); ++k) {
        if (k % 4096 == 0) cancel.poll();
        const Long x = order[k];
        const std::int32_t gold = examples.gold()[x];
        const Kinds can = examples.legal()[x];
        auto is_legal = [&](Long a) { return (can & only(kinds[a])) != 0; };
        std::ranges::copy(examples.rows_at(x), rows.begin());
        std::ranges::transform(rows, found.begin(), [&](std::uint64_t row) {
            return weights[static_cast<std::ptrdiff_t>(row)].data();
        });
        row_functions().sum_floats(found.data(), examples.templates(), width, scores.data());
        Long best = -1, rival = -1;
        for (Long a = 0; a < labels; ++a) {
            if (!is_legal(a)) continue;
            if (best < 0 || scores[a] > scores[best]) best = a;
            if (a != gold && (rival < 0 || scores[a] > scores[rival])) rival = a;
        }
        if (best != gold) ++progress.wrong;
        tick += 1.0;
        if (learning.learner == Learner::logistic) {
            const float top = best >= 0 ? scores[best] : 0.0f;
            float total = 0.0f;
            for (Long a = 0; a < labels; ++a) {
                slopes[a] = is_legal(a) ? std::exp(scores[a] - top) : 0.0f;
                total += slopes[a];
            }
            progress.loss += std::log(total) - (scores[gold] - top);
            touched.clear();
            for (Long a = 0; a < labels; ++a) {
                slopes[a] = static_cast<float>((a == gold ? 1.0 : 0.0) - slopes[a] / total);
                if (std::abs(slopes[a]) > learning.least) touched.push_back(a);
            }
            for (const std::uint64_t row : rows)
                for (const Long a : touched) step(row, a, slopes[a], slopes[a] * slopes[a]);
        } else if (rival >= 0) {
            const bool hinge = learning.learner == Learner::hinge;
            const float behind = scores[rival] + (hinge ? 1.0f : 0.0f) - scores[gold];
            if (behind < 0.0f || (!hinge && best == gold)) continue;
            progress.loss += behind;
            const auto now = static_cast<float>(tick);
            for (const std::uint64_t row : rows) {
                const auto r = static_cast<std::ptrdiff_t>(row);
                if (hinge) {
                    step(row, gold, 1.0f, 1.0f);
                    step(row, rival, -1.0f, 1.0f);
                } else {
                    learn::add_step(weights(r, gold), more(r, gold), 1.0f, now);
                    learn::add_step(weights(r, rival), more(r, rival), -1.0f, now);
                }
            }
        }
    }
    return progress;
}

}  // namespace caesura::parse::hybrid

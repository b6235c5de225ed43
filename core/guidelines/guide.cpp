#include "guidelines/guide.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/errors.h"

namespace caesura::guidelines {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();
constexpr float never = 1e8f;  // what cannot be done costs that much

}  // namespace

Guide::Guide(View<const Kinds> kind, View<const Kinds> barred,
             Bytes rightward, Bytes types,
             Matrix<const std::uint8_t> allowed)
    : kind_(kind.begin(), kind.end()), types_(types.begin(), types.end()) {
    const std::size_t n = kind_.size();
    if (n > static_cast<std::size_t>(Labels::most) || barred.size() != n ||
        rightward.size() != n || types_.empty() || types_.size() > 256 ||
        allowed.rows() != types_.size() || allowed.columns() != n)
        throw DamagedModel("the guidelines do not fit the labels");
    not_allowed_.resize(types_.size());
    for (std::int32_t label = 0; label < n_labels(); ++label) {
        for (std::size_t type = 0; type < types_.size(); ++type)
            if (allowed(static_cast<std::int64_t>(type), label) == 0)
                not_allowed_[type].add(label);
        for (std::size_t k = 0; k < barring_.size(); ++k)
            if ((barred[label] >> k & 1) != 0) barring_[k].add(label);
        if (rightward[label] != 0) rightward_.add(label);
        if (kind[label] != mark) not_mark_.add(label);
        if ((kind[label] & subject) != 0) subjects_.add(label);
        if ((kind[label] & object) != 0) objects_.add(label);
    }
}

namespace {

// The words of one sentence, first to end.
class Sentence {
   public:
    Sentence(const Guide& guide, const Choice& scores, View<std::int32_t> heads,
             View<std::int32_t> labels, View<std::uint8_t> other)
        : guide_(guide), scores_(scores), heads_(heads), labels_(labels), other_(other) {}

    void choose(std::int64_t first, std::int64_t end) {
        first_ = static_cast<std::int32_t>(first);
        const auto n = static_cast<std::size_t>(end - first);
        for (std::int64_t word = first; word < end; ++word)
            labels_[word] = std::max(best(static_cast<std::int32_t>(word), {}), 0);
        if (!order_bottom_up(n)) return;
        done_.assign(n, 0);
        for (const std::int32_t word : order_) {
            for (const Kinds kind : {subject, object}) keep_one(word, kind);
            choose(word);
            done_[local(word)] = 1;
        }
    }

   private:
    // A way to mend what is wrong with a word, and what it costs.
    struct Change {
        float cost = never;
        std::int32_t label = -1, head = -2;
        bool other = false;
    };

    std::size_t local(std::int32_t word) const { return static_cast<std::size_t>(word - first_); }
    std::uint8_t type(std::int32_t word) const {
        return other_[word] != 0 ? scores_.others[word] : scores_.types[word];
    }
    const std::vector<std::int32_t>& dependents(std::int32_t word) const {
        return dependents_[local(word)];
    }
    Kinds kinds(std::int32_t word, std::int32_t except = -1) const {
        Kinds found = 0;
        for (const std::int32_t d : dependents(word))
            if (d != except) found |= guide_.kind(labels_[d]);
        return found;
    }

    // Lists the words, dependents before their heads; false if they do not form trees.
    bool order_bottom_up(std::size_t n) {
        dependents_.resize(std::max(dependents_.size(), n));
        for (std::size_t k = 0; k < n; ++k) dependents_[k].clear();
        order_.clear();
        for (std::size_t k = 0; k < n; ++k) {
            const std::int32_t word = first_ + static_cast<std::int32_t>(k), head = heads_[word];
            if (head < 0)
                order_.push_back(word);
            else if (head >= first_ && local(head) < n)
                dependents_[local(head)].push_back(word);
        }
        for (std::size_t k = 0; k < order_.size(); ++k)
            for (const std::int32_t d : dependents(order_[k])) order_.push_back(d);
        std::reverse(order_.begin(), order_.end());
        return order_.size() == n;
    }

    float score(std::int32_t word, std::int32_t label) const { return scores_.labels(word, label); }
    // The score of a head (-1: the root).
    float arc(std::int32_t word, std::int32_t head) const {
        const std::int64_t column = head < 0 ? 0 : head - scores_.base[word] + 1;
        const auto width = static_cast<std::int64_t>(scores_.arcs.columns());
        return column >= 0 && column < width ? scores_.arcs(word, column) : nothing;
    }

    // The best label of a word that is not blocked; -1 if all are.
    std::int32_t best(std::int32_t word, const Labels& blocked) const {
        std::int32_t found = -1;
        float most = -never;
        for (std::int32_t label = 0; label < guide_.n_labels(); ++label)
            if (!blocked.has(label) && score(word, label) > most) {
                most = score(word, label);
                found = label;
            }
        return found;
    }
    Labels blocked(std::int32_t word, std::int32_t head, std::uint8_t type, Kinds dependents) const {
        const Guide::Word own{type, dependents};
        if (head < 0) return guide_.blocked(own);
        return guide_.blocked(own, {this->type(head), kinds(head, word)}, word < head);
    }

    // The cheapest way to give a word a label without `without`, where it is or elsewhere.
    Change cheapest(std::int32_t word, const Labels& without) const {
        Change change;
        const std::int32_t head = heads_[word];
        const float now = score(word, labels_[word]);
        Labels here = blocked(word, head, type(word), kinds(word));
        here.add(without);
        const std::int32_t label = best(word, here);
        if (label >= 0) change = {now - score(word, label), label, head, false};
        if (head < 0 || scores_.given[word] != -2) return change;
        // Another head takes it with the label that it has.
        const auto n = static_cast<std::int32_t>(order_.size());
        for (std::int32_t to = first_; to < first_ + n; ++to) {
            const float cost = arc(word, head) - arc(word, to);
            if (to == head || !(cost < change.cost) || below(to, word)) continue;
            const Labels there = blocked(word, to, type(word), kinds(word));
            if (there.has(labels_[word])) continue;
            if (done_[local(to)] != 0 && !still_fits(to, word, labels_[word])) continue;
            change = {cost, labels_[word], to, false};
        }
        return change;
    }
    // Whether a word whose label is chosen may have a dependent with this label.
    bool still_fits(std::int32_t word, std::int32_t dependent, std::int32_t label) const {
        const Kinds all = kinds(word, dependent) | guide_.kind(label);
        return !guide_.blocked(Guide::Word{type(word), all}).has(labels_[word]);
    }
    bool below(std::int32_t word, std::int32_t top) const {
        while (word >= 0 && word != top) word = heads_[word];
        return word == top;
    }

    void apply(std::int32_t word, const Change& change) {
        if (change.label < 0) return;
        labels_[word] = change.label;
        const std::int32_t head = heads_[word];
        if (change.head == head) return;
        auto& old = dependents_[local(head)];
        old.erase(std::find(old.begin(), old.end(), word));
        heads_[word] = change.head;
        dependents_[local(change.head)].push_back(word);
    }

    // Of several subjects or objects of a word keeps the one whose change would cost most.
    void keep_one(std::int32_t word, Kinds kind) {
        Labels same;
        for (std::int32_t label = 0; label < guide_.n_labels(); ++label)
            if ((guide_.kind(label) & kind) != 0) same.add(label);
        while (true) {
            std::int32_t count = 0, least = -1;
            Change cheapest_change;
            for (const std::int32_t d : dependents(word)) {
                if ((guide_.kind(labels_[d]) & kind) == 0) continue;
                ++count;
                const Change change = cheapest(d, same);
                if (change.cost < cheapest_change.cost) {
                    cheapest_change = change;
                    least = d;
                }
            }
            if (count < 2 || least < 0) return;
            apply(least, cheapest_change);
        }
    }

    // Moves a word that is no mark from below a mark to its best other head.
    void leave_mark(std::int32_t word) {
        const std::int32_t head = heads_[word];
        if (head < 0 || !guide_.is_mark(type(head)) || scores_.given[word] != -2) return;
        const std::int32_t label = best(word, guide_.blocked({type(word), kinds(word)}));
        if (label < 0 || guide_.kind(label) == mark) return;
        Change change;
        change.label = labels_[word];
        const auto n = static_cast<std::int32_t>(order_.size());
        for (std::int32_t to = first_; to < first_ + n; ++to) {
            if (guide_.is_mark(type(to)) || -arc(word, to) >= change.cost || below(to, word) ||
                (done_[local(to)] != 0 && !still_fits(to, word, label)))
                continue;
            change.cost = -arc(word, to);
            change.head = to;
        }
        if (change.head >= 0) apply(word, change);
    }

    // The labels that a word with such a type and such dependents must not have where it is.
    Labels blocked_here(std::int32_t word, std::uint8_t type, Kinds dependents) const {
        const std::int32_t head = heads_[word];
        if (head < 0) return guide_.blocked({type, dependents});
        if (done_[local(head)] == 0)  // the head's other dependents do not have their labels yet
            return guide_.blocked({type, dependents}, {this->type(head), 0}, word < head);
        Labels found = blocked(word, head, type, dependents);
        for (std::int32_t label = 0; label < guide_.n_labels(); ++label)
            if (!still_fits(head, word, label)) found.add(label);
        return found;
    }

    // Chooses the label of a word whose dependents have theirs.
    void choose(std::int32_t word) {
        leave_mark(word);
        const std::int32_t free = labels_[word];
        const std::int32_t head = heads_[word];
        const Kinds dependents = kinds(word);
        // The tag and the dependents stay, and the label is another one.
        Change change;
        const auto consider = [&](std::uint8_t type, float cost, bool other) {
            const std::int32_t label = best(word, blocked_here(word, type, dependents));
            if (label < 0) return;
            cost += score(word, free) - score(word, label);
            if (cost < change.cost) change = {cost, label, head, other};
        };
        consider(scores_.types[word], 0.0f, false);
        if (change.cost == 0.0f) {
            labels_[word] = change.label;
            return;
        }
        if (scores_.others[word] != scores_.types[word])
            consider(scores_.others[word], scores_.losses[word], true);
        if (mend_dependents(word, change.cost)) return;
        if (change.label < 0) return;
        labels_[word] = change.label;
        other_[word] = change.other;
    }

    // Changes the dependents that do not fit the best label instead, if that costs less.
    bool mend_dependents(std::int32_t word, float most) {
        const std::int32_t label = best(word, blocked_here(word, type(word), 0));
        if (label < 0) return false;
        float cost = score(word, labels_[word]) - score(word, label);
        std::vector<std::pair<std::int32_t, Change>> changes;
        Labels barring;  // labels of dependents that this label does not stand
        for (std::int32_t other = 0; other < guide_.n_labels(); ++other)
            if (guide_.blocked(Guide::Word{type(word), guide_.kind(other)}).has(label))
                barring.add(other);
        for (const std::int32_t d : dependents(word)) {
            if (!barring.has(labels_[d])) continue;
            const Change change = cheapest(d, barring);
            cost += change.cost;
            if (!(cost < most)) return false;
            changes.emplace_back(d, change);
        }
        if (!(cost < most)) return false;
        labels_[word] = label;
        // One change may make another one impossible.
        for (const auto& [d, change] : changes)
            apply(d, d == changes.front().first ? change : cheapest(d, barring));
        return true;
    }

    const Guide& guide_;
    const Choice& scores_;
    View<std::int32_t> heads_, labels_;
    View<std::uint8_t> other_;
    std::int32_t first_ = 0;
    std::vector<std::int32_t> order_;
    std::vector<std::vector<std::int32_t>> dependents_;
    std::vector<std::uint8_t> done_;
};

// Calls a function with the first word and the end of each sentence.
template <class F>
void each_sentence(Signs starts, F&& visit) {
    const auto size = static_cast<std::int64_t>(starts.size());
    for (std::int64_t a = 0, b = 0; a < size; a = b) {
        do ++b;
        while (b < size && starts[b] != 1);
        visit(a, b);
    }
}

}  // namespace

void choose(const Guide& guide, const Choice& scores, View<std::int32_t> heads,
            View<std::int32_t> labels, View<std::uint8_t> other) {
    Sentence sentence(guide, scores, heads, labels, other);
    each_sentence(scores.starts, [&](std::int64_t a, std::int64_t b) { sentence.choose(a, b); });
}

void mend_crossing(Bytes no_head, Signs starts,
                   Ints given, View<std::int32_t> heads) {
    each_sentence(starts, [&](std::int64_t first, std::int64_t end) {
        const auto below = [&](std::int64_t word, std::int64_t top) {
            for (std::int64_t steps = end - first; word >= 0 && word != top && steps > 0; --steps)
                word = heads[word];
            return word == top;
        };
        // Whether words that the head does not dominate lie below the arc of a mark, or the mark lies
        // below an arc whose head does not dominate it, and its own head does not lie there as well.
        const auto crosses = [&](std::int64_t word, std::int64_t head) {
            const std::int64_t a = std::min(word, head), b = std::max(word, head);
            bool meets = false;  // most arcs have both ends on one side of this one
            for (std::int64_t k = first; k < end && !meets; ++k)
                meets = a < k && k < b ? heads[k] < a || heads[k] > b
                                       : (k < a || k > b) && a < heads[k] && heads[k] < b;
            if (!meets) return false;
            for (std::int64_t k = a + 1; k < b; ++k)
                if (!below(k, head)) return true;
            for (std::int64_t k = first; k < end; ++k) {
                const std::int64_t c = std::min<std::int64_t>(k, heads[k]),
                                   d = std::max<std::int64_t>(k, heads[k]);
                if (k == word || heads[k] < 0 || word <= c || word >= d) continue;
                if (!(c < head && head < d) && !below(head, heads[k])) return true;
            }
            return false;
        };
        for (std::int64_t word = first; word < end; ++word) {
            if (no_head[word] != 1 || heads[word] < 0 || given[word] != -2) continue;
            std::int64_t head = heads[word], steps = end - first;
            while (head >= 0 && steps-- > 0 && (no_head[head] != 0 || crosses(word, head)))
                head = heads[head];
            // Nothing lies between neighbours, so that the search ends.
            for (std::int64_t by = 1; head < 0 && by < end - first; ++by)
                for (const std::int64_t other : {word - by, word + by})
                    if (head < 0 && first <= other && other < end && !below(other, word) &&
                        no_head[other] == 0 && !crosses(word, other))
                        head = other;
            if (head >= 0) heads[word] = static_cast<std::int32_t>(head);
        }
    });
}

}  // namespace caesura::guidelines

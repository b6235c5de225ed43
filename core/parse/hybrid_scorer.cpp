#include "parse/hybrid_scorer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/errors.h"

namespace caesura::parse::hybrid {
namespace {

constexpr std::int32_t absent = -1;
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
constexpr std::int32_t most_valency = 6;

// A small number (from -1 on) as a hash.
std::uint64_t code(std::int32_t value) { return static_cast<std::uint64_t>(value + 2) * golden; }

}  // namespace

void Slots::fill(const Words& words, const State& state) {
    const std::size_t depth = state.stack.size();
    places[s1] = depth >= 2 ? state.stack[depth - 2] : absent;
    places[s2] = depth >= 3 ? state.stack[depth - 3] : absent;
    places[d0] = state.deque.empty() ? absent : state.deque.back();
    fill_rest(words, state, state.top(), state.next);
}

void Slots::fill_pair(const Words& words, const State& state, std::int32_t i, std::int32_t j) {
    places[s1] = places[s2] = places[d0] = absent;
    fill_rest(words, state, i, j);
}

void Slots::fill_rest(const Words& words, const State& state, std::int32_t i, std::int32_t j) {
    const std::int32_t n = state.n, head = state.heads[i];
    const Children &of_i = state.children[i], &of_j = state.children[j];
    places[s0] = i;
    places[n0] = j;
    places[n1] = j + 1 <= n ? j + 1 : absent;
    places[n2] = j + 2 <= n ? j + 2 : absent;
    places[s0h] = head;
    places[s0h2] = head > 0 ? state.heads[head] : absent;
    std::copy_n(of_i.words, 4, places + s0l);
    std::copy_n(of_j.words, 2, places + n0l);
    places[n0_before] = j > 1 ? j - 1 : absent;
    places[s0_before] = i > 1 ? i - 1 : absent;
    places[s0_after] = i < n ? i + 1 : absent;
    places[n0h] = state.heads[j];
    // Words count from 1 here, and from 0 there.
    for (Long p = 0; p < n_places; ++p)
        std::memcpy(values + p * word_columns, words.row(places[p] - 1),
                    word_columns * sizeof(std::uint64_t));

    auto label = [&](std::int32_t word) { return code(word > 0 ? state.labels[word] : -1); };
    std::uint64_t* value = values + first_value;
    value[none] = 0;
    value[s0_label] = code(state.labels[i]);
    value[s0h_label] = label(head);
    for (int k = 0; k < 4; ++k) value[child_labels + k] = label(of_i.words[k]);
    value[n0_label] = code(state.labels[j]);
    for (int k = 0; k < 2; ++k) value[n0_child_labels + k] = label(of_j.words[k]);
    value[valencies] = code(std::min(of_i.n_left, most_valency));
    value[valencies + 1] = code(std::min(of_i.n_right, most_valency));
    value[valencies + 2] = code(std::min(of_j.n_left, most_valency));
    value[sets] = of_i.left_labels * golden;
    value[sets + 1] = of_i.right_labels * golden;
    value[sets + 2] = of_j.left_labels * golden;
    const std::int32_t apart = j > i ? j - i : i - j;
    value[distance] = code(apart <= 4 ? apart : (apart <= 10 ? 5 : 6));
    value[flags] = code((head >= 0 ? 1 : 0) + (state.heads[j] >= 0 ? 2 : 0) +
                        (places[d0] >= 0 ? 4 : 0) + (i == 0 ? 8 : (places[s1] == 0 ? 16 : 0)) +
                        (j == n ? 32 : 0));
}

std::uint64_t Slots::signature(Kinds can) const {
    std::uint64_t hash = can * multipliers[3];
    auto add = [&](std::uint64_t value) {
        hash = (hash ^ value) * golden;
        hash ^= hash >> 32;
    };
    for (const std::int32_t place : places) add(static_cast<std::uint64_t>(place + 1));
    for (Long s = first_value + 1; s < size; ++s) add(values[s]);
    return hash;
}

Classifier::Classifier(const CompactRows& rows, const Templates& templates, Ints kinds, Ints labels,
                       std::int32_t n_labels)
    : rows_(&rows),
      templates_(templates),
      kinds_(kinds.begin(), kinds.end()),
      labels_(labels.begin(), labels.end()),
      n_labels_(n_labels) {
    bool fits = !kinds_.empty() && kinds_.size() == labels_.size() &&
                std::ssize(kinds_) < rows.width() && n_labels > 0;
    for (const std::int32_t kind : kinds_) fits = fits && 0 <= kind && kind < n_kinds;
    for (const std::int32_t label : labels_) fits = fits && -1 <= label && label < n_labels;
    if (!fits) throw DamagedModel("the parser's labels do not fit its transitions");
}

void Classifier::find_rows(Scratch& scratch) const {
    const auto mask = static_cast<std::uint64_t>(rows_->size() - 1);
    scratch.rows.resize(static_cast<std::size_t>(templates_.size()));
    for (Long t = 0; t < templates_.size(); ++t)
        scratch.rows[t] = templates_.row(t, scratch.slots.values, mask);
}

void Classifier::evaluate(Scratch& scratch) const {
    find_rows(scratch);
    scratch.sums.resize(static_cast<std::size_t>(rows_->width()));
    rows_->sum(scratch.rows, scratch.sums.data());
}

bool Classifier::may(std::size_t action, Kinds can, std::int32_t left, std::int32_t right) const {
    const std::int32_t kind = kinds_[action];
    if (!(can & only(kind))) return false;
    if (left >= 0 && is_left(kind)) return labels_[action] == left;
    if (right >= 0 && is_right(kind)) return labels_[action] == right;
    return true;
}

void Classifier::rank(Scratch& scratch, Kinds can, std::int32_t left, std::int32_t right,
                      std::size_t k) const {
    const std::vector<std::int32_t>& sums = scratch.sums;
    std::vector<Choice>& best = scratch.best;
    best.clear();
    for (std::size_t a = 0; a < kinds_.size(); ++a) {
        if (!may(a, can, left, right)) continue;
        std::size_t at = best.size();
        while (at > 0 && sums[best[at - 1].action] < sums[a]) --at;
        if (at >= k) continue;
        if (best.size() == k) best.pop_back();
        best.insert(best.begin() + static_cast<std::ptrdiff_t>(at), {static_cast<Action>(a), 0.0});
    }
    if (best.empty()) return;
    const Long top = sums[best[0].action];
    auto odds = [&](std::size_t a) {
        return std::exp(static_cast<double>(sums[a] - top) * rows_->unit());
    };
    double total = 0.0;
    for (std::size_t a = 0; a < kinds_.size(); ++a)
        if (may(a, can, left, right)) total += odds(a);
    for (Choice& choice : best) choice.probability = odds(choice.action) / total;
}

void Classifier::choose(const State& state, Kinds can, std::size_t k, Scratch& scratch) const {
    evaluate(scratch);
    const std::int32_t left = state.top() > 0 ? state.limits.label(state.top()) : -1;
    const std::int32_t right = state.limits.label(state.next);
    rank(scratch, can, left, right, k);
    if (!scratch.best.empty()) return;
    std::int32_t kind = no_shift;
    for (const Kind other : {no_pass, no_reduce, right_pass, left_pass, right_shift, left_reduce,
                             no_shift})
        if (can & only(other)) kind = other;
    const std::int32_t label = is_arc(kind) ? std::max(is_left(kind) ? left : right, 0) : -1;
    scratch.best.push_back({forced(kind, label), 1.0});
}

std::pair<std::int32_t, double> Classifier::pair(const Words& words, const State& state,
                                                 std::int32_t head, std::int32_t word,
                                                 std::int32_t given, Scratch& scratch) const {
    scratch.slots.fill_pair(words, state, std::min(head, word), std::max(head, word));
    evaluate(scratch);
    rank(scratch, all_kinds, -1, -1, 1);
    const Choice best = scratch.best[0];
    rank(scratch, head > word ? left_arcs : right_arcs, given, given, 1);
    if (scratch.best.empty()) return {std::max(given, 0), 0.0};
    const Action action = scratch.best[0].action;
    const Long behind = static_cast<Long>(scratch.sums[action]) - scratch.sums[best.action];
    return {labels_[action],
            best.probability * std::exp(static_cast<double>(behind) * rows_->unit())};
}

}  // namespace caesura::parse::hybrid

#include "network/lemmas.h"

#include <algorithm>
#include <cmath>

namespace caesura::network {
namespace {

constexpr float kNever = -1e9f;    // the score of a rule that has none
constexpr double kFloor = 1e-6;    // the chance of a rule that no word took
constexpr double kWeight = 2.0;    // how many words the next shorter ending counts for
constexpr double kPower = 0.5;     // of the network's chances beside those of the endings
constexpr Long kTries = 8;  // rules of the network that are tried beside theirs

template <class T>
Long place_of(const std::vector<T>& sorted, T value) {
    return std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}

template <class T>
T value(const std::vector<T>& values, Long i) {
    return View<const T>(values)[i];
}

}  // namespace

float RuleScores::of(Long row, Long rule) const {
    if (rules.empty()) return rule < columns ? (*this)[row][rule] : kNever;
    const auto* found = std::lower_bound(rules.begin(), rules.end(), rule);
    return found != rules.end() && *found == rule ? (*this)[row][found - rules.begin()] : kNever;
}

void best_rules(const RuleScores& scores, Longs kinds, Longs first, Longs last,
                View<const std::uint16_t> choices, View<Long> out) {
    for (Long row = 0; row < scores.rows; ++row) {
        const Long begin = first[kinds[row]], end = last[kinds[row]];
        if (begin == end) {
            const float* own = scores[row];
            out[row] = scores.rule(std::max_element(own, own + scores.columns) - own);
            continue;
        }
        Long best = choices[begin];
        for (Long i = begin + 1; i < end; ++i)
            if (scores.of(row, choices[i]) > scores.of(row, best)) best = choices[i];
        out[row] = best;
    }
}

LemmaEndings::LemmaEndings(Codes keys, Longs first,
                           View<const std::uint16_t> rules, View<const std::uint16_t> counts)
    : keys_(keys.begin(), keys.end()),
      first_(first.begin(), first.end()),
      rules_(rules.begin(), rules.end()),
      counts_(counts.begin(), counts.end()) {}

void LemmaEndings::chances(Codes endings, std::vector<Long>& rules,
                           std::vector<double>& found) const {
    std::vector<Long> known;
    rules.clear();
    for (const std::uint32_t ending : endings) {
        const Long at = place_of(keys_, ending);
        if (at == std::ssize(keys_) || value(keys_, at) != ending) break;
        known.push_back(at);
        for (Long i = value(first_, at); i < value(first_, at + 1); ++i)
            rules.push_back(value(rules_, i));
    }
    std::sort(rules.begin(), rules.end());
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    found.assign(rules.size(), 0.0);
    double floor = kFloor;
    for (const Long at : known) {
        const Long begin = value(first_, at), end = value(first_, at + 1);
        Long total = 0;
        for (Long i = begin; i < end; ++i) total += value(counts_, i);
        const double share = static_cast<double>(total) / (static_cast<double>(total) + kWeight);
        for (double& one : found) one *= 1 - share;
        floor *= 1 - share;
        for (Long i = begin; i < end; ++i)
            found[static_cast<std::size_t>(place_of<Long>(rules, value(rules_, i)))] +=
                value(counts_, i) * (share / static_cast<double>(total));
    }
    for (double& one : found) one += floor;
}

Candidates LemmaEndings::candidates(const RuleScores& scores, Longs rows, Codes endings,
                                    Longs bounds, double below) const {
    Candidates out;
    std::vector<Long> likely, tried, rules;
    std::vector<double> chance, points;
    for (Long word = 0; word < std::ssize(rows); ++word) {
        chances(endings.slice(bounds[word], bounds[word + 1]), likely, chance);
        if (!likely.empty()) {
            const float* own = scores[rows[word]];
            tried.clear();
            for (Long column = 0; column < scores.columns; ++column) {
                const auto behind = [&](Long a, Long b) { return own[a] > own[b]; };
                const bool full = std::ssize(tried) == kTries;
                if (full && own[column] <= own[tried.back()]) continue;
                if (full) tried.pop_back();
                tried.insert(std::upper_bound(tried.begin(), tried.end(), column, behind), column);
            }
            rules = likely;
            for (const Long column : tried) rules.push_back(scores.rule(column));
            std::sort(rules.begin(), rules.end());
            rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
            points.clear();
            for (const Long rule : rules) {
                const Long at = place_of(likely, rule);
                const bool known = at < std::ssize(likely) && value(likely, at) == rule;
                const double odds = std::log(known ? value(chance, at) : kFloor);
                points.push_back(kPower * static_cast<double>(scores.of(rows[word], rule)) + odds);
            }
            const double least = *std::max_element(points.begin(), points.end()) - below;
            for (std::size_t i = 0; i < rules.size(); ++i)
                if (points[i] >= least) {
                    out.rules.push_back(rules[i]);
                    out.points.push_back(points[i]);
                }
        }
        out.first.push_back(std::ssize(out.rules));
    }
    return out;
}

}  // namespace caesura::network

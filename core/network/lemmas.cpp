#include "network/lemmas.h"

#include <algorithm>
#include <cmath>

namespace caesura::network {
namespace {

constexpr float kNever = -1e9f;    // the score of a rule that has none
constexpr double kFloor = 1e-6;    // the chance of a rule that no word took
constexpr double kWeight = 2.0;    // how many words the next shorter ending counts for
constexpr double kPower = 0.5;     // of the network's chances beside those of the endings
constexpr std::int64_t kTries = 8;  // rules of the network that are tried beside theirs

template <class T>
std::int64_t place_of(const std::vector<T>& sorted, T value) {
    return std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}

template <class T>
T value(const std::vector<T>& values, std::int64_t i) {
    return View<const T>(values)[i];
}

}  // namespace

float RuleScores::of(std::int64_t row, std::int64_t rule) const {
    if (rules.empty()) return rule < columns ? (*this)[row][rule] : kNever;
    const auto* found = std::lower_bound(rules.begin(), rules.end(), rule);
    return found != rules.end() && *found == rule ? (*this)[row][found - rules.begin()] : kNever;
}

void best_rules(const RuleScores& scores, View<const std::int64_t> kinds,
                View<const std::int64_t> first, View<const std::int64_t> last,
                View<const std::uint16_t> choices, View<std::int64_t> out) {
    for (std::int64_t row = 0; row < scores.rows; ++row) {
        const std::int64_t begin = first[kinds[row]], end = last[kinds[row]];
        if (begin == end) {
            const float* own = scores[row];
            out[row] = scores.rule(std::max_element(own, own + scores.columns) - own);
            continue;
        }
        std::int64_t best = choices[begin];
        for (std::int64_t i = begin + 1; i < end; ++i)
            if (scores.of(row, choices[i]) > scores.of(row, best)) best = choices[i];
        out[row] = best;
    }
}

LemmaEndings::LemmaEndings(View<const std::uint32_t> keys, View<const std::int64_t> first,
                           View<const std::uint16_t> rules, View<const std::uint16_t> counts)
    : keys_(keys.begin(), keys.end()),
      first_(first.begin(), first.end()),
      rules_(rules.begin(), rules.end()),
      counts_(counts.begin(), counts.end()) {}

void LemmaEndings::chances(View<const std::uint32_t> endings, std::vector<std::int64_t>& rules,
                           std::vector<double>& found) const {
    std::vector<std::int64_t> known;
    rules.clear();
    for (const std::uint32_t ending : endings) {
        const std::int64_t at = place_of(keys_, ending);
        if (at == static_cast<std::int64_t>(keys_.size()) || value(keys_, at) != ending) break;
        known.push_back(at);
        for (std::int64_t i = value(first_, at); i < value(first_, at + 1); ++i)
            rules.push_back(value(rules_, i));
    }
    std::sort(rules.begin(), rules.end());
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    found.assign(rules.size(), 0.0);
    double floor = kFloor;
    for (const std::int64_t at : known) {
        const std::int64_t begin = value(first_, at), end = value(first_, at + 1);
        std::int64_t total = 0;
        for (std::int64_t i = begin; i < end; ++i) total += value(counts_, i);
        const double share = static_cast<double>(total) / (static_cast<double>(total) + kWeight);
        for (double& one : found) one *= 1 - share;
        floor *= 1 - share;
        for (std::int64_t i = begin; i < end; ++i)
            found[static_cast<std::size_t>(place_of<std::int64_t>(rules, value(rules_, i)))] +=
                value(counts_, i) * (share / static_cast<double>(total));
    }
    for (double& one : found) one += floor;
}

Candidates LemmaEndings::candidates(const RuleScores& scores, View<const std::int64_t> rows,
                                    View<const std::uint32_t> endings,
                                    View<const std::int64_t> bounds, double below) const {
    Candidates out;
    std::vector<std::int64_t> likely, tried, rules;
    std::vector<double> chance, points;
    for (std::int64_t word = 0; word < static_cast<std::int64_t>(rows.size()); ++word) {
        chances(endings.slice(bounds[word], bounds[word + 1]), likely, chance);
        if (!likely.empty()) {
            const float* own = scores[rows[word]];
            tried.clear();
            for (std::int64_t column = 0; column < scores.columns; ++column) {
                const auto behind = [&](std::int64_t a, std::int64_t b) { return own[a] > own[b]; };
                const bool full = static_cast<std::int64_t>(tried.size()) == kTries;
                if (full && own[column] <= own[tried.back()]) continue;
                if (full) tried.pop_back();
                tried.insert(std::upper_bound(tried.begin(), tried.end(), column, behind), column);
            }
            rules = likely;
            for (const std::int64_t column : tried) rules.push_back(scores.rule(column));
            std::sort(rules.begin(), rules.end());
            rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
            points.clear();
            for (const std::int64_t rule : rules) {
                const std::int64_t at = place_of(likely, rule);
                const bool known =
                    at < static_cast<std::int64_t>(likely.size()) && value(likely, at) == rule;
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
        out.first.push_back(static_cast<std::int64_t>(out.rules.size()));
    }
    return out;
}

}  // namespace caesura::network

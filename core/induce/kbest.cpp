#include "induce/kbest.h"

#include <limits>

#define CAESURA_NO_LANES
#include "induce/fill.h"

namespace caesura::induce {
namespace {

// A derivation is built of two others, or is one arc; -1: nothing.
struct Node {
    std::int32_t first, second, head, dependent;
};

// Lists of the k best derivations of an item, the best first. Of two lists that are combined, only
// pairs of ranks (a, b) with (a + 1)(b + 1) <= k can be among the best.
class Lists {
   public:
    struct Derivation {
        double score;
        std::int32_t node;
    };
    using Value = std::vector<Derivation>;

    explicit Lists(Long k) : k_(k) {}

    Value zero() const { return {}; }
    Value number(double score) const {
        if (score == -std::numeric_limits<double>::infinity()) return {};
        return {{score, -1}};
    }
    Value root(Long r, double score) { return arc(-1, r, number(score)); }
    Value arc(Long head, Long dependent, Value list) {
        for (Derivation& derivation : list)
            derivation.node = add({derivation.node, -1, static_cast<std::int32_t>(head),
                                   static_cast<std::int32_t>(dependent)});
        return list;
    }
    Value scaled(double factor, Value list) const {
        if (factor == -std::numeric_limits<double>::infinity()) return {};
        for (Derivation& derivation : list) derivation.score += factor;
        return list;
    }
    Value plus(Value list, const Value& more) const {
        for (const Derivation& derivation : more) insert(list, derivation);
        return list;
    }
    Value times(const Value& a, const Value& b) {
        Value list;
        add_products(list, a, b);
        return list;
    }
    Value combine(const Value* a, const Value* b, Long count) {
        Value list;
        for (Long i = 0; i < count; i++) add_products(list, a[i], b[i]);
        return list;
    }

    // Writes the heads of a derivation.
    void write(std::int32_t root, View<std::int32_t> heads) const {
        std::vector<std::int32_t> agenda{root};
        while (!agenda.empty()) {
            const std::int32_t at = agenda.back();
            agenda.pop_back();
            if (at < 0) continue;
            const Node& node = nodes_[at];
            if (node.dependent >= 0) heads[node.dependent] = node.head;
            agenda.push_back(node.first);
            agenda.push_back(node.second);
        }
    }

   private:
    std::int32_t add(const Node& node) {
        nodes_.push_back(node);
        return static_cast<std::int32_t>(nodes_.size() - 1);
    }

    bool fits(const Value& list, double score) const {
        return std::ssize(list) < k_ || score > list.back().score;
    }

    void insert(Value& list, const Derivation& derivation) const {
        if (!fits(list, derivation.score)) return;
        auto at = list.end();
        while (at != list.begin() && (at - 1)->score < derivation.score) --at;
        list.insert(at, derivation);
        if (std::ssize(list) > k_) list.pop_back();
    }

    void add_products(Value& list, const Value& a, const Value& b) {
        for (Long i = 0; i < std::ssize(a); i++) {
            const Long most = std::min<Long>(k_ / (i + 1), std::ssize(b));
            for (Long j = 0; j < most; j++) {
                const double score = a[i].score + b[j].score;
                if (!fits(list, score)) break;
                insert(list, {score, add({a[i].node, b[j].node, -1, -1})});
            }
        }
    }

    Long k_;
    std::vector<Node> nodes_;
};

}  // namespace

std::vector<ScoredTree> find_k_best(const Sentence& words, const Parameters& logs,
                                    Constraint constraint, Long k, Cancel& cancel) {
    const Long n = words.size();
    if (n == 0) return {};
    Workspace factors(n, false);
    factors.look_up(logs, words);
    std::vector<Lists::Value> items(static_cast<std::size_t>(8 * n * n));
    ChartOf<Lists::Value> chart{};
    Lists::Value* at = items.data();
    for (int side = 0; side < 2; side++)
        for (Lists::Value** part :
             {&chart.go[side], &chart.seal[side], &chart.edge[side], &chart.take[side]}) {
            *part = at;
            at += n * n;
        }
    Lists lists(k);
    const Form form{logs.fringe, logs.adjacent(), constraint};
    std::vector<ScoredTree> trees;
    for (const auto& [score, node] : Filler<Lists>(lists, factors.factors, chart, form).fill(cancel)) {
        trees.push_back({score, std::vector<std::int32_t>(static_cast<std::size_t>(n))});
        lists.write(node, trees.back().heads);
    }
    return trees;
}

}  // namespace caesura::induce

#include "parse/spanning.h"

#include <algorithm>
#include <vector>

namespace caesura::parse {
namespace {

// The bonus of an arc of the current tree: ties change nothing.
constexpr float kept_bonus = 0.01f;
// Two roots are worse than all else, but better than a forbidden arc.
constexpr double two_roots = 1e5;
constexpr double never = -1e9;

// One sentence; words count from 1, and 0 is the root.
struct Sentence {
    const ArcScores& scores;
    Ints given;
    Ints heads;
    Long first;
    Long words;

    double score(Long head, Long word) const {
        const Long dependent = first + word - 1;
        const Long other = head == 0 ? -1 : first + head - 1;
        if (given[dependent] >= -1 && given[dependent] != other) return never;
        const Long place = head == 0 ? 0 : other - scores.base[dependent] + 1;
        float found = floor_score;
        if ((place == 0 && head == 0) ||
            (0 < place && place < static_cast<Long>(scores.arcs.columns())))
            found = scores.arcs(dependent, place);
        if (heads[dependent] == other) found += kept_bonus;
        return found;
    }

    std::int32_t best_head(Long word) const {
        std::int32_t best = -1;
        double most = 0.0;
        for (std::int32_t head = 0; head <= words; ++head) {
            if (head == word) continue;
            const double found = score(head, word);
            if (best < 0 || found > most) {
                best = head;
                most = found;
            }
        }
        return best;
    }
};

// Whether the heads of the words 1 to n form a tree with one root.
bool is_tree(Ints best, std::vector<std::int32_t>& seen) {
    const auto n = static_cast<std::int32_t>(best.size());
    if (std::count(best.begin() + 1, best.end(), 0) != 1) return false;
    seen.assign(best.size(), 0);
    for (std::int32_t start = 1; start < n; ++start) {
        std::int32_t word = start;
        while (word != 0 && seen[word] == 0) {
            seen[word] = start;
            word = best[word];
        }
        if (word != 0 && seen[word] == start) return false;
    }
    return true;
}

// A graph of words and contracted cycles; a node is at most twice the number of words.
class Arborescence {
   public:
    // Writes the heads of the best tree. From each word a path follows the best heads until it ends
    // at the root or at an earlier path. Where it meets itself, the cycle becomes one node, whose
    // arcs have the gain or loss of each member as a dependent. At the end each cycle is opened
    // where the arc into it arrives.
    void solve(const Sentence& sentence, View<std::int32_t> best_heads) {
        const auto n = static_cast<std::int32_t>(best_heads.size());
        fill(sentence, n);
        std::int32_t count = n;
        for (std::int32_t start = 1; start < n; ++start) {
            std::int32_t node = start;
            while (part_of_[node] >= 0) node = part_of_[node];
            while (node != 0 && (best_[node] < 0 || path_[node] == start)) {
                if (best_[node] >= 0) {
                    contract(node, count);
                    node = count++;
                }
                path_[node] = start;
                std::int32_t top = -1;
                for (std::int32_t head = 0; head < count; ++head)
                    if (part_of_[head] < 0 && head != node &&
                        (top < 0 || arc(head, node).weight > arc(top, node).weight))
                        top = head;
                best_[node] = top;
                entry_[node] = arc(top, node);
                node = top;
            }
        }
        for (std::int32_t node = count - 1; node >= n; --node) {
            std::int32_t member = entry_[node].dependent;
            while (part_of_[member] != node) member = part_of_[member];
            entry_[member] = entry_[node];
        }
        for (std::int32_t word = 1; word < n; ++word) best_heads[word] = entry_[word].head;
    }

   private:
    // An arc between nodes, and the arc between words that it stands for.
    struct Arc {
        double weight = 3 * never;
        std::int32_t head = 0;
        std::int32_t dependent = 0;
    };

    Arc& arc(std::int32_t head, std::int32_t dependent) {
        return arcs_[static_cast<std::size_t>(head) * size_ + dependent];
    }

    void fill(const Sentence& sentence, std::int32_t n) {
        size_ = 2 * static_cast<std::size_t>(n);
        arcs_.assign(size_ * size_, Arc{});
        part_of_.assign(size_, -1);
        best_.assign(size_, -1);
        path_.assign(size_, 0);
        entry_.assign(size_, Arc{});
        for (std::int32_t head = 0; head < n; ++head) {
            for (std::int32_t word = 0; word < n; ++word) {
                double weight = 2 * never;
                if (word != 0 && head != word) {
                    weight = sentence.score(head, word);
                    if (head == 0) weight -= two_roots;
                }
                arc(head, word) = {weight, head, word};
            }
        }
    }

    // Contracts the cycle through `first` to the node `whole`.
    void contract(std::int32_t first, std::int32_t whole) {
        std::int32_t member = first;
        while (part_of_[member] < 0) {
            part_of_[member] = whole;
            member = best_[member];
        }
        for (std::int32_t other = 0; other < whole; ++other) {
            if (part_of_[other] >= 0) continue;
            do {
                const Arc& in = arc(other, member);
                const double gain = in.weight - arc(best_[member], member).weight;
                if (gain > arc(other, whole).weight)
                    arc(other, whole) = {gain, in.head, in.dependent};
                if (arc(member, other).weight > arc(whole, other).weight)
                    arc(whole, other) = arc(member, other);
                member = best_[member];
            } while (member != first);
            if (best_[other] >= 0 && part_of_[best_[other]] == whole) best_[other] = whole;
        }
    }

    std::size_t size_ = 0;
    std::vector<Arc> arcs_, entry_;
    std::vector<std::int32_t> part_of_, best_, path_;
};

}  // namespace

void best_trees(const ArcScores& scores, Signs starts, Ints given, View<std::int32_t> heads) {
    const Long size = std::ssize(heads);
    std::vector<std::int32_t> best, seen;
    Arborescence arborescence;
    for (Long a = 0, b = 0; a < size; a = b) {
        do ++b;
        while (b < size && starts[b] != 1);
        const Sentence sentence{scores, given, heads, a, b - a};
        if (sentence.words < 2 || sentence.words > most_spanned) continue;
        best.assign(static_cast<std::size_t>(sentence.words) + 1, 0);
        for (Long word = 1; word <= sentence.words; ++word)
            best[word] = sentence.best_head(word);
        if (!is_tree(best, seen)) arborescence.solve(sentence, best);
        for (Long word = 1; word <= sentence.words; ++word)
            heads[a + word - 1] = best[word] == 0 ? -1 : static_cast<std::int32_t>(a) + best[word] - 1;
    }
}

}  // namespace caesura::parse

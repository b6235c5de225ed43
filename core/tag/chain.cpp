#include "tag/chain.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace caesura::tag {
namespace {

// The score of a label that a word may not have.
constexpr float never = -1e30f;
// A longer chain is cut into windows. Probabilities are taken this far from their ends, so two
// windows share twice as many words.
constexpr Long longest_window = 4096;
constexpr Long overlap = 64;
// Floats that lie on one cache line.
constexpr Long floats_per_line = 16;
// Words between two polls.
constexpr Long stretch = 4096;
// Words whose scores are summed together, so that their waits for memory overlap.
constexpr Long block = 16;

template <class T>
Long count(const std::vector<T>& values) {
    return std::ssize(values);
}

void check(bool holds) {
    if (!holds) throw DamagedModel("the tables of the tagger do not fit together");
}

// Room for scores and Viterbi that all words of a call share.
Long fitting(Long room, Long longest) {
    return std::max<Long>(4, std::min(room, longest));
}

// Emits what all surviving paths through the n words of a lattice agree on, and moves the rest to
// the front. A full lattice without agreement emits the first half of the best path. Returns the
// number of words that stay.
class Settler {
   public:
    explicit Settler(Long width) : width_(width), alive_(width * width), older_(alive_) {}

    Long settle(Lattice& lattice, Long n, View<std::int32_t> path) {
        std::fill(alive_.begin(), alive_.end(), 0);
        for (Long a = 0; a < lattice.size(n - 2); ++a)
            for (Long b = 0; b < lattice.size(n - 1); ++b) alive_[a * width_ + b] = 1;
        Long settled = 0;
        for (Long i = n - 1; i > 1 && settled == 0; --i) {
            const auto found = step_back(lattice, i);
            if (found.pairs != 1) continue;
            trace(lattice, i - 1, found.last, path);
            settled = i;
        }
        if (settled == 0) {
            trace(lattice, n - 1, best_pair(lattice, n), path);
            settled = n / 2;
        }
        settled = std::min(settled, n - 2);
        lattice.shift(settled, n);
        return n - settled;
    }

   private:
    struct Survivors {
        Long pairs;
        Pair last;
    };

    // The pairs at word i - 1 from which the surviving pairs at word i come.
    Survivors step_back(const Lattice& lattice, Long i) {
        std::fill(older_.begin(), older_.end(), 0);
        Survivors found{0, {0, 0}};
        for (Long a = 0; a < lattice.size(i - 1); ++a)
            for (Long b = 0; b < lattice.size(i); ++b) {
                if (!alive_[a * width_ + b]) continue;
                const Long z = lattice.back(i, a, b);
                if (older_[z * width_ + a]) continue;
                older_[z * width_ + a] = 1;
                ++found.pairs;
                found.last = {z, a};
            }
        std::swap(alive_, older_);
        return found;
    }

    Long width_;
    std::vector<char> alive_, older_;  // pairs of candidates
};

// Writes the likeliest labels of word k, in falling order.
void rank(const Lattice& lattice, Long k, double log_z, View<std::int32_t> labels,
          View<float> masses) {
    const Long width = std::ssize(labels);
    Long kept = 0;
    for (Long b = 0; b < lattice.size(k); ++b) {
        double mass = 0.0;
        for (Long a = 0; a < lattice.size(k - 1); ++a)
            mass += std::exp(lattice.alpha(k, a, b) + lattice.beta(k, a, b) - log_z);
        if (kept < width)
            ++kept;
        else if (!(mass > masses[kept - 1]))
            continue;
        Long at = kept - 1;
        for (; at > 0 && masses[at - 1] < mass; --at) {
            masses[at] = masses[at - 1];
            labels[at] = labels[at - 1];
        }
        masses[at] = static_cast<float>(mass);
        labels[at] = lattice.labels(k)[b];
    }
    for (Long at = kept; at < width; ++at) {
        labels[at] = -1;
        masses[at] = 0.0f;
    }
}

}  // namespace

void ChainTemplates::check() const {
    check_templates(spot, n_attributes);
    check_templates(mixed, n_attributes);
    tag::check(bounds.size() == places.size() + 1 && bounds.front() == 0 &&
               bounds.back() == count(spot) && std::is_sorted(bounds.begin(), bounds.end()));
    for (const std::int32_t place : places) tag::check(-farthest <= place && place <= farthest);
}

Long Words::longest() const {
    Long most = 0;
    for (Long c = 0; c < n_chains(); ++c) most = std::max(most, begins[c + 1] - begins[c]);
    return most;
}

struct Chain::Workspace {
    Workspace(const Chain& chain, Long room, Long width)
        : scores(block * chain.classes()),
          hashes(block * chain.templates_.mixed.size()),
          terms(hashes.size()),
          lattice(room, width) {}

    std::vector<float> scores;  // of the words of a block, as are those below
    std::vector<std::uint64_t> hashes;
    std::vector<learn::LinearTable::Term> terms;
    float* open[block];  // scores that mixed features are added to
    Lattice lattice;
};

Chain::Chain(const learn::LinearTable& table, ChainTemplates templates, Transitions moves,
             float clear)
    : table_(table), templates_(std::move(templates)), moves_(moves), clear_(clear) {
    const Long n = classes() + 1;
    templates_.check();
    check(n > 1 && static_cast<Long>(moves.pairs.rows()) == n && table.width() <= n - 1);
    // Trigrams have a weight of their own, or a place in a table whose size is a power of two.
    const std::size_t size = moves.triples.size();
    check(size == 0 || size == static_cast<std::size_t>(n * n * n) || (size & (size - 1)) == 0);
}

void Chain::sum_types(Hashes2 attributes, Matrix<float> vectors) const {
    std::vector<std::uint64_t> hashes(templates_.spot.size());
    std::vector<learn::LinearTable::Term> terms(hashes.size());
    for (Long t = 0; t < static_cast<Long>(attributes.rows()); ++t) {
        for (std::size_t s = 0; s < hashes.size(); ++s)
            hashes[s] = hash_of(attributes[t], templates_.spot[s]);
        for (Long p = 0; p < n_places(); ++p) {
            const auto scores = vectors[t * n_places() + p];
            std::fill(scores.begin(), scores.end(), 0.0f);
            table_.add(Hashes(hashes).slice(templates_.bounds[p], templates_.bounds[p + 1]), terms,
                       scores);
        }
    }
}

// Scores every label of the words of a block.
void Chain::score(const Words& words, const Window& chain, Long first, Long last,
                  Workspace& work) const {
    const Long n = classes();
    const std::size_t n_mixed = templates_.mixed.size();
    std::size_t n_open = 0;
    const auto vector = [&](Long i, Long p) {
        const Long type = chain.type(i + templates_.places[p]);
        return words.vectors + (type * n_places() + p) * n;
    };
    for (Long i = first; i < last; ++i)
        for (Long p = 0; p < n_places(); ++p)
            for (Long y = 0; y < n; y += floats_per_line) prefetch(vector(i, p) + y);
    for (Long i = first; i < last; ++i) {
        float* const scores = work.scores.data() + (i - first) * n;
        std::fill(scores, scores + n, 0.0f);
        for (Long p = 0; p < n_places(); ++p) {
            const float* const sums = vector(i, p);
            for (Long y = 0; y < n; ++y) scores[y] += sums[y];
        }
        if (!words.group.empty() && words.group[i] >= 0) {
            const auto allowed = words.allowed[words.group[i]];
            for (Long y = 0; y < n; ++y)
                if (!allowed[y]) scores[y] = never;
        }
        // If one label leads clearly, no mixed feature could change that.
        const float floor = highest({scores, static_cast<std::size_t>(n)}) - clear_;
        std::int32_t near = 0;
        for (Long y = 0; y < n; ++y) near += scores[y] >= floor;
        if (near == 1) continue;
        for (std::size_t m = 0; m < n_mixed; ++m)
            work.hashes[n_open * n_mixed + m] = hash_at(chain, i, templates_.mixed[m]);
        work.open[n_open++] = scores;
    }
    table_.add(Hashes2(work.hashes.data(), n_open, n_mixed), work.terms,
               View<float* const>(work.open, n_open));
}

// Calls visit(i, scores) for words first to last - 1, whose scores are summed block by block.
template <class Visit>
void Chain::for_scored(const Words& words, const Window& chain, Long first,
                       Long last, Workspace& work, Visit visit) const {
    for (Long i = first; i < last; ++i) {
        const Long at = (i - first) % block;
        if (at == 0) score(words, chain, i, std::min(i + block, last), work);
        visit(i, Floats(work.scores).slice(at * classes(), (at + 1) * classes()));
    }
}

void Chain::decode(const Words& words, Long width, float margin, Long room,
                   View<std::int32_t> path, Cancel& cancel) const {
    Workspace work(*this, fitting(room, words.longest()), width);
    Lattice& lattice = work.lattice;
    Settler settler(width);
    for (Long c = 0; c < words.n_chains(); ++c) {
        const Window chain = words.chain(c);
        Long size = 0;  // words in the lattice; those before are emitted
        for_scored(words, chain, chain.begin, chain.end, work, [&](Long i, auto scores) {
            if (size == lattice.length())
                size = settler.settle(lattice, size, path.slice(i - size, chain.end));
            select(scores, margin, -1, lattice, size);
            extend(lattice, size, moves_, classes());
            ++size;
            if (i % stretch == 0) cancel.poll();
        });
        if (size > 0)
            trace(lattice, size - 1, best_pair(lattice, size),
                  path.slice(chain.end - size, chain.end));
    }
}

void Chain::marginals(const Words& words, float margin, const Marginals& out,
                      Cancel& cancel) const {
    const auto width = static_cast<Long>(out.labels.columns());
    Workspace work(*this, fitting(longest_window, words.longest()), width);
    Lattice& lattice = work.lattice;
    for (Long c = 0; c < words.n_chains(); ++c) {
        const Window chain = words.chain(c);
        // Windows are longer than what two of them share, or the only one.
        for (Long first = chain.begin; first < chain.end;) {
            const Long last = std::min(first + lattice.length(), chain.end);
            const Long n = last - first;
            for_scored(words, chain, first, last, work, [&](Long i, auto scores) {
                select(scores, margin, -1, lattice, i - first);
            });
            const Long start = first == chain.begin ? classes() : -1;
            const double log_z = forward(lattice, n, moves_, start);
            backward(lattice, n, moves_, start);
            const Long low = first == chain.begin ? 0 : overlap;
            const Long high = last == chain.end ? n : n - overlap;
            for (Long k = low; k < high; ++k)
                rank(lattice, k, log_z, out.labels[first + k], out.masses[first + k]);
            cancel.poll();
            if (last == chain.end) break;
            first = last - 2 * overlap;
        }
    }
}

}  // namespace caesura::tag

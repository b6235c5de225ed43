#include "tag/chain_training.h"

#include <algorithm>
#include <cmath>

namespace caesura::tag {
namespace {

// Smaller slopes change nothing that matters; e^-9 is about as small.
constexpr double least_slope = 1e-4;
constexpr double least_log_mass = -9.0;

Long longest(View<const TrainingChain> chains) {
    Long most = 1;
    for (const TrainingChain& chain : chains) most = std::max(most, chain.end - chain.begin);
    return most;
}

void climb(const learn::Parameters& parameters, Long at, double slope, const Step& step,
           double tick) {
    // L2 pulls a weight back whenever it is touched.
    slope -= step.l2 * parameters.weight[at];
    parameters.climb(at, slope, slope * slope, step.rate, step.offset, tick);
}

// Calls use(hash) for each mixed template at each word.
template <class Use>
void for_each_mixed(const Words& words, const ChainTemplates& templates, Use use) {
    for (Long c = 0; c < words.n_chains(); ++c) {
        const Window window = words.chain(c);
        for (Long i = window.begin; i < window.end; ++i)
            for (const Template& t : templates.mixed) use(hash_at(window, i, t));
    }
}

}  // namespace

std::vector<std::uint32_t> frequent_keys(const Words& words, const ChainTemplates& templates,
                                         Long cutoff) {
    learn::KeyCounts counts;
    const auto n_types = static_cast<Long>(words.attributes.rows());
    for (std::size_t p = 0; p < templates.places.size(); ++p) {
        std::vector<std::uint32_t> seen(static_cast<std::size_t>(n_types));
        for (Long c = 0; c < words.n_chains(); ++c) {
            const Window window = words.chain(c);
            for (Long i = window.begin; i < window.end; ++i)
                ++seen[window.type(i + templates.places[p])];
        }
        for (std::int32_t s = templates.bounds[p]; s < templates.bounds[p + 1]; ++s)
            for (Long t = 0; t < n_types; ++t)
                counts.add(hash_of(words.attributes[t], templates.spot[s]), seen[t]);
    }
    for_each_mixed(words, templates, [&](std::uint64_t hash) { counts.add(hash); });
    return counts.frequent(cutoff);
}

ChainLearner::ChainLearner(const Words& words, ChainTemplates templates, Codes keys,
                           View<const TrainingChain> chains, Ints gold, ChainParameters parameters,
                           Long width)
    : words_(words),
      templates_(std::move(templates)),
      chains_(chains),
      gold_(gold),
      parameters_(parameters),
      moves_(parameters.moves()),
      lattice_(longest(chains), width),
      scores_(static_cast<std::size_t>(parameters.classes)),
      path_(static_cast<std::size_t>(longest(chains))) {
    const learn::FeatureIndex index(keys);
    const auto row = [&](std::uint64_t hash) {
        return static_cast<std::int32_t>(hash == 0 ? -1 : index.find(learn::key_of(hash)));
    };
    spot_.reserve(words.attributes.rows() * templates_.spot.size());
    for (Long t = 0; t < static_cast<Long>(words.attributes.rows()); ++t)
        for (const Template& s : templates_.spot) spot_.push_back(row(hash_of(words.attributes[t], s)));
    mixed_.reserve(words.types.size() * templates_.mixed.size());
    for_each_mixed(words, templates_, [&](std::uint64_t hash) { mixed_.push_back(row(hash)); });
    rows_.reserve(templates_.spot.size() + templates_.mixed.size());
}

ChainLearner::Trigram ChainLearner::gold_at(const TrainingChain& chain, Long k) const {
    const Long i = chain.begin + k, start = start_of(chain);
    return {k > 1 ? gold_[i - 2] : start, k > 0 ? gold_[i - 1] : start, gold_[i]};
}

// Finds the rows of the features of word i.
void ChainLearner::find_rows(const TrainingChain& chain, Long i) {
    const Window window{words_.attributes, words_.types, chain.window_begin, chain.window_end};
    const auto add = [&](std::int32_t row) {
        if (row >= 0) rows_.push_back(row);
    };
    rows_.clear();
    for (std::size_t p = 0; p < templates_.places.size(); ++p) {
        const std::int32_t* const own =
            spot_.data() + static_cast<std::size_t>(window.type(i + templates_.places[p])) *
                               templates_.spot.size();
        for (std::int32_t s = templates_.bounds[p]; s < templates_.bounds[p + 1]; ++s) add(own[s]);
    }
    const std::size_t n_mixed = templates_.mixed.size();
    const std::int32_t* const own = mixed_.data() + static_cast<std::size_t>(i) * n_mixed;
    for (std::size_t m = 0; m < n_mixed; ++m) add(own[m]);
}

// Scores the words of a chain, and keeps their candidates.
void ChainLearner::fill(const TrainingChain& chain, float margin) {
    const Long n = parameters_.classes;
    float* const scores = scores_.data();
    for (Long i = chain.begin; i < chain.end; ++i) {
        find_rows(chain, i);
        std::fill(scores_.begin(), scores_.end(), 0.0f);
        for (const Long row : rows_) {
            const auto weights = parameters_.weights.weight.slice(row * n, (row + 1) * n);
            for (Long y = 0; y < n; ++y) scores[y] += weights[y];
        }
        select(scores_, margin, gold_[i], lattice_, i - chain.begin);
    }
}

// Calls use(parameters, place) for the weights of the pair and of the triple that labels form.
template <class Use>
void ChainLearner::visit(const Trigram& labels, Use use) const {
    if (labels.last < 0) return;
    use(parameters_.pairs, labels.last * parameters_.classes + labels.label);
    if (!moves_.triples.empty() && labels.past >= 0)
        use(parameters_.triples, moves_.slot(labels.past, labels.last, labels.label));
}

double ChainLearner::crf(Longs order, const Step& step, Long tick, Cancel& cancel) {
    double loss = 0.0;
    for (const Long number : order) {
        cancel.poll();
        const TrainingChain& chain = chains_[number];
        const Long n = chain.end - chain.begin, start = start_of(chain);
        const auto now = static_cast<double>(tick++);
        fill(chain, step.margin);
        const double log_z = forward(lattice_, n, moves_, start);
        backward(lattice_, n, moves_, start);
        loss += log_z;
        for (Long k = 0; k < n; ++k) loss -= learn_word(chain, k, log_z, step, now);
        trigrams_.clear();
        for (Long k = 0; k < n; ++k) {
            const Trigram gold = gold_at(chain, k);
            loss -= transition(moves_, gold.past, gold.last, gold.label);
            find_slopes(chain, k, log_z);
        }
        // All slopes are known before the first weight of a transition changes.
        for (const TrigramSlope& found : trigrams_)
            visit(found.labels, [&](const learn::Parameters& parameters, Long place) {
                climb(parameters, place, found.slope, step, now);
            });
    }
    return loss;
}

// Makes a step on the features of word k of a chain, and returns the score of its gold label.
double ChainLearner::learn_word(const TrainingChain& chain, Long k, double log_z,
                                const Step& step, double tick) {
    const Long gold = gold_[chain.begin + k];
    double score = 0.0;
    labels_.clear();
    for (Long b = 0; b < lattice_.size(k); ++b) {
        double mass = 0.0;
        for (Long a = 0; a < lattice_.size(k - 1); ++a)
            mass += std::exp(lattice_.alpha(k, a, b) + lattice_.beta(k, a, b) - log_z);
        double slope = -mass;
        const Long label = lattice_.labels(k)[b];
        if (label == gold) {
            slope += 1.0;
            score = lattice_.scores(k)[b];
        }
        if (std::abs(slope) > least_slope) labels_.push_back({label, slope});
    }
    if (labels_.empty()) return score;
    find_rows(chain, chain.begin + k);
    for (const Long row : rows_)
        for (const LabelSlope& found : labels_)
            climb(parameters_.weights, row * parameters_.classes + found.label, found.slope, step,
                  tick);
    return score;
}

// Collects the slopes of the trigrams that end at word k of a chain.
void ChainLearner::find_slopes(const TrainingChain& chain, Long k, double log_z) {
    const Long start = start_of(chain);
    const Trigram gold = gold_at(chain, k);
    for (Long a = 0; a < lattice_.size(k - 1); ++a) {
        const Long last = lattice_.label(k - 1, a, start);
        for (Long b = 0; b < lattice_.size(k); ++b) {
            const Long label = lattice_.labels(k)[b];
            const double alpha = lattice_.alpha(k, a, b), beta = lattice_.beta(k, a, b);
            // alpha is a sum over z; each z has its share of the pair's posterior.
            const double rest = beta - log_z + lattice_.scores(k)[b];
            const bool pair = last == gold.last && label == gold.label;
            if (alpha + beta - log_z < least_log_mass && !pair) continue;
            for (Long z = 0; z < lattice_.size(k - 2); ++z) {
                const Long past = lattice_.label(k - 2, z, start);
                double value = rest + transition(moves_, past, last, label);
                if (k > 0) value += lattice_.alpha(k - 1, z, a);
                double slope = -std::exp(value);
                if (pair && past == gold.past) slope += 1.0;
                if (std::abs(slope) > least_slope) trigrams_.push_back({{past, last, label}, slope});
            }
        }
    }
}

double ChainLearner::perceptron(Longs order, float margin, Long tick, Cancel& cancel) {
    Long wrong = 0;
    for (const Long number : order) {
        cancel.poll();
        const TrainingChain& chain = chains_[number];
        const Long n = chain.end - chain.begin, start = start_of(chain);
        const auto now = static_cast<double>(tick++);
        fill(chain, margin);
        for (Long k = 0; k < n; ++k) extend(lattice_, k, moves_, start);
        trace(lattice_, n - 1, best_pair(lattice_, n), path_);
        for (Long k = 0; k < n; ++k) {
            const Trigram gold = gold_at(chain, k);
            const Trigram guess{k > 1 ? path_[k - 2] : start, k > 0 ? path_[k - 1] : start,
                                path_[k]};
            if (guess.label != gold.label) {
                ++wrong;
                find_rows(chain, chain.begin + k);
                for (const Long row : rows_) {
                    const Long first = row * parameters_.classes;
                    parameters_.weights.add(first + gold.label, 1.0, now);
                    parameters_.weights.add(first + guess.label, -1.0, now);
                }
            }
            if (guess.label == gold.label && guess.last == gold.last && guess.past == gold.past)
                continue;
            visit(gold, [&](const learn::Parameters& to, Long place) { to.add(place, 1.0, now); });
            visit(guess, [&](const learn::Parameters& to, Long place) { to.add(place, -1.0, now); });
        }
    }
    return static_cast<double>(wrong);
}

}  // namespace caesura::tag

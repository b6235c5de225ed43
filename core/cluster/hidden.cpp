#include "cluster/hidden.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace caesura::cluster {
namespace {

using Model = HiddenTables<const double>;

constexpr double smallest = 1e-300;

// The forward and backward probabilities of one sentence, by word and state; each word's forward
// probabilities are divided by their sum, its scale.
class ForwardBackward {
   public:
    ForwardBackward(const Model& model, Long longest)
        : model_(model),
          states_(std::ssize(model.start)),
          forth_(longest * states_),
          back_(longest * states_),
          scale_(longest),
          row_(states_) {}

    // Fills the forward probabilities; adds the logarithms of the scales to the total.
    void forward(Ints symbols, double& total) {
        for (Long t = 0; t < std::ssize(symbols); t++) {
            if (t == 0) {
                std::copy(model_.start.begin(), model_.start.end(), row_.begin());
            } else {
                std::fill(row_.begin(), row_.end(), 0.0);
                const double* last = forth(t - 1);
                for (Long before = 0; before < states_; before++)
                    if (last[before] > 0.0) add_row(last[before], model_.move[before]);
            }
            const Doubles emit = model_.emit[symbols[t]];
            double sum = 0.0;
            for (Long state = 0; state < states_; state++) {
                row_[state] *= emit[state];
                sum += row_[state];
            }
            scale_[t] = std::max(sum, smallest);
            for (Long state = 0; state < states_; state++)
                forth(t)[state] = row_[state] / scale_[t];
            total += std::log(scale_[t]);
        }
    }

    // Fills the backward probabilities and adds the expected counts.
    void backward(Ints symbols, const HiddenTables<double>& counts) {
        const Long size = std::ssize(symbols);
        std::fill_n(back(size - 1), states_, 1.0);
        for (Long t = size - 1; t >= 0; t--) {
            const double *here = back(t), *ahead = forth(t);
            const View<double> emitted = counts.emit[symbols[t]];
            for (Long state = 0; state < states_; state++)
                emitted[state] += ahead[state] * here[state];
            if (t == 0) {
                for (Long state = 0; state < states_; state++)
                    counts.start[state] += ahead[state] * here[state];
                return;
            }
            const Doubles emit = model_.emit[symbols[t]];
            for (Long state = 0; state < states_; state++)
                row_[state] = here[state] * emit[state] / scale_[t];
            for (Long before = 0; before < states_; before++)
                back(t - 1)[before] = hand_back(before, forth(t - 1)[before], counts.move[before]);
        }
    }

   private:
    double* forth(Long t) { return forth_.data() + t * states_; }
    double* back(Long t) { return back_.data() + t * states_; }

    void add_row(double weight, Doubles move) {
        for (Long state = 0; state < states_; state++) row_[state] += weight * move[state];
    }

    // The backward probability of a state; counts its moves.
    double hand_back(Long before, double weight, View<double> moved) {
        if (!(weight > 0.0)) return 0.0;
        const Doubles move = model_.move[before];
        double sum = 0.0;
        for (Long state = 0; state < states_; state++) {
            const double part = move[state] * row_[state];
            sum += part;
            moved[state] += weight * part;
        }
        return sum;
    }

    Model model_;
    Long states_;
    std::vector<double> forth_, back_, scale_, row_;
};

}  // namespace

Long Text::longest() const {
    Long most = 1;
    for (Long k = 0; k < size(); k++) most = std::max(most, starts[k + 1] - starts[k]);
    return most;
}

double expect_states(const Text& text, const Model& model, const HiddenTables<double>& counts,
                     Cancel& cancel) {
    ForwardBackward chart(model, text.longest());
    double total = 0.0;
    for (Long k = 0; k < text.size(); k++) {
        cancel.poll();
        const auto symbols = text.symbols.slice(text.starts[k], text.starts[k + 1]);
        if (symbols.empty()) continue;
        chart.forward(symbols, total);
        chart.backward(symbols, counts);
    }
    return total;
}

void best_states(const Text& text, const Model& logs, View<std::int32_t> found, Cancel& cancel) {
    const Long states = std::ssize(logs.start), longest = text.longest();
    std::vector<double> scores(longest * states);
    std::vector<std::int32_t> came(longest * states);
    const Matrix<double> score(scores.data(), longest, states);
    const Matrix<std::int32_t> from(came.data(), longest, states);
    for (Long k = 0; k < text.size(); k++) {
        cancel.poll();
        const Long at = text.starts[k], size = text.starts[k + 1] - at;
        if (size == 0) continue;
        for (Long state = 0; state < states; state++)
            score(0, state) = logs.start[state] + logs.emit(text.symbols[at], state);
        for (Long t = 1; t < size; t++) {
            for (Long state = 0; state < states; state++) {
                double best = -std::numeric_limits<double>::infinity();
                std::int32_t best_from = 0;
                for (Long before = 0; before < states; before++) {
                    const double value = score(t - 1, before) + logs.move(before, state);
                    if (value > best) {
                        best = value;
                        best_from = static_cast<std::int32_t>(before);
                    }
                }
                score(t, state) = best + logs.emit(text.symbols[at + t], state);
                from(t, state) = best_from;
            }
        }
        const View<double> ends = score[size - 1];
        Long last = std::max_element(ends.begin(), ends.end()) - ends.begin();
        for (Long t = size - 1; t >= 0; t--) {
            found[at + t] = static_cast<std::int32_t>(last);
            last = from(t, last);
        }
    }
}

}  // namespace caesura::cluster

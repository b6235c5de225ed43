// A column given the label: multinomial logistic regression among the values seen with the label.
// FEATS and lemma rules nearly follow from the word and its label, so they need no chain of their
// own. Every feature is combined with the label; column k of a row is the label's k-th value, which
// keeps rows short.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "base/view.h"
#include "learn/linear_table.h"
#include "tag/features.h"

namespace caesura::tag {

// The values that labels allow: those of label y are from bounds[y] to bounds[y + 1], the most
// frequent first.
struct LabelValues {
    Ints bounds, values;

    Long n_labels() const { return std::ssize(bounds) - 1; }
    Ints operator[](Long label) const {
        return values.slice(bounds[label], bounds[label + 1]);
    }
    Long widest() const;
};

// What the words alone decide about pairs of word type and label. `settled` is the best value of a
// pair that no context can change, -1 if its label has no values, and else `open`.
struct Alone {
    Floats2 scores;
    Ints settled;
};
constexpr std::int32_t open = -2;

// Labelled words of a batch, which share attributes with others of their types.
struct LabelledWords {
    Hashes2 attributes;
    Ints types;
    Ints own;      // the labels of the words in question
    Ints path;     // the labels that other words see of them
    Longs begins;   // where sentences begin, and the number of words
    Ints pairs;    // the pair of type and label of each word
};

class ConditionalClassifier {
   public:
    // A value that leads by more than `clear` by the word alone is taken without its context.
    // Throws DamagedModel if the parts do not fit together.
    ConditionalClassifier(const learn::LinearTable& table, LabelValues values,
                          std::vector<Template> own, std::vector<Template> context, double clear);

    Long n_labels() const { return values_.n_labels(); }
    Long width() const { return width_; }

    // Scores pairs of type and label by the word alone.
    void choose_alone(Hashes2 attributes, Ints types, Ints labels, Matrix<float> scores,
                      View<std::int32_t> settled) const;

    // Writes the best value of each word.
    void choose(const LabelledWords& words, const Alone& alone, View<std::int32_t> chosen,
                Cancel& cancel) const;

   private:
    const learn::LinearTable& table_;
    LabelValues values_;
    std::vector<Template> own_, context_;
    double clear_;
    Long width_;
};

}  // namespace caesura::tag

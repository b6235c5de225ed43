// Words to sub-words. A vocabulary is read-only, so threads may share one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"

namespace caesura::network_text {

// Of a word, at most so many sub-words are kept.
constexpr Long most_pieces = 64;

// Words as code points, one behind the other, in the normal form of the vocabulary.
struct WordForms {
    Codes text;
    Longs bounds;  // one more than words
    Flags blank;           // whether a blank stands before each word

    Long size() const { return std::ssize(blank); }
    Codes operator[](Long word) const {
        return text.slice(bounds[word], bounds[word + 1]);
    }
};

// The pieces of each word; those of word w are from first[w] to first[w + 1].
struct Pieces {
    std::vector<std::int32_t> numbers;
    std::vector<Long> first{0};
};

// All pieces of a vocabulary, found by the hash of their code points.
class PieceTable {
 public:
    // `bounds` has one more than pieces. Throws DamagedModel if a piece occurs twice.
    PieceTable(Codes text, Longs bounds);

    static constexpr std::uint64_t seed = 0xCBF29CE484222325ull;
    static std::uint64_t extended(std::uint64_t key, std::uint32_t code) {
        return (key ^ code) * 0x100000001B3ull;
    }

    Long size() const { return std::ssize(bounds_) - 1; }
    Long longest() const { return longest_; }
    // The number of the piece that consists of `prefix` and `part`, or -1. `key` is its hash.
    std::int32_t find(std::uint64_t key, Codes prefix, Codes part) const;
    std::int32_t find(Codes piece) const;

 private:
    std::uint64_t slot_of(std::uint64_t key) const { return (key ^ (key >> 29)) & mask_; }

    std::vector<std::uint32_t> text_;
    std::vector<Long> bounds_;
    std::vector<std::int32_t> slots_;  // the number of a piece and 1, or 0
    std::uint64_t mask_ = 0;
    Long longest_ = 0;
};

// Longest match from the left (Schuster & Nakajima 2012), as BERT has it.
class WordPiece {
 public:
    struct Options {
        std::vector<std::uint32_t> prefix;  // of pieces inside a word
        std::int32_t unknown;
        bool lowercase;
    };
    WordPiece(const PieceTable& table, Options options);

    // ASCII characters are normalised here; others are in normal form.
    Pieces cut(const WordForms& words) const;

 private:
    void add_part(Codes part, std::vector<std::uint64_t>& keys,
                  std::vector<std::int32_t>& out) const;

    const PieceTable& table_;
    Options options_;
    std::uint64_t prefix_key_;
};

// The pieces with the largest sum of scores (Kudo 2018, section 3.2), as SentencePiece has it.
class Unigram {
 public:
    // Pieces that are not `usable` occur in no text. `worst` is the score of an unknown character.
    Unigram(const PieceTable& table, std::vector<double> scores, std::vector<std::uint8_t> usable,
            std::int32_t unknown, double worst);

    Pieces cut(const WordForms& words) const;

 private:
    // The best piece that ends at a place, where it begins, and the sum up to there.
    struct Step {
        double sum = 0.0;
        std::int32_t piece = 0;
        Long begin = -1;
    };
    void add_part(Codes part, std::vector<Step>& steps, std::vector<std::int32_t>& out) const;

    const PieceTable& table_;
    std::vector<double> scores_;
    std::vector<std::uint8_t> usable_;
    std::int32_t unknown_;
    double worst_;
};

}  // namespace caesura::network_text

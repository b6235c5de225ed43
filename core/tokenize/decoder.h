// Characters in, decided tokens out: the state that a text leaves behind between its blocks.
//
// A token is decided when `window` characters after it are known, a sentence start when `ahead`
// tokens after it are, and at a line's beginning the lines that the layout depends on. What is
// decided never depends on how the text was cut into blocks.
#pragma once

#include <optional>
#include <vector>

#include "layout/reader.h"
#include "tokenize/boundaries.h"
#include "tokenize/hyphens.h"

namespace caesura::tokenize {

// What a tokeniser learned; shared by the decoders of all threads.
struct Model {
    text::CharacterTable characters;
    const Vocabulary& vocabulary;
    const Weights &cuts, &begins;
    bool layout;  // whether scores of starts were learned with what the layout says
};

struct DecoderOptions {
    double threshold = 0.5;
    bool weigh = true;     // whether evidence of sentence starts is needed
    bool numbers = false;  // whether blanks inside numbers are part of them
};

// Offsets at which sentences start, at which none does, and at which paragraphs start. With
// `all_starts` no sentence starts anywhere else.
struct Given {
    std::vector<Long> starts, no_starts, paragraphs;
    bool all_starts = false;

    bool decides() const { return all_starts || !starts.empty() || !no_starts.empty(); }
    bool has_start(Long offset) const;
    // 1, 0 or -1 (open) for a token that begins at an offset.
    std::int8_t at(Long offset) const;
};

// Tokens by offset, the probability of a sentence start at each, what the layout says, and which
// tokens a line end parts.
struct Decided {
    std::vector<Long> starts, ends;
    std::vector<float> evidence;
    std::vector<std::uint8_t> breaks;
    std::vector<std::uint8_t> hyphenated;

    void append(const Decided& more);
};

class Decoder {
   public:
    Decoder(const Model& model, const DecoderOptions& options, Given given);

    // Adds starts of text that is not decided.
    void start_at(Offsets offsets);
    // Takes the next characters, which are kept until they are decided.
    void take(Codes codes);
    // Decides about tokens as far as enough is known. `known` and `odds` are hints for the
    // characters that are kept (see Hints); `known` may be empty, and odds limit what is decided.
    Decided decide(Signs known, std::optional<Floats> odds, bool last);

    // The offset of the first character that is kept, and those characters.
    Long base() const { return base_; }
    Codes kept() const { return codes_; }
    // Tokens that are known but not decided.
    const Spans& held() const { return tokens_; }

   private:
    void find(Signs known, std::optional<Floats> odds, bool last);
    std::vector<std::int8_t> forced(Signs known, Offsets inside, Long shift, bool last) const;
    void forget();
    Decided settle(bool last);

    const Model& model_;
    DecoderOptions options_;
    Given given_;
    std::vector<std::uint32_t> codes_;
    std::size_t fresh_ = 0;  // how many of them are new
    text::PreparedText text_;
    Long base_ = 0, at_ = 0;  // offsets of the first code that is kept, and of the next
    Open open_;
    Position position_{0, 0};
    Joined joined_line_;
    Long joined_ = 0;  // tokens whose lines are joined where they are wrapped
    std::size_t paragraph_ = 0;  // given paragraphs that are behind
    std::vector<Mark> marks_;
    std::optional<layout::Reader> layout_;  // only of a text that comes in blocks
    std::vector<std::uint8_t> breaks_;  // of tokens that are not decided, as are these
    Spans tokens_;
    std::vector<Hyphenated> hyphenated_;
    StartState state_;
};

}  // namespace caesura::tokenize

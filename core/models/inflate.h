// Inflating the deflate stream (RFC 1951) of a model file, in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "base/view.h"

namespace caesura::models {

// A symbol that was found and the bits that its code takes, in one word.
class Found {
   public:
    Found() = default;  // nothing: of length 0
    Found(std::uint32_t length, std::uint32_t symbol)
        : word_(length | (symbol < 256 ? literal : 0) | symbol << 16) {}
    int length() const { return static_cast<int>(word_ & 0xFF); }
    bool is_literal() const { return (word_ & literal) != 0; }
    std::uint32_t symbol() const { return word_ >> 16; }

   private:
    static constexpr std::uint32_t literal = 256;
    std::uint32_t word_ = 0;
};

// A Huffman code with a table of all codes of at most `bits` bits.
template <int bits>
class HuffmanCode {
   public:
    // Takes the lengths of the codes of all symbols; 0 for none. Throws DamagedModel if there are
    // more codes than bits allow.
    void build(View<const std::uint8_t> lengths);
    // What the next bits of the stream are; of length 0 if the code is long, or damaged.
    Found find(std::uint64_t stream) const { return table_[stream & ((1u << bits) - 1)]; }
    // The same for a code of any length. Throws DamagedModel if there is none.
    Found find_long(std::uint64_t stream) const;

   private:
    std::array<Found, std::size_t{1} << bits> table_{};
    std::array<std::uint16_t, 16> counts_{};    // of codes, by length
    std::array<std::uint16_t, 288> symbols_{};  // in the order of their codes
};

// Writes the next bytes of a stream, at most so many; returns their number, 0 at the end.
using Source = std::function<std::size_t(std::uint8_t*, std::size_t)>;

// A stream as bits, the lowest bit of each byte first.
class Bits {
   public:
    static constexpr std::size_t read_at_a_time = 1 << 16;

    // The buffer has room for 8 bytes more than are read at a time.
    Bits(const Source& source, std::uint8_t* buffer)
        : source_(&source), buffer_(buffer), next_(buffer), end_(buffer) {}

    // Bits that were read but not used: at least 56 after this, except at the end.
    void refill() {
        if (end_ - next_ < 8 && !read_on()) return;
        std::uint64_t bytes;
        std::memcpy(&bytes, next_, 8);
        ahead_ |= bytes << n_ahead_;
        next_ += (63 - n_ahead_) >> 3;
        n_ahead_ |= 56;
    }
    std::uint64_t ahead() const { return ahead_; }
    // Uses some of them. If `overrun`, there were fewer.
    void use(int bits) {
        ahead_ >>= bits;
        n_ahead_ -= bits;
    }
    bool overrun() const { return n_ahead_ < 0; }
    // The next bits, at most 16. Throws DamagedModel at the end.
    std::uint32_t take(int bits);
    // Continues at a whole byte.
    void skip_to_byte() { use(n_ahead_ % 8); }

   private:
    // Reads until 8 bytes are there, or refills with what is left.
    bool read_on();

    const Source* source_;
    std::uint8_t *buffer_, *next_, *end_;
    std::uint64_t ahead_ = 0;
    int n_ahead_ = 0;
};

class Inflater {
   public:
    explicit Inflater(Source source);

    // Writes the next bytes and returns their number, which is smaller only at the end. Throws
    // DamagedModel if the stream is damaged or cut short.
    std::size_t read(View<std::uint8_t> out);

   private:
    enum class Block { none, stored, coded, last };

    void fill_window();
    void begin_block();
    void read_codes();
    void decode();
    void copy_stored();

    Source source_;
    std::unique_ptr<std::uint8_t[]> buffer_;
    Bits bits_;
    bool is_last_ = false;  // block
    Block block_ = Block::none;
    std::size_t stored_ = 0;  // bytes left of a stored block
    HuffmanCode<11> symbols_;
    HuffmanCode<8> distances_;
    std::unique_ptr<std::uint8_t[]> window_;
    std::size_t written_ = 0, taken_ = 0;  // of the window
};

}  // namespace caesura::models

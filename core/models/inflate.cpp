#include "models/inflate.h"

#include <algorithm>
#include <cstring>

#include "base/errors.h"

namespace caesura::models {
namespace {

constexpr std::size_t history = 1 << 15;       // bytes that a match may look back
constexpr std::size_t window = history + (1 << 17);
constexpr std::size_t longest = 258;           // match
constexpr std::size_t spare = longest + 16;  // bytes that a step may write beyond the window
constexpr std::uint32_t end_of_block = 256;
constexpr int most_length = 15;

// The least lengths and distances of their symbols, and the bits that add to them.
constexpr std::array<std::uint16_t, 29> lengths{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,
                                                15, 17, 19, 23, 27, 31, 35, 43, 51,  59,
                                                67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> length_bits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::uint32_t n_distances = 30;

void check(bool holds) {
    if (!holds) throw DamagedModel("the arrays of the model cannot be unpacked");
}

std::size_t low(std::uint64_t value, int bits) { return value & ((std::uint64_t{1} << bits) - 1); }

}  // namespace

template <int bits>
void HuffmanCode<bits>::build(View<const std::uint8_t> lengths) {
    counts_.fill(0);
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<std::uint16_t, most_length + 2> first{}, at{};
    std::uint32_t code = 0;
    for (std::size_t n = 1; n <= most_length; ++n) {
        first[n] = static_cast<std::uint16_t>(code);
        at[n + 1] = at[n] + counts_[n];
        code += counts_[n];
        check(code <= 1u << n);
        code <<= 1;
    }
    table_.fill({});
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        const std::uint8_t length = lengths.data()[symbol];
        if (length == 0) continue;
        symbols_[at[length]++] = static_cast<std::uint16_t>(symbol);
        const std::uint32_t own = first[length]++;
        if (length > bits) continue;
        std::uint32_t reversed = 0;
        for (int k = 0; k < length; ++k) reversed |= (own >> k & 1) << (length - 1 - k);
        const Found found(length, static_cast<std::uint32_t>(symbol));
        for (std::size_t i = reversed; i < table_.size(); i += std::size_t{1} << length)
            table_[i] = found;
    }
}

template <int bits>
Found HuffmanCode<bits>::find_long(std::uint64_t stream) const {
    std::uint32_t code = 0, first = 0, at = 0;
    for (std::uint32_t length = 1; length <= most_length; ++length) {
        code |= stream & 1;
        stream >>= 1;
        if (code - first < counts_[length]) {
            const std::uint32_t symbol = symbols_[at + code - first];
            return {length, symbol};
        }
        at += counts_[length];
        first = (first + counts_[length]) << 1;
        code <<= 1;
    }
    throw DamagedModel("the arrays of the model cannot be unpacked");
}

bool Bits::read_on() {
    std::size_t n = static_cast<std::size_t>(end_ - next_), read = 1;
    std::memmove(buffer_, next_, n);
    for (next_ = buffer_; n < 8 && read > 0; n += read) read = (*source_)(buffer_ + n, read_at_a_time);
    end_ = buffer_ + n;
    if (n >= 8) return true;
    for (; n_ahead_ < 56 && next_ < end_; n_ahead_ += 8) ahead_ |= std::uint64_t{*next_++} << n_ahead_;
    return false;
}

std::uint32_t Bits::take(int bits) {
    if (n_ahead_ < bits) refill();
    const std::size_t found = low(ahead_, bits);
    use(bits);
    check(!overrun());
    return static_cast<std::uint32_t>(found);
}

Inflater::Inflater(Source source)
    : source_(std::move(source)),
      buffer_(new std::uint8_t[Bits::read_at_a_time + 8]),
      bits_(source_, buffer_.get()),
      window_(new std::uint8_t[window + spare]) {}

std::size_t Inflater::read(View<std::uint8_t> out) {
    std::size_t done = 0;
    while (done < out.size()) {
        if (taken_ == written_) fill_window();
        if (taken_ == written_) break;
        const std::size_t n = std::min(out.size() - done, written_ - taken_);
        std::memcpy(out.data() + done, window_.get() + taken_, n);
        done += n;
        taken_ += n;
    }
    return done;
}

void Inflater::fill_window() {
    if (written_ > history) {
        std::memmove(window_.get(), window_.get() + written_ - history, history);
        taken_ = written_ = history;
    }
    while (written_ < window && block_ != Block::last) {
        if (block_ == Block::none) begin_block();
        block_ == Block::stored ? copy_stored() : decode();
    }
}

void Inflater::begin_block() {
    is_last_ = bits_.take(1) != 0;
    const std::uint32_t kind = bits_.take(2);
    check(kind < 3);
    if (kind == 0) {
        bits_.skip_to_byte();
        stored_ = bits_.take(16);
        check((stored_ ^ bits_.take(16)) == 0xFFFF);
    } else if (kind == 1) {
        std::array<std::uint8_t, 288> fixed;
        for (std::size_t n = 0; n < fixed.size(); ++n)
            fixed[n] = n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8;
        symbols_.build(fixed);
        std::fill_n(fixed.begin(), n_distances, std::uint8_t{5});
        distances_.build({fixed.data(), n_distances});
    } else {
        read_codes();
    }
    block_ = kind == 0 ? Block::stored : Block::coded;
}

void Inflater::read_codes() {
    const std::size_t n_symbols = bits_.take(5) + 257, n_far = bits_.take(5) + 1;
    const std::size_t n_codes = bits_.take(4) + 4;
    constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 320> read{};
    for (std::size_t k = 0; k < n_codes; ++k)
        read[order[k]] = static_cast<std::uint8_t>(bits_.take(3));
    distances_.build({read.data(), order.size()});  // for once the code of code lengths
    std::uint8_t previous = 0;
    for (std::size_t k = 0; k < n_symbols + n_far;) {
        bits_.refill();
        const Found found = distances_.find_long(bits_.ahead());
        bits_.take(found.length());
        std::size_t repeats = 1;
        if (found.symbol() < 16) previous = static_cast<std::uint8_t>(found.symbol());
        if (found.symbol() == 16) check(k > 0), repeats = 3 + bits_.take(2);
        if (found.symbol() == 17) previous = 0, repeats = 3 + bits_.take(3);
        if (found.symbol() == 18) previous = 0, repeats = 11 + bits_.take(7);
        check(k + repeats <= n_symbols + n_far);
        std::fill_n(read.begin() + static_cast<std::ptrdiff_t>(k), repeats, previous);
        k += repeats;
    }
    check(n_symbols <= 286);
    symbols_.build({read.data(), n_symbols});
    distances_.build({read.data() + n_symbols, n_far});
}

// Decodes symbols until the window is full or the block ends.
void Inflater::decode() {
    Bits bits = bits_;  // in registers
    std::uint8_t* const begin = window_.get();
    std::uint8_t* const end = begin + window;
    std::uint8_t* to = begin + written_;
    while (to < end) {
        bits.refill();
        Found found = symbols_.find(bits.ahead());
        // Four entries of 11 bits leave enough for another one to be found.
        for (int k = 0; k < 4 && found.is_literal(); ++k) {
            *to++ = static_cast<std::uint8_t>(found.symbol());
            bits.use(found.length());
            found = symbols_.find(bits.ahead());
        }
        check(!bits.overrun());
        if (found.is_literal()) continue;
        bits.refill();
        if (found.length() == 0) found = symbols_.find_long(bits.ahead());
        bits.use(found.length());
        check(!bits.overrun());
        if (found.symbol() < end_of_block) {
            *to++ = static_cast<std::uint8_t>(found.symbol());
            continue;
        }
        if (found.symbol() == end_of_block) {
            block_ = is_last_ ? Block::last : Block::none;
            break;
        }
        const std::size_t kind = found.symbol() - end_of_block - 1;
        check(kind < lengths.size());
        const std::size_t length = lengths[kind] + low(bits.ahead(), length_bits[kind]);
        bits.use(length_bits[kind]);
        Found far = distances_.find(bits.ahead());
        if (far.length() == 0) far = distances_.find_long(bits.ahead());
        bits.use(far.length());
        check(far.symbol() < n_distances);
        const int more = std::max(0, static_cast<int>(far.symbol() / 2) - 1);
        const std::size_t least = more > 0 ? (2u + far.symbol() % 2) << more : far.symbol();
        const std::size_t distance = least + 1 + low(bits.ahead(), more);
        bits.use(more);
        check(!bits.overrun() && distance <= static_cast<std::size_t>(to - begin));
        const std::uint8_t* const from = to - distance;
        if (distance >= 8)
            for (std::size_t k = 0; k < length; k += 8) std::memcpy(to + k, from + k, 8);
        else
            for (std::size_t k = 0; k < length; ++k) to[k] = from[k];
        to += length;
    }
    written_ = static_cast<std::size_t>(to - begin);
    bits_ = bits;
}

void Inflater::copy_stored() {
    for (; stored_ > 0 && written_ < window; --stored_)
        window_[written_++] = static_cast<std::uint8_t>(bits_.take(8));
    if (stored_ == 0) block_ = is_last_ ? Block::last : Block::none;
}

}  // namespace caesura::models

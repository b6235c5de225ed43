#include "parse/compact.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/errors.h"

namespace caesura::parse {
namespace {

// The largest exponent of a row: 127 << 14 a thousand times still fits into 32 bits.
constexpr int most_shift = 14;
// Columns that a byte can name.
constexpr Long narrow = 256;

void check(bool holds) {
    if (!holds) throw DamagedModel("the parser's weights are not a table of bytes");
}

// The number of full rows that have more weights than each number; last, that of short ones.
std::vector<Long> first_rows(const learn::SparseRows& rows, Long width, Long most) {
    std::vector<Long> firsts(static_cast<std::size_t>(width) + 1);
    for (Long r = 0; r < std::ssize(rows.exponent); ++r) {
        const Long count = rows.count(r);
        if (count > most)
            ++firsts[static_cast<std::size_t>(count - 1)];
        else if (count > Entry::held)
            ++firsts.back();
    }
    for (std::size_t least = static_cast<std::size_t>(width) - 1; least-- > 0;)
        firsts[least] += firsts[least + 1];
    return firsts;
}

}  // namespace

CompactRows::CompactRows(const learn::SparseRows& rows, Long width) : width_(width) {
    const std::size_t n = rows.exponent.size();
    check(n > 0 && (n & (n - 1)) == 0 && n <= 1u << 31);
    check(width >= 32 && width % 32 == 0);
    check(rows.value16.empty() && rows.fit(static_cast<std::uint32_t>(width) - 1));
    for (const std::uint8_t column : rows.column8) check(column < width - 1);
    for (const std::uint16_t column : rows.column16) check(column < width - 1);
    int top = 0;
    for (const std::int8_t exponent : rows.exponent) top = std::max<int>(top, exponent);
    lay_out(rows, top - most_shift);
    unit_ = std::ldexp(1.0, top - most_shift);
}

CompactRows::CompactRows(Long size, Codes numbers, Matrix<const std::int8_t> table, double unit)
    : width_(static_cast<Long>(table.columns())) {
    const std::size_t n = static_cast<std::size_t>(size), last = table.columns() - 1;
    check(size > 0 && (n & (n - 1)) == 0 && table.columns() >= 32 && table.columns() % 32 == 0);
    check(numbers.size() == table.rows() && numbers.size() <= n);
    std::vector<std::uint16_t> counts(n), columns;
    std::vector<std::int8_t> values, exponents(n);
    std::size_t at = 0;
    for (std::size_t r = 0; r < n; ++r) {
        if (at < numbers.size() && numbers.data()[at] == r) {
            const std::size_t before = columns.size();
            const std::int8_t* row = table.data() + at++ * table.columns();
            for (std::size_t a = 0; a < last; ++a) {
                if (row[a] == 0) continue;
                columns.push_back(static_cast<std::uint16_t>(a));
                values.push_back(row[a]);
            }
            counts[r] = static_cast<std::uint16_t>(columns.size() - before);
            exponents[r] = row[last];
            check(row[last] >= 0 && row[last] <= most_shift);
        }
    }
    check(at == numbers.size());
    lay_out({{}, counts, {}, columns, values, {}, exponents}, 0);
    unit_ = unit;
}

void CompactRows::lay_out(const learn::SparseRows& rows, int lowest) {
    const bool has_shorts = width_ <= narrow;
    const Long most = has_shorts ? ShortRow::held : 0;
    auto firsts = first_rows(rows, width_, most);
    const Long n_full = firsts[0];
    lookup_ = Aligned<std::uint64_t>(rows.exponent.size());
    full_ = Aligned<std::int8_t>(static_cast<std::size_t>(n_full * width_));
    shorts_ = Aligned<ShortRow>(has_shorts ? static_cast<std::size_t>(firsts.back()) : 0);
    auto column = [&](Long at) -> std::uint64_t {
        return rows.column16.empty() ? rows.column8[at] : rows.column16[at];
    };
    std::uint64_t n_shorts = 0;
    for (Long r = 0, first = 0, count; r < size(); ++r, first += count) {
        count = rows.count(r);
        int shift = rows.exponent[r] - lowest;
        // A row much smaller than the largest loses the last bits of its values.
        const int lost = std::max(-shift, 0);
        shift = std::max(shift, 0);
        auto value = [&](Long k) -> std::int8_t {
            const std::int8_t whole = rows.value8[first + k];
            if (lost == 0) return whole;
            return static_cast<std::int8_t>(std::rint(std::ldexp(whole, -lost)));
        };
        auto byte = [&](Long k) -> std::uint64_t {
            return static_cast<std::uint8_t>(value(k));
        };
        std::uint64_t entry = static_cast<std::uint64_t>(shift) << Entry::exponent;
        if (count > most) {
            // Rows of more weights come before it, and those of as many that were met before.
            const Long number = firsts[static_cast<std::size_t>(count)]++;
            std::int8_t* row = full_.data() + number * width_;
            int highest = 0;
            for (Long k = 0; k < count; ++k) {
                row[column(first + k)] = value(k);
                highest = std::max(highest, std::abs(static_cast<int>(value(k))));
            }
            row[width_ - 1] = static_cast<std::int8_t>(shift);
            entry |= static_cast<std::uint64_t>(highest << shift) << Entry::highest;
            entry |= Entry::full | static_cast<std::uint64_t>(number);
        } else if (count > Entry::held) {
            ShortRow& row = shorts_.data()[n_shorts];
            for (Long k = 0; k < ShortRow::held; ++k) {
                // Places without a weight add 0 to columns that differ, so that no addition waits.
                const std::uint64_t spare = (n_shorts + static_cast<std::uint64_t>(k) * 5) %
                                            static_cast<std::uint64_t>(width_);
                row.columns |= (k < count ? column(first + k) : spare) << (8 * k);
                if (k < count) row.values |= byte(k) << (8 * k);
            }
            entry |= Entry::in_short | n_shorts++;
        } else {
            for (Long k = 0; k < Entry::held; ++k) {
                const auto spare = static_cast<std::uint64_t>((r + k * 5) % std::min(width_, narrow));
                entry |= (k < count ? column(first + k) : spare) << (8 * k);
                if (k < count) entry |= byte(k) << (Entry::values + 8 * k);
            }
        }
        lookup_.data()[r] = entry;
    }
}

void CompactRows::unfold(Long row, std::int8_t* out) const {
    const Entry entry(lookup()[row]);
    if (entry.is_full()) {
        std::memcpy(out, full() + static_cast<Long>(entry.number()) * width_,
                    static_cast<std::size_t>(width_));
        return;
    }
    std::uint64_t columns = entry.bits(), values = columns >> Entry::values;
    if (entry.is_short()) {
        columns = shorts()[entry.number()].columns;
        values = shorts()[entry.number()].values;
    }
    std::memset(out, 0, static_cast<std::size_t>(width_));
    for (int k = 0; k < (entry.is_short() ? ShortRow::held : Entry::held); ++k) {
        const auto value = static_cast<std::int8_t>(values >> (8 * k) & 0xFF);
        if (value != 0) out[columns >> (8 * k) & 0xFF] = value;
    }
    out[width_ - 1] = static_cast<std::int8_t>(entry.shift());
}

CompactRows::Filled CompactRows::filled() const {
    Filled found;
    const auto width = static_cast<std::size_t>(width_);
    for (Long r = 0; r < size(); ++r) {
        const Entry entry(lookup()[r]);
        if (entry.is_empty()) continue;
        found.numbers.push_back(static_cast<std::uint32_t>(r));
        found.table.resize(found.table.size() + width);
        unfold(r, found.table.data() + found.table.size() - width);
    }
    return found;
}

void CompactRows::sum(View<std::uint64_t> rows, std::int32_t* sums) const {
    for (const std::uint64_t row : rows) prefetch(lookup() + row);
    Long n_full = 0, n = std::ssize(rows);
    std::uint64_t most = 0;
    // Full rows come first, as numbers; the entries of the others keep their place or move behind.
    for (Long k = 0; k < n; ++k) {
        const Entry entry(lookup()[rows[k]]);
        if (entry.is_full()) {
            prefetch(full() + static_cast<Long>(entry.number()) * width_);
            most += entry.most();
            rows[k] = rows[n_full];
            rows[n_full++] = entry.number();
        } else {
            if (entry.is_short()) prefetch(shorts() + entry.number());
            rows[k] = entry.bits();
        }
    }
    const RowFunctions& functions = row_functions();
    (most < 1 << 15 ? functions.sum_low_bytes : functions.sum_bytes)(full(), width_, rows.data(),
                                                                     n_full, sums);
    for (Long k = n_full; k < n; ++k) {
        const Entry entry(rows[k]);
        if (entry.is_short())
            add_short(entry, sums);
        else
            add_entry(entry, sums);
    }
}

}  // namespace caesura::parse

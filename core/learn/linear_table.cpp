#include "learn/linear_table.h"

#include "base/errors.h"

namespace caesura::learn {
namespace {

// Powers of two, by the exponent of a row plus 128.
constexpr auto scales = [] {
    std::array<float, 256> table{};
    table[128] = 1.0f;
    for (std::size_t i = 129; i < 256; ++i) table[i] = table[i - 1] * 2.0f;
    for (std::size_t i = 128; i-- > 0;) table[i] = table[i + 1] * 0.5f;
    return table;
}();

// Larger scales could give sums that are not finite.
constexpr int most_exponent = 64;

void check(bool holds) {
    if (!holds) throw DamagedModel("a table of the model has the wrong shape");
}

template <class Column>
void check_columns(View<const Column> columns, Long width) {
    for (const Column column : columns) check(column < width);
}

template <class Column, class Value>
void add_weights(View<const Column> columns, View<const Value> values, float scale, float* scores) {
    for (std::size_t i = 0; i < columns.size(); ++i)
        scores[columns[i]] += static_cast<float>(values[i]) * scale;
}

}  // namespace

bool SparseRows::fit(std::uint32_t most) const {
    const std::size_t n = column8.size() + column16.size();
    if (count8.size() + count16.size() != exponent.size()) return false;
    if (!column8.empty() && !column16.empty()) return false;
    if (!value8.empty() && !value16.empty()) return false;
    std::uint64_t total = 0;
    bool low = true;
    for (Long row = 0; row < std::ssize(exponent); ++row) {
        total += count(row);
        low &= count(row) <= most;
    }
    return low && total == n && n >> 32 == 0 && value8.size() + value16.size() == n;
}

LinearTable::LinearTable(Codes keys, const SparseRows& rows, Long width)
    : index_(keys), rows_(rows), width_(width) {
    check(rows.exponent.size() == keys.size() && rows.fit(1 << 16));
    check_columns(rows.column8, width);
    check_columns(rows.column16, width);
    for (const std::int8_t exponent : rows.exponent) check(exponent <= most_exponent);
    begin_.resize(keys.size() + 1);
    for (std::size_t row = 0; row < keys.size(); ++row)
        begin_[row + 1] = begin_[row] + rows.count(static_cast<Long>(row));
}

void LinearTable::add_row(const Term& term) const {
    const auto [row, scores] = term;
    const float scale = scales[static_cast<std::size_t>(rows_.exponent[row] + 128)];
    const Long first = begin_.data()[row], last = begin_.data()[row + 1];
    if (rows_.column16.empty()) {
        if (rows_.value16.empty())
            add_weights(rows_.column8.slice(first, last), rows_.value8.slice(first, last), scale,
                        scores);
        else
            add_weights(rows_.column8.slice(first, last), rows_.value16.slice(first, last), scale,
                        scores);
    } else if (rows_.value16.empty()) {
        add_weights(rows_.column16.slice(first, last), rows_.value8.slice(first, last), scale,
                    scores);
    } else {
        add_weights(rows_.column16.slice(first, last), rows_.value16.slice(first, last), scale,
                    scores);
    }
}

void LinearTable::add(Hashes2 hashes, View<Term> terms, View<float* const> scores) const {
    const Hashes all(hashes.data(), hashes.rows() * hashes.columns());
    for (const std::uint64_t hash : all) index_.prefetch_bucket(key_of(hash));
    for (const std::uint64_t hash : all) index_.prefetch_key(key_of(hash));
    Long n = 0;
    for (Long word = 0; word < static_cast<Long>(hashes.rows()); ++word)
        for (const std::uint64_t hash : hashes[word]) {
            const Long row = hash != 0 ? index_.find(key_of(hash)) : -1;
            terms[n] = {row, scores[word]};
            if (row < 0) continue;
            ++n;
            prefetch(begin_.data() + row);
            prefetch(rows_.exponent.data() + row);
        }
    for (Long k = 0; k < n; ++k) {
        const std::uint32_t at = begin_.data()[terms[k].row];
        if (rows_.column16.empty())
            prefetch(rows_.column8.data() + at);
        else
            prefetch(rows_.column16.data() + at);
        if (rows_.value16.empty())
            prefetch(rows_.value8.data() + at);
        else
            prefetch(rows_.value16.data() + at);
    }
    for (Long k = 0; k < n; ++k) add_row(terms[k]);
}

}  // namespace caesura::learn

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
void check_columns(View<const Column> columns, std::int64_t width) {
    for (const Column column : columns) check(column < width);
}

template <class Column, class Value>
void add_weights(View<const Column> columns, View<const Value> values, float scale,
                 float* scores) {
    for (std::size_t i = 0; i < columns.size(); ++i)
        scores[columns[i]] += static_cast<float>(values[i]) * scale;
}

}  // namespace

LinearTable::LinearTable(View<const std::uint32_t> keys, const SparseRows& rows,
                         std::int64_t width)
    : index_(keys), rows_(rows), width_(width) {
    const std::size_t n = rows.column8.size() + rows.column16.size();
    check(rows.begin.size() == keys.size() + 1 && rows.exponent.size() == keys.size());
    check(rows.column8.empty() || rows.column16.empty());
    check(rows.value8.empty() || rows.value16.empty());
    check(rows.value8.size() + rows.value16.size() == n);
    std::uint32_t last = 0;
    for (const std::uint32_t begin : rows.begin) {
        check(begin >= last && begin <= n);
        last = begin;
    }
    check_columns(rows.column8, width);
    check_columns(rows.column16, width);
    for (const std::int8_t exponent : rows.exponent) check(exponent <= most_exponent);
}

void LinearTable::add_row(const Term& term) const {
    const auto [row, scores] = term;
    const float scale = scales[static_cast<std::size_t>(rows_.exponent[row] + 128)];
    const std::int64_t first = rows_.begin[row], last = rows_.begin[row + 1];
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

void LinearTable::add(Matrix<const std::uint64_t> hashes, View<Term> terms,
                      View<float* const> scores) const {
    const View<const std::uint64_t> all(hashes.data(), hashes.rows() * hashes.columns());
    for (const std::uint64_t hash : all) index_.prefetch_bucket(key_of(hash));
    for (const std::uint64_t hash : all) index_.prefetch_key(key_of(hash));
    std::int64_t n = 0;
    for (std::int64_t word = 0; word < static_cast<std::int64_t>(hashes.rows()); ++word)
        for (const std::uint64_t hash : hashes[word]) {
            const std::int64_t row = hash != 0 ? index_.find(key_of(hash)) : -1;
            terms[n] = {row, scores[word]};
            if (row < 0) continue;
            ++n;
            prefetch(rows_.begin.data() + row);
            prefetch(rows_.exponent.data() + row);
        }
    for (std::int64_t k = 0; k < n; ++k) {
        const std::uint32_t at = rows_.begin[terms[k].row];
        if (rows_.column16.empty())
            prefetch(rows_.column8.data() + at);
        else
            prefetch(rows_.column16.data() + at);
        if (rows_.value16.empty())
            prefetch(rows_.value8.data() + at);
        else
            prefetch(rows_.value16.data() + at);
    }
    for (std::int64_t k = 0; k < n; ++k) add_row(terms[k]);
}

}  // namespace caesura::learn

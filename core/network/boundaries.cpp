#include "network/boundaries.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace caesura::network {
namespace {

constexpr Long block = 64;  // places that are scored together

}  // namespace

WordBoundaries::WordBoundaries(Floats2 first, Floats bias, Floats second)
    : kernels_(best_kernels()),
      inputs_(static_cast<Long>(first.rows())),
      hidden_(static_cast<Long>(first.columns())) {
    const auto finite = [](const float* values, std::size_t n) {
        return std::all_of(values, values + n, [](float one) { return std::isfinite(one); });
    };
    if (inputs_ < 1 || inputs_ % (2 * kNear) != 0 || hidden_ < 1 || bias.size() != index(hidden_) ||
        second.size() != index(hidden_ + 1) ||
        !finite(first.data(), first.rows() * first.columns()) ||
        !finite(bias.data(), bias.size()) || !finite(second.data(), second.size()))
        throw DamagedModel("its weights of word boundaries do not fit");
    first_ = arena_.get<float>(index((hidden_ + 15) / 16 * 16 * inputs_));
    bias_ = arena_.get<float>(index(hidden_));
    second_ = arena_.get<float>(index(hidden_ + 1));
    for (Long i = 0; i < inputs_; ++i)
        for (Long j = 0; j < hidden_; ++j)
            first_[(j / 16 * inputs_ + i) * 16 + j % 16] = first(i, j);
    std::copy(bias.begin(), bias.end(), bias_);
    std::copy(second.begin(), second.end(), second_);
}

void WordBoundaries::odds(Floats2 vectors, View<float> out, Cancel& cancel) const {
    const auto n = static_cast<Long>(vectors.rows());
    const Long width = inputs_ / (2 * kNear);
    Buffer<float> left, right;
    float* near = left.get(index((block + kSpareRows) * inputs_));
    float* hidden = right.get(index(block * hidden_));
    for (Long begin = 0; begin < n; begin += block) {
        cancel.poll();
        const Long m = std::min(block, n - begin);
        for (Long i = 0; i < m; ++i)
            for (Long k = 0; k < 2 * kNear; ++k) {
                const Long at = begin + i + k - kNear;
                float* to = near + i * inputs_ + k * width;
                if (at < 0 || at >= n)
                    std::fill_n(to, width, 0.0f);
                else
                    std::copy_n(vectors[at].data(), width, to);
            }
        kernels_.cross(near, static_cast<int>(m), first_, static_cast<int>(hidden_),
                       static_cast<int>(inputs_), hidden, static_cast<int>(hidden_));
        for (Long i = 0; i < m; ++i) {
            const float* row = hidden + i * hidden_;
            float sum = 0.0f;
            for (Long j = 0; j < hidden_; ++j)
                sum += std::max(row[j] + bias_[j], 0.0f) * second_[j];
            out[begin + i] = sum + second_[hidden_];
        }
    }
}

}  // namespace caesura::network

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "network/network.h"

namespace caesura::network {
namespace {

constexpr Long block = 64;  // arcs whose labels are scored together

}  // namespace

LabelScorer::LabelScorer(Floats weights, Long size, Long labels)
    : kernels_(best_kernels()), size_(size), labels_(labels) {
    if (size < 1 || labels < 1 || size > 4096 || labels > 65536 ||
        weights.size() != index((size + 1) * labels * (size + 1)))
        throw DamagedModel("its label weights have the wrong shape");
    for (const float weight : weights)
        if (!std::isfinite(weight)) throw DamagedModel("its label weights are not finite");
    // A column for each label and each number of the head's vector, the last of which is 1. The
    // last row is the bias.
    const std::size_t width = index(size + 1), columns = index(labels) * width;
    std::vector<std::int8_t> rounded(index(size) * columns);
    std::vector<float> scale(columns, 1e-12f);
    for (std::size_t i = 0; i < rounded.size(); ++i)
        scale[i % columns] = std::max(scale[i % columns], std::fabs(weights.data()[i]));
    for (float& one : scale) one /= 127.0f;
    for (std::size_t i = 0; i < rounded.size(); ++i)
        rounded[i] = static_cast<std::int8_t>(
            std::nearbyint(weights.data()[i] / scale[i % columns]));
    stride_ = padded(size + 1);
    product_ = new_product(arena_, padded(size), static_cast<int>(labels) * stride_);
    const Source source{rounded.data(), scale.data(), weights.data() + rounded.size(),
                        static_cast<int>(size), static_cast<int>(columns)};
    std::vector<int> own(index(stride_), -1);
    for (int label = 0; label < labels; ++label) {
        for (std::size_t i = 0; i < width; ++i) own[i] = label * static_cast<int>(width) + i;
        fill(product_, kernels_.group, label * stride_, source,
             numbered(static_cast<int>(size), product_.in), own);
    }
}

void LabelScorer::scores(Floats2 dependents, Floats2 heads, Floats root, Ints head,
                         const std::vector<Long>* chosen, Matrix<float> out, Cancel& cancel) const {
    const auto lease = pool_.borrow();
    Workspace& space = *lease;
    const Product* product = &product_;
    if (chosen != nullptr) {
        std::vector<Long> columns;
        for (const Long label : *chosen)
            for (int i = 0; i < stride_; ++i) columns.push_back(label * stride_ + i);
        product = &space.chosen.of(product_, kernels_.group, std::move(columns));
    }
    const Long n = std::ssize(head);
    const std::size_t in = index(product->in), stride = index(stride_);
    float* left = space.dependents.get(index(block) * in);
    float* right = space.heads.get(index(block) * stride);
    const Rows rows = space.rows.get(index(block), in);
    for (Long first = 0; first < n; first += block) {
        cancel.poll();
        const Long m = std::min(block, n - first);
        for (Long i = 0; i < m; ++i) {
            const std::int32_t own = head[first + i];
            const Floats vector = own < 0 ? root : heads[own];
            std::copy_n(dependents[first + i].data(), size_, left + index(i) * in);
            float* to = right + index(i) * stride;
            std::copy_n(vector.data(), size_, to);
            to[size_] = 1.0f;
        }
        const int columns = static_cast<int>(out.columns());
        float* to = out.data() + first * columns;
        std::fill(to, to + m * columns, 0.0f);
        kernels_.round(left, static_cast<int>(m), product->in, product->in, nullptr, rows);
        kernels_.compare(*product, rows, static_cast<int>(m), right, stride_, to, columns);
    }
}

}  // namespace caesura::network

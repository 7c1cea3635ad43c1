// How are samples moved between layouts, and gradients between buffers? Loops over plain float arrays.
#pragma once

#include <cstdint>

#include "n2d2/tensor/tensor.hpp"

namespace n2d2::compute {

/// Copies `count` samples of `shape` (batch extent ignored) from one layout to another.
void copy_samples(const float* src, Layout src_layout, float* dst, Layout dst_layout, const Shape& shape,
                  int64_t count);

/// dst[i] += src[i].
void add(const float* src, float* dst, int64_t count);

/// y clamped in place.
void apply_clamp(const Clamp& clamp, float* y, int64_t count);

/// Zeroes the gradient where y lies on or outside a bound: the derivative of the clamp that gave y.
void mask_gradient(const Clamp& clamp, const float* y, float* gradient, int64_t count);

/// Values of one sample.
inline int64_t sample_size(const Shape& shape) {
  return shape.c() * shape.h() * shape.w();
}

}  // namespace n2d2::compute

// What is done to every pixel with numbers a channel? Loops over [pixels][channels] that the compiler
// vectorises, once for each instruction set.
#pragma once

#include <cstdint>

#include "n2d2/tensor/quant_params.hpp"

namespace n2d2::compute::onednn {

/// sum[c] = sum of x - pivot[c], squares[c] = sum of (x - pivot[c])^2.
void channel_moments(const float* x, const float* pivot, int64_t pixels, int64_t channels, double* sum,
                     double* squares);

/// y = factor[c] (x - mean[c]) + offset[c], clamped.
void channel_affine(const float* x, const float* mean, const float* factor, const float* offset, Clamp clamp,
                    int64_t pixels, int64_t channels, float* y);

/// Gradients d count where y is inside the clamp: sum[c] = sum of d, product[c] = sum of d (x - mean[c]).
void channel_gradient_sums(const float* d, const float* y, Clamp clamp, const float* x, const float* mean,
                           int64_t pixels, int64_t channels, double* sum, double* product);

/// d_x = factor[c] d + slope[c] (x - mean[c]) + offset[c], d as above.
void channel_gradient(const float* d, const float* y, Clamp clamp, const float* x, const float* mean,
                      const float* factor, const float* slope, const float* offset, int64_t pixels,
                      int64_t channels, float* d_x);

/// y = weight[c] x + shift[c], or y += when `adds`.
void channel_weighted(const float* x, const float* weight, const float* shift, bool adds, int64_t pixels,
                      int64_t channels, float* y);

}  // namespace n2d2::compute::onednn

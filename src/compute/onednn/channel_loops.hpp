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

/// Gradients d count where channel_affine of the same x is inside the clamp; computing it again is faster
/// than reading it. sum[c] = sum of d, product[c] = sum of d (x - mean[c]).
void channel_gradient_sums(const float* d, const float* x, const float* mean, const float* factor,
                           const float* offset, Clamp clamp, int64_t pixels, int64_t channels, double* sum,
                           double* product);

/// In place: d becomes factor[c] d + slope[c] (x - mean[c]) + shift[c], where d counts as above.
void channel_gradient(float* d, const float* x, const float* mean, const float* factor, const float* offset,
                      Clamp clamp, const float* slope, const float* shift, int64_t pixels, int64_t channels);

/// y = weight[c] x + shift[c], or y += when `adds`.
void channel_weighted(const float* x, const float* weight, const float* shift, bool adds, int64_t pixels,
                      int64_t channels, float* y);

}  // namespace n2d2::compute::onednn

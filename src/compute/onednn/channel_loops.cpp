#include "channel_loops.hpp"

#include <algorithm>

#include "../clones.hpp"

namespace n2d2::compute::onednn {

namespace {

/// Channels whose sums are kept in registers, and pixels that are summed in float before they join the double.
constexpr int64_t kTile = 32, kRun = 64;

}  // namespace

N2D2_CLONES
void channel_moments(const float* x, const float* pivot, int64_t pixels, int64_t channels, double* sum,
                     double* squares) {
  for (int64_t c0 = 0; c0 < channels; c0 += kTile) {
    const int64_t width = std::min(kTile, channels - c0);
    float at[kTile] = {}, s[kTile], q[kTile];
    std::copy_n(pivot + c0, width, at);
    std::fill_n(sum + c0, width, 0.0);
    std::fill_n(squares + c0, width, 0.0);
    for (int64_t p0 = 0; p0 < pixels; p0 += kRun) {
      std::fill_n(s, kTile, 0.0F);
      std::fill_n(q, kTile, 0.0F);
      for (int64_t p = p0; p < std::min(p0 + kRun, pixels); ++p) {
        const float* row = x + p * channels + c0;
        const auto take = [&](int64_t c) {
          const float t = row[c] - at[c];
          s[c] += t;
          q[c] += t * t;
        };
        if (width == kTile)
          for (int64_t c = 0; c < kTile; ++c) take(c);
        else if (width == kTile / 2)
          for (int64_t c = 0; c < kTile / 2; ++c) take(c);
        else
          for (int64_t c = 0; c < width; ++c) take(c);
      }
      for (int64_t c = 0; c < width; ++c) sum[c0 + c] += s[c], squares[c0 + c] += q[c];
    }
  }
}

N2D2_CLONES
void channel_affine(const float* __restrict x, const float* __restrict mean, const float* __restrict factor,
                    const float* __restrict offset, Clamp clamp, int64_t pixels, int64_t channels,
                    float* __restrict y) {
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t c = 0; c < channels; ++c) {
      const float v = factor[c] * (x[p * channels + c] - mean[c]) + offset[c];
      y[p * channels + c] = std::min(std::max(v, clamp.lo), clamp.hi);
    }
}

N2D2_CLONES
void channel_gradient_sums(const float* d, const float* x, const float* mean, const float* factor,
                           const float* offset, Clamp clamp, int64_t pixels, int64_t channels, double* sum,
                           double* product) {
  for (int64_t c0 = 0; c0 < channels; c0 += kTile) {
    const int64_t width = std::min(kTile, channels - c0);
    float at[kTile] = {}, by[kTile] = {}, to[kTile] = {}, s[kTile], q[kTile];
    std::copy_n(mean + c0, width, at);
    std::copy_n(factor + c0, width, by);
    std::copy_n(offset + c0, width, to);
    std::fill_n(sum + c0, width, 0.0);
    std::fill_n(product + c0, width, 0.0);
    for (int64_t p0 = 0; p0 < pixels; p0 += kRun) {
      std::fill_n(s, kTile, 0.0F);
      std::fill_n(q, kTile, 0.0F);
      for (int64_t p = p0; p < std::min(p0 + kRun, pixels); ++p) {
        const int64_t row = p * channels + c0;
        const auto take = [&](int64_t c) {
          const float t = x[row + c] - at[c], v = by[c] * t + to[c];
          const float g = (v > clamp.lo) & (v < clamp.hi) ? d[row + c] : 0.0F;
          s[c] += g;
          q[c] += g * t;
        };
        if (width == kTile)
          for (int64_t c = 0; c < kTile; ++c) take(c);
        else if (width == kTile / 2)
          for (int64_t c = 0; c < kTile / 2; ++c) take(c);
        else
          for (int64_t c = 0; c < width; ++c) take(c);
      }
      for (int64_t c = 0; c < width; ++c) sum[c0 + c] += s[c], product[c0 + c] += q[c];
    }
  }
}

N2D2_CLONES
void channel_gradient(float* __restrict d, const float* __restrict x, const float* __restrict mean,
                      const float* __restrict factor, const float* __restrict offset, Clamp clamp,
                      const float* __restrict slope, const float* __restrict shift, int64_t pixels,
                      int64_t channels) {
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t i = p * channels + c;
      const float t = x[i] - mean[c], v = factor[c] * t + offset[c];
      const float g = (v > clamp.lo) & (v < clamp.hi) ? d[i] : 0.0F;
      d[i] = factor[c] * g + slope[c] * t + shift[c];
    }
}

N2D2_CLONES
void channel_weighted(const float* __restrict x, const float* __restrict weight,
                      const float* __restrict shift, bool adds, int64_t pixels, int64_t channels,
                      float* __restrict y) {
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t c = 0; c < channels; ++c) {
      const float v = weight[c] * x[p * channels + c] + shift[c];
      y[p * channels + c] = adds ? y[p * channels + c] + v : v;
    }
}

}  // namespace n2d2::compute::onednn

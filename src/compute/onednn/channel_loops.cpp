#include "channel_loops.hpp"

#include <algorithm>

#include "n2d2/base/clones.hpp"

namespace n2d2::compute::onednn {

namespace {

/// Channels whose sums stay in the first cache, and pixels that are summed in float before they join the
/// double.
constexpr int64_t kTile = 512, kRun = 64;

}  // namespace

N2D2_CLONES
void channel_moments(const float* __restrict x, const float* __restrict pivot, int64_t pixels,
                     int64_t channels, double* __restrict sum, double* __restrict squares) {
  std::fill_n(sum, channels, 0.0);
  std::fill_n(squares, channels, 0.0);
  for (int64_t c0 = 0; c0 < channels; c0 += kTile) {
    const int64_t width = std::min(kTile, channels - c0);
    const float* at = pivot + c0;
    alignas(64) float s[kTile], q[kTile];
    for (int64_t p0 = 0; p0 < pixels; p0 += kRun) {
      const int64_t end = std::min(p0 + kRun, pixels);
      std::fill_n(s, width, 0.0F);
      std::fill_n(q, width, 0.0F);
      int64_t p = p0;
      for (; p + 4 <= end; p += 4) {
        const float *x0 = x + p * channels + c0, *x1 = x0 + channels, *x2 = x1 + channels,
                    *x3 = x2 + channels;
        for (int64_t c = 0; c < width; ++c) {
          const float t0 = x0[c] - at[c], t1 = x1[c] - at[c], t2 = x2[c] - at[c], t3 = x3[c] - at[c];
          s[c] += (t0 + t1) + (t2 + t3);
          q[c] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3);
        }
      }
      for (; p < end; ++p)
        for (int64_t c = 0; c < width; ++c) {
          const float t = x[p * channels + c0 + c] - at[c];
          s[c] += t;
          q[c] += t * t;
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
void channel_gradient_sums(const float* __restrict d, const float* __restrict x, const float* __restrict mean,
                           const float* __restrict factor, const float* __restrict offset, Clamp clamp,
                           int64_t pixels, int64_t channels, double* __restrict sum,
                           double* __restrict product) {
  std::fill_n(sum, channels, 0.0);
  std::fill_n(product, channels, 0.0);
  for (int64_t c0 = 0; c0 < channels; c0 += kTile) {
    const int64_t width = std::min(kTile, channels - c0);
    const float *at = mean + c0, *by = factor + c0, *to = offset + c0;
    const auto counts = [&](float gradient, float t, int64_t c) {
      const float v = by[c] * t + to[c];
      return ((v > clamp.lo) & (v < clamp.hi)) ? gradient : 0.0F;
    };
    alignas(64) float s[kTile], q[kTile];
    for (int64_t p0 = 0; p0 < pixels; p0 += kRun) {
      const int64_t end = std::min(p0 + kRun, pixels);
      std::fill_n(s, width, 0.0F);
      std::fill_n(q, width, 0.0F);
      int64_t p = p0;
      for (; p + 2 <= end; p += 2) {
        const float *x0 = x + p * channels + c0, *x1 = x0 + channels;
        const float *d0 = d + p * channels + c0, *d1 = d0 + channels;
        for (int64_t c = 0; c < width; ++c) {
          const float t0 = x0[c] - at[c], t1 = x1[c] - at[c];
          const float g0 = counts(d0[c], t0, c), g1 = counts(d1[c], t1, c);
          s[c] += g0 + g1;
          q[c] += g0 * t0 + g1 * t1;
        }
      }
      for (; p < end; ++p)
        for (int64_t c = 0; c < width; ++c) {
          const int64_t i = p * channels + c0 + c;
          const float t = x[i] - at[c], g = counts(d[i], t, c);
          s[c] += g;
          q[c] += g * t;
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
      const float g = ((v > clamp.lo) & (v < clamp.hi)) ? d[i] : 0.0F;
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

#include "samples.hpp"

#include <algorithm>

#include "n2d2/base/clones.hpp"

namespace n2d2::compute {

namespace {

/// [rows][columns] becomes [columns][rows], in tiles that stay in cache.
void transpose(const float* src, float* dst, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kTile)
    for (int64_t c0 = 0; c0 < columns; c0 += kTile)
      for (int64_t c = c0; c < std::min(c0 + kTile, columns); ++c)
        for (int64_t r = r0; r < std::min(r0 + kTile, rows); ++r) dst[c * rows + r] = src[r * columns + c];
}

}  // namespace

void copy_samples(const float* src, Layout src_layout, float* dst, Layout dst_layout, const Shape& shape,
                  int64_t count) {
  const int64_t pixels = shape.h() * shape.w(), size = sample_size(shape);
  if (src_layout == dst_layout || pixels == 1 || shape.c() == 1) {
    std::copy_n(src, count * size, dst);
    return;
  }
  const bool from_planes = src_layout == Layout::Nchw;
  for (int64_t n = 0; n < count; ++n)
    transpose(src + n * size, dst + n * size, from_planes ? shape.c() : pixels,
              from_planes ? pixels : shape.c());
}

N2D2_CLONES
void add(const float* __restrict src, float* __restrict dst, int64_t count) {
  for (int64_t i = 0; i < count; ++i) dst[i] += src[i];
}

N2D2_CLONES
void apply_clamp(const Clamp& clamp, float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = std::min(std::max(y[i], clamp.lo), clamp.hi);
}

N2D2_CLONES
void mask_gradient(const Clamp& clamp, const float* y, float* gradient, int64_t count) {
  for (int64_t i = 0; i < count; ++i) gradient[i] = y[i] > clamp.lo && y[i] < clamp.hi ? gradient[i] : 0.0F;
}

}  // namespace n2d2::compute

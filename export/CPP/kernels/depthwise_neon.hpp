// Answers: how is a depthwise convolution of bytes computed on AArch64?
// Part of an exported project; may be used without condition.
//
// Config fields: those of conv_depthwise.hpp. It is a form of kernels.list for 16 and more channels with one
// output each, and factors that are floats. Inputs and weights are widened to 16 bits and multiplied into
// 32-bit sums. A step computes 16 channels of four neighbouring pixels, or of one pixel where windows leave
// the width or fewer than four are left. The last step contains some earlier channels again.
// Stack: none of note. Scratch: none.
#pragma once

#include "conv_depthwise.hpp"
#include "rescale_neon.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kNeonChannels = 16, kNeonPixels = 4 };

// 16 values of 16 bits.
struct NeonWords {
  int16x8_t low, high;
};
N2D2_INLINE NeonWords neon_words(const int8_t* from) {
  const int8x16_t v = vld1q_s8(from);
  const NeonWords w = {vmovl_s8(vget_low_s8(v)), vmovl_high_s8(v)};
  return w;
}
N2D2_INLINE NeonWords neon_words(const uint8_t* from) {
  const uint8x16_t v = vld1q_u8(from);
  const NeonWords w = {vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(v))),
                       vreinterpretq_s16_u16(vmovl_high_u8(v))};
  return w;
}

// Sums of 16 channels of P neighbouring pixels.
template <int P>
struct NeonChannels {
  int32x4_t a, b, c, d;
  NeonChannels<P - 1> rest;

  N2D2_INLINE void start(const int32_t* bias) {
    a = vld1q_s32(bias), b = vld1q_s32(bias + 4), c = vld1q_s32(bias + 8), d = vld1q_s32(bias + 12);
    rest.start(bias);
  }
  template <class In>
  N2D2_INLINE void add(const In* from, ptrdiff_t pixel, const NeonWords& w) {
    const NeonWords x = neon_words(from);
    a = vmlal_s16(a, vget_low_s16(x.low), vget_low_s16(w.low)), b = vmlal_high_s16(b, x.low, w.low);
    c = vmlal_s16(c, vget_low_s16(x.high), vget_low_s16(w.high)), d = vmlal_high_s16(d, x.high, w.high);
    rest.add(from + pixel, pixel, w);
  }
  template <class C, class Out>
  N2D2_INLINE void store(const C& config, const float* factor, ptrdiff_t pixel, Out* to) const {
    const float32x4_t first = config.factor_step ? vld1q_f32(factor) : vld1q_dup_f32(factor);
    const int step = config.factor_step ? 4 : 0;
    const int16x8_t low = NeonRescale::eight(NeonRescale::four(a, first),
                                             NeonRescale::four(b, step ? vld1q_f32(factor + step) : first));
    const int16x8_t high =
        NeonRescale::eight(NeonRescale::four(c, step ? vld1q_f32(factor + 2 * step) : first),
                           NeonRescale::four(d, step ? vld1q_f32(factor + 3 * step) : first));
    NeonRescale::store(config, low, high, to);
    rest.store(config, factor, pixel, to + pixel);
  }
};
template <>
struct NeonChannels<0> {
  N2D2_INLINE void start(const int32_t*) {}
  template <class In>
  N2D2_INLINE void add(const In*, ptrdiff_t, const NeonWords&) {}
  template <class C, class Out>
  N2D2_INLINE void store(const C&, const float*, ptrdiff_t, Out*) const {}
};

// Computes 16 channels of a row; the arrays start at the first of them.
template <class C, class In, class Out>
struct NeonDepthwise {
  const C& c;
  const In* in;
  Out* out;
  const int8_t* weights;
  const int32_t* bias;
  const float* factor;
  int oy;

  // Adds the products of the taps outside the map.
  template <int P>
  N2D2_INLINE void pad(Inside ky, Inside kx, NeonChannels<P>& sums) const {
    In outside[kNeonChannels];
    for (int i = 0; i < kNeonChannels; ++i) outside[i] = static_cast<In>(pad_value(c));
    for (int y = 0; y < c.kernel_h; ++y)
      for (int x = 0; x < c.kernel_w; ++x)
        if (y < ky.first || y >= ky.end || x < kx.first || x >= kx.end)
          sums.add(outside, 0, neon_words(weights + static_cast<ptrdiff_t>(y * c.kernel_w + x) * c.out_c));
  }
  // Computes P pixels from ox on with the taps kx of the width.
  template <int P>
  N2D2_INLINE void pixels(int ox, Inside kx) const {
    const Plane src = in_plane(c), dst = out_plane(c);
    const int y0 = oy * c.stride_y - c.pad_y, x0 = ox * c.stride_x - c.pad_x;
    const Inside ky = inside(y0, c.kernel_h, c.dilation_y, src.h);
    NeonChannels<P> sums;
    sums.start(bias);
    if (pad_value(c) != 0 && (kx.end - kx.first < c.kernel_w || ky.end - ky.first < c.kernel_h))
      pad(ky, kx, sums);
    for (int y = ky.first; y < ky.end; ++y) {
      const In* row = in + src.row_at(y0 + y * c.dilation_y);
      for (int x = kx.first; x < kx.end; ++x)
        sums.add(row + src.pixel_at(x0 + x * c.dilation_x), c.stride_x * src.pixel,
                 neon_words(weights + static_cast<ptrdiff_t>(y * c.kernel_w + x) * c.out_c));
    }
    sums.store(c, factor, dst.pixel, out + dst.row_at(oy) + dst.pixel_at(ox));
  }
  N2D2_INLINE void row() const {
    const int reach = c.in_w - 1 - (c.kernel_w - 1) * c.dilation_x + c.pad_x;
    const int left = smaller((c.pad_x + c.stride_x - 1) / c.stride_x, c.out_w);
    const int right = reach < 0 ? 0 : smaller(reach / c.stride_x + 1, c.out_w);
    const Inside all = {0, c.kernel_w};
    for (int ox = 0; ox < c.out_w;) {
      if (ox >= left && ox + kNeonPixels <= right) {
        pixels<kNeonPixels>(ox, all);
        ox += kNeonPixels;
      } else {
        pixels<1>(ox, inside(ox * c.stride_x - c.pad_x, c.kernel_w, c.dilation_x, c.in_w));
        ++ox;
      }
    }
  }
};

template <class In, class Out>
struct DepthwiseRowNeon {
  enum { kRate = 10000 };
  static N2D2_INLINE const char* name() { return "depthwise_neon"; }
  template <class C>
  static N2D2_INLINE bool fits(const C& c) {
    return c.out_c == c.in_c && c.out_c >= kNeonChannels;
  }
  template <class C>
  static N2D2_INLINE void run(const C& c, const In* in, Out* out, const int8_t* weights, const int32_t* bias,
                              const float* factor, int oy) {
    for (int next = 0; next < c.out_c; next += kNeonChannels) {
      const int first = smaller(next, c.out_c - kNeonChannels);
      const NeonDepthwise<C, In, Out> channels = {
          c, in + first, out + first, weights + first, bias + first, factor + first * c.factor_step, oy};
      channels.row();
    }
  }
};

template <>
struct DepthwiseRow<uint8_t, uint8_t, int8_t, int32_t, float> : DepthwiseRowNeon<uint8_t, uint8_t> {};
template <>
struct DepthwiseRow<uint8_t, int8_t, int8_t, int32_t, float> : DepthwiseRowNeon<uint8_t, int8_t> {};
template <>
struct DepthwiseRow<int8_t, uint8_t, int8_t, int32_t, float> : DepthwiseRowNeon<int8_t, uint8_t> {};
template <>
struct DepthwiseRow<int8_t, int8_t, int8_t, int32_t, float> : DepthwiseRowNeon<int8_t, int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

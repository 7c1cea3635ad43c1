// Answers: how is a depthwise convolution of bytes computed with the pair products of AVX2?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. It serves multiplier 1, up to 28 taps and rows with
// 16 contiguous bytes: 16 channels of a pixel, or 16 / in_c contiguous pixels where the channels divide 16.
//
// Two taps are interleaved byte by byte and widened to 16 bits. One instruction multiplies and adds them in
// 32 bits, exactly. Taps in rows outside the input have weight 0 and read a row inside it; biases include
// their products.
// Stack: 1 KiB with its layer. Scratch: none.
#pragma once

#include <immintrin.h>

#include "conv_depthwise.hpp"
#include "rescale_avx2.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kDepthwiseBytes = 16, kDepthwiseMost = 28 };

// 16 channels of two taps as words, channel by channel; `low` has channels 0 to 7.
struct Avx2Pair {
  __m256i low, high;
};

N2D2_INLINE __m256i words_of(__m128i bytes, uint8_t) {
  return _mm256_cvtepu8_epi16(bytes);
}
N2D2_INLINE __m256i words_of(__m128i bytes, int8_t) {
  return _mm256_cvtepi8_epi16(bytes);
}
template <class T>
N2D2_INLINE Avx2Pair pair_of(__m128i a, __m128i b) {
  const Avx2Pair p = {words_of(_mm_unpacklo_epi8(a, b), static_cast<T>(0)),
                      words_of(_mm_unpackhi_epi8(a, b), static_cast<T>(0))};
  return p;
}

// The parameters of 16 bytes of a row.
template <class Factor>
struct Avx2Block {
  Avx2Pair weights[kDepthwiseMost / 2];
  __m256i bias[2];
  typename Avx2Rescale<Factor>::Factors factor[2];
};

// Fills lanes with 16 elements from `first` on; fewer channels than 16 are repeated.
template <class T>
N2D2_INLINE void repeat(const T* from, int first, int channels, T* lanes) {
  for (int i = 0; i < kDepthwiseBytes; ++i)
    lanes[i] = from[channels < kDepthwiseBytes ? i % channels : first + i];
}

template <class C>
N2D2_INLINE int row_of_tap(const C& c, int oy, int ky) {
  return oy * c.stride_y - c.pad_y + ky * c.dilation_y;
}

template <class C>
N2D2_INLINE bool reads_row(const C& c, int oy, int tap) {
  const int y = row_of_tap(c, oy, tap / c.kernel_w);
  return y >= 0 && y < c.in_h;
}

template <class C>
N2D2_INLINE __m128i tap_weights(const C& c, const int8_t* weights, int oy, int first, int tap) {
  if (tap >= c.kernel_w * c.kernel_h || !reads_row(c, oy, tap)) return _mm_setzero_si128();
  const int8_t* from = weights + static_cast<ptrdiff_t>(tap) * c.out_c;
  if (c.out_c >= kDepthwiseBytes) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + first));
  int8_t lanes[kDepthwiseBytes];
  repeat(from, first, c.out_c, lanes);
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes));
}

// Loads the parameters of channels from `first` on for row oy.
template <class C, class Factor>
N2D2_INLINE void load_block(const C& c, const int8_t* weights, const int32_t* bias, const Factor* factor,
                            int oy, int first, Avx2Block<Factor>& block) {
  typedef Avx2Rescale<Factor> Lanes;
  int32_t start[kDepthwiseBytes];
  Factor scale[kDepthwiseBytes];
  repeat(bias, first, c.out_c, start);
  if (c.factor_step)
    repeat(factor, first, c.out_c, scale);
  else
    repeat(factor, 0, 1, scale);
  for (int tap = 0; pad_value(c) != 0 && tap < c.kernel_w * c.kernel_h; ++tap) {
    if (reads_row(c, oy, tap)) continue;
    int8_t lanes[kDepthwiseBytes];
    repeat(weights + static_cast<ptrdiff_t>(tap) * c.out_c, first, c.out_c, lanes);
    for (int i = 0; i < kDepthwiseBytes; ++i) start[i] += pad_value(c) * lanes[i];
  }
  for (int i = 0; i < 2; ++i) {
    block.bias[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start + 8 * i));
    block.factor[i] = Lanes::load(scale + 8 * i);
  }
  for (int g = 0; 2 * g < c.kernel_w * c.kernel_h; ++g)
    block.weights[g] = pair_of<int8_t>(tap_weights(c, weights, oy, first, 2 * g),
                                       tap_weights(c, weights, oy, first, 2 * g + 1));
}

// Returns 16 bytes from column x on. `whole`: all columns are inside the input.
template <bool whole, class C, class In>
N2D2_INLINE __m128i row_bytes(const C& c, const In* row, int x) {
  const int pixels = c.in_c < kDepthwiseBytes ? kDepthwiseBytes / c.in_c : 1;
  if (whole || (x >= 0 && x + pixels <= c.in_w))
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + in_plane(c).pixel_at(x)));
  const __m128i outside = _mm_set1_epi8(static_cast<char>(pad_value(c)));
  if (pixels == 1 || x <= -pixels || x >= c.in_w) return outside;
  In bytes[kDepthwiseBytes];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), outside);
  for (int p = x < 0 ? -x : 0; p < pixels && x + p < c.in_w; ++p)
    for (int i = 0; i < c.in_c; ++i) bytes[p * c.in_c + i] = row[(x + p) * c.in_c + i];
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// Computes 16 bytes of the output from pixel ox on; `rows` are the starts of the taps' rows.
template <bool whole, class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_bytes(const C& c, const Avx2Block<Factor>& block, const In* const* rows, int ox,
                                 Out* out) {
  typedef int32_t Sums __attribute__((vector_size(32)));
  const int taps = c.kernel_w * c.kernel_h;
  const int x0 = ox * c.stride_x - c.pad_x;
  Sums low = reinterpret_cast<Sums>(block.bias[0]), high = reinterpret_cast<Sums>(block.bias[1]);
  int ky = 0, kx = 0;
  for (int t = 0; t < taps; t += 2) {
    __m128i bytes[2];
    for (int i = 0; i < 2; ++i) {
      bytes[i] = t + i < taps ? row_bytes<whole>(c, rows[ky], x0 + kx * c.dilation_x) : bytes[0];
      if (++kx == c.kernel_w) kx = 0, ++ky;
    }
    const Avx2Pair x = pair_of<In>(bytes[0], bytes[1]);
    low += reinterpret_cast<Sums>(_mm256_madd_epi16(x.low, block.weights[t / 2].low));
    high += reinterpret_cast<Sums>(_mm256_madd_epi16(x.high, block.weights[t / 2].high));
  }
  typedef Avx2Rescale<Factor> Lanes;
  store_bytes(narrowed<Out>(Lanes::values(c, reinterpret_cast<__m256i>(low), block.factor[0]),
                            Lanes::values(c, reinterpret_cast<__m256i>(high), block.factor[1])),
              kDepthwiseBytes, out);
}

// Returns whether all columns that the taps of pixels [ox, ox + pixels) read are inside.
template <class C>
N2D2_INLINE bool columns_inside(const C& c, int ox, int pixels) {
  const int x0 = ox * c.stride_x - c.pad_x;
  return x0 >= 0 && x0 + (c.kernel_w - 1) * c.dilation_x + pixels <= c.in_w;
}

// Computes row oy of channels from `first` on. A last incomplete step computes some earlier pixels again.
template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_row(const C& c, const In* in, Out* out, const int8_t* weights, const int32_t* bias,
                               const Factor* factor, int oy, int first) {
  const Plane src = in_plane(c), dst = out_plane(c);
  const int pixels = c.in_c < kDepthwiseBytes ? kDepthwiseBytes / c.in_c : 1;
  Avx2Block<Factor> block;
  load_block(c, weights, bias, factor, oy, first, block);
  const In* rows[kDepthwiseMost];
  for (int ky = 0; ky < c.kernel_h; ++ky) {
    const int y = row_of_tap(c, oy, ky);
    rows[ky] = in + src.row_at(y < 0 ? 0 : smaller(y, src.h - 1)) + first;
  }
  Out* to = out + dst.row_at(oy) + first;
  for (int i = 0; i < c.out_w; i += pixels) {
    const int ox = smaller(i, c.out_w - pixels);
    if (columns_inside(c, ox, pixels))
      depthwise_bytes<true>(c, block, rows, ox, to + dst.pixel_at(ox));
    else
      depthwise_bytes<false>(c, block, rows, ox, to + dst.pixel_at(ox));
  }
}

template <class In, class Out, class Factor>
struct DepthwiseRowAvx2 {
  enum { kRate = 50000 };
  static N2D2_INLINE const char* name() { return "depthwise_avx2"; }
  template <class C>
  static N2D2_INLINE bool fits(const C& c) {
    const bool flat = c.in_c < kDepthwiseBytes && kDepthwiseBytes % c.in_c == 0 && c.stride_x == 1 &&
                      c.in_pixel == c.in_c && c.out_pixel == c.out_c && c.out_w * c.in_c >= kDepthwiseBytes;
    return c.out_c == c.in_c && c.kernel_w * c.kernel_h <= kDepthwiseMost &&
           (c.in_c >= kDepthwiseBytes || flat);
  }
  template <class C>
  static N2D2_INLINE void run(const C& c, const In* in, Out* out, const int8_t* weights, const int32_t* bias,
                              const Factor* factor, int oy) {
    for (int i = 0; i < c.out_c; i += kDepthwiseBytes) {
      const int rest = c.out_c - kDepthwiseBytes;
      depthwise_row(c, in, out, weights, bias, factor, oy, i < rest ? i : (rest < 0 ? 0 : rest));
    }
  }
};

template <>
struct DepthwiseRow<uint8_t, uint8_t, int8_t, int32_t, float> : DepthwiseRowAvx2<uint8_t, uint8_t, float> {};
template <>
struct DepthwiseRow<uint8_t, uint8_t, int8_t, int32_t, int32_t>
    : DepthwiseRowAvx2<uint8_t, uint8_t, int32_t> {};
template <>
struct DepthwiseRow<uint8_t, int8_t, int8_t, int32_t, float> : DepthwiseRowAvx2<uint8_t, int8_t, float> {};
template <>
struct DepthwiseRow<uint8_t, int8_t, int8_t, int32_t, int32_t> : DepthwiseRowAvx2<uint8_t, int8_t, int32_t> {
};
template <>
struct DepthwiseRow<int8_t, uint8_t, int8_t, int32_t, float> : DepthwiseRowAvx2<int8_t, uint8_t, float> {};
template <>
struct DepthwiseRow<int8_t, uint8_t, int8_t, int32_t, int32_t> : DepthwiseRowAvx2<int8_t, uint8_t, int32_t> {
};
template <>
struct DepthwiseRow<int8_t, int8_t, int8_t, int32_t, float> : DepthwiseRowAvx2<int8_t, int8_t, float> {};
template <>
struct DepthwiseRow<int8_t, int8_t, int8_t, int32_t, int32_t> : DepthwiseRowAvx2<int8_t, int8_t, int32_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

// Answers: how is a depthwise convolution of bytes computed with the products of AVX-512 VNNI?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. It serves multiplier 1 and up to 28 taps.
//
// A vector holds 64 neighbouring bytes of an output row: 64 channels of a pixel, or 64 / in_c contiguous
// pixels where the channels divide 64. Four taps are interleaved byte by byte, so that one instruction adds
// four products per channel; the packing of the results reverses the interleaving. Taps outside the input are
// masked to the value of the padding. Signed inputs (also that value) are read as value + 128, which the bias
// corrects. Windows of three columns and up to four rows take four taps of a column together: an interleaved
// column serves all pixels whose windows contain it.
// Stack: up to 2 KiB with its layer. Scratch: none.
#pragma once

#include <immintrin.h>

#include "conv_depthwise.hpp"
#include "rescale_avx512.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Bytes4 {
  __m512i part[4];  // part j, 128-bit part l, dword i: channel 16 * l + 4 * j + i
};

N2D2_INLINE Bytes4 interleave(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __mmask64 all = ~static_cast<__mmask64>(0);
  const __m512i ab_low = _mm512_maskz_unpacklo_epi8(all, a, b);
  const __m512i ab_high = _mm512_maskz_unpackhi_epi8(all, a, b);
  const __m512i cd_low = _mm512_maskz_unpacklo_epi8(all, c, d);
  const __m512i cd_high = _mm512_maskz_unpackhi_epi8(all, c, d);
  const __mmask32 words = ~static_cast<__mmask32>(0);
  const Bytes4 r = {{_mm512_maskz_unpacklo_epi16(words, ab_low, cd_low),
                     _mm512_maskz_unpackhi_epi16(words, ab_low, cd_low),
                     _mm512_maskz_unpacklo_epi16(words, ab_high, cd_high),
                     _mm512_maskz_unpackhi_epi16(words, ab_high, cd_high)}};
  return r;
}

// The block's parameters, repeated over the pixels of a vector, in the order of Bytes4.
template <class Factor>
struct VnniBlock {
  Bytes4 weights[7];  // groups of four taps
  __m512i bias[4];
  typename Avx512Rescale<Factor>::Factors factor[4];
};

// Repeats n elements until 64 are filled; the last copy is cut off at 64.
template <class T>
N2D2_INLINE void repeat(const T* from, int n, int pixels, T* lanes) {
  for (int i = 0; i < n; ++i) lanes[i] = from[i];
  for (int p = 1; p < pixels; ++p)
    for (int i = 0; i < n; ++i) lanes[p * n + i] = from[i];
  for (int i = n * pixels; i < 64; ++i) lanes[i] = 0;
}

// Moves dwords 16 * l + 4 * j + i of 64 to part l, dword i of result j.
N2D2_INLINE __m512i pick(const void* dwords, int j) {
  const __m128i* at = static_cast<const __m128i*>(dwords) + j;
  __m512i v = _mm512_maskz_broadcast_i32x4(0x000f, _mm_loadu_si128(at));
  v = _mm512_mask_broadcast_i32x4(v, 0x00f0, _mm_loadu_si128(at + 4));
  v = _mm512_mask_broadcast_i32x4(v, 0x0f00, _mm_loadu_si128(at + 8));
  return _mm512_mask_broadcast_i32x4(v, 0xf000, _mm_loadu_si128(at + 12));
}

N2D2_INLINE __m512 factors_of(__m512i dwords, float) {
  return _mm512_castsi512_ps(dwords);
}
N2D2_INLINE __m512i factors_of(__m512i dwords, int32_t) {
  return dwords;
}

// The taps of a group: consecutive ones, or those of a column.
struct TapsInOrder {
  template <class C>
  static N2D2_INLINE int groups(const C& c) {
    return (c.kernel_w * c.kernel_h + 3) / 4;
  }
  // Returns tap t of group g, -1 if there is none.
  template <class C>
  static N2D2_INLINE int tap(const C& c, int g, int t) {
    return g * 4 + t < c.kernel_w * c.kernel_h ? g * 4 + t : -1;
  }
};
struct TapsOfColumn {
  template <class C>
  static N2D2_INLINE int groups(const C& c) {
    return c.kernel_w;
  }
  template <class C>
  static N2D2_INLINE int tap(const C& c, int g, int t) {
    return t < c.kernel_h ? t * c.kernel_w + g : -1;
  }
};

// Loads a block of n channels from `first` on, `pixels` times.
template <class Taps, class C, class Factor>
N2D2_INLINE void load_block(const C& c, const int8_t* weights, const int32_t* bias, const Factor* factor,
                            int first, int n, int pixels, bool is_signed, VnniBlock<Factor>& block) {
  int32_t start[64];
  Factor scale[64];
  const bool is_whole = n == 64;  // contiguous in memory
  if (!is_whole) repeat(bias + first, n, pixels, start);
  if (!is_whole && c.factor_step) repeat(factor + first, n, pixels, scale);
  for (int j = 0; j < 4; ++j) {
    block.bias[j] = pick(is_whole ? bias + first : start, j);
    if (c.factor_step)
      block.factor[j] = factors_of(pick(is_whole ? factor + first : scale, j), *factor);
    else
      block.factor[j] = Avx512Rescale<Factor>::all(factor[0]);
  }
  const __mmask64 mask = ~static_cast<__mmask64>(0) >> (64 - n);
  for (int g = 0; g < Taps::groups(c); ++g) {
    __m512i row[4];
    for (int t = 0; t < 4; ++t) {
      row[t] = _mm512_setzero_si512();
      const int tap = Taps::tap(c, g, t);
      if (tap < 0) continue;
      const int8_t* from = weights + static_cast<ptrdiff_t>(tap) * c.out_c + first;
      if (pixels == 1) {
        row[t] = _mm512_maskz_loadu_epi8(mask, from);
      } else {
        int8_t lanes[64];
        repeat(from, n, pixels, lanes);
        row[t] = _mm512_loadu_si512(lanes);
      }
    }
    block.weights[g] = interleave(row[0], row[1], row[2], row[3]);
    for (int j = 0; is_signed && j < 4; ++j) {
      const __m512i extra =
          _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi8(-128), block.weights[g].part[j]);
      block.bias[j] = _mm512_sub_epi32(block.bias[j], extra);
    }
  }
}

// Returns a mask with n bits for each pixel i of [0, pixels) that has 0 <= x + i < w.
N2D2_INLINE __mmask64 inside_mask(int x, int w, int pixels, int n) {
  const int begin = x < 0 ? -x : 0;
  const int end = w - x < pixels ? w - x : pixels;
  if (begin >= end) return 0;
  const __mmask64 ones = ~static_cast<__mmask64>(0);
  return (ones >> (64 - (end - begin) * n)) << (begin * n);
}

template <class C, class Factor, class Out>
N2D2_INLINE void store_block(const C& c, const VnniBlock<Factor>& block, const __m512i* sum, __mmask64 mask,
                             Out* out) {
  __m512i y[4];
  for (int j = 0; j < 4; ++j)
    y[j] = Avx512Rescale<Factor>::template narrowing<Out>(c, sum[j], block.factor[j]);
  const __m512i low = _mm512_packs_epi32(y[0], y[1]);
  const __m512i high = _mm512_packs_epi32(y[2], y[3]);
  const bool is_signed = static_cast<Out>(-1) < static_cast<Out>(0);
  _mm512_mask_storeu_epi8(out, mask,
                          is_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high));
}

// Computes pixels [ox, ox + pixels) of row oy for n channels of a block; base points to its first channel.
template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_vector(const C& c, const VnniBlock<Factor>& block, const In* base, Out* out,
                                  int oy, int ox, int pixels, int n) {
  const Plane src = in_plane(c);
  const bool is_signed = static_cast<In>(-1) < static_cast<In>(0);
  const int taps = c.kernel_w * c.kernel_h;
  const __m512i padding = _mm512_set1_epi8(static_cast<char>(pad_value(c)));
  __m512i sum[4];
  for (int j = 0; j < 4; ++j) sum[j] = block.bias[j];
  for (int g = 0; g * 4 < taps; ++g) {
    __m512i x[4];
    for (int t = 0; t < 4; ++t) {
      const int tap = g * 4 + t;
      x[t] = tap < taps ? padding : _mm512_setzero_si512();
      if (tap >= taps) continue;
      const int iy = oy * c.stride_y - c.pad_y + tap / c.kernel_w * c.dilation_y;
      const int ix = ox * c.stride_x - c.pad_x + tap % c.kernel_w * c.dilation_x;
      if (iy >= 0 && iy < src.h)
        x[t] = _mm512_mask_loadu_epi8(padding, inside_mask(ix, src.w, pixels, n),
                                      base + src.row_at(iy) + src.pixel_at(ix));
      if (is_signed) x[t] = _mm512_xor_si512(x[t], _mm512_set1_epi8(-128));
    }
    const Bytes4 v = interleave(x[0], x[1], x[2], x[3]);
    for (int j = 0; j < 4; ++j) sum[j] = _mm512_dpbusd_epi32(sum[j], v.part[j], block.weights[g].part[j]);
  }
  const __mmask64 mask = ~static_cast<__mmask64>(0) >> (64 - pixels * n);
  store_block(c, block, sum, mask, out);
}

// The input rows of a row of outputs, four at most (takes_columns). For a row outside the input another row
// is read, and its values are masked.
template <class In>
struct ColumnRows {
  const In* row[4];
  __mmask64 mask[4];
};

template <class C, class In>
N2D2_INLINE ColumnRows<In> column_rows(const C& c, const In* base, int oy, int n) {
  const Plane src = in_plane(c);
  ColumnRows<In> rows;
  for (int t = 0; t < smaller(c.kernel_h, 4); ++t) {
    const int iy = oy * c.stride_y - c.pad_y + t * c.dilation_y;
    const bool is_inside = iy >= 0 && iy < src.h;
    rows.row[t] = base + (is_inside ? src.row_at(iy) : 0);
    rows.mask[t] = is_inside ? ~static_cast<__mmask64>(0) >> (64 - n) : 0;
  }
  return rows;
}

template <class C, class In>
N2D2_INLINE Bytes4 column_at(const C& c, const ColumnRows<In>& rows, int ix) {
  const bool is_signed = static_cast<In>(-1) < static_cast<In>(0);
  const __m512i padding = _mm512_set1_epi8(static_cast<char>(pad_value(c)));
  const __m512i none = is_signed ? _mm512_set1_epi8(-128) : _mm512_setzero_si512();
  if (ix < 0 || ix >= c.in_w) {
    const __m512i x = _mm512_xor_si512(padding, none);
    const Bytes4 outside = {{x, x, x, x}};
    return outside;
  }
  const ptrdiff_t at = in_plane(c).pixel_at(ix);
  __m512i x[4];
  for (int t = 0; t < 4; ++t) {
    x[t] = none;
    if (t >= c.kernel_h) continue;
    x[t] = _mm512_mask_loadu_epi8(padding, rows.mask[t], rows.row[t] + at);
    if (is_signed) x[t] = _mm512_xor_si512(x[t], none);
  }
  return interleave(x[0], x[1], x[2], x[3]);
}

// Stores a pixel whose window has the columns a, b and d.
template <class C, class Factor, class Out>
N2D2_INLINE void put_columns(const C& c, const VnniBlock<Factor>& block, const Bytes4& a, const Bytes4& b,
                             const Bytes4& d, __mmask64 mask, Out* out) {
  __m512i sum[4];
  for (int j = 0; j < 4; ++j) {
    sum[j] = _mm512_dpbusd_epi32(block.bias[j], a.part[j], block.weights[0].part[j]);
    sum[j] = _mm512_dpbusd_epi32(sum[j], b.part[j], block.weights[1].part[j]);
    sum[j] = _mm512_dpbusd_epi32(sum[j], d.part[j], block.weights[2].part[j]);
  }
  store_block(c, block, sum, mask, out);
}

template <class C>
N2D2_INLINE bool takes_columns(const C& c) {
  return c.kernel_w == 3 && c.kernel_h <= 4 && c.dilation_x == 1 && (c.stride_x == 1 || c.stride_x == 2);
}

// Computes a row of a block of n channels; a column is kept as long as windows contain it.
template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_columns(const C& c, const VnniBlock<Factor>& block, const In* base, Out* row,
                                   int oy, int n) {
  const ColumnRows<In> rows = column_rows(c, base, oy, n);
  const __mmask64 mask = ~static_cast<__mmask64>(0) >> (64 - n);
  const ptrdiff_t pixel = out_plane(c).pixel;
  int ix = -c.pad_x;
  Bytes4 a = column_at(c, rows, ix);
  if (c.stride_x == 2) {
    for (int left = c.out_w;; row += 2 * pixel) {
      Bytes4 b = column_at(c, rows, ++ix);
      const Bytes4 d = column_at(c, rows, ++ix);
      put_columns(c, block, a, b, d, mask, row);
      if (--left == 0) return;
      b = column_at(c, rows, ++ix);
      a = column_at(c, rows, ++ix);
      put_columns(c, block, d, b, a, mask, row + pixel);
      if (--left == 0) return;
    }
  }
  Bytes4 b = column_at(c, rows, ++ix);
  for (int left = c.out_w;; row += 3 * pixel) {
    const Bytes4 d = column_at(c, rows, ++ix);
    put_columns(c, block, a, b, d, mask, row);
    if (--left == 0) return;
    a = column_at(c, rows, ++ix);
    put_columns(c, block, b, d, a, mask, row + pixel);
    if (--left == 0) return;
    b = column_at(c, rows, ++ix);
    put_columns(c, block, d, a, b, mask, row + 2 * pixel);
    if (--left == 0) return;
  }
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_row(const C& c, const In* in, Out* out, const int8_t* weights, const int32_t* bias,
                               const Factor* factor, int oy) {
  const Plane dst = out_plane(c);
  const bool flat =
      c.stride_x == 1 && c.in_c <= 32 && 64 % c.in_c == 0 && c.in_pixel == c.in_c && dst.pixel == dst.c;
  const int pixels = flat ? 64 / c.in_c : 1;
  for (int first = 0; first < c.out_c; first += 64) {
    const int n = smaller(64, c.out_c - first);
    const bool is_signed = static_cast<In>(-1) < static_cast<In>(0);
    VnniBlock<Factor> block;
    Out* row = out + dst.row_at(oy) + first;
    if (pixels == 1 && takes_columns(c)) {
      load_block<TapsOfColumn>(c, weights, bias, factor, first, n, 1, is_signed, block);
      depthwise_columns(c, block, in + first, row, oy, n);
      continue;
    }
    load_block<TapsInOrder>(c, weights, bias, factor, first, n, pixels, is_signed, block);
    int ox = 0;
    for (; ox + pixels <= c.out_w; ox += pixels)
      depthwise_vector(c, block, in + first, row + dst.pixel_at(ox), oy, ox, pixels, n);
    if (ox < c.out_w) depthwise_vector(c, block, in + first, row + dst.pixel_at(ox), oy, ox, c.out_w - ox, n);
  }
}

template <class In, class Out, class Factor>
struct DepthwiseRowVnni {
  enum { kRate = 60000 };
  static N2D2_INLINE const char* name() { return "depthwise_avx512_vnni"; }
  template <class C>
  static N2D2_INLINE bool fits(const C& c) {
    return c.out_c == c.in_c && c.kernel_w * c.kernel_h <= 28;
  }
  template <class C>
  static N2D2_INLINE void run(const C& c, const In* in, Out* out, const int8_t* weights, const int32_t* bias,
                              const Factor* factor, int oy) {
    depthwise_row(c, in, out, weights, bias, factor, oy);
  }
};

template <>
struct DepthwiseRow<uint8_t, uint8_t, int8_t, int32_t, float> : DepthwiseRowVnni<uint8_t, uint8_t, float> {};
template <>
struct DepthwiseRow<uint8_t, uint8_t, int8_t, int32_t, int32_t>
    : DepthwiseRowVnni<uint8_t, uint8_t, int32_t> {};
template <>
struct DepthwiseRow<uint8_t, int8_t, int8_t, int32_t, float> : DepthwiseRowVnni<uint8_t, int8_t, float> {};
template <>
struct DepthwiseRow<uint8_t, int8_t, int8_t, int32_t, int32_t> : DepthwiseRowVnni<uint8_t, int8_t, int32_t> {
};
template <>
struct DepthwiseRow<int8_t, uint8_t, int8_t, int32_t, float> : DepthwiseRowVnni<int8_t, uint8_t, float> {};
template <>
struct DepthwiseRow<int8_t, uint8_t, int8_t, int32_t, int32_t> : DepthwiseRowVnni<int8_t, uint8_t, int32_t> {
};
template <>
struct DepthwiseRow<int8_t, int8_t, int8_t, int32_t, float> : DepthwiseRowVnni<int8_t, int8_t, float> {};
template <>
struct DepthwiseRow<int8_t, int8_t, int8_t, int32_t, int32_t> : DepthwiseRowVnni<int8_t, int8_t, int32_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

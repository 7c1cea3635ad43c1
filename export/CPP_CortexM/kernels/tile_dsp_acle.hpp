// Answers: how do compilers without GNU assembly widen the inputs of a tile and add its products?
// Part of an exported project; may be used without condition.
//
// It has no config fields; its functions are those of tile_dsp.hpp, by the intrinsics of arm_acle.h.
// Stack: 80 bytes. Scratch: none.
#pragma once

#include <arm_acle.h>

#include "words_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Adds the products of a pair of outputs for P <= 2 of the `pixels` pixels of a tile.
template <int P>
N2D2_INLINE void dsp_add_pair(const uint32_t* xs, const int8_t* weights, int words, int pixels,
                              const int32_t* bias, int32_t* sums) {
  const uint32_t* w = reinterpret_cast<const uint32_t*>(weights);
  int32_t all[P], odd[P];
  for (int p = 0; p < P; ++p) {
    odd[p] = bias[1];
    all[p] = static_cast<int32_t>(static_cast<uint32_t>(bias[0]) * 256u + static_cast<uint32_t>(bias[1]));
  }
  for (int i = 0; i < words; ++i, xs += pixels) {
    const int16x2_t low = __sxtb16(static_cast<int8x4_t>(w[i]));
    for (int p = 0; p < P; ++p) {
      all[p] = __smlad(static_cast<int16x2_t>(xs[p]), static_cast<int16x2_t>(w[i]), all[p]);
      odd[p] = __smlad(static_cast<int16x2_t>(xs[p]), low, odd[p]);
    }
  }
  for (int p = 0; p < P; ++p) {
    const uint32_t even = static_cast<uint32_t>(all[p]) - static_cast<uint32_t>(odd[p]);
    sums[p] = static_cast<int32_t>(even) >> 8, sums[pixels + p] = odd[p];
  }
}

template <int pixels>
N2D2_INLINE void dsp_tile_of(const uint32_t* xs, const int8_t* weights, const int32_t* bias, int32_t* sums,
                             int pairs, int bytes) {
  enum { kTogether = pixels == 1 ? 1 : 2 };
  for (; pairs > 0; --pairs, weights += bytes, bias += 2, sums += 2 * pixels)
    for (int p = 0; p < pixels; p += kTogether)
      dsp_add_pair<kTogether>(xs + p, weights, bytes / 4, pixels, bias, sums + p);
}
N2D2_APART void tile_of_4(const uint32_t* xs, const int8_t* weights, const int32_t* bias, int32_t* sums,
                          int pairs, int bytes) {
  dsp_tile_of<4>(xs, weights, bias, sums, pairs, bytes);
}
N2D2_APART void tile_of_2(const uint32_t* xs, const int8_t* weights, const int32_t* bias, int32_t* sums,
                          int pairs, int bytes) {
  dsp_tile_of<2>(xs, weights, bias, sums, pairs, bytes);
}
N2D2_APART void tile_of_1(const uint32_t* xs, const int8_t* weights, const int32_t* bias, int32_t* sums,
                          int pairs, int bytes) {
  dsp_tile_of<1>(xs, weights, bias, sums, pairs, bytes);
}

// Returns bytes 0 and 2 of a word as a pair.
template <bool is_signed>
N2D2_INLINE uint32_t dsp_extend(uint32_t x) {
  return is_signed ? static_cast<uint32_t>(__sxtb16(static_cast<int8x4_t>(x)))
                   : static_cast<uint32_t>(__uxtb16(static_cast<uint8x4_t>(x)));
}
template <bool is_signed>
N2D2_INLINE uint32_t dsp_byte(uint8_t x) {
  return static_cast<uint32_t>(is_signed ? static_cast<int32_t>(static_cast<int8_t>(x))
                                         : static_cast<int32_t>(x)) &
         0xffff;
}

// Widens a run of one pixel to every `step`-th word.
template <bool is_signed>
N2D2_INLINE void dsp_widen(const uint8_t* from, int n, int step, uint32_t* to) {
  for (; n >= 4; n -= 4, from += 4, to += 2 * step) {
    const uint32_t x = static_cast<uint32_t>(from[0]) | static_cast<uint32_t>(from[1]) << 8 |
                       static_cast<uint32_t>(from[2]) << 16 | static_cast<uint32_t>(from[3]) << 24;
    to[0] = dsp_extend<is_signed>(x), to[step] = dsp_extend<is_signed>(x >> 8 | x << 24);
  }
  if (n == 0) return;
  to[0] = dsp_byte<is_signed>(from[0]) | dsp_byte<is_signed>(from[n - 1]) << 16;
  if (n == 3) to[step] = dsp_byte<is_signed>(from[1]);
}
template <bool is_signed, int pixels>
N2D2_INLINE void dsp_widen_tile(const uint8_t* const* from, int n, uint32_t* to) {
  for (int p = 0; p < pixels; ++p) dsp_widen<is_signed>(from[p], n, pixels, to + p);
}
N2D2_APART void widen_4_u(const uint8_t* const* from, int n, uint32_t* to) {
  dsp_widen_tile<false, 4>(from, n, to);
}
N2D2_APART void widen_4_s(const uint8_t* const* from, int n, uint32_t* to) {
  dsp_widen_tile<true, 4>(from, n, to);
}
N2D2_APART void widen_2_u(const uint8_t* const* from, int n, uint32_t* to) {
  dsp_widen_tile<false, 2>(from, n, to);
}
N2D2_APART void widen_2_s(const uint8_t* const* from, int n, uint32_t* to) {
  dsp_widen_tile<true, 2>(from, n, to);
}
N2D2_APART void widen_1_u(const uint8_t* from, int n, int step, uint32_t* to) {
  dsp_widen<false>(from, n, step / 4, to);
}
N2D2_APART void widen_1_s(const uint8_t* from, int n, int step, uint32_t* to) {
  dsp_widen<true>(from, n, step / 4, to);
}

}  // namespace N2D2_EXPORT_NAMESPACE

// Answers: what does a convolution layer compute with the DSP instructions of Cortex-M (M4, M7, M33)?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (ky, kx, c) of x * w) as conv.hpp, to the same bytes. Inputs and outputs
// have 8 bits. Config fields: those of conv.hpp that window.hpp reads; `lo` and `hi` are the bounds of the
// output's type, `factor_step` is 1, and `shift` is 32 where factors are integers. And
//   tile_pixels   output pixels that are computed at once: 4, or 2 or 1 for less scratch
// Arrays, aligned to 4 bytes, in the order of words_dsp.hpp: weights [groups][pairs][words][4 bytes], bias
// [rows of biases][groups][2 * pairs], factor [groups][2 * pairs]. The sums of even outputs fit 24 bits.
// Weights of 4 bits, of one group and tiles of 4 pixels or 1, are in the order of tile_narrow_dsp.hpp.
// Machines without the instructions compute the same bytes in plain loops (plain_dsp.hpp). Stack: below
// kStackBytes (plane.hpp). Scratch: tile_bytes(tile_pixels, words) of words_dsp.hpp, and 3 more to align it
// to 4.
#pragma once

#include "conv_tiles_dsp.hpp"
#include "plain_dsp.hpp"
#include "window_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns the first word in scratch, which begins at any address.
N2D2_INLINE uint32_t* dsp_words(void* scratch) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(scratch);
  return reinterpret_cast<uint32_t*>(static_cast<uint8_t*>(scratch) + (-at & 3));
}

#if defined(N2D2_ISA_DSP)

template <class In>
struct DspWidens;
template <>
struct DspWidens<uint8_t> {
  static N2D2_INLINE constexpr DspWiden of(int pixels) {
    return DspWiden{pixels, 0, pixels == 4 ? &widen_4_u : pixels == 2 ? &widen_2_u : 0, &widen_1_u};
  }
};
template <>
struct DspWidens<int8_t> {
  static N2D2_INLINE constexpr DspWiden of(int pixels) {
    return DspWiden{pixels, 0x80, pixels == 4 ? &widen_4_s : pixels == 2 ? &widen_2_s : 0, &widen_1_s};
  }
};

// The tiles for weights of a type.
template <class Weight>
struct DspTiles;
template <>
struct DspTiles<int8_t> {
  enum { kOfPair = 4 };
  static N2D2_INLINE constexpr DspTile of(int pixels) {
    return pixels == 4 ? &tile_of_4 : pixels == 2 ? &tile_of_2 : pixels == 1 ? &tile_of_1 : 0;
  }
};
template <>
struct DspTiles<Narrow<4, 0> > {
  enum { kOfPair = 2 };
  static N2D2_INLINE constexpr DspTile of(int pixels) {
    return pixels == 4 ? &narrow_of_4 : pixels == 1 ? &narrow_of_1 : 0;
  }
};

// The code for tiles of so many pixels; single pixels need no other.
template <int pixels, class In, class Out, class Weight, class Factor>
struct DspCodes {
  static const DspCode code;
};
template <int pixels, class In, class Out, class Weight, class Factor>
const DspCode DspCodes<pixels, In, Out, Weight, Factor>::code = {
    DspWidens<In>::of(pixels),
    DspTiles<Weight>::of(pixels == 1 ? 0 : pixels),
    DspTiles<Weight>::of(1),
    DspTiles<Weight>::kOfPair,
    pixels == 4   ? DspEnds<Out, Factor>::of_4()
    : pixels == 2 ? DspEnds<Out, Factor>::of_2()
                  : 0,
    &end_1<Out, Factor>};

template <class In, class Out, class Weight, class Factor>
N2D2_INLINE const DspCode& dsp_code(int tile_pixels) {
  return tile_pixels == 4   ? DspCodes<4, In, Out, Weight, Factor>::code
         : tile_pixels == 2 ? DspCodes<2, In, Out, Weight, Factor>::code
                            : DspCodes<1, In, Out, Weight, Factor>::code;
}

template <class In, class Out, class Weight, class Factor>
N2D2_INLINE void conv_dsp(const ConvWindow& w, int tile_pixels, Rows rows, const In* in, Out* out,
                          const Weight* weights, const int32_t* bias, const Factor* factor, void* scratch) {
  DspLayer layer = {{w, DspWiden(), reinterpret_cast<const uint8_t*>(in), 0, 0, 0, 0, 0, false},
                    dsp_code<In, Out, Weight, Factor>(tile_pixels),
                    reinterpret_cast<uint8_t*>(out),
                    reinterpret_cast<const int8_t*>(weights),
                    bias,
                    reinterpret_cast<const int32_t*>(factor),
                    dsp_words(scratch),
                    0,
                    0,
                    0,
                    false};
  conv_tiles(layer, rows, is_one_row(w));
}

#else

template <class In, class Out, class Weight, class Factor>
N2D2_INLINE void conv_dsp(const ConvWindow& w, int, Rows rows, const In* in, Out* out, const Weight* weights,
                          const int32_t* bias, const Factor* factor, void* scratch) {
  dsp_conv_plain(w, rows, in, out, weights, bias, factor, reinterpret_cast<int16_t*>(dsp_words(scratch)));
}

#endif

template <class C, class In, class Out, class Weight, class Factor>
N2D2_INLINE void conv2d_dsp(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                            const int32_t* bias, const Factor* factor, void* scratch) {
  typedef DspWindow<C, DspConstant<C>::kYes> Window;
  const ConvWindow& w = Window::of(c);
  conv_dsp(w, c.tile_pixels, rows, in, out, weights, bias, factor, scratch);
}

// Is conv2d_dsp for a config whose tile_pixels is 2: the name by which an export asks for less scratch.
template <class C, class In, class Out, class Weight, class Factor>
N2D2_INLINE void conv2d_dsp_small(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                                  const int32_t* bias, const Factor* factor, void* scratch) {
  conv2d_dsp(c, rows, in, out, weights, bias, factor, scratch);
}

}  // namespace N2D2_EXPORT_NAMESPACE

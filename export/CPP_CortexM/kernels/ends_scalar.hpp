// Answers: how does a sum become an output of 8 bits on a core without DSP instructions?
// Part of an exported project; may be used without condition.
//
// End<Factor>::of(w, factor) is made once of a factor; put(sum, out) gives the bytes of rescale.hpp where the
// bounds are those of Out and |sum| <= 2^29. Factors are floats, or int32_t m >= 0 with the shift of the
// window; shift 32 is fast.
// Config fields: lo, hi, shift of rescale.hpp. Stack: none of note. Scratch: none.
#pragma once

#include "float_by_integers.hpp"
#include "rescale.hpp"
#include "window.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Saturates to the type.
N2D2_INLINE void put_saturated(int32_t y, uint8_t* out) {
#if defined(N2D2_ISA_THUMB) && N2D2_LONG_PRODUCT
  __asm__("usat %0, #8, %0" : "+r"(y));
#else
  if (static_cast<uint32_t>(y) > 255) y = y < 0 ? 0 : 255;
#endif
  *out = static_cast<uint8_t>(y);
}
N2D2_INLINE void put_saturated(int32_t y, int8_t* out) {
#if defined(N2D2_ISA_THUMB) && N2D2_LONG_PRODUCT
  __asm__("ssat %0, #8, %0" : "+r"(y));
#else
  if (static_cast<uint32_t>(y + 128) > 255) y = y < 0 ? -128 : 127;
#endif
  *out = static_cast<int8_t>(y);
}

// (x * m + 2^31) >> 32, m >= 0.
N2D2_APART int32_t any_fixed(int32_t x, int32_t m) {
  return static_cast<int32_t>((static_cast<int64_t>(x) * m + 0x80000000ll) >> 32);
}
N2D2_INLINE int32_t times_fixed(int32_t x, int32_t m) {
  uint32_t fraction = 0x80000000u;
  return N2D2_LONG_PRODUCT || m < 1 << 30 ? long_product(x, m, fraction) : any_fixed(x, m);
}

template <class Factor>
struct End;

template <>
struct End<float> {
#if defined(N2D2_ISA_THUMB)
  FactorByIntegers factor;
  static N2D2_INLINE End of(const ConvWindow&, float s) {
    const End e = {FactorByIntegers::of(s)};
    return e;
  }
  template <class Out>
  N2D2_INLINE void put(int32_t x, Out* out) const {
    put_saturated(factor.times_short(x), out);
  }
  static N2D2_INLINE int is_stored(const ConvWindow&) {
    return 1;
  }
#else
  const ConvWindow& w;
  float s;
  static N2D2_INLINE End of(const ConvWindow& w, float s) {
    const End e = {w, s};
    return e;
  }
  template <class Out>
  N2D2_INLINE void put(int32_t x, Out* out) const {
    *out = rescale<Out>(w, x, s);
  }
  static N2D2_INLINE int is_stored(const ConvWindow&) {
    return 0;
  }
#endif
};

template <>
struct End<int32_t> {
  const ConvWindow& w;
  int32_t m;
  static N2D2_INLINE End of(const ConvWindow& w, int32_t m) {
    const End e = {w, m};
    return e;
  }
  template <class Out>
  N2D2_INLINE void put(int32_t x, Out* out) const {
    if (w.shift == 32)
      put_saturated(times_fixed(x, m), out);
    else
      *out = any(w, x, m, out);
  }
  // Whether the factors are what the assembly takes.
  static N2D2_INLINE int is_stored(const ConvWindow& w) { return w.shift == 32; }
  template <class Out>
  static N2D2_APART Out any(const ConvWindow& w, int32_t x, int32_t m, const Out*) {
    return rescale<Out>(w, x, m);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE

// Answers: how is a run of 32-bit sums rescaled in the floating-point form without floating-point unit?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for 8-bit outputs. It gives the outputs of the scalar
// form without any call of a function for floats. Stack: none of note. Scratch: none.
#pragma once

#include "float_by_integers.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class Out>
struct RescaleByIntegers {
  template <class C>
  static N2D2_INLINE void run(const C& c, const int32_t* sums, const float* factor, int n, Out* out) {
    FactorByIntegers f = FactorByIntegers::of(factor[0]);
    N2D2_LOOP
    for (int i = 0; i < n; ++i) {
      if (c.factor_step != 0) f = FactorByIntegers::of(factor[i]);
      out[i] = clamp_to<Out>(c, f.times(sums[i]));
    }
  }
};

template <>
struct Rescale<int32_t, float, uint8_t> : RescaleByIntegers<uint8_t> {};
template <>
struct Rescale<int32_t, float, int8_t> : RescaleByIntegers<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

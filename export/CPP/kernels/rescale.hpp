// Answers: how does an accumulator become an output value? All rounding at run time is defined here.
// Part of an exported project; may be used without condition.
//
// Config fields:
//   lo, hi        bounds of the output, inclusive; int, within the output's element type; float in a float
//                 network
//   shift         fractional bits f of the fixed-point form, 0..62; not read in the other forms
//   factor_step   1: one factor per output channel; 0: one for all
//
// Forms, chosen by the types of accumulator (Sum) and factor (Factor):
//   int, float    Floating-point: convert x to float32, multiply by S in float32, clamp to [lo, hi], round to
//                 nearest, ties to even. There is no addition, so a compiler that fuses multiply and
//                 add changes nothing.
//   int, int32_t  Fixed-point: (x * m + h) >> f in 64 bits, h = 2^(f-1) (0 if f = 0), arithmetic shift, then
//                 clamp.
//                 A single shift by e is m = 2^(f-e), a double shift m = (1 + 2^d) * 2^(f-e): the same
//                 integers.
//   float, any    float network: clamp only, the factor is not read.
// The exporter guarantees |x * m| + h < 2^63.
// Stack: none of note. Scratch: none.
#pragma once

#include <math.h>

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The accumulator of a sum of inputs: int32_t up to 8 bits, int64_t up to 16 bits, float.
template <class In>
struct SumOf {
  typedef int64_t type;
};
template <>
struct SumOf<uint8_t> {
  typedef int32_t type;
};
template <>
struct SumOf<int8_t> {
  typedef int32_t type;
};
template <>
struct SumOf<float> {
  typedef float type;
};

// What a sum starts from.
N2D2_OPTIONAL_FIELD(int64_t, start_of, start)

// Adds what sums start from to n sums.
template <class C, class Sum>
N2D2_INLINE void add_start(const C& c, Sum* sums, int n) {
  if (start_of(c) == 0) return;
  N2D2_LOOP
  for (int i = 0; i < n; ++i) sums[i] += static_cast<Sum>(start_of(c));
}

// Clamps a value to [lo, hi] where integers or floats are moved without a factor.
template <class Out, class C, class T>
N2D2_INLINE Out clamp_to(const C& c, T x) {
  const T lo = static_cast<T>(c.lo);
  const T hi = static_cast<T>(c.hi);
  return static_cast<Out>(x < lo ? lo : (x > hi ? hi : x));
}

// Computes (x + h) >> f, half up, then clamps: the end of all fixed-point forms. x is a sum of products.
template <class Out, class C>
N2D2_INLINE Out shift_round(const C& c, int64_t x) {
  const int f = c.shift;
  const int64_t h = f > 0 ? static_cast<int64_t>(1) << (f > 0 ? f - 1 : 0) : 0;
  return clamp_to<Out>(c, (x + h) >> f);
}

template <class Out, class C, class Sum>
N2D2_INLINE Out rescale(const C& c, Sum x, float s) {
  const float lo = static_cast<float>(c.lo);
  const float hi = static_cast<float>(c.hi);
  const float v = static_cast<float>(x) * s;
  const float low = v > lo ? v : lo;
  return static_cast<Out>(static_cast<int32_t>(rintf(low < hi ? low : hi)));
}

template <class Out, class C, class Sum>
N2D2_INLINE Out rescale(const C& c, Sum x, int32_t m) {
  return shift_round<Out>(c, static_cast<int64_t>(x) * m);
}

template <class Out, class C>
N2D2_INLINE Out rescale(const C& c, float x, float) {
  return clamp_to<Out>(c, x);
}

// Sets values[i] = rescale(x[i], factor[i * factor_step]) for i in [0, n); x and values may be one array.
template <class C, class Sum, class X, class Factor>
N2D2_INLINE void rescale_values(const C& c, const X* x, const Factor* factor, int n, Sum* values) {
  if (c.factor_step == 0) {
    const Factor all = factor[0];
    N2D2_LOOP
    for (int i = 0; i < n; ++i) values[i] = rescale<int32_t>(c, static_cast<Sum>(x[i]), all);
  } else {
    N2D2_LOOP
    for (int i = 0; i < n; ++i) values[i] = rescale<int32_t>(c, static_cast<Sum>(x[i]), factor[i]);
  }
}

// Stores values after all are rescaled, because bytes may alias the factors for all that a compiler knows.
template <class Sum, class Out>
N2D2_INLINE void narrow(const Sum* values, int n, Out* out) {
  N2D2_LOOP
  for (int i = 0; i < n; ++i) out[i] = static_cast<Out>(values[i]);
}

// Rescales a run of sums, by the types of sums, factors and outputs. A variant (kernels.list) specialises it.
template <class Sum, class Factor, class Out>
struct Rescale {
  template <class C>
  static N2D2_INLINE void run(const C& c, Sum* sums, const Factor* factor, int n, Out* out) {
    rescale_values(c, sums, factor, n, sums);
    narrow(sums, n, out);
  }
};
template <class Factor, class Out>
struct Rescale<float, Factor, Out> {
  template <class C>
  static N2D2_INLINE void run(const C& c, float* sums, const Factor*, int n, Out* out) {
    for (int i = 0; i < n; ++i) out[i] = clamp_to<Out>(c, sums[i]);
  }
};

// Sets out[i] = rescale(sums[i], factor[i * factor_step]) for i in [0, n), a block of channels of one pixel.
// The sums are overwritten.
template <class C, class Sum, class Factor, class Out>
N2D2_INLINE void rescale_run(const C& c, Sum* sums, const Factor* factor, int n, Out* out) {
  Rescale<Sum, Factor, Out>::run(c, sums, factor, n, out);
}

template <class Sum>
N2D2_INLINE void add_bias(Sum* sums, const Sum* bias, int n) {
  for (int i = 0; i < n; ++i) sums[i] += bias[i];
}

// Rescales sums[i] + bias[i]. A form that reads both at once overloads it by sums, factors and outputs.
template <class C, class Sum, class Factor, class Out>
N2D2_INLINE void rescale_biased(const C& c, Sum* sums, const Sum* bias, const Factor* factor, int n,
                                Out* out) {
  add_bias(sums, bias, n);
  rescale_run(c, sums, factor, n, out);
}

}  // namespace N2D2_EXPORT_NAMESPACE

#include "rescale_variants.hpp"

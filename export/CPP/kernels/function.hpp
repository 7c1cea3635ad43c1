// Answers: what does a function that acts on each value by itself compute in a float network?
// Part of an exported project; may be used without condition.
//
// y = clamp(f(x)). The library of the machine sets the precision of e^x and the like. Config fields: those of
// plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c), rescale.hpp (lo, hi), and
//   function      int, of Function
//   alpha, beta   its parameters, float
// The output may start exactly on the input.
// Stack: at most kStackBytes (plane.hpp) in the portable form, without library functions. Scratch: none.
#pragma once

#include <math.h>

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum Function {
  kLogistic,
  kTanh,
  kSoftplus,
  kSwish,
  kHardSigmoid,
  kHardSwish,
  kElu,
  kCelu,
  kSelu,
  kThresholdedRelu,
  kSoftsign,
  kErf,
  kGelu,
  kGeluTanh
};

N2D2_INLINE float logistic(float x) {
  return 1.0f / (1.0f + expf(-x));
}

N2D2_INLINE float ramp(float x, float a, float b) {
  const float t = a * x + b;
  return t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
}

N2D2_INLINE float smooth_value(int function, float x, float a) {
  switch (function) {
    case kLogistic:
      return logistic(x);
    case kTanh:
      return tanhf(a * x);
    case kSoftplus:
      return (x > 0.0f ? x : 0.0f) + log1pf(expf(-fabsf(x)));
    case kSwish:
      return x * logistic(a * x);
    case kSoftsign:
      return x / (1.0f + fabsf(x));
    case kErf:
      return erff(x);
    case kGeluTanh:
      return x * logistic(1.5957691f * (x + 0.044715f * x * x * x));
    default:  // kGelu
      return x * (0.5f * erfcf(x * -0.70710678f));
  }
}

N2D2_INLINE float function_value(int function, float x, float a, float b) {
  switch (function) {
    case kHardSigmoid:
      return ramp(x, a, b);
    case kHardSwish:
      return x * ramp(x, a, b);
    case kElu:
      return x > 0.0f ? x : a * expm1f(x);
    case kCelu:
      return x > 0.0f ? x : a * expm1f(x / a);
    case kSelu:
      return b * (x > 0.0f ? x : a * expm1f(x));
    case kThresholdedRelu:
      return x > a ? x : 0.0f;
    default:
      return smooth_value(function, x, a);
  }
}

template <class C>
struct FunctionRun {
  const C& c;
  const float* in;
  float* out;

  N2D2_INLINE void operator()(int y, int x, int first, int n) const {
    const Plane src = in_plane(c);
    const Plane dst = out_plane(c);
    const float* from = in + src.row_at(y) + src.pixel_at(x) + first;
    float* to = out + dst.row_at(y) + dst.pixel_at(x) + first;
    for (int i = 0; i < n; ++i)
      to[i] = clamp_to<float>(
          c, function_value(c.function, from[i], static_cast<float>(c.alpha), static_cast<float>(c.beta)));
  }
};

template <class C>
N2D2_INLINE void function(const C& c, Rows rows, const float* in, float* out) {
  const FunctionRun<C> use = {c, in, out};
  for_runs<RunOf<float>::kSize>(out_plane(c), rows, c.bottom_up,
                                in_plane(c).dense_rows() && out_plane(c).dense_rows(), use);
}

}  // namespace N2D2_EXPORT_NAMESPACE

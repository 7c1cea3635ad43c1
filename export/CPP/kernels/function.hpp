// Answers: what does a function that acts on each value by itself compute in a float network?
// Part of an exported project; may be used without condition.
//
// y = clamp(f(x)). The library of the machine sets the precision of e^x and the like. An x outside the domain
// counts as the nearest number inside, and no result is infinite. Config fields: those of
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
  kGeluTanh,
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCeil,
  kCos,
  kCosh,
  kExp,
  kFloor,
  kLog,
  kMish,
  kPower,
  kReciprocal,
  kRound,
  kShrink,
  kSign,
  kSin,
  kSinh,
  kSqrt,
  kTan
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

N2D2_INLINE float between(float x, float lo, float hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

N2D2_INLINE float divisor(float x) {
  const float least = 1.17549435e-38f;  // 2^-126
  return x < 0.0f ? (x > -least ? -least : x) : (x < least ? least : x);
}

N2D2_INLINE float power(float x, float a) {
  if (floorf(a) != a) x = x > 0.0f ? x : 0.0f;
  return between(powf(a < 0.0f ? divisor(x) : x, a), -3.40282347e+38f, 3.40282347e+38f);
}

N2D2_INLINE float rounded_value(int function, float x, float a, float b) {
  switch (function) {
    case kAbs:
      return fabsf(x);
    case kCeil:
      return ceilf(x);
    case kFloor:
      return floorf(x);
    case kRound:
      return rintf(x);
    case kShrink:
      return x > a ? x - b : (x < -a ? x + b : 0.0f);
    default:  // kSign
      return x > 0.0f ? 1.0f : (x < 0.0f ? -1.0f : 0.0f);
  }
}

N2D2_INLINE float circle_value(int function, float x) {
  switch (function) {
    case kAcos:
      return acosf(between(x, -1.0f, 1.0f));
    case kAcosh:
      return acoshf(x < 1.0f ? 1.0f : x);
    case kAsin:
      return asinf(between(x, -1.0f, 1.0f));
    case kAsinh:
      return asinhf(x);
    case kAtan:
      return atanf(x);
    case kAtanh:
      return atanhf(between(x, -0.99999994f, 0.99999994f));
    case kCos:
      return cosf(x);
    case kCosh:
      return coshf(between(x, -89.4159f, 89.4159f));
    case kSin:
      return sinf(x);
    case kSinh:
      return sinhf(between(x, -89.4159f, 89.4159f));
    default:  // kTan
      return tanf(x);
  }
}

N2D2_INLINE float plain_value(int function, float x, float a, float b) {
  switch (function) {
    case kExp:
      return expf(x > 88.72283f ? 88.72283f : x);
    case kLog:
      return logf(x < 1.17549435e-38f ? 1.17549435e-38f : x);
    case kMish:
      return x * tanhf((x > 0.0f ? x : 0.0f) + log1pf(expf(-fabsf(x))));
    case kPower:
      return power(x, a);
    case kReciprocal:
      return 1.0f / divisor(x);
    case kSqrt:
      return sqrtf(x < 0.0f ? 0.0f : x);
    case kAbs:
    case kCeil:
    case kFloor:
    case kRound:
    case kShrink:
    case kSign:
      return rounded_value(function, x, a, b);
    default:
      return circle_value(function, x);
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
      return function > kGeluTanh ? plain_value(function, x, a, b) : smooth_value(function, x, a);
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

// Which logarithm and exponential are the same number on every processor? Those of the C library are not: it
// picks a form by whether multiply and add are one instruction.
#pragma once

#include <cmath>
#include <numbers>

namespace n2d2::quantize {

/// log2 x for finite x > 0, to about 1e-15, powers of two exactly; the four operations alone, each rounded
/// once.
inline double plain_log2(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  if (mantissa < std::numbers::sqrt2 / 2) mantissa *= 2, --exponent;
  const double s = (mantissa - 1) / (mantissa + 1), square = s * s;  // |s| <= 0.172
  double sum = 0;
  for (int n = 25; n >= 1; n -= 2) sum = sum * square + 1.0 / n;
  return exponent + 2 * s * sum / std::numbers::ln2;
}

inline double plain_log(double x) {
  return plain_log2(x) * std::numbers::ln2;
}

/// e^x for |x| <= 700, to about 1e-15 of it; likewise.
inline double plain_exp(double x) {
  const double power = std::round(x / std::numbers::ln2);
  const double rest = x - power * std::numbers::ln2;  // |rest| <= 0.35
  double sum = 1;
  for (int n = 18; n >= 1; --n) sum = 1 + sum * rest / n;
  return std::ldexp(sum, static_cast<int>(power));
}

}  // namespace n2d2::quantize

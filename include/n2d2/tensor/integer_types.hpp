// Which integers hold n-bit values, and their sums? The one place that says so for the framework; the
// kernels' SumOf says it for exported C++.
#pragma once

#include <cmath>

#include "n2d2/tensor/data_type.hpp"

namespace n2d2 {

inline constexpr int kBitsOfByte = 8;

/// Activations and weights: I8, U8 up to 8 bits, I16, U16 up to 16. Above, for what leaves a network: I32.
constexpr DataType integer_type(int bits, bool is_signed) {
  if (bits > 16) return DataType::I32;
  if (bits <= 8) return is_signed ? DataType::I8 : DataType::U8;
  return is_signed ? DataType::I16 : DataType::U16;
}

/// Accumulators and biases of n-bit values: I32 up to 8 bits, I64 above.
constexpr DataType sum_type(int bits) {
  return bits <= 8 ? DataType::I32 : DataType::I64;
}
/// The width of that type.
constexpr int sum_bits(int bits) {
  return static_cast<int>(8 * size_bytes(sum_type(bits)));
}
/// The largest magnitude a sum may have: 2^31 - 1, in 64 bits 2^62, which leaves room to rescale.
inline double sum_limit(int bits) {
  return sum_type(bits) == DataType::I32 ? 2147483647.0 : std::ldexp(1.0, 62);
}

}  // namespace n2d2

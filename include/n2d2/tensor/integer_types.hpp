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

/// Bits of the integers that hold weights or values of `bits` bits in a network where those that nobody asks
/// for have `most`: a byte is not taken for more, nor 16 bits for a byte.
constexpr int held_bits(int bits, int most) {
  int held = 16;
  if (most >= bits && most < held) held = most;
  if (kBitsOfByte >= bits && kBitsOfByte < held) held = kBitsOfByte;
  return held;
}

/// Accumulators of n-bit values that are added up without weights: I32 up to 8 bits, I64 above.
constexpr DataType sum_type(int bits) {
  return bits <= kBitsOfByte ? DataType::I32 : DataType::I64;
}
/// The width of that type.
constexpr int sum_bits(DataType sum) {
  return static_cast<int>(8 * size_bytes(sum));
}
/// The largest magnitude a sum may have: 2^31 - 1, in 64 bits 2^62, which leaves room to rescale.
inline double sum_limit(DataType sum) {
  return sum == DataType::I32 ? 2147483647.0 : std::ldexp(1.0, 62);
}
/// Accumulators and biases of a layer whose inputs have `in_bits` bits and whose sums reach at most `bound`.
/// Bytes have I32 whatever the bound: their scales are chosen so that it fits. Words times words have I64.
inline DataType weighted_sum_type(DataType weights, int in_bits, double bound) {
  if (weights != DataType::I8) return DataType::I64;
  return in_bits <= kBitsOfByte || bound <= sum_limit(DataType::I32) ? DataType::I32 : DataType::I64;
}
/// The limit of the widest accumulators that such a layer may have.
inline double weighted_sum_limit(DataType weights, int in_bits) {
  return sum_limit(weighted_sum_type(weights, in_bits, std::ldexp(1.0, 62)));
}

}  // namespace n2d2

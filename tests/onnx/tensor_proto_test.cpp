#include "read/tensor_proto.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

namespace n2d2::onnx {
namespace {

/// binary16 by its definition: subnormals are multiples of 2^-24.
double half_of(int bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >= 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// All 65,536 of them, as bytes and as integers of the typed field.
::onnx::TensorProto all_halves(bool raw) {
  ::onnx::TensorProto tensor;
  tensor.set_data_type(::onnx::TensorProto::FLOAT16);
  tensor.add_dims(65536);
  std::string bytes;
  for (int bits = 0; bits < 65536; ++bits) {
    bytes += static_cast<char>(bits & 255);
    bytes += static_cast<char>(bits >> 8);
    if (!raw) tensor.add_int32_data(bits);
  }
  if (raw) tensor.set_raw_data(bytes);
  return tensor;
}

TEST(ReadTensor, ReadsEveryHalf) {
  for (const bool raw : {false, true}) {
    const Array read = read_tensor(all_halves(raw));
    ASSERT_EQ(read.reals.size(), 65536U);
    for (int bits = 0; bits < 65536; ++bits) {
      const double wanted = half_of(bits), found = read.reals[static_cast<size_t>(bits)];
      if (std::isnan(wanted)) {
        ASSERT_TRUE(std::isnan(found)) << bits;
        continue;
      }
      ASSERT_EQ(found, wanted) << bits;
      ASSERT_EQ(std::signbit(found), std::signbit(wanted)) << bits;
    }
  }
}

}  // namespace
}  // namespace n2d2::onnx

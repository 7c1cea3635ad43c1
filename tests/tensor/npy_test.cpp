#include "n2d2/tensor/npy.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(Npy, HeaderIsPaddedTo64BytesAndDataFollowsInLogicalOrder) {
  Tensor tensor({1, 2, 1, 3}, DataType::I8);
  for (int i = 0; i < 6; ++i) tensor.data<int8_t>()[i] = static_cast<int8_t>(i - 3);
  const std::string bytes = npy(tensor);
  ASSERT_EQ(bytes.size() % 64, 6U);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const size_t header = static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(10 + header, bytes.size() - 6);
  EXPECT_TRUE(
      bytes.substr(10).starts_with("{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2, 1, 3, ), }"));
  EXPECT_EQ(bytes[bytes.size() - 7], '\n');
  EXPECT_EQ(bytes.substr(bytes.size() - 6), std::string("\xfd\xfe\xff\x00\x01\x02", 6));
}

TEST(Npy, BytesInAnotherLayoutAreTheSameFile) {
  Tensor tensor({1, 2, 2, 2}, DataType::F32);
  for (int i = 0; i < 8; ++i) tensor.data<float>()[i] = static_cast<float>(i);
  EXPECT_EQ(npy(to_layout(tensor, Layout::Nhwc)), npy(tensor));
}

}  // namespace
}  // namespace n2d2

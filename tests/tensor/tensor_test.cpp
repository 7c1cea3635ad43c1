#include "n2d2/tensor/tensor.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(Shape, CountsElementsAndRefusesTooMany) {
  EXPECT_EQ((Shape{2, 3, 4, 5}.elements()), 120);
  EXPECT_EQ((Shape{1, 3, 4, 5}.with_batch(7).n()), 7);
  EXPECT_THROW((Shape{65536, 65536}.elements()), ModelError);
  EXPECT_EQ((Shape{1, 2}.text()), "1x2");
}

TEST(Tensor, StartsAtZeroAndCopiesItsBytes) {
  Tensor a(Shape{2, 3});
  for (const float v : a.span()) EXPECT_EQ(v, 0);
  Tensor b = a;
  b.data<float>()[1] = 5;
  EXPECT_EQ(a.data<float>()[1], 0);
  EXPECT_FALSE(a == b);
}

TEST(Tensor, RefusesTheWrongElementType) {
  const Tensor a(Shape{1}, DataType::I8);
  EXPECT_THROW(a.data<float>(), InternalError);
}

TEST(ToLayout, RoundTrips) {
  Tensor a(Shape{2, 3, 2, 2});
  for (int i = 0; i < 24; ++i) a.data<float>()[i] = static_cast<float>(i);
  const Tensor b = to_layout(a, Layout::Nhwc);
  EXPECT_EQ(b.data<float>()[1], 4);  // n 0, pixel 0, channel 1
  EXPECT_TRUE(to_layout(b, Layout::Nchw) == a);
}

TEST(QuantParams, FullScaleAndBounds) {
  const QuantParams s{8, true, -1, {}}, u{8, false, -1, {}};
  EXPECT_EQ(s.full_scale(), 127);
  EXPECT_EQ(s.lowest(), -128);
  EXPECT_EQ(u.full_scale(), 255);
  EXPECT_EQ(u.lowest(), 0);
}

}  // namespace
}  // namespace n2d2

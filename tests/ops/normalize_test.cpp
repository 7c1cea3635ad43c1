#include "n2d2/ops/normalize.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

TEST(Normalize, MakesTheChannelsOfAPositionAUnitVector) {
  const Tensor y = testing::forward(Normalize(), {Tensor::from({1, 2, 1, 2}, {3, 0, -4, 2})});
  const float expected[] = {0.6F, 0, -0.8F, 1};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y.data<float>()[i], expected[i], 1e-6F);
}

TEST(Normalize, OfAZeroVectorIsZero) {
  Tensor x(Shape{1, 3, 1, 1});
  x.fill(0);
  EXPECT_EQ(testing::forward(Normalize(), {x}), x);
}

TEST(Normalize, KeepsPositionsAndSamplesApart) {
  const Tensor y = testing::forward(Normalize(), {testing::spread({2, 5, 2, 3}, 1)});
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t p = 0; p < 6; ++p) {
      double sum = 0;
      for (int64_t c = 0; c < 5; ++c) sum += std::pow(y.data<float>()[(n * 5 + c) * 6 + p], 2);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
}

TEST(Normalize, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(Normalize(), {{2, 4, 2, 1}});
}

TEST(Normalize, RefusesL1) {
  Normalize op;
  op.norm = Norm::L1;
  EXPECT_EQ(testing::infer_error(op, {{1, 4, 1, 1}}), "Norm L1 is known to N2D2, not supported; expected L2");
}

}  // namespace
}  // namespace n2d2::ops

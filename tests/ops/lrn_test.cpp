#include "n2d2/ops/lrn.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

TEST(Lrn, DividesByThePowerOfTheEnergyOfNeighbours) {
  Lrn op;
  op.n = 3;
  op.alpha = 0.5;
  op.beta = 2;
  op.k = 1;
  const Tensor y = testing::forward(op, {Tensor::from({1, 4, 1, 1}, {1, 2, 3, 4})});
  const float expected[] = {1 / std::pow(1 + 0.5F * 5, 2.0F), 2 / std::pow(1 + 0.5F * 14, 2.0F),
                            3 / std::pow(1 + 0.5F * 29, 2.0F), 4 / std::pow(1 + 0.5F * 25, 2.0F)};
  for (size_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(y.data<float>()[i], expected[i]);
}

TEST(Lrn, AnEvenNumberOfNeighboursHasOneMoreBehind) {
  Lrn op;
  op.n = 2;
  op.alpha = 1;
  op.beta = 1;
  op.k = 0;
  const Tensor y = testing::forward(op, {Tensor::from({1, 3, 1, 1}, {1, 2, 4})});
  EXPECT_FLOAT_EQ(y.data<float>()[0], 1.0F / 5);
  EXPECT_FLOAT_EQ(y.data<float>()[1], 2.0F / 20);
  EXPECT_FLOAT_EQ(y.data<float>()[2], 4.0F / 16);
}

TEST(Lrn, KeepsPositionsAndSamplesApart) {
  const Tensor x = testing::spread({2, 5, 2, 3}, 1);
  const Lrn op;
  const Tensor y = testing::forward(op, {x});
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t p = 0; p < 6; ++p) {
      Tensor column(Shape{1, 5, 1, 1});
      for (int64_t c = 0; c < 5; ++c) column.data<float>()[c] = x.data<float>()[(n * 5 + c) * 6 + p];
      const Tensor alone = testing::forward(op, {column});
      for (int64_t c = 0; c < 5; ++c) EXPECT_EQ(alone.data<float>()[c], y.data<float>()[(n * 5 + c) * 6 + p]);
    }
}

TEST(Lrn, GradientsAgreeWithFiniteDifferences) {
  Lrn op;
  op.alpha = 0.3;
  for (const int n : {1, 2, 3, 4, 9}) {
    op.n = n;
    testing::expect_gradients(op, {{2, 5, 1, 2}});
  }
}

TEST(Lrn, RefusesNoNeighbours) {
  Lrn op;
  op.n = 0;
  EXPECT_EQ(testing::infer_error(op, {{1, 4, 1, 1}}), "N is 0, expected at least 1");
}

}  // namespace
}  // namespace n2d2::ops

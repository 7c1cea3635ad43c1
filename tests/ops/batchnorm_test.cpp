#include "n2d2/ops/batchnorm.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::FloatEq;
using testing::infer_error;
using testing::spread;

std::vector<Tensor> inputs(const Shape& data) {
  Tensor variances = spread({data.c()}, 4);
  for (float& v : variances.span()) v = 0.5F + v * v;
  return {spread(data, 0), spread({data.c()}, 1), spread({data.c()}, 2), spread({data.c()}, 3), variances};
}

TEST(BatchNorm, UsesStoredStatisticsWhenNotTraining) {
  BatchNorm op;
  op.epsilon = 1;
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 1, 1, 2}, {5, 9}), Tensor::from({1}, {4}),
                            Tensor::from({1}, {0.5F}), Tensor::from({1}, {3}), Tensor::from({1}, {3})});
  EXPECT_FLOAT_EQ(y.data<float>()[0], 4.5F);
  EXPECT_FLOAT_EQ(y.data<float>()[1], 12.5F);
}

TEST(BatchNorm, NormalizesTheBatchWhenTraining) {
  BatchNorm op;
  op.epsilon = 0;
  const std::vector<Tensor> in{Tensor::from({2, 1, 1, 2}, {1, 3, 5, 7}), Tensor::from({1}, {1}),
                               Tensor::from({1}, {0}), Tensor::from({1}, {100}), Tensor::from({1}, {100})};
  const Tensor y = testing::forward(op, in, true);
  EXPECT_FLOAT_EQ(y.data<float>()[0], static_cast<float>(-3 / std::sqrt(5.0)));
  EXPECT_FLOAT_EQ(y.data<float>()[3], static_cast<float>(3 / std::sqrt(5.0)));
}

TEST(BatchNorm, MovesRunningStatisticsByTheMomentumWithUnbiasedVariance) {
  BatchNorm op;
  op.momentum = 0.25;
  std::vector<Tensor> in{Tensor::from({2, 1, 1, 2}, {1, 3, 5, 7}), Tensor::from({1}, {1}),
                         Tensor::from({1}, {0}), Tensor::from({1}, {8}), Tensor::from({1}, {1})};
  std::vector<Tensor> saved;
  Tensor y(in[0].shape());
  Tensor* out = &y;
  const std::vector<const Tensor*> args{&in[0], &in[1], &in[2], &in[3], &in[4]};
  op.forward({args, {&out, 1}, true, {}, &saved});
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_THAT(saved[0].data<float>()[0], FloatEq(4));  // mean of 1 3 5 7
  EXPECT_THAT(saved[1].data<float>()[0], FloatEq(5));  // biased variance
  const std::vector<Tensor*> state{nullptr, &in[1], &in[2], &in[3], &in[4]};
  op.absorb(saved, state, in[0].shape());
  EXPECT_THAT(in[3].data<float>()[0], FloatEq(0.75F * 8 + 0.25F * 4));
  EXPECT_THAT(in[4].data<float>()[0], FloatEq(0.75F * 1 + 0.25F * 5 * 4 / 3));
}

TEST(BatchNorm, KeepsStoredStatisticsWithMomentumZero) {
  BatchNorm op;
  op.momentum = 0;
  EXPECT_FALSE(op.mixes_samples());
  const std::vector<Tensor> in = inputs({2, 3, 2, 2});
  EXPECT_EQ(testing::forward(op, in, true), testing::forward(op, in, false));
  testing::expect_gradients(op, in, true, {3, 4});
}

TEST(BatchNorm, GradientsThroughBatchStatisticsAgreeWithFiniteDifferences) {
  const BatchNorm op;
  EXPECT_TRUE(op.mixes_samples());
  testing::expect_gradients(op, inputs({3, 2, 2, 3}), true, {3, 4});
}

TEST(BatchNorm, NamesItsParameters) {
  const BatchNorm op;
  EXPECT_EQ(op.input_role(0), "");
  EXPECT_EQ(op.input_role(1), "scales");
  EXPECT_EQ(op.input_role(4), "variances");
  EXPECT_EQ(op.input_role(5), "");
}

TEST(BatchNorm, SaysWhichShapeIsWrong) {
  const BatchNorm op;
  EXPECT_EQ(infer_error(op, {{1, 2, 2, 2}, {2}}), "expected 5 inputs, got 2");
  EXPECT_EQ(infer_error(op, {{1, 2, 2, 2}, {2}, {2}, {3}, {2}}), "input 0 has 2 channels, means expect 3");
  EXPECT_EQ(infer_error(op, {{1, 2, 2, 2}, {2, 1}, {2}, {2}, {2}}), "scales have shape 2x1, expected 2");
}

}  // namespace
}  // namespace n2d2::ops

#include "n2d2/ops/fc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;

Fc make(int outputs) {
  Fc op;
  op.nb_outputs = outputs;
  return op;
}

TEST(Fc, FlattensChannelThenRowThenColumn) {
  const Tensor y = testing::forward(
      make(2), {Tensor::from({1, 2, 1, 2}, {1, 2, 3, 4}),
                Tensor::from({2, 4}, {1, 10, 100, 1000, 1, 0, 0, 0}), Tensor::from({2}, {0.5F, 0})});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 1}));
  EXPECT_THAT(testing::values(y), ElementsAre(4321.5F, 1));
}

TEST(Fc, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(make(3), {{4, 2, 2, 3}, {3, 12}, {3}});
  testing::expect_gradients(make(3), {{2, 5, 1, 1}, {3, 5}});
}

TEST(Fc, SaysWhichShapeIsWrong) {
  EXPECT_EQ(infer_error(make(3), {{1, 2, 2, 3}, {3, 10}}),
            "input 0 has 12 values a sample (2x2x3), weights expect 10");
  EXPECT_EQ(infer_error(make(3), {{1, 2, 2, 3}, {4, 12}}), "weights have shape 4x12, expected 3x12");
  EXPECT_EQ(infer_error(make(3), {{1, 2, 2, 3}, {3, 12}, {4}}), "biases have shape 4, expected 3");
  EXPECT_EQ(infer_error(make(0), {{1, 2, 2, 3}, {3, 12}}), "NbOutputs is 0, expected at least 1");
}

}  // namespace
}  // namespace n2d2::ops

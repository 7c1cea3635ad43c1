#include "n2d2/ops/elemwise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;

const std::vector<Tensor>& two_inputs() {
  static const std::vector<Tensor> in{Tensor::from({1, 2, 1, 1}, {1, 2}),
                                      Tensor::from({1, 2, 1, 1}, {10, 20})};
  return in;
}

TEST(ElemWise, SumsItsInputs) {
  EXPECT_THAT(testing::values(testing::forward(ElemWise(), two_inputs())), ElementsAre(11, 22));
}

TEST(ElemWise, WeighsAndShiftsByLayerInputOrChannel) {
  ElemWise op;
  op.weights = {2, 3};
  op.shifts = {100};
  EXPECT_THAT(testing::values(testing::forward(op, two_inputs())), ElementsAre(132, 164));
  op.coeff_mode = CoeffMode::PerChannel;
  EXPECT_THAT(testing::values(testing::forward(op, two_inputs())), ElementsAre(222, 66));
  op.coeff_mode = CoeffMode::PerLayer;
  op.weights = {2};
  EXPECT_THAT(testing::values(testing::forward(op, two_inputs())), ElementsAre(222, 244));
}

TEST(ElemWise, GradientsAgreeWithFiniteDifferences) {
  ElemWise op;
  op.weights = {0.5, -2};
  op.shifts = {1, 2, 3};
  testing::expect_gradients(op, {{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}});
}

TEST(ElemWise, SaysWhatIsWrong) {
  ElemWise op;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}, {1, 2, 1, 3}}), "input 1 has shape 1x2x1x3, input 0 has 1x2x1x1");
  op.weights = {1, 2, 3};
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}, {1, 2, 1, 1}}),
            "Weights has 3 values, expected at most 2 (one an input)");
  op.weights = {};
  op.shifts = {1, 2, 3};
  op.coeff_mode = CoeffMode::PerChannel;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Shifts has 3 values, expected at most 2 (one a channel)");
  op.coeff_mode = CoeffMode::PerLayer;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Shifts has 3 values, expected at most 1 (one a layer)");
  op.operation = ElemWiseOperation::Max;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Operation Max is not supported, expected Sum");
}

}  // namespace
}  // namespace n2d2::ops

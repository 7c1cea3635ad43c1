#include "n2d2/ops/deconv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;
using testing::values;

Deconv make(Dims kernel, int outputs) {
  Deconv op;
  op.kernel = kernel;
  op.nb_outputs = outputs;
  return op;
}

TEST(Deconv, EachInputAddsItsKernelToTheOutput) {
  const Deconv op = make({2, 1}, 1);
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 1, 1, 2}, {1, 3}), Tensor::from({1, 1, 1, 2}, {10, 1})});
  EXPECT_THAT(values(y), ElementsAre(10, 31, 3));
}

TEST(Deconv, StrideAndDilationSpreadTheKernels) {
  Deconv op = make({2, 1}, 1);
  op.stride = {3, 1};
  op.dilation = {2, 1};
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 1, 1, 2}, {1, 2}), Tensor::from({1, 1, 1, 2}, {10, 1})});
  EXPECT_THAT(values(y), ElementsAre(10, 0, 1, 20, 0, 2));
}

TEST(Deconv, PaddingCutsAndOutputPaddingAddsBehind) {
  Deconv op = make({2, 2}, 1);
  op.padding = {1, 0, 0, 1};
  op.output_padding = {2, 0};
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 1, 1, 2}, {1, 2}),
                            Tensor::from({1, 1, 2, 2}, {1, 10, 100, 1000}), Tensor::from({1}, {5})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 1, 4}));
  EXPECT_THAT(values(y), ElementsAre(5 + 10 + 2, 5 + 20, 5, 5));
}

TEST(Deconv, KeepsGroupsApartAndIgnoresWhatIsNotConnected) {
  Deconv op = make({1, 1}, 4);
  op.groups = 2;
  const Tensor x = Tensor::from({1, 2, 1, 1}, {3, 5});
  EXPECT_THAT(values(testing::forward(op, {x, Tensor::from({4, 1, 1, 1}, {1, 10, 100, 1000})})),
              ElementsAre(3, 30, 500, 5000));
  op = make({1, 1}, 2);
  op.connections = {1, 0, 1, 1};  // channel 0 feeds output 0; channel 1 feeds both
  EXPECT_THAT(values(testing::forward(op, {x, Tensor::from({2, 2, 1, 1}, {1, 10, 99, 2})})),
              ElementsAre(53, 10));
}

TEST(Deconv, GradientsAgreeWithFiniteDifferences) {
  Deconv op = make({3, 2}, 4);
  op.stride = {2, 3};
  op.padding = {1, 0, 2, 1};
  op.output_padding = {1, 2};
  testing::expect_gradients(op, {{2, 3, 2, 3}, {4, 3, 2, 3}, {4}});
  op = make({2, 2}, 4);
  op.groups = 2;
  op.dilation = {2, 1};
  testing::expect_gradients(op, {{2, 4, 3, 2}, {4, 2, 2, 2}});
}

TEST(Deconv, OutputSizeUndoesThatOfAConv) {
  Deconv op = make({4, 4}, 8);
  op.stride = {2, 2};
  op.padding = {1, 1, 1, 1};
  EXPECT_EQ(op.infer(std::vector<Shape>{{1, 3, 16, 15}, {8, 3, 4, 4}}).at(0), (Shape{1, 8, 32, 30}));
}

TEST(Deconv, SaysWhatIsWrong) {
  Deconv op = make({2, 2}, 4);
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {3, 4, 2, 2}}), "input 0 has 3 channels, weights expect 4");
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {4, 3, 2, 2}, {3}}), "biases have shape 3, expected 4");
  op.padding = {1, 1, 1, 1};
  EXPECT_EQ(infer_error(op, {{1, 3, 1, 8}, {4, 3, 2, 2}}), "Padding 1 1 1 1 leaves nothing of the output");
  op.output_padding = {-1, 0};
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {4, 3, 2, 2}}), "OutputPadding is -1, expected at least 0");
}

}  // namespace
}  // namespace n2d2::ops

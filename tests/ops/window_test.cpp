#include <gtest/gtest.h>

#include "n2d2/ops/conv.hpp"

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

TEST(Window, RefusesStepsBelowOneAndNegativePads) {
  const std::vector<Shape> in{{1, 1, 4, 4}, {1, 1, 1, 1}};
  Conv op;
  op.nb_outputs = 1;
  op.kernel = {1, 1};
  op.stride = {1, 0};
  EXPECT_EQ(testing::infer_error(op, in), "Stride is 0, expected at least 1");
  op.stride = {1, 1};
  op.dilation = {0, 1};
  EXPECT_EQ(testing::infer_error(op, in), "Dilation is 0, expected at least 1");
  op.dilation = {1, 1};
  op.padding = {0, 0, -1, 0};
  EXPECT_EQ(testing::infer_error(op, in), "Padding is -1, expected at least 0");
}

/// Every small geometry against the definition, output by output.
TEST(Window, ReachesExactlyTheInputsThatAreNotPadding) {
  for (int stride = 1; stride <= 3; ++stride)
    for (int dilation = 1; dilation <= 3; ++dilation)
      for (int before = 0; before <= 4; ++before)
        for (int after = 0; after <= 2; ++after) {
          Conv op;
          op.nb_outputs = 1;
          op.kernel = {3, 1};
          op.stride = {stride, 1};
          op.dilation = {dilation, 1};
          op.padding = {before, 0, after, 0};
          const std::vector<Tensor> in{Tensor::from({1, 1, 1, 5}, {1, 2, 3, 4, 5}),
                                       Tensor::from({1, 1, 1, 3}, {1, 10, 100})};
          if (!testing::infer_error(op, {in[0].shape(), in[1].shape()}).empty()) continue;
          const Tensor y = testing::forward(op, in);
          for (int64_t o = 0; o < y.elements(); ++o) {
            float expected = 0;
            for (int64_t k = 0; k < 3; ++k) {
              const int64_t x = o * stride + k * dilation - before;
              if (x >= 0 && x < 5) expected += in[1].data<float>()[k] * in[0].data<float>()[x];
            }
            ASSERT_EQ(y.data<float>()[o], expected) << stride << dilation << before << after << o;
          }
        }
}

}  // namespace
}  // namespace n2d2::ops

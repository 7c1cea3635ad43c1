#include "n2d2/ops/concat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;

TEST(Concat, PutsChannelsOneAfterTheOtherInEachSample) {
  const Tensor y = testing::forward(Concat(), {Tensor::from({2, 1, 1, 2}, {1, 2, 3, 4}),
                                               Tensor::from({2, 2, 1, 2}, {5, 6, 7, 8, 9, 10, 11, 12})});
  EXPECT_EQ(y.shape(), (Shape{2, 3, 1, 2}));
  EXPECT_THAT(testing::values(y), ElementsAre(1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12));
}

TEST(Concat, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(Concat(), {{2, 1, 2, 2}, {2, 3, 2, 2}});
}

TEST(Concat, SaysWhichInputIsWrong) {
  EXPECT_EQ(infer_error(Concat(), {}), "expected at least 1 inputs, got 0");
  EXPECT_EQ(infer_error(Concat(), {{1, 2, 4, 4}, {1, 2, 4, 5}}),
            "input 1 has height x width 4x5, input 0 has 4x4");
}

}  // namespace
}  // namespace n2d2::ops

#include "n2d2/ops/prelu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

TEST(PRelu, LeaksWithTheSlopeOfItsChannelOrPlace) {
  const Tensor x = Tensor::from({1, 2, 1, 3}, {-1, 0, 1, -2, 4, -8});
  EXPECT_THAT(testing::values(testing::forward(PRelu(), {x, Tensor::from({1, 2, 1, 1}, {0.5F, 0.25F})})),
              ElementsAre(-0.5F, 0, 1, -0.5F, 4, -2));
  EXPECT_THAT(testing::values(testing::forward(PRelu(), {x, Tensor::from({1, 1, 1, 1}, {-1})})),
              ElementsAre(1, 0, 1, 2, 4, 8));
  EXPECT_THAT(testing::values(testing::forward(PRelu(), {x, Tensor::from({1, 1, 1, 3}, {2, 0, 1})})),
              ElementsAre(-2, 0, 1, -4, 4, -8));
}

TEST(PRelu, GradientsOfDataAndSlopesAgreeWithFiniteDifferences) {
  testing::expect_gradients(PRelu(), {{2, 3, 2, 2}, {1, 3, 1, 1}});
  testing::expect_gradients(PRelu(), {{2, 3, 2, 2}, {1, 1, 1, 1}});
  testing::expect_gradients(PRelu(), {{2, 3, 2, 2}, {1, 3, 2, 2}});
}

TEST(PRelu, ItsTableHasARowForEachChannelOfSlopes) {
  const Tensor slopes = Tensor::from({1, 2, 1, 1}, {0.5F, -1});
  const QuantParams grid{8, true, -1, {}, {127}};
  const graph::IntegerForm form = PRelu().integer_form(std::vector<Shape>{{1, 2, 3, 3}, slopes.shape()});
  const Tensor table = form.table({grid, grid, {&slopes}});
  ASSERT_EQ(table.shape(), Shape({2, 256}));
  const auto entry = [&](int row, int x) { return table.data<int8_t>()[row * 256 + (x & 255)]; };
  EXPECT_EQ(entry(0, 100), 100);
  EXPECT_EQ(entry(1, 100), 100);
  EXPECT_EQ(entry(0, -100), -50);
  EXPECT_EQ(entry(1, -100), 100);
  EXPECT_EQ(entry(0, -3), -2);     // -1.5: to the even one
  EXPECT_EQ(entry(1, -128), 127);  // saturated
}

TEST(PRelu, HasNoIntegersWhereSlopesVaryWithinAMap) {
  const graph::IntegerForm form = PRelu().integer_form(std::vector<Shape>{{1, 2, 3, 3}, {1, 2, 1, 3}});
  EXPECT_EQ(form.scale, graph::ScaleOf::None);
  EXPECT_EQ(form.why_not.at(0).text, "slopes that vary along height or width have no integer form");
}

TEST(PRelu, RefusesSlopesThatDoNotFit) {
  const std::string expected = ", expected 1 or the extents of one sample of the data (1x4x3x3) on each axis";
  EXPECT_EQ(testing::infer_error(PRelu(), {{1, 4, 3, 3}, {1, 3, 1, 1}}),
            "slopes have shape 1x3x1x1" + expected);
  EXPECT_EQ(testing::infer_error(PRelu(), {{1, 4, 3, 3}, {4}}), "slopes have shape 4" + expected);
}

}  // namespace
}  // namespace n2d2::ops

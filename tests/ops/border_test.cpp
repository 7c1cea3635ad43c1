#include "n2d2/ops/border.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

/// One row above, none below, two columns on the left, one on the right.
Border make(BorderMode mode, double value = 0) {
  Border op;
  op.mode = mode;
  op.value = value;
  op.top = 1;
  op.left = 2;
  op.right = 1;
  return op;
}

std::vector<float> around(const Border& op) {
  Tensor x(Shape{1, 1, 2, 3});
  for (int i = 0; i < 6; ++i) x.data<float>()[i] = static_cast<float>(i + 1);
  const Tensor y = testing::forward(op, {x});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 3, 6}));
  return {y.span<float>().begin(), y.span<float>().end()};
}

TEST(Border, MirrorsWithoutRepeatingTheOutermostPixels) {
  EXPECT_THAT(around(make(BorderMode::Reflect)), ElementsAre(6, 5, 4, 5, 6, 5,  //
                                                             3, 2, 1, 2, 3, 2,  //
                                                             6, 5, 4, 5, 6, 5));
}

TEST(Border, RepeatsTheOutermostPixels) {
  EXPECT_THAT(around(make(BorderMode::Edge)), ElementsAre(1, 1, 1, 2, 3, 3,  //
                                                          1, 1, 1, 2, 3, 3,  //
                                                          4, 4, 4, 5, 6, 6));
}

TEST(Border, PutsOneValueAround) {
  EXPECT_THAT(around(make(BorderMode::Constant, -7)), ElementsAre(-7, -7, -7, -7, -7, -7,  //
                                                                  -7, -7, 1, 2, 3, -7,     //
                                                                  -7, -7, 4, 5, 6, -7));
}

TEST(Border, KeepsSamplesAndChannelsApart) {
  const Tensor x = testing::spread({2, 3, 2, 3}, 1);
  const Tensor y = testing::forward(make(BorderMode::Edge), {x});
  for (int64_t plane = 0; plane < 6; ++plane)
    EXPECT_EQ(y.data<float>()[plane * 18 + 17], x.data<float>()[plane * 6 + 5]) << plane;
}

TEST(Border, GradientsAgreeWithFiniteDifferences) {
  for (const BorderMode mode : {BorderMode::Constant, BorderMode::Reflect, BorderMode::Edge})
    testing::expect_gradients(make(mode, 0.5), {{2, 2, 2, 3}});
}

TEST(Border, AMirrorImageIsSmallerThanItsMap) {
  EXPECT_EQ(testing::infer_error(make(BorderMode::Reflect), {{1, 1, 2, 2}}),
            "a map of 2x2 (height x width) has no mirror image of 1 rows, 2 columns");
  EXPECT_EQ(testing::infer_error(make(BorderMode::Reflect), {{1, 1, 1, 3}}),
            "a map of 1x3 (height x width) has no mirror image of 1 rows, 2 columns");
}

}  // namespace
}  // namespace n2d2::ops

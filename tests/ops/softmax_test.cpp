#include "n2d2/ops/softmax.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/ops/log_softmax.hpp"

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

TEST(Softmax, GivesProbabilitiesOverTheChannelsOfEachPosition) {
  const Tensor y = testing::forward(Softmax(), {Tensor::from({1, 2, 1, 2}, {0, 1000, 0, 1001})});
  EXPECT_FLOAT_EQ(y.data<float>()[0], 0.5F);
  EXPECT_FLOAT_EQ(y.data<float>()[2], 0.5F);
  EXPECT_FLOAT_EQ(y.data<float>()[3], static_cast<float>(1 / (1 + std::exp(-1.0))));
}

TEST(Softmax, NormalizesEachGroupByItself) {
  Softmax op;
  op.group_size = 2;
  const Tensor y = testing::forward(op, {testing::spread({2, 4, 1, 3}, 0)});
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t c = 0; c < 4; c += 2)
      for (int64_t p = 0; p < 3; ++p) {
        const float* first = y.data<float>() + (n * 4 + c) * 3 + p;
        EXPECT_FLOAT_EQ(first[0] + first[3], 1);
      }
}

TEST(Softmax, GradientsAgreeWithFiniteDifferences) {
  Softmax op;
  testing::expect_gradients(op, {{2, 4, 1, 2}});
  op.group_size = 2;
  testing::expect_gradients(op, {{2, 4, 1, 2}});
}

TEST(Softmax, ItsTableHoldsPowersUntilTheyAreZero) {
  const QuantParams in{8, true, -1, {}, {12.7}}, out{8, false, -1, {}, {1}};
  const graph::IntegerForm form = Softmax().integer_form(std::vector<Shape>{{1, 4, 1, 2}});
  const Tensor table = form.table({in, out, {}});
  ASSERT_EQ(table.shape()[0], 1);
  // Half a unit is e^-11.78 of the whole.
  ASSERT_EQ(table.shape()[1], 118);
  for (int64_t d = 0; d < table.shape()[1]; ++d)
    EXPECT_NEAR(table.data<int32_t>()[d], 65536 * std::exp(-0.1 * static_cast<double>(d)), 0.5 + 1e-9);
}

TEST(Softmax, HasNoIntegersOverTooManyChannels) {
  const graph::IntegerForm form = Softmax().integer_form(std::vector<Shape>{{1, 40000, 1, 1}});
  EXPECT_EQ(form.why_not.at(0).text, "over 40000 channels it has no integer form");
}

TEST(Softmax, RefusesGroupsThatDoNotDivide) {
  Softmax op;
  op.group_size = 3;
  EXPECT_EQ(testing::infer_error(op, {{1, 4, 1, 1}}), "GroupSize 3 does not divide 4 channels");
}

TEST(LogSoftmax, IsTheLogarithmOfTheSoftmax) {
  const Tensor x = testing::spread({2, 5, 2, 3}, 3);
  const Tensor p = testing::forward(Softmax(), {x}), y = testing::forward(LogSoftmax(), {x});
  for (int64_t i = 0; i < p.elements(); ++i)
    EXPECT_NEAR(y.data<float>()[i], std::log(p.data<float>()[i]),
                1e-6);  // both round a value below 8 to float
}

TEST(LogSoftmax, StaysFiniteWhereAProbabilityIsZeroInFloat) {
  const Tensor y = testing::forward(LogSoftmax(), {Tensor::from({1, 2, 1, 1}, {0, 1000})});
  EXPECT_EQ(y.data<float>()[0], -1000);
  EXPECT_EQ(y.data<float>()[1], 0);
}

TEST(LogSoftmax, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(LogSoftmax(), {{2, 4, 1, 2}});
}

}  // namespace
}  // namespace n2d2::ops

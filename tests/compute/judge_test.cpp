#include "n2d2/compute/judge.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

using compute::first_difference;
using compute::NamedValue;

Tensor floats(std::vector<float> values) {
  Tensor out(Shape{1, 1, 1, static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.data<float>());
  return out;
}

Tensor bytes(const Shape& shape) {
  Tensor out(shape, DataType::I8);
  for (int64_t i = 0; i < out.elements(); ++i) out.data<int8_t>()[i] = static_cast<int8_t>(i);
  return out;
}

TEST(FirstDifference, IsTheFirstElementOfTheFirstValueInTheOrderGiven) {
  const Tensor right = bytes({1, 3, 2, 4});
  Tensor wrong = right;
  wrong.data<int8_t>()[1 * 8 + 1 * 4 + 2] = 99;
  wrong.data<int8_t>()[2 * 8] = 98;
  const std::map<std::string, Tensor> expected{{"a", right}, {"b", right}, {"c", right}};
  const auto none = first_difference({{"a", to_layout(right, Layout::Nhwc)}, {"c", right}}, expected);
  EXPECT_FALSE(none.has_value());
  const auto found =
      first_difference({{"c", right}, {"b", to_layout(wrong, Layout::Nhwc)}, {"a", wrong}}, expected);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "b");
  EXPECT_EQ((std::array{found->channel, found->row, found->column, found->count}),
            (std::array<int64_t, 4>{1, 1, 2, 2}));
  EXPECT_EQ(found->expected, 14);
  EXPECT_EQ(found->found, 99);
}

/// 10 is the largest magnitude: 0.01 is what may be apart.
TEST(FirstDifference, MeasuresFloatsByTheLargestMagnitudeOfTheirValue) {
  constexpr float kInf = std::numeric_limits<float>::infinity(),
                  kNan = std::numeric_limits<float>::quiet_NaN();
  const std::map<std::string, Tensor> expected{{"a", floats({0, 10, -1, kInf, kNan})}};
  const auto differs = [&](std::vector<float> values) {
    return first_difference({{"a", floats(std::move(values))}}, expected).has_value();
  };
  EXPECT_FALSE(differs({0.009F, 10, -1, kInf, kNan}));
  EXPECT_TRUE(differs({0.011F, 10, -1, kInf, kNan}));
  EXPECT_TRUE(differs({0, 10, -1, 10, kNan}));
  EXPECT_TRUE(differs({0, 10, -1, -kInf, kNan}));
  EXPECT_TRUE(differs({0, 10, -1, kInf, 0}));
  EXPECT_FALSE(differs({0, 10, -1, std::numeric_limits<float>::max(), kNan})) << "at which kernels end";
}

TEST(FirstDifference, LeavesRoomForRoundingThatTheNetworkAmplifies) {
  const std::map<std::string, Tensor> expected{{"a", floats({0, 10})}};
  const std::vector<NamedValue> found{{"a", floats({0.1F, 10})}};
  EXPECT_TRUE(first_difference(found, expected).has_value());
  EXPECT_FALSE(first_difference(found, expected, {{"a", 0.1 / compute::kRoundings}}).has_value());
  EXPECT_TRUE(first_difference(found, expected, {{"a", 0.05 / compute::kRoundings}}).has_value());
  EXPECT_TRUE(first_difference(found, expected, {{"b", 1}}).has_value());
}

TEST(FirstDifference, KnowsOnlyValuesOfTheJudge) {
  const std::map<std::string, Tensor> expected{{"a", bytes({1, 1, 2, 2})}};
  EXPECT_THROW(first_difference({{"b", bytes({1, 1, 2, 2})}}, expected), InternalError);
  EXPECT_THROW(first_difference({{"a", bytes({1, 1, 2, 3})}}, expected), InternalError);
}

TEST(Judge, RunsFloatsWithTheOperatorsOwnLoops) {
  Net net(Shape{1, 2, 4, 3});
  const ValueId out = net.fc("fc", net.conv("conv", net.data, 3, 2), 4);
  net.graph.set_outputs({out});
  const Tensor sample = random_tensor(net.graph.value(net.data).type.shape, net.rng);
  const compute::Judge judge(net.graph);
  EXPECT_FALSE(judge.has_integers());
  EXPECT_EQ(judge.macs(), 3 * 2 * 3 * 2 * 2 * 2 + 4 * 3 * 3 * 2);
  std::vector<NamedValue> found;
  for (const auto& [id, tensor] : evaluate_all(net.graph, sample))
    found.push_back({net.graph.value(id).name, tensor});
  EXPECT_EQ(found.size(), 3U);
  const std::map<std::string, Tensor> expected = judge.run(sample);
  EXPECT_FALSE(first_difference(found, expected).has_value());
  for (const auto& [name, by] : judge.amplified_rounding(sample, expected)) {
    double largest = 0;
    for (const float v : expected.at(name).span()) largest = std::max(largest, std::abs(double{v}));
    EXPECT_GT(by, 0) << name;
    EXPECT_LT(by, 100 * compute::kRounding * largest) << name << ": sums amplify little";
  }
}

}  // namespace
}  // namespace n2d2::testing

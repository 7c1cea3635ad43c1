#include "n2d2/training/rate_sweep.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

using Keys = std::map<std::string, std::string>;

RateSweep sweep_of(SmallNet& net, int64_t stimuli, const Keys& keys) {
  const VectorSource source = xor_points(100);
  return sweep_rates(net.graph, net.solvers("SGD", keys), net.targets(), reference_options(20), source,
                     stimuli);
}

TEST(RateSweep, GrowsFromTheLeastToTheLargestRate) {
  SmallNet net = xor_net();
  const RateSweep sweep = sweep_of(net, 240, {{"LearningRate", "0.3"}});
  ASSERT_EQ(sweep.points.size(), 12U) << "an epoch is 5 batches, the third one is cut";
  EXPECT_EQ(sweep.points.front().rate, kLeastSweptRate);
  EXPECT_DOUBLE_EQ(sweep.points.back().rate, kLargestSweptRate);
  EXPECT_EQ(sweep.points.back().done, 220);
  for (size_t i = 1; i < 12; ++i)
    EXPECT_NEAR(std::log10(sweep.points[i].rate / sweep.points[i - 1].rate), 7.0 / 11, 1e-9) << i;
  EXPECT_EQ(sweep.points.front().losses.size(), 1U);
  EXPECT_FALSE(sweep.diverged_at);
}

TEST(RateSweep, LearnsWithTheRateWhateverThePolicySays) {
  SmallNet a = xor_net(), b = xor_net();
  const RateSweep plain = sweep_of(a, 200, {{"LearningRate", "0.3"}});
  const RateSweep decayed = sweep_of(b, 200,
                                     {{"LearningRate", "7"},
                                      {"LearningRatePolicy", "StepDecay"},
                                      {"LearningRateStepSize", "20"},
                                      {"LearningRateDecay", "0.1"}});
  for (size_t i = 0; i < plain.points.size(); ++i)
    EXPECT_EQ(plain.points[i].losses, decayed.points[i].losses) << i;
  EXPECT_NE(a.constants()[0], xor_net().constants()[0]);
}

TEST(RateSweep, KeepsTheSharesOfTheRates) {
  SmallNet net = xor_net();
  const VectorSource source = xor_points(100);
  std::vector<LearntConstant> learnt = net.solvers("SGD", {{"LearningRate", "0.1"}});
  Diagnostics diagnostics;
  learnt[0].solver = make_solver("SGD", MapKeys(Keys{{"LearningRate", "0"}}), diagnostics);
  learnt[1].solver = make_solver("SGD", MapKeys(Keys{{"LearningRate", "0.05"}}), diagnostics);
  const std::vector<Tensor> before = net.constants();
  sweep_rates(net.graph, std::move(learnt), net.targets(), reference_options(20), source, 100);
  EXPECT_EQ(net.constants()[0], before[0]) << "a rate of 0 stays";
  EXPECT_NE(net.constants()[1], before[1]);
}

TEST(RateSweep, EndsWhereTheLossIsNoNumber) {
  SmallNet net(Shape{1, 2, 1, 1});
  net.fc("hidden", 8);
  net.fc("out", 2);  // squared error without any bound
  const VectorSource source = xor_points(100);
  const RateSweep sweep =
      sweep_rates(net.graph, net.solvers("SGD", {{"LearningRate", "1"}, {"Momentum", "0.99"}}), net.targets(),
                  reference_options(10), source, 4000);
  ASSERT_TRUE(sweep.diverged_at);
  EXPECT_LT(*sweep.diverged_at, kLargestSweptRate);
  EXPECT_GT(sweep.points.size(), 10U);
  for (const RatePoint& point : sweep.points) EXPECT_TRUE(std::isfinite(point.losses[0]));
}

TEST(RateSweep, NeedsSamples) {
  SmallNet net = xor_net();
  EXPECT_THROW(sweep_rates(net.graph, net.solvers("SGD", {}), net.targets(), reference_options(1),
                           VectorSource({}, {}), 10),
               ConfigError);
}

RateCurve curve_of(const std::vector<double>& losses) {
  RateSweep sweep;
  for (size_t i = 0; i < losses.size(); ++i)
    sweep.points.push_back(
        {static_cast<int64_t>(i), 1e-6 * std::pow(10, 0.1 * static_cast<double>(i)), {losses[i]}});
  return rate_curve(sweep, 0);
}

TEST(RateCurve, IsSteepestWhereTheMeansFallFastest) {
  // Flat, then a fall around point 30, flat again from 40 on, then up.
  std::vector<double> losses;
  for (int i = 0; i < 70; ++i) losses.push_back(i < 55 ? 2 - std::tanh((i - 30) / 5.0) : 10.0 * i);
  const RateCurve curve = curve_of(losses);
  ASSERT_TRUE(curve.steepest);
  EXPECT_NEAR(static_cast<double>(*curve.steepest), 30, 1);
  EXPECT_GT(curve.least, 45U);
  EXPECT_LT(curve.least, 56U);
  EXPECT_EQ(curve.reach, 3);
  EXPECT_DOUBLE_EQ(curve.means[0], (losses[0] + losses[1] + losses[2] + losses[3]) / 4);
  EXPECT_DOUBLE_EQ(curve.means[69], (losses[66] + losses[67] + losses[68] + losses[69]) / 4);
}

TEST(RateCurve, SuggestsNothingWhereTheLossOnlyRises) {
  EXPECT_FALSE(curve_of({1, 2, 3, 4, 5, 6}).steepest);
  EXPECT_FALSE(curve_of({1, 1, 1, 1}).steepest);
  EXPECT_FALSE(curve_of({}).steepest);
  EXPECT_FALSE(curve_of({2}).steepest);
}

TEST(RateCurve, SuggestsNothingWhereTheLossOnlyScatters) {
  for (const uint64_t seed : {1, 2, 3}) {
    Rng rng(seed, "losses");
    std::vector<double> losses;
    for (int i = 0; i < 40; ++i) losses.push_back(2.5 + 0.1 * rng.normal());
    EXPECT_FALSE(curve_of(losses).steepest) << seed;
    for (size_t i = 20; i < 30; ++i) losses[i] -= 0.1 * static_cast<double>(i - 19);
    EXPECT_TRUE(curve_of(losses).steepest) << seed;
  }
}

}  // namespace
}  // namespace n2d2::training

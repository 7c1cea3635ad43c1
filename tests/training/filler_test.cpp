#include "n2d2/training/filler.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/ops/conv.hpp"

#include "training/keys.hpp"

namespace n2d2::training {
namespace {

using Keys = std::map<std::string, std::string>;

std::unique_ptr<Filler> make(const std::string& type, const Keys& keys = {}) {
  Diagnostics diagnostics;
  auto filler = make_filler(type, MapKeys(keys), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return filler;
}

std::string error_of(const std::string& type, const Keys& keys) {
  Diagnostics diagnostics;
  EXPECT_EQ(make_filler(type, MapKeys(keys), diagnostics), nullptr);
  return only_error(diagnostics);
}

struct Moments {
  double mean = 0, std_dev = 0, kurtosis = 0, min = 0, max = 0;
};

Moments moments(const Tensor& t) {
  Moments m;
  const auto values = t.span();
  const auto n = static_cast<double>(values.size());
  for (const float v : values) m.mean += v / n;
  double fourth = 0, second = 0;
  for (const float v : values) {
    const double d = v - m.mean;
    second += d * d / n;
    fourth += d * d * d * d / n;
  }
  m.std_dev = std::sqrt(second);
  m.kurtosis = second > 0 ? fourth / (second * second) : 0;
  m.min = *std::min_element(values.begin(), values.end());
  m.max = *std::max_element(values.begin(), values.end());
  return m;
}

/// 40,000 numbers of a convolution with 100 inputs an output.
Tensor filled(const Filler& filler, const FanInfo& fan = {100, 25}) {
  Tensor t(Shape{400, 100});
  Rng rng(7);
  filler.fill(t, fan, rng);
  return t;
}

// Five standard errors of 40,000 draws: of the mean sigma / 200, of sigma itself sigma / 283.
constexpr double kMeanErrors = 5.0 / 200, kStdErrors = 5.0 / 283;

void expect_normal(const Moments& m, double mean, double std_dev) {
  EXPECT_NEAR(m.mean, mean, kMeanErrors * std_dev);
  EXPECT_NEAR(m.std_dev, std_dev, kStdErrors * std_dev);
  EXPECT_NEAR(m.kurtosis, 3, 0.15);
}

TEST(Filler, CountsFanOfConvolutionByChannelsOfAGroup) {
  const FanInfo grouped = fan_of(Shape{32, 4, 3, 5});
  EXPECT_EQ(grouped.fan_in, 4 * 3 * 5);
  EXPECT_EQ(grouped.fan_out, 32 * 3 * 5);
}

TEST(Filler, CountsFanOfFullyConnectedLayerAndOfBiases) {
  EXPECT_EQ(fan_of(Shape{10, 250}).fan_in, 250);
  EXPECT_EQ(fan_of(Shape{10, 250}).fan_out, 10);
  EXPECT_EQ(fan_of(Shape{10}).fan_in, 1);
  EXPECT_EQ(fan_of(Shape{10}).fan_out, 10);
}

TEST(Filler, ConstantIsTheSameEverywhere) {
  const Moments m = moments(filled(*make("ConstantFiller", {{"Value", "-0.5"}})));
  EXPECT_EQ(m.min, -0.5);
  EXPECT_EQ(m.max, -0.5);
}

TEST(Filler, ConstantNeedsItsValue) {
  EXPECT_EQ(error_of("ConstantFiller", {}), "net.ini:10: [conv1] Value: missing, expected a number");
}

TEST(Filler, NormalHasMeanAndStandardDeviation) {
  expect_normal(moments(filled(*make("NormalFiller"))), 0, 1);
  expect_normal(moments(filled(*make("NormalFiller", {{"Mean", "2"}, {"StdDev", "0.1"}}))), 2, 0.1);
}

TEST(Filler, NormalRejectsNegativeDeviation) {
  EXPECT_EQ(error_of("NormalFiller", {{"StdDev", "-1"}}),
            "net.ini:11: [conv1] StdDev: expected a number >= 0, got '-1'");
}

TEST(Filler, LayerWithoutFillerUsesNormalOfOneTwentieth) {
  expect_normal(moments(filled(*default_filler())), 0, 0.05);
}

TEST(Filler, UniformStaysWithinItsEnds) {
  const Moments m = moments(filled(*make("UniformFiller", {{"Min", "-3"}, {"Max", "-1"}})));
  EXPECT_GE(m.min, -3);
  EXPECT_LT(m.max, -1);
  EXPECT_LT(m.min, -2.99);
  EXPECT_GT(m.max, -1.01);
  EXPECT_NEAR(m.mean, -2, kMeanErrors * 2 / std::sqrt(12));
  EXPECT_NEAR(m.kurtosis, 1.8, 0.05);
}

TEST(Filler, UniformRejectsEndsInTheWrongOrder) {
  EXPECT_EQ(error_of("UniformFiller", {{"Min", "2"}}),
            "net.ini:11: [conv1] Max: expected a number >= Min = 2, got '1'");
}

TEST(Filler, HeDividesByTheFanTheNormAsksFor) {
  expect_normal(moments(filled(*make("HeFiller"))), 0, std::sqrt(2.0 / 100));
  expect_normal(moments(filled(*make("HeFiller", {{"VarianceNorm", "FanOut"}}))), 0, std::sqrt(2.0 / 25));
  expect_normal(moments(filled(*make("HeFiller", {{"VarianceNorm", "Average"}}))), 0, std::sqrt(2 / 62.5));
}

TEST(Filler, HeShiftsByMeanNormAndScalesBoth) {
  expect_normal(moments(filled(*make("HeFiller", {{"MeanNorm", "5"}, {"Scaling", "0.5"}}))), 0.025,
                0.5 * std::sqrt(2.0 / 100));
}

TEST(Filler, HeRejectsAnUnknownNorm) {
  EXPECT_EQ(error_of("HeFiller", {{"VarianceNorm", "Fan"}}),
            "net.ini:11: [conv1] VarianceNorm: expected one of FanIn Average FanOut, got 'Fan'");
}

TEST(Filler, ZeroScalingGivesZeros) {
  const Moments m = moments(filled(*make("HeFiller", {{"Scaling", "0.0"}})));
  EXPECT_EQ(m.min, 0);
  EXPECT_EQ(m.max, 0);
}

TEST(Filler, XavierHasVarianceOfInverseFanInBothDistributions) {
  const double std_dev = std::sqrt(1.0 / 100);
  const Moments uniform = moments(filled(*make("XavierFiller")));
  EXPECT_NEAR(uniform.std_dev, std_dev, kStdErrors * std_dev);
  EXPECT_NEAR(uniform.kurtosis, 1.8, 0.05);
  EXPECT_LE(uniform.max, std::sqrt(3.0 / 100) + 1e-7);
  expect_normal(moments(filled(*make("XavierFiller", {{"Distribution", "Normal"}}))), 0, std_dev);
  expect_normal(
      moments(filled(
          *make("XavierFiller", {{"Distribution", "Normal"}, {"VarianceNorm", "FanOut"}, {"Scaling", "2"}}))),
      0, 2 * std::sqrt(1.0 / 25));
}

TEST(Filler, NamesTheNearestFillerForAnUnknownOne) {
  EXPECT_EQ(error_of("XavierFiler", {}),
            "net.ini:10: [conv1] unknown filler 'XavierFiler'; did you mean 'XavierFiller'?");
}

TEST(Filler, RegistryHoldsAllFive) {
  const std::vector<std::string> expected{"ConstantFiller", "HeFiller", "NormalFiller", "UniformFiller",
                                          "XavierFiller"};
  EXPECT_EQ(fillers().names(), expected);
}

TEST(Filler, CloneAndTextKeepTheParameters) {
  const auto filler = make("HeFiller", {{"VarianceNorm", "FanOut"}, {"Scaling", "0.5"}});
  const std::vector<std::pair<std::string, std::string>> expected{{"VarianceNorm", "FanOut"},
                                                                  {"Scaling", "0.5"}};
  EXPECT_EQ(filler->clone()->fields_text(), expected);
  EXPECT_EQ(filler->clone()->type(), "HeFiller");
}

// ---- constants of a graph --------------------------------------------------------------------------------

TEST(FillConstant, DependsOnSeedAndNameAlone) {
  graph::Graph graph;
  const auto a = graph.add_constant("a", Tensor(Shape{4, 8}));
  const auto b = graph.add_constant("b", Tensor(Shape{4, 8}));
  const auto filler = make("NormalFiller");
  fill_constant(graph, a, {}, *filler, 1);
  fill_constant(graph, b, {}, *filler, 1);
  const Tensor first = *graph.value(a).constant;
  EXPECT_FALSE(first == *graph.value(b).constant);
  fill_constant(graph, a, {}, *filler, 1);
  EXPECT_TRUE(first == *graph.value(a).constant);
  fill_constant(graph, a, {}, *filler, 2);
  EXPECT_FALSE(first == *graph.value(a).constant);
}

TEST(FillConstant, GivesEachInputOfALayerItsOwnFan) {
  graph::Graph graph;
  const auto id = graph.add_constant("w", Tensor(Shape{1000, 5, 3, 3}));
  const std::vector<int64_t> inputs{1, 4};
  fill_constant(graph, id, inputs, *make("HeFiller"), 3);
  const Tensor& weights = *graph.value(id).constant;
  Tensor first(Shape{1000, 9}), second(Shape{1000, 36});
  for (int64_t o = 0; o < 1000; ++o) {
    std::copy_n(weights.data<float>() + o * 45, 9, first.data<float>() + o * 9);
    std::copy_n(weights.data<float>() + o * 45 + 9, 36, second.data<float>() + o * 36);
  }
  EXPECT_NEAR(moments(first).std_dev, std::sqrt(2.0 / 9), 0.02);
  EXPECT_NEAR(moments(second).std_dev, std::sqrt(2.0 / 36), 0.01);
}

TEST(FillConstant, RefusesInputsThatDoNotAddUp) {
  graph::Graph graph;
  const auto id = graph.add_constant("w", Tensor(Shape{2, 5}));
  const std::vector<int64_t> few{1, 3}, many{3, 3};
  EXPECT_THROW(fill_constant(graph, id, few, *default_filler(), 0), InternalError);
  EXPECT_THROW(fill_constant(graph, id, many, *default_filler(), 0), InternalError);
}

TEST(FillConstant, LeavesZeroWhereAConvolutionIsNotConnected) {
  graph::Graph graph;
  const auto data = graph.add_input("data", {Shape{1, 2, 4, 4}, DataType::F32, Layout::Nchw, {}});
  const auto weights = graph.add_constant("conv_weights", Tensor(Shape{3, 2, 1, 1}));
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = 3;
  conv->connections = {1, 0, 1, 0, 1, 1};  // channel 0 feeds outputs 0 and 2, channel 1 feeds 1 and 2
  graph.add(std::move(conv), "conv", {data, weights});
  fill_constant(graph, weights, {}, *make("ConstantFiller", {{"Value", "1"}}), 0);
  const auto values = graph.value(weights).constant->span();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{1, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace n2d2::training

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/graph/text.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

constexpr double kFloatRounding = 1e-5;
constexpr float kInf = std::numeric_limits<float>::infinity();
using ops::Pooling;

struct EqualizeCrossLayer : ::testing::Test {
  Net net{Shape{1, 3, 6, 6}};

  /// Largest magnitude of the weights of output `o`, of those that read channel `c` (of `channels`).
  double of_output(const char* name, size_t o, size_t outputs) {
    const std::span<float> w = net.parameter(name, 1);
    return largest(w.subspan(o * w.size() / outputs, w.size() / outputs));
  }
  static double largest(std::span<const float> w) {
    double m = 0;
    for (const float x : w) m = std::max(m, std::abs(double{x}));
    return m;
  }
  void spread(const char* name) {
    const std::span<float> w = net.parameter(name, 1);
    for (size_t i = 0; i < w.size(); ++i) w[i] *= static_cast<float>(std::pow(10, net.rng.uniform(-2, 2)));
  }
};

TEST_F(EqualizeCrossLayer, GivesBothSidesTheGeometricMean) {
  Net two(Shape{1, 1, 1, 1});
  two.graph.set_outputs({two.fc("fc2", two.fc("fc1", two.data, 2), 1, false)});
  two.parameter("fc1", 1)[0] = 8;
  two.parameter("fc1", 1)[1] = -1;
  two.parameter("fc1", 2)[0] = 4;
  two.parameter("fc1", 2)[1] = 1;
  two.parameter("fc2", 1)[0] = 2;
  two.parameter("fc2", 1)[1] = -9;
  EXPECT_EQ(run_pass(two.graph, "equalize_cross_layer"), 1);
  EXPECT_FLOAT_EQ(two.parameter("fc1", 1)[0], 4);
  EXPECT_FLOAT_EQ(two.parameter("fc1", 2)[0], 2);
  EXPECT_FLOAT_EQ(two.parameter("fc2", 1)[0], 4);
  EXPECT_FLOAT_EQ(two.parameter("fc1", 1)[1], -3);
  EXPECT_FLOAT_EQ(two.parameter("fc1", 2)[1], 3);
  EXPECT_FLOAT_EQ(two.parameter("fc2", 1)[1], -3);
}

TEST_F(EqualizeCrossLayer, ConvergesThroughDepthwiseLayersAndStaysThere) {
  ValueId x = net.conv("conv1", net.data, 4, 1);
  x = net.conv("conv2", net.depthwise("dw", x, 3), 5, 1);
  net.graph.set_outputs({x});
  for (const char* name : {"conv1", "dw", "conv2"}) spread(name);
  for (const char* name : {"conv1", "dw"}) net.graph.set_clamp(net.node(name).id, Clamp{0, kInf});
  EXPECT_LT(change(net, "equalize_cross_layer"), kFloatRounding);
  for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(of_output("conv1", c, 4) / of_output("dw", c, 4), 1, 1e-3) << c;
  EXPECT_EQ(run_pass(net.graph, "equalize_cross_layer"), 0);
}

TEST_F(EqualizeCrossLayer, PassesPoolsPaddingsAndLeakyRectifiers) {
  ValueId x = net.relu("leaky", net.conv("conv1", net.data, 4, 1), 0.1);
  x = net.pool("max", net.padding("pad", x, {1, 1, 1, 1}), Pooling::Max, 2);
  net.graph.set_outputs({net.conv("conv2", net.pool("avg", x, Pooling::Average, 2), 2, 1)});
  spread("conv1");
  EXPECT_LT(change(net, "equalize_cross_layer"), kFloatRounding);
  const std::span<float> w = net.parameter("conv2", 1);
  for (size_t c = 0; c < 4; ++c)
    EXPECT_NEAR(of_output("conv1", c, 4), std::max(std::abs(w[c]), std::abs(w[4 + c])), 1e-2) << c;
}

TEST_F(EqualizeCrossLayer, ScalesAllPixelsOfAChannelInAnFc) {
  const ValueId x = net.pool("max", net.conv("conv1", net.data, 2, 3), Pooling::Max, 2);  // 2 x 3 x 3
  net.graph.set_outputs({net.fc("fc", net.reshape("flat", x, {1, 1, -1}), 3)});
  spread("conv1");
  EXPECT_LT(change(net, "equalize_cross_layer"), kFloatRounding);
  const std::span<float> w = net.parameter("fc", 1);
  double reads_second = 0;
  for (size_t o = 0; o < 3; ++o) reads_second = std::max(reads_second, largest(w.subspan(o * 18 + 9, 9)));
  EXPECT_NEAR(of_output("conv1", 1, 2) / reads_second, 1, 1e-3);
}

TEST_F(EqualizeCrossLayer, KnowsGroupsAndConnectionTables) {
  ops::Conv grouped;
  grouped.kernel = {1, 1};
  grouped.nb_outputs = 6;
  grouped.groups = 2;
  ops::Conv table;
  table.kernel = {3, 3};
  table.nb_outputs = 2;
  table.connections = {1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1};  // 6 channels x 2 outputs
  ValueId x = net.conv("grouped", net.conv("conv1", net.data, 4, 1), grouped);
  net.graph.set_outputs({net.conv("table", x, table)});
  for (const char* name : {"conv1", "grouped", "table"}) spread(name);
  EXPECT_LT(change(net, "equalize_cross_layer"), kFloatRounding);
  EXPECT_EQ(net.parameter("table", 1)[0 * 54 + 2 * 9], 0);  // channel 2 does not feed output 0
  const std::span<float> w = net.parameter("grouped", 1);   // 6 outputs x 2 channels of the group
  double reads_third = 0;
  for (size_t o = 3; o < 6; ++o) reads_third = std::max(reads_third, std::abs(double{w[o * 2]}));
  EXPECT_NEAR(of_output("conv1", 2, 4) / reads_third, 1, 2e-3);
}

TEST_F(EqualizeCrossLayer, LeavesChannelsThatCarryOnlyTheirBias) {
  net.graph.set_outputs({net.conv("conv2", net.conv("conv1", net.data, 2, 1), 1, 1)});
  for (size_t i = 0; i < 3; ++i) net.parameter("conv1", 1)[i] = 0;
  const float bias = net.parameter("conv1", 2)[0], reader = net.parameter("conv2", 1)[0];
  EXPECT_LT(change(net, "equalize_cross_layer"), kFloatRounding);
  EXPECT_EQ(net.parameter("conv1", 2)[0], bias);
  EXPECT_EQ(net.parameter("conv2", 1)[0], reader);
  EXPECT_EQ(run_pass(net.graph, "equalize_cross_layer"), 0);
}

TEST_F(EqualizeCrossLayer, ClearsBothSidesOfADeadChannel) {
  net.graph.set_outputs({net.conv("conv2", net.conv("conv1", net.data, 2, 1), 1, 1)});
  for (size_t i = 0; i < 3; ++i) net.parameter("conv1", 1)[i] = 0;
  net.parameter("conv1", 2)[0] = 0;
  net.parameter("conv2", 1)[1] = 0;
  EXPECT_LT(change(net, "equalize_cross_layer"), kFloatRounding);
  EXPECT_EQ(net.parameter("conv2", 1)[0], 0);
  EXPECT_EQ(of_output("conv1", 1, 2), 0);
  EXPECT_EQ(net.parameter("conv1", 2)[1], 0);
  EXPECT_EQ(run_pass(net.graph, "equalize_cross_layer"), 0);
}

TEST_F(EqualizeCrossLayer, OfClampsOnlyARectifierAndNoneScale) {
  for (const auto& [clamp, scales] : {std::pair{Clamp{0, kInf}, true},
                                      {Clamp{-kInf, kInf}, true},
                                      {Clamp{-1, kInf}, false},
                                      {Clamp{0.5F, kInf}, false},
                                      {Clamp{-kInf, 0}, false}}) {
    Net one{Shape{1, 3, 6, 6}};
    one.graph.set_outputs({one.conv("conv2", one.conv("conv1", one.data, 2, 1), 1, 1)});
    one.graph.set_clamp(one.node("conv1").id, clamp);
    EXPECT_EQ(run_pass(one.graph, "equalize_cross_layer") > 0, scales) << clamp.lo << " " << clamp.hi;
  }
}

TEST_F(EqualizeCrossLayer, LeavesBoundedActivationsAndSharedOutputs) {
  const ValueId a = net.conv("conv1", net.data, 2, 1), b = net.conv("conv3", net.data, 2, 1);
  net.graph.set_clamp(net.node("conv1").id, Clamp{0, 6});
  net.graph.set_outputs({net.conv("conv2", a, 1, 1), net.conv("conv4", b, 1, 1), b});
  const std::string before = graph::to_text(net.graph);
  EXPECT_EQ(run_pass(net.graph, "equalize_cross_layer"), 0);
  EXPECT_EQ(graph::to_text(net.graph), before);
}

TEST_F(EqualizeCrossLayer, AChannelOfDeadWeightsGrowsNoFurtherThanItsBiasAllows) {
  for (const double f : {1e-2, 1e-4, 1e-8, 1e-14, 1e-25}) {
    Net one{Shape{1, 3, 6, 6}};
    one.graph.set_outputs({one.conv("conv2", one.conv("conv1", one.data, 4, 3), 2, 3)});
    const std::span<float> weights = one.parameter("conv1", 1);
    for (size_t i = 0; i < 27; ++i) weights[i] = static_cast<float>(f * weights[i]);
    one.parameter("conv1", 2)[0] = 0.8F;
    EXPECT_LT(change(one, "equalize_cross_layer"), kFloatRounding) << f;
    EXPECT_LT(one.parameter("conv1", 2)[0], 0.8 * 10) << f;  // sqrt(64 / 0.8) at most, and no less than 1
    EXPECT_GT(one.parameter("conv1", 2)[0], 0.8) << f;
    EXPECT_EQ(run_pass(one.graph, "equalize_cross_layer"), 0) << f;
  }
}

TEST_F(EqualizeCrossLayer, FactorsAreBounded) {
  Net two(Shape{1, 1, 1, 1});
  two.graph.set_outputs({two.fc("fc2", two.fc("fc1", two.data, 1, false), 1, false)});
  two.parameter("fc1", 1)[0] = 1e-30F;
  two.parameter("fc2", 1)[0] = 1;
  EXPECT_EQ(run_pass(two.graph, "equalize_cross_layer"), 1);
  EXPECT_FLOAT_EQ(two.parameter("fc1", 1)[0], 1e-30F * 0x1p32F);
  EXPECT_FLOAT_EQ(two.parameter("fc2", 1)[0], 0x1p-32F);
}

TEST_F(EqualizeCrossLayer, LongChainsComeToTheirFixpoint) {
  ValueId x = net.data;
  for (int i = 0; i < 24; ++i) x = net.conv("conv" + std::to_string(i), x, 8, i == 0 ? 3 : 1);
  net.graph.set_outputs({net.fc("fc", net.pool("mean", x, ops::Pooling::Average, 4), 3)});
  for (int i = 0; i < 24; ++i) spread(("conv" + std::to_string(i)).c_str());
  EXPECT_GT(run_pass(net.graph, "equalize_cross_layer"), 0);
  const std::string once = graph::to_text(net.graph);
  EXPECT_EQ(run_pass(net.graph, "equalize_cross_layer"), 0);
  EXPECT_EQ(graph::to_text(net.graph), once);
}

TEST_F(EqualizeCrossLayer, IsTheSameForAnyNumberOfThreads) {
  ValueId x = net.conv("conv1", net.data, 40, 3);
  x = net.conv("conv3", net.depthwise("conv2", x, 3), 600, 1);
  net.graph.set_outputs({net.fc("fc2", net.fc("fc1", x, 30), 4)});
  for (const char* name : {"conv1", "conv2", "conv3", "fc1", "fc2"}) spread(name);
  const int threads = max_threads();
  std::vector<std::vector<float>> weights;
  for (const int count : {1, 3}) {
    set_max_threads(count);
    Net same = net;
    EXPECT_GT(run_pass(same.graph, "equalize_cross_layer"), 0);
    const std::span<float> w = same.parameter("fc1", 1);
    weights.emplace_back(w.begin(), w.end());
  }
  set_max_threads(threads);
  EXPECT_EQ(weights[0], weights[1]);
}

}  // namespace
}  // namespace n2d2::testing

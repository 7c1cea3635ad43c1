#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

constexpr double kFloatRounding = 2e-6;

struct FuseBatchnorm : ::testing::Test {
  Net net{Shape{1, 4, 5, 5}};
};

TEST_F(FuseBatchnorm, FoldsIntoAConvWithoutBiasAndGivesItOne) {
  net.graph.set_outputs({net.batchnorm("bn", net.conv("conv", net.data, 5, 3, false))});
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  EXPECT_FALSE(net.has("bn"));
  EXPECT_EQ(net.node("conv").inputs.size(), 3U);
  EXPECT_EQ(net.graph.nodes().size(), 1U);
  EXPECT_EQ(run_pass(net.graph, "fuse_batchnorm"), 0);
}

TEST_F(FuseBatchnorm, FoldsByTheFormula) {
  Net one(Shape{1, 1, 1, 1});
  one.graph.set_outputs({one.batchnorm("bn", one.conv("conv", one.data, 1, 1))});
  one.parameter("conv", 1)[0] = 3;
  one.parameter("conv", 2)[0] = 2;
  one.parameter("bn", 1)[0] = 4;    // gamma
  one.parameter("bn", 2)[0] = 0.5;  // beta
  one.parameter("bn", 3)[0] = 1;    // mu
  one.parameter("bn", 4)[0] = 4;    // variance
  run_pass(one.graph, "fuse_batchnorm");
  const double f = 4 / std::sqrt(4 + 1e-5);
  EXPECT_FLOAT_EQ(one.parameter("conv", 1)[0], static_cast<float>(3 * f));
  EXPECT_FLOAT_EQ(one.parameter("conv", 2)[0], static_cast<float>(0.5 + (2 - 1) * f));
}

TEST_F(FuseBatchnorm, FoldsIntoFcAndDepthwiseConv) {
  const ValueId dw = net.batchnorm("bn1", net.depthwise("dw", net.data, 3));
  net.graph.set_outputs({net.batchnorm("bn2", net.fc("fc", dw, 3))});
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
}

TEST_F(FuseBatchnorm, InsertsAnIdentityConvAfterOtherLayersAndTheInput) {
  const ValueId a = net.batchnorm("bn1", net.data);
  const ValueId b = net.batchnorm("bn2", net.pool("pool", a, ops::Pooling::Max, 2));
  const ValueId conv = net.conv("conv", b, 4, 1);
  net.graph.set_outputs({net.batchnorm("bn3", conv), net.relu("relu", conv)});
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  for (const char* name : {"bn1_conv", "bn2_conv", "bn3_conv"}) {
    EXPECT_EQ(net.as<ops::Conv>(name).groups, 4) << name;
    EXPECT_EQ(net.as<ops::Conv>(name).kernel, (Dims{1, 1})) << name;
  }
  EXPECT_EQ(net.node("bn1_conv").origin.line, 7);
  EXPECT_FALSE(net.has("bn1") || net.has("bn2") || net.has("bn3"));
}

TEST_F(FuseBatchnorm, DoesNotReachThroughAnActivation) {
  const ValueId conv = net.conv("conv", net.data, 4, 1);
  net.graph.set_clamp(net.node("conv").id, Clamp{0, 6});
  net.graph.set_outputs({net.batchnorm("bn", conv)});
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  EXPECT_TRUE(net.has("bn_conv"));
}

TEST_F(FuseBatchnorm, KeepsItsOwnActivationBehindTheLayer) {
  const ValueId bn = net.batchnorm("bn", net.conv("conv", net.data, 4, 1));
  net.graph.set_clamp(net.node("bn").id, Clamp{0, 1});
  net.graph.set_outputs({net.relu("relu", bn)});
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  EXPECT_EQ(net.node("conv").clamp, (Clamp{0, 1}));
}

TEST_F(FuseBatchnorm, CopiesWeightsThatAnotherLayerShares) {
  const ValueId a = net.conv("conv1", net.data, 4, 1);
  ops::Conv op;
  op.kernel = {1, 1};
  op.nb_outputs = 4;
  const std::vector<ValueId> shared = net.node("conv1").inputs;
  const ValueId b = net.layer("conv2", op, {net.data, shared[1], shared[2]});
  net.graph.set_outputs({net.batchnorm("bn", a), b});
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  EXPECT_NE(net.node("conv1").inputs[1], net.node("conv2").inputs[1]);
}

TEST_F(FuseBatchnorm, ReplacesVariancesNearZeroAndNamesTheChannels) {
  net.graph.set_outputs({net.batchnorm("bn", net.conv("conv", net.data, 3, 1, false))});
  const std::span<float> variances = net.parameter("bn", 4), scales = net.parameter("bn", 1);
  variances[0] = 2;
  variances[1] = 0;
  variances[2] = 4;
  const double weight = net.parameter("conv", 1)[4], scale = scales[1];
  log::Capture log;
  run_pass(net.graph, "fuse_batchnorm");
  EXPECT_NE(log.text().find(
                "net.ini:7: [bn] BatchNorm: the variance of channel 1 is almost zero; the mean of the other "
                "variances (3) is used instead, which changes these channels"),
            std::string::npos)
      << log.text();
  EXPECT_FLOAT_EQ(net.parameter("conv", 1)[4], static_cast<float>(weight * scale / std::sqrt(3 + 1e-5)));
}

TEST_F(FuseBatchnorm, OneVarianceStandsForAllOthers) {
  net.graph.set_outputs({net.batchnorm("bn", net.conv("conv", net.data, 2, 1, false))});
  const std::span<float> variances = net.parameter("bn", 4), scales = net.parameter("bn", 1);
  variances[0] = 0;
  variances[1] = 4;
  const double weight = net.parameter("conv", 1)[0], scale = scales[0];
  const log::Capture log;
  run_pass(net.graph, "fuse_batchnorm");
  EXPECT_FLOAT_EQ(net.parameter("conv", 1)[0], static_cast<float>(weight * scale / std::sqrt(4 + 1e-5)));
}

TEST_F(FuseBatchnorm, KeepsVariancesThatAreAllZero) {
  net.graph.set_outputs({net.batchnorm("bn", net.conv("conv", net.data, 2, 1))});
  for (float& v : net.parameter("bn", 4)) v = 0;
  log::Capture log;
  EXPECT_LT(change(net, "fuse_batchnorm"), kFloatRounding);
  EXPECT_EQ(log.text(), "");
}

TEST_F(FuseBatchnorm, RefusesAVarianceThatGivesNoFactor) {
  ops::BatchNorm op;
  op.epsilon = 0;
  const ValueId conv = net.conv("conv", net.data, 2, 1);
  std::vector<ValueId> inputs{conv};
  for (const char* name : {"scales", "biases", "means", "variances"})
    inputs.push_back(net.constant(std::string("bn_") + name, Tensor(Shape{2})));
  net.graph.set_outputs({net.layer("bn", op, inputs)});
  try {
    run_pass(net.graph, "fuse_batchnorm");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "net.ini:7: [bn] BatchNorm: expected variance + Epsilon > 0, channel 0 has 0\n  hint: train the "
        "network, or load its weights, before it is exported");
  }
}

}  // namespace
}  // namespace n2d2::testing

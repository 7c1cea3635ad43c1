// Layer sections that few networks have: tables of a Pool, Unpool, Normalize, Threshold, TargetBias,
// SubSample.
#include <gtest/gtest.h>

#include "n2d2/ops/channel_pool.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/target_bias.hpp"
#include "n2d2/ops/threshold.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

const std::string kFour = "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=4\n";

Shape shape_of(const Network& net, const std::string& name) {
  return net.graph.value(*net.graph.find_value(name)).type.shape;
}

template <class Op>
const Op& op_of(const Network& net, const std::string& name) {
  return *graph::as<Op>(net.graph.node(*net.graph.find_node(name)));
}

TEST(RareLayers, APoolWithoutMappingPoolsAllChannels) {
  const std::string text = kInput + kFour +
                           "[p]\nInput=a\nType=Pool\nPoolDims=2 2\nStride=2\nNbOutputs=2\nPooling=Average\n"
                           "[p.Target]\n";
  const Network net = network_of(text);
  EXPECT_EQ(shape_of(net, "p_window"), (Shape{1, 4, 14, 14}));
  EXPECT_EQ(shape_of(net, "p"), (Shape{1, 2, 14, 14}));
  EXPECT_EQ(op_of<ops::ChannelPool>(net, "p").connections, std::vector<int>(8, 1));
  EXPECT_EQ(op_of<ops::ChannelPool>(net, "p").pooling, ops::Pooling::Average);
  EXPECT_NE(warnings_of(text).find("[p] Pool without mapping: each output pools all 4 channels"),
            std::string::npos);
}

TEST(RareLayers, ATableOfAPoolSaysWhichChannelsMeet) {
  const Network net = network_of(kInput + kFour +
                                 "[p]\nInput=a\nType=Pool\nPoolDims=2 2\nNbOutputs=2\nPooling=Max\n"
                                 "Mapping.NbGroups=2\n[p.Target]\n");
  EXPECT_EQ(op_of<ops::ChannelPool>(net, "p").connections, (std::vector<int>{1, 0, 1, 0, 0, 1, 0, 1}));
}

TEST(RareLayers, AnUnpoolReadsWhatItsPoolRead) {
  const std::string window = "PoolDims=2 2\nStride=2\nPooling=Max\nNbOutputs=4\nMapping.Size=1\n";
  const Network net = network_of(kInput + kFour + "[p]\nInput=a\nType=Pool\n" + window +
                                 "[u]\nInput=p\nType=Unpool\nArgMax=p\n" + window + "[u.Target]\n");
  EXPECT_EQ(shape_of(net, "u"), (Shape{1, 4, 28, 28}));
  const auto& inputs = net.graph.node(*net.graph.find_node("u")).inputs;
  EXPECT_EQ(net.graph.value(inputs.at(0)).name, "p");
  EXPECT_EQ(net.graph.value(inputs.at(1)).name, "a");
}

TEST(RareLayers, ASubSampleIsAMeanInFrontOfTheActivation) {
  const Network net = network_of(kInput +
                                 "[a]\nInput=sp\nType=Conv\nKernelSize=3\nNbOutputs=4\nSubSample=2\n"
                                 "ActivationFunction=Rectifier\n[a.Target]\n");
  EXPECT_EQ(shape_of(net, "a"), (Shape{1, 4, 26, 26}));
  EXPECT_EQ(shape_of(net, "a_mean"), (Shape{1, 4, 13, 13}));
  EXPECT_EQ(shape_of(net, "a_act"), (Shape{1, 4, 13, 13}));
}

TEST(RareLayers, AThresholdReadsItsConfigSection) {
  const std::string text = kInput + "[t]\nInput=sp\nType=Threshold\nNbOutputs=1\nThreshold=0.5\n";
  const Network net = network_of(text + "ConfigSection=c\n[t.Target]\n[c]\nOperation=ToZero\nMaxValue=2\n");
  EXPECT_EQ(op_of<ops::Threshold>(net, "t").operation, ops::ThresholdOperation::ToZero);
  EXPECT_EQ(op_of<ops::Threshold>(net, "t").max_value, 2);
  EXPECT_NE(warnings_of(text + "Operation=ToZero\n[t.Target]\n")
                .find("[t] Operation: belongs in a ConfigSection, ignored here"),
            std::string::npos);
}

TEST(RareLayers, ATargetBiasHasRoomForTheClassesOfABatch) {
  const Network net =
      network_of(kInput + "[t]\nInput=sp\nType=TargetBias\nNbOutputs=1\nBias=-0.35\n[t.Target]\n");
  EXPECT_EQ(op_of<ops::TargetBias>(net, "t").bias, -0.35);
  EXPECT_EQ(shape_of(net, "t_classes"), (Shape{4}));
}

TEST(RareLayers, AnFcReadsNormalizeAndDropConnect) {
  const Network net = network_of(kInput +
                                 "[f]\nInput=sp\nType=Fc\nNbOutputs=3\nConfigSection=c\n[f.Target]\n"
                                 "[c]\nNormalize=1\nDropConnect=0.5\n");
  EXPECT_TRUE(op_of<ops::Fc>(net, "f").normalize);
  EXPECT_EQ(op_of<ops::Fc>(net, "f").drop_connect, 0.5);
}

TEST(RareLayers, OnePixelIsRepeatedBesideAMap) {
  const std::string text =
      kInput + kFour +
      "[g]\nInput=a\nType=Pool\nPoolDims=28 28\nNbOutputs=4\nPooling=Average\n"
      "Mapping.Size=1\n[c]\nInput=g,a\nType=Conv\nKernelSize=1\nNbOutputs=2\n[c.Target]\n";
  const Network net = network_of(text);
  EXPECT_EQ(shape_of(net, "c_repeat"), (Shape{1, 4, 28, 28}));
  EXPECT_EQ(op_of<ops::Resize>(net, "c_repeat").mode, ops::ResizeMode::NearestNeighbor);
  EXPECT_NE(warnings_of(text).find("[c] Input: 'g' of 1x1 is repeated over 28x28"), std::string::npos);
}

TEST(RareLayers, BilinearIsAnotherNameOfBilinearTF) {
  const Network net = network_of(kInput +
                                 "[r]\nInput=sp\nType=Resize\nNbOutputs=1\nOutputWidth=56\nOutputHeight=56\n"
                                 "Mode=Bilinear\n[r.Target]\n");
  EXPECT_EQ(op_of<ops::Resize>(net, "r").mode, ops::ResizeMode::BilinearTF);
  EXPECT_EQ(op_of<ops::Resize>(net, "r").positions, ops::ResizePositions::AlignCorners);
}

}  // namespace
}  // namespace n2d2::loader

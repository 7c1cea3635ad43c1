// Layer sections of Deconv, LRN, Resize and Transpose.
#include <gtest/gtest.h>

#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/resize.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

/// One layer between the data of 28x28x1 and a target.
Network layer(const std::string& keys) {
  return network_of(kInput + "[l]\nInput=sp\n" + keys + "[l.Target]\n");
}

Shape shape_of(const Network& net) {
  return net.graph.value(*net.graph.find_value("l")).type.shape;
}

template <class Op>
const Op& op_of(const Network& net) {
  return *graph::as<Op>(net.graph.node(*net.graph.find_node("l")));
}

TEST(SpatialLayers, ADeconvHasTheKeysOfAConv) {
  const Network net = network_of(kInput +
                                 "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=4\n"
                                 "[l]\nInput=a\nType=Deconv\nKernelDims=3 2\nNbOutputs=6\nStrideDims=2 3\n"
                                 "PaddingX=1\nPaddingY=0\nDilation=1\nMapping.NbGroups=2\nConfigSection=c\n"
                                 "WeightsFiller=ConstantFiller\nWeightsFiller.Value=0.5\n[l.Target]\n"
                                 "[c]\nNoBias=1\nWeightsSolver.LearningRate=0.125\nBackPropagate=0\n");
  EXPECT_EQ(shape_of(net), (Shape{1, 6, 83, 55}));
  EXPECT_EQ(op_of<ops::Deconv>(net).groups, 2);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("l_weights")).type.shape, (Shape{6, 2, 2, 3}));
  EXPECT_FALSE(net.graph.find_value("l_biases"));
  EXPECT_EQ(net.gradient_stops.size(), 1U);
  Network filled = layer(
      "Type=Deconv\nKernelSize=2\nNbOutputs=3\nWeightsFiller=ConstantFiller\n"
      "WeightsFiller.Value=0.5\nActivationFunction=Rectifier\n");
  fill(filled);
  EXPECT_EQ(filled.graph.value(*filled.graph.find_value("l_weights")).constant->span()[11], 0.5F);
  EXPECT_TRUE(filled.graph.find_value("l_biases"));
  EXPECT_TRUE(filled.graph.find_node("l_act"));
  EXPECT_EQ(filled.parameters.size(), 2U);
}

TEST(SpatialLayers, ATableOfADeconvSaysWhichChannelsMeet) {
  const Network net = network_of(kInput +
                                 "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n"
                                 "[l]\nInput=a\nType=Deconv\nKernelSize=2\nNbOutputs=2\nMapping(a)=1 1 0 1\n"
                                 "[l.Target]\n");
  EXPECT_EQ(op_of<ops::Deconv>(net).connections, (std::vector<int>{1, 1, 0, 1}));
}

TEST(SpatialLayers, LrnReadsItsConfigSection) {
  const Network net = network_of(kInput +
                                 "[l]\nInput=sp\nType=LRN\nNbOutputs=1\nConfigSection=c\n[l.Target]\n"
                                 "[c]\nN=3\nAlpha=0.5\nBeta=1\nK=4\n");
  const auto& op = op_of<ops::Lrn>(net);
  EXPECT_EQ(op.n, 3);
  EXPECT_EQ(op.alpha, 0.5);
  EXPECT_EQ(op.beta, 1);
  EXPECT_EQ(op.k, 4);
  const Network defaults = layer("Type=LRN\nNbOutputs=1\n");
  EXPECT_TRUE(op_of<ops::Lrn>(defaults).equals(ops::Lrn()));
}

TEST(SpatialLayers, ResizeAlignsCornersUnlessToldOtherwise) {
  const std::string linear = "Type=Resize\nNbOutputs=1\nOutputWidth=14\nOutputHeight=50\nMode=BilinearTF\n";
  const Network aligned = layer(linear);
  EXPECT_EQ(shape_of(aligned), (Shape{1, 1, 50, 14}));
  EXPECT_EQ(op_of<ops::Resize>(aligned).positions, ops::ResizePositions::AlignCorners);
  const Network scaled =
      network_of(kInput + "[l]\nInput=sp\n" + linear + "ConfigSection=c\n[l.Target]\n[c]\nAlignCorners=0\n");
  EXPECT_EQ(op_of<ops::Resize>(scaled).positions, ops::ResizePositions::Asymmetric);
  const Network nearest =
      layer("Type=Resize\nNbOutputs=1\nOutputWidth=56\nOutputHeight=56\nMode=NearestNeighbor\n");
  EXPECT_EQ(op_of<ops::Resize>(nearest).positions, ops::ResizePositions::Asymmetric);
  EXPECT_EQ(op_of<ops::Resize>(nearest).rounding, ops::ResizeRounding::Floor);
}

TEST(SpatialLayers, KeysThatOnlyFilesSetAreUnknown) {
  const std::string warnings = warnings_of(
      kInput +
      "[l]\nInput=sp\nType=Resize\nNbOutputs=1\nOutputWidth=14\nOutputHeight=14\n"
      "Mode=NearestNeighbor\nPositions=HalfPixel\nRounding=Ceil\nScaleX=2\nScaleY=2\n[l.Target]\n");
  for (const std::string key : {"Positions", "Rounding", "ScaleX", "ScaleY"})
    EXPECT_NE(warnings.find("[l] " + key + ": unknown key"), std::string::npos) << warnings;
}

TEST(SpatialLayers, ATransposeTurnsItsMap) {
  const Network net = network_of(kInput +
                                 "[a]\nInput=sp\nType=Conv\nKernelDims=1 9\nNbOutputs=4\n"
                                 "[l]\nInput=a\nType=Transpose\nNbOutputs=28\nPerm=1 2 0 3\n[l.Target]\n");
  EXPECT_EQ(shape_of(net), (Shape{1, 28, 4, 20}));
}

}  // namespace
}  // namespace n2d2::loader

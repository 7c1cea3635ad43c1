// Tensors N,H,W,C and N,L,C at the ends of a file: the bytes of an export, no layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/transpose.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string perm(const std::vector<int64_t>& order) {
  return attribute("perm", order);
}
const std::string kFirst = perm({0, 3, 1, 2}), kLast = perm({0, 2, 3, 1});

ImportOptions lying() {
  ImportOptions options;
  options.keeps_channels_last = true;
  return options;
}

std::vector<float> ramp(int count) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<float>(i % 7 - 3));
  return out;
}

std::string conv() {
  std::vector<float> w;
  for (int i = 0; i < 18; ++i) w.push_back(static_cast<float>(i % 5) - 2);
  return reals("w", {1, 2, 3, 3}, w) + node("Conv", {"t", "w"}, "c");
}

TEST(ChannelsLast, AnInputIsGivenWithItsChannelsFirst) {
  const std::string plain = input("t", {1, 2, 4, 5}) + output("c") + conv();
  const std::string turned =
      input("x", {1, 4, 5, 2}) + output("c") + node("Transpose", {"x"}, "t", kFirst) + conv();
  EXPECT_TRUE(model_of(turned).inputs().at(0).channels_last);
  EXPECT_FALSE(model_of(plain).inputs().at(0).channels_last);
  const Net net(turned, {1, 2, 4, 5}, lying());
  EXPECT_THAT(net.types(), ElementsAre("Conv"));
  EXPECT_EQ(net.run(ramp(40)), Net(plain, {1, 2, 4, 5}).run(ramp(40)));
}

TEST(ChannelsLast, AnInputOfOneChannelAndOneOfEqualExtentsToo) {
  for (const int channels : {1, 4}) {
    const std::string text = input("x", {1, 4, 4, channels}) + output("y") +
                             node("Transpose", {"x"}, "t", kFirst) + node("Relu", {"t"}, "y");
    EXPECT_THAT(Net(text, {1, channels, 4, 4}, lying()).types(), ElementsAre("Relu")) << channels;
  }
}

TEST(ChannelsLast, AnInputThatIsGivenAsTheFileHasItKeepsItsTranspose) {
  const std::string text =
      input("x", {1, 4, 5, 2}) + output("c") + node("Transpose", {"x"}, "t", kFirst) + conv();
  EXPECT_THAT(Net(text, {1, 4, 5, 2}, lying()).types(), ElementsAre("Transpose", "Conv"));
  EXPECT_THAT(Net(text, {1, 4, 5, 2}).types(), ElementsAre("Transpose", "Conv"));
}

TEST(ChannelsLast, SingleElementsMayBeChangedInFrontOfTheTranspose) {
  const std::string bytes =
      "input { name: 'x' type { tensor_type { elem_type: 2 shape { dim { dim_value: 1 } dim { dim_value: 4 } "
      "dim { "
      "dim_value: 5 } dim { dim_value: 2 } } } } } ";
  const std::string text = bytes + output("y") + reals("mean", {2}, {10, 20}) + reals("scale", {}, {0.5}) +
                           node("Cast", {"x"}, "r", attribute("to", 1)) + node("Sub", {"r", "mean"}, "s") +
                           node("Mul", {"s", "scale"}, "m") + node("Transpose", {"m"}, "t", kFirst) +
                           node("Relu", {"t"}, "y");
  EXPECT_TRUE(model_of(text).inputs().at(0).channels_last);
  const Net net(text, {1, 2, 4, 5}, lying());
  EXPECT_THAT(net.types(), ::testing::Not(::testing::Contains("Transpose")));
  std::vector<float> in(40, 30);
  const std::vector<float> out = net.run(in);
  EXPECT_EQ(out.at(0), 10);  // (30 - 10) / 2 of channel 0
  EXPECT_EQ(out.at(20), 5);  // (30 - 20) / 2 of channel 1
}

TEST(ChannelsLast, SeriesOfTimeAndChannel) {
  const std::string text =
      input("x", {0, 5, 2}) + output("y") + node("Transpose", {"x"}, "t", perm({0, 2, 1})) +
      reals("w", {3, 2, 3}, std::vector<float>(18, 0.5F)) + node("Conv", {"t", "w"}, "c") +
      node("Transpose", {"c"}, "n", perm({0, 2, 1})) + node("Relu", {"n"}, "r") +
      node("Transpose", {"r"}, "b", perm({0, 2, 1})) + node("Neg", {"b"}, "y");
  EXPECT_TRUE(model_of(text).inputs().at(0).channels_last);
  EXPECT_THAT(Net(text, {1, 2, 1, 5}, lying()).types(), ElementsAre("Conv", "Relu", "Scaling"));
  EXPECT_THAT(Net(text, {1, 2, 5, 1}, lying()).types(), ElementsAre("Reshape", "Conv", "Relu", "Scaling"));
}

TEST(ChannelsLast, WhatReadsTheOrderOfTheFileGetsIt) {
  const std::string text = input("x", {1, 2, 2, 3}) + output("y") + node("Relu", {"x"}, "r") +
                           node("Transpose", {"r"}, "t", kLast) + integers("flat", {1, -1}) +
                           node("Reshape", {"t", "flat"}, "y");
  const Net net(text, {1, 2, 2, 3}, lying());
  EXPECT_THAT(net.types(), ElementsAre("Relu", "Transpose", "Reshape"));
  EXPECT_THAT(net.run({1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16}),
              ElementsAre(1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16));
  for (const Layer& layer : net.imported.layers) EXPECT_TRUE(layer.node) << layer.output;
}

TEST(ChannelsLast, AnOutputIsWhatItsTransposeReads) {
  const std::string text = input("x", {1, 2, 2, 3}) + output("y") + node("Relu", {"x"}, "r") +
                           node("Transpose", {"r"}, "t", kLast) +
                           node("Softmax", {"t"}, "y", attribute("axis", 3));
  const Net net(text, {1, 2, 2, 3}, lying());
  EXPECT_THAT(net.types(), ElementsAre("Relu", "Softmax"));
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, (Shape{1, 2, 2, 3}));
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 2, 3, 2}));
  // Up to operator set 12 the last axis alone, too.
  EXPECT_EQ(Net(text, {1, 2, 2, 3}, lying(), 11).run(ramp(12)), net.run(ramp(12)));
  // As in the file, for those who compare.
  EXPECT_EQ(Net(text, {1, 2, 2, 3}).graph.value(Net(text, {1, 2, 2, 3}).graph.outputs().at(0)).type.shape,
            (Shape{1, 2, 3, 2}));
}

TEST(ChannelsLast, AnIgnoredTransposeOfTheInputIsTheSameWire) {
  ImportOptions options = lying();
  options.ignore = {"t"};
  const std::string text =
      input("x", {0, 5, 2}) + output("y") + node("Transpose", {"x"}, "t", perm({0, 2, 1})) +
      reals("w", {3, 2, 3}, std::vector<float>(18, 0.5F)) + node("Conv", {"t", "w"}, "y");
  EXPECT_THAT(Net(text, {1, 2, 1, 5}, options).types(), ElementsAre("Conv"));
}

TEST(ChannelsLast, RefusesSizesThatFitNeitherWay) {
  const std::string series = input("x", {0, 5, 2}) + output("y") +
                             node("Transpose", {"x"}, "t", perm({0, 2, 1})) + node("Relu", {"t"}, "y");
  EXPECT_THAT(
      findings(series, {1, 2, 1, 7}, lying()),
      HasSubstr(
          "input 'x': the file expects 5x2, it is given 2x1x7 (channels x height x width)\n  hint: [sp] of "
          "the file's size has NbChannels=2, SizeY=1, SizeX=5"));
}

}  // namespace
}  // namespace n2d2::onnx

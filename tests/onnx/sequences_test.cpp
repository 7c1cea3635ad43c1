// Recurrent layers, and tensors whose batch is not axis 0.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "n2d2/ops/recurrent.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

/// Sums of a few numbers in float.
constexpr float kRounding = 1e-6F;

std::string text(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}

/// Weights of one unit that reads one channel, for each direction.
std::string weights(int directions = 1) {
  const std::vector<float> w{0.5F, -0.75F}, r{0.25F, 0.5F}, b{0.125F, -0.25F, 0.0625F, 0.5F};
  const auto first = [](const std::vector<float>& all, int count) {
    return std::vector<float>(all.begin(), all.begin() + count);
  };
  return reals("w", {directions, 1, 1}, first(w, directions)) +
         reals("r", {directions, 1, 1}, first(r, directions)) +
         reals("b", {directions, 2}, first(b, 2 * directions));
}
/// With a second output 'h', the last state.
std::string rnn(const std::string& from, const std::string& to, const std::string& attributes = "") {
  return node("RNN", {from, "w", "r", "b"}, to, "output: 'h' " + attribute("hidden_size", 1) + attributes);
}
/// h = tanh(w x + r h + b + b')
std::vector<float> states(const std::vector<double>& x, double w = 0.5, double r = 0.25, double b = -0.125) {
  std::vector<float> out;
  double h = 0;
  for (const double v : x) out.push_back(static_cast<float>(h = std::tanh(w * v + r * h + b)));
  return out;
}
std::vector<float> reverse_states(std::vector<double> x) {
  std::reverse(x.begin(), x.end());
  std::vector<float> out = states(x, -0.75, 0.5, 0.5625);
  std::reverse(out.begin(), out.end());
  return out;
}
/// Samples whose steps are pixels.
ImportOptions pixels() {
  ImportOptions options;
  options.keeps_channels_last = true;
  return options;
}
auto near(const std::vector<float>& expected) {
  return Pointwise(FloatNear(kRounding), expected);
}
std::string turned(const std::string& from, const std::string& to, const std::vector<int64_t>& order) {
  return node("Transpose", {from}, to, attribute("perm", order));
}

TEST(ImportSequences, TheInputOfANetworkMayHaveItsStepsFirst) {
  const Net net(ends({3, 1, 1}) + weights() + rnn("x", "y"), {1, 1, 1, 3}, pixels());
  EXPECT_THAT(net.run({1, -1, 0.5F}), near(states({1, -1, 0.5})));
}

TEST(ImportSequences, SamplesWhoseStepsATransposePutsFirstAreRead) {
  const Net net(ends({1, 3, 1}) + turned("x", "t", {1, 0, 2}) + weights() + rnn("t", "s") +
                    node("Squeeze", {"s"}, "q", attribute("axes", std::vector<int64_t>{1})) +
                    turned("q", "y", {1, 0, 2}),
                {1, 1, 1, 3}, pixels(), 11);
  EXPECT_THAT(net.run({1, -1, 0.5F}), near(states({1, -1, 0.5})));
  EXPECT_THAT(net.types(), Not(Contains("Transpose"))) << "one channel moves nowhere";
}

TEST(ImportSequences, LayoutOneHasSamplesFirst) {
  const Net net(ends({1, 3, 1}) + weights() + rnn("x", "y", attribute("layout", 1)), {1, 1, 1, 3}, pixels(),
                14);
  EXPECT_THAT(net.run({1, -1, 0.5F}), near(states({1, -1, 0.5})));
}

TEST(ImportSequences, TheLastStateAloneIsOnePixel) {
  const Net net(ends({3, 1, 1}) + weights() + rnn("x", "") + node("Identity", {"h"}, "y"), {1, 1, 1, 3},
                pixels());
  EXPECT_THAT(net.run({1, -1, 0.5F}), near({states({1, -1, 0.5})[2]}));
  EXPECT_TRUE(net.only<ops::Recurrent>().last_step);
}

TEST(ImportSequences, AStepIsGatheredOrCutOut) {
  const std::string model = ends({3, 1, 1}) + weights() + rnn("x", "s");
  const Net gathered(
      model + integers("last", {-1}) + node("Gather", {"s", "last"}, "y", attribute("axis", int64_t{0})),
      {1, 1, 1, 3}, pixels());
  EXPECT_THAT(gathered.run({1, -1, 0.5F}), near({states({1, -1, 0.5})[2]}));
  const Net sliced(
      model + integers("from", {1}) + integers("to", {3}) + node("Slice", {"s", "from", "to"}, "y"),
      {1, 1, 1, 3}, pixels());
  const std::vector<float> all = states({1, -1, 0.5});
  EXPECT_THAT(sliced.run({1, -1, 0.5F}), near({all[1], all[2]}));
}

TEST(ImportSequences, BothDirectionsStandBesideEachOther) {
  const Net net(ends({3, 1, 1}) + weights(2) + rnn("x", "s", text("direction", "bidirectional")) +
                    turned("s", "t", {0, 2, 1, 3}) + integers("shape", {0, 0, -1}) +
                    node("Reshape", {"t", "shape"}, "y"),
                {1, 1, 1, 3}, pixels());
  const std::vector<float> there = states({1, -1, 0.5}), back = reverse_states({1, -1, 0.5});
  EXPECT_THAT(net.run({1, -1, 0.5F}), near({there[0], back[0], there[1], back[1], there[2], back[2]}));
}

TEST(ImportSequences, LayersFollowEachOtherWithFunctionsBetween) {
  const Net net(ends({3, 1, 1}) + weights() + rnn("x", "s") + integers("axis", {1}) +
                    node("Squeeze", {"s", "axis"}, "q") + node("Relu", {"q"}, "p") +
                    node("RNN", {"p", "w", "r", "b"}, "y", attribute("hidden_size", 1)),
                {1, 1, 1, 3}, pixels());
  const std::vector<float> first = states({1, -1, 0.5});
  std::vector<double> positive;
  for (const float v : first) positive.push_back(std::max(0.0F, v));
  EXPECT_THAT(net.run({1, -1, 0.5F}), near(states(positive)));
}

TEST(ImportSequences, TheStateOfZerosThatALibraryWritesIsNone) {
  const Net net(ends({3, 1, 1}) + weights() + reals("zeros", {1, 1, 1}, {0}) +
                    node("RNN", {"x", "w", "r", "b", "", "zeros"}, "y", attribute("hidden_size", 1)),
                {1, 1, 1, 3}, pixels());
  EXPECT_THAT(net.run({1, -1, 0.5F}), near(states({1, -1, 0.5})));
}

TEST(ImportSequences, StatesThatNothingReadsAreNotComputed) {
  const Net net(ends({3, 1, 1}) + weights() + rnn("x", "y"), {1, 1, 1, 3}, pixels());
  const std::vector<std::string> types = net.types();
  EXPECT_EQ(std::count(types.begin(), types.end(), "Recurrent"), 1);
}

TEST(ImportSequences, TheInputMayBeReadBesideTheLayer) {
  const Net net(ends({3, 1, 1}) + weights() + rnn("x", "s") + integers("axis", {1}) +
                    node("Squeeze", {"s", "axis"}, "q") + node("Add", {"x", "q"}, "y"),
                {1, 1, 1, 3}, pixels());
  const std::vector<float> all = states({1, -1, 0.5});
  EXPECT_THAT(net.run({1, -1, 0.5F}), near({1 + all[0], -1 + all[1], 0.5F + all[2]}));
}

TEST(ImportSequences, OneStepKeepsItsBatchThroughAReshape) {
  const Net net(ends({1, 1, 1}) + weights(2) + rnn("x", "s", text("direction", "bidirectional")) +
                    turned("s", "t", {0, 2, 1, 3}) + integers("shape", {0, 0, -1}) +
                    node("Reshape", {"t", "shape"}, "u") + integers("last", {-1}) +
                    node("Gather", {"u", "last"}, "y", attribute("axis", int64_t{0})),
                {1, 1, 1, 1}, pixels());
  EXPECT_THAT(net.run({1}), near({states({1})[0], reverse_states({1})[0]}));
}

TEST(ImportSequences, AStepOfBothDirectionsIsACrop) {
  const Net net(ends({3, 1, 1}) + weights(2) + rnn("x", "s", text("direction", "bidirectional")) +
                    turned("s", "t", {0, 2, 1, 3}) + integers("shape", {0, 0, -1}) +
                    node("Reshape", {"t", "shape"}, "u") + turned("u", "v", {1, 0, 2}) +
                    integers("last", {-1}) + node("Gather", {"v", "last"}, "y", attribute("axis", 1)),
                {1, 1, 1, 3}, pixels());
  EXPECT_THAT(net.types(), Not(Contains("Conv")));
  EXPECT_THAT(net.run({1, -1, 0.5F}), near({states({1, -1, 0.5})[2], reverse_states({1, -1, 0.5})[2]}));
}

TEST(ImportSequences, AnOldSoftmaxWithoutAxisIsRefused) {
  EXPECT_THAT(findings(ends({3, 1, 1}) + weights() + rnn("x", "s") + node("Softmax", {"s"}, "y"),
                       {1, 1, 1, 3}, pixels(), 11),
              HasSubstr("whose batch is axis 2"));
}

TEST(ImportSequences, WhatTheyCannotDoIsRefused) {
  const auto refused = [](const std::string& body) {
    return findings(ends({3, 1, 1}) + weights() + body, {1, 1, 1, 3}, pixels(), 14);
  };
  EXPECT_THAT(refused(rnn("x", "y", "attribute { name: 'activations' type: STRINGS strings: 'Relu' } ")),
              HasSubstr("activation 'Relu', only Tanh is imported"));
  EXPECT_THAT(refused(rnn("x", "y", "attribute { name: 'clip' type: FLOAT f: 3 } ")),
              HasSubstr("clip is not imported"));
  EXPECT_THAT(refused(reals("h0", {1, 1, 1}, {1}) +
                      node("RNN", {"x", "w", "r", "b", "", "h0"}, "y", attribute("hidden_size", 1))),
              HasSubstr("the initial state (input 5) is not 0"));
  EXPECT_THAT(refused(rnn("x", "s") + node("Flatten", {"s"}, "y")), HasSubstr("whose batch is axis 2"));
}

}  // namespace
}  // namespace n2d2::onnx

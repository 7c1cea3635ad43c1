// Layers that compute integers in float tensors, as NEMO, QuantLab and DORY write them.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/fake_quantize.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Shape kMap{1, 2, 2, 2};

std::string constants() {
  return reals("w", {2, 2, 1, 1}, {3, -2, 127, -127}) + reals("k", {1, 2, 1, 1}, {5, -3}) +
         reals("l", {1, 2, 1, 1}, {700, -90}) + reals("d", {}, {64}) + reals("three", {}, {3}) +
         reals("lo", {}, {0}) + reals("hi", {}, {255}) + reals("low", {}, {-8}) + reals("high", {}, {7});
}

/// A layer, what is done with its sums as tensors "c" to "f", and a Clip between two constants.
std::string chain(const std::string& between, const std::string& lo = "lo", const std::string& hi = "hi") {
  return ends({1, 2, 2, 2}) + constants() + node("Conv", {"x", "w"}, "c") + between +
         node("Floor", {"f"}, "r") + node("Clip", {"r", lo, hi}, "y");
}

std::string usual() {
  return node("Mul", {"c", "k"}, "m") + node("Add", {"m", "l"}, "a") + node("Div", {"a", "d"}, "f");
}

/// What floor((k sum + l) / d) gives for the layer of chain(), on all its inputs.
std::vector<float> expected(const std::vector<float>& x, const std::vector<double>& k,
                            const std::vector<double>& l, double d, double lo, double hi) {
  const double w[2][2] = {{3, -2}, {127, -127}};
  std::vector<float> out;
  for (size_t o = 0; o < 2; ++o)
    for (size_t i = 0; i < 4; ++i) {
      const double sum = w[o][0] * static_cast<double>(x[i]) + w[o][1] * static_cast<double>(x[4 + i]);
      out.push_back(static_cast<float>(std::fmin(std::fmax(std::floor((k[o] * sum + l[o]) / d), lo), hi)));
    }
  return out;
}

const std::vector<std::vector<float>> kSamples{{0, 0, 0, 0, 0, 0, 0, 0},
                                               {255, 0, 17, 4, 0, 255, 16, 5},
                                               {9, 8, 7, 6, 1, 2, 3, 4},
                                               {1, 2, 3, 4, 1, 2, 3, 3}};

TEST(IntegerChains, AreALayerAndOneRounding) {
  const Net net(chain(usual()), kMap);
  EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize"));
  for (const auto& x : kSamples) EXPECT_EQ(net.run(x), expected(x, {5, -3}, {700, -90}, 64, 0, 255));
}

TEST(IntegerChains, MayHaveTheirStepsInAnyOrder) {
  const auto expect = [](const std::string& between, const std::vector<double>& k,
                         const std::vector<double>& l, double d) {
    const Net net(chain(between), kMap);
    EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize"));
    for (const auto& x : kSamples) EXPECT_EQ(net.run(x), expected(x, k, l, d, 0, 255)) << between;
  };
  expect(node("Mul", {"k", "c"}, "m") + node("Add", {"l", "m"}, "a") + node("Mul", {"a", "three"}, "n") +
             node("Div", {"n", "d"}, "f"),
         {15, -9}, {2100, -270}, 64);
  expect(node("Add", {"c", "three"}, "a") + node("Mul", {"a", "k"}, "m") + node("Sub", {"m", "l"}, "s") +
             node("Div", {"s", "d"}, "f"),
         {5, -3}, {15 - 700, -9 + 90}, 64);
  expect(node("Mul", {"c", "k"}, "m") + node("Div", {"m", "d"}, "e") + node("Add", {"e", "three"}, "f"),
         {5, -3}, {192, 192}, 64);
  expect(reals("part", {}, {0.0625F}) + node("Mul", {"c", "k"}, "m") + node("Mul", {"m", "part"}, "f"),
         {5, -3}, {0, 0}, 16);
  expect(node("Mul", {"c", "three"}, "f"), {3, 3}, {0, 0}, 1);
}

TEST(IntegerChains, ClipToAnyIntegers) {
  const Net net(chain(usual(), "low", "high"), kMap);
  const auto& rounding = *graph::as<ops::FakeQuantize>(net.graph.node(net.graph.schedule().back()));
  EXPECT_TRUE(rounding.is_signed);
  EXPECT_EQ(rounding.bounds, (std::vector<int>{-8, 7}));
  for (const auto& x : kSamples) EXPECT_EQ(net.run(x), expected(x, {5, -3}, {700, -90}, 64, -8, 7));
}

TEST(IntegerChains, KeepTheIntegersOfTheirWeights) {
  const Net net(chain(usual()), kMap);
  const graph::Node& conv = net.graph.node(net.graph.schedule().at(1));
  const graph::Value& weights = net.graph.value(conv.inputs.at(1));
  ASSERT_TRUE(weights.type.quant);
  EXPECT_THAT(weights.type.quant->scale, ElementsAre(5.0F / 64, 3.0F / 64));
  EXPECT_THAT(weights.constant->span<float>()[0], 15.0F / 64);
  const Model model = model_of(chain(usual()), 13);
  ASSERT_TRUE(model.inputs().at(0).grid);
  EXPECT_EQ(model.inputs().at(0).grid->lowest, 0);
  EXPECT_EQ(model.inputs().at(0).grid->highest, 255);
}

TEST(IntegerChains, MayEndInALayerWithoutOne) {
  const std::string text = input("x", {1, 2, 2, 2}) + output("y") + constants() +
                           node("Conv", {"x", "w"}, "c") + usual() + node("Floor", {"f"}, "r") +
                           node("Clip", {"r", "lo", "hi"}, "q") +
                           node("MaxPool", {"q"}, "p", attribute("kernel_shape", {2, 2})) +
                           node("Flatten", {"p"}, "t") + reals("v", {2, 3}, {1, 2, 3, -4, 5, -6}) +
                           reals("b", {3}, {100, 0, -7}) + node("Gemm", {"t", "v", "b"}, "y");
  const Net net(text, kMap);
  EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize", "Pool", "Fc"));
  const graph::Node& fc = net.graph.node(net.graph.schedule().back());
  ASSERT_TRUE(net.graph.value(fc.inputs.at(1)).type.quant);
  EXPECT_FLOAT_EQ(net.graph.value(fc.inputs.at(1)).type.quant->scale.at(0), 1);
  const std::vector<float> q = expected(kSamples[1], {5, -3}, {700, -90}, 64, 0, 255);
  const float a = std::max(std::max(q[0], q[1]), std::max(q[2], q[3])),
              b = std::max(std::max(q[4], q[5]), std::max(q[6], q[7]));
  EXPECT_THAT(net.run(kSamples[1]), ElementsAre(a - 4 * b + 100, 2 * a + 5 * b, 3 * a - 6 * b - 7));
}

TEST(IntegerChains, BehindMatricesOfBothDirections) {
  for (const bool is_transposed : {false, true}) {
    const std::string text =
        input("x", {1, 2}) + output("y") + constants() + reals("k2", {2}, {5, 3}) +
        reals("v", {2, 2},
              is_transposed ? std::vector<float>{1, -4, 2, 5} : std::vector<float>{1, 2, -4, 5}) +
        (is_transposed ? node("Gemm", {"x", "v"}, "c", attribute("transB", 1))
                       : node("MatMul", {"x", "v"}, "c")) +
        node("Mul", {"c", "k2"}, "m") + node("Div", {"m", "d"}, "f") + node("Floor", {"f"}, "r") +
        node("Clip", {"r", "lo", "hi"}, "y");
    const Net net(text, {1, 2, 1, 1});
    EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Fc", "FakeQuantize"));
    EXPECT_THAT(net.run({200, 7}),
                ElementsAre(std::floor(5 * (200 - 28) / 64.0F), std::floor(3 * 435 / 64.0F)));
  }
}

TEST(IntegerChains, AChannelOfFactorZeroIsItsOffset) {
  const Net net(chain(reals("z", {2, 1, 1}, {0, 1}) + node("Mul", {"c", "z"}, "m") +
                      node("Add", {"m", "l"}, "a") + node("Div", {"a", "d"}, "f")),
                kMap);
  for (const auto& x : kSamples) EXPECT_EQ(net.run(x), expected(x, {0, 1}, {700, -90}, 64, 0, 255));
}

TEST(IntegerChains, OtherFloorsStayFunctions) {
  const auto types = [](const std::string& text) { return Net(text, kMap).types(); };
  const std::string conv = ends({1, 2, 2, 2}) + constants() + node("Conv", {"x", "w"}, "c");
  const std::string end = node("Floor", {"f"}, "r") + node("Clip", {"r", "lo", "hi"}, "y");
  for (const std::string& text :
       {ends({1, 2, 2, 2}) + constants() + reals("v", {2, 2, 1, 1}, {0.5F, 1, 2, 3}) +
            node("Conv", {"x", "v"}, "c") + usual() + end,  // weights that are no integers
        ends({1, 2, 2, 2}) + constants() + reals("v", {2, 2, 1, 1}, {128, 1, 2, 3}) +
            node("Conv", {"x", "v"}, "c") + usual() + end,  // of 9 bits
        ends({1, 2, 2, 2}) + constants() + node("Sigmoid", {"x"}, "s") + node("Conv", {"s", "w"}, "c") +
            usual() + end,
        conv + reals("h", {}, {0.3F}) + node("Mul", {"c", "h"}, "f") + end,           // factors
        conv + reals("v", {2, 1}, {1, 2}) + node("Mul", {"c", "v"}, "f") + end,       // along the rows
        conv + usual() + node("Floor", {"f"}, "r") + node("Clip", {"r", "lo"}, "y"),  // no bound
        conv + usual() + node("Floor", {"f"}, "r") + reals("h", {}, {7.5F}) +
            node("Clip", {"r", "lo", "h"}, "y"),
        conv + node("Div", {"d", "c"}, "f") + end})
    EXPECT_THAT(types(text), AllOf(Contains("Nonlinearity"), Not(Contains("FakeQuantize")))) << text;
  EXPECT_THAT(types(conv + output("m") + usual() + end), Contains("Nonlinearity"));  // others read a step
}

TEST(IntegerChains, ANoticeSaysWhatIsAssumedAndHowExactItIs) {
  const log::Capture notices;
  const Net net(chain(usual()), kMap);
  EXPECT_THAT(notices.text(),
              HasSubstr("net.onnx: layers that compute integers in float tensors: 1; biases in "
                        "whole units of their sums move a result by at most 0.023 of a step"));
  EXPECT_THAT(notices.text(), HasSubstr("net.onnx: inputs read as integers from 0 to 255: 'x'"));
}

TEST(IntegerChains, WidthsAtNodesAreDroppedWithANotice) {
  const log::Capture notices;
  const Net net(ends() + reals("w", {2, 2, 1, 1}, {1, 2, 3, 4}) +
                node("Conv", {"x", "w"}, "c", attribute("weight_bits", 8) + attribute("out_bits", 32)) +
                node("Relu", {"c"}, "y", attribute("out_bits", 8)));
  EXPECT_EQ(net.types().size(), 2U);
  EXPECT_THAT(notices.text(),
              HasSubstr("net.onnx: the attributes out_bits, weight_bits of its nodes change nothing"));
}

}  // namespace
}  // namespace n2d2::onnx

// Layers that compute integers in float tensors, as NEMO, QuantLab and DORY write them.
#include <cmath>
#include <functional>

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
  // Weights of 3 and -2 become 42 times as large, so that the bias has finer units.
  EXPECT_THAT(weights.type.quant->scale, ElementsAre(5.0F / 64 / 42, 3.0F / 64));
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

TEST(IntegerChains, BehindRowsOfTokens) {
  const std::string text = input("x", {1, 2, 2}) + output("y") + constants() + reals("k2", {2}, {5, 3}) +
                           reals("v", {2, 2}, {1, 2, -4, 5}) + node("MatMul", {"x", "v"}, "c") +
                           node("Mul", {"c", "k2"}, "m") + node("Div", {"m", "d"}, "f") +
                           node("Floor", {"f"}, "r") + node("Clip", {"r", "lo", "hi"}, "y");
  const auto row = [](float a, float b) {
    return std::vector{std::max(0.0F, std::floor(5 * (a - 4 * b) / 64)),
                       std::floor(3 * (2 * a + 5 * b) / 64)};
  };
  const std::vector<float> first = row(200, 7), second = row(31, 90);
  std::vector<float> found = Net(text, {1, 2, 1, 2}).run({200, 7, 31, 90});
  EXPECT_THAT(found, ElementsAre(first[0], first[1], second[0], second[1]));
}

TEST(IntegerChains, MaySumTwoOfThem) {
  // Two rescalings of the input, whose sum is rescaled again.
  const std::string made = ends({1, 2, 2, 2}) + constants() + node("Conv", {"x", "w"}, "c") + usual() +
                           node("Floor", {"f"}, "r") + node("Clip", {"r", "lo", "hi"}, "p") +
                           reals("seven", {1}, {7});
  const std::string end = node("Floor", {"f2"}, "r2") + node("Clip", {"r2", "lo", "hi"}, "y");
  const auto expect = [&](const std::string& between, const std::function<double(double, double)>& of) {
    const Net net(made + between, kMap);
    EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize", "ElemWise", "FakeQuantize"));
    for (const auto& x : kSamples) {
      const std::vector<float> p = expected(x, {5, -3}, {700, -90}, 64, 0, 255), y = net.run(x);
      for (size_t i = 0; i < y.size(); ++i)
        EXPECT_EQ(y[i], std::fmin(std::fmax(std::floor(of(p[i], x[i])), 0), 255)) << between << i;
    }
  };
  expect(node("Mul", {"p", "seven"}, "a1") + node("Mul", {"three", "x"}, "a2") +
             node("Add", {"a1", "a2"}, "s") + node("Div", {"s", "d"}, "f2") + end,
         [](double p, double x) { return (7 * p + 3 * x) / 64; });
  expect(node("Add", {"x", "p"}, "s") + node("Mul", {"s", "seven"}, "a1") +
             node("Add", {"a1", "three"}, "a2") + node("Div", {"a2", "d"}, "f2") + end,
         [](double p, double x) { return (7 * (p + x) + 3) / 64; });
  expect(node("Add", {"p", "p"}, "s") + node("Clip", {"s", "lo", "hi"}, "y"),
         [](double p, double) { return 2 * p; });
}

TEST(IntegerChains, MayAverageWholeNumbers) {
  for (const bool is_global : {false, true}) {
    const std::string pool =
        is_global
            ? tensor_of("value_info", "p", {1, 2, 2, 2}) + node("GlobalAveragePool", {"p"}, "av")
            : node("AveragePool", {"p"}, "av", attribute("kernel_shape", {2, 2}) + attribute("ceil_mode", 0));
    const Net net(ends({1, 2, 2, 2}) + constants() + node("Conv", {"x", "w"}, "c") + usual() +
                      node("Floor", {"f"}, "r") + node("Clip", {"r", "lo", "hi"}, "p") + pool +
                      reals("many", {}, {77}) + node("Mul", {"av", "many"}, "m2") +
                      node("Div", {"m2", "d"}, "f2") + node("Floor", {"f2"}, "r2") +
                      node("Clip", {"r2", "lo", "hi"}, "y"),
                  kMap);
    EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize", "Conv", "FakeQuantize"));
    for (const auto& x : kSamples) {
      const std::vector<float> p = expected(x, {5, -3}, {700, -90}, 64, 0, 255), y = net.run(x);
      for (size_t c = 0; c < 2; ++c) {
        const float sum = p[4 * c] + p[4 * c + 1] + p[4 * c + 2] + p[4 * c + 3];
        EXPECT_EQ(y[c], std::min(255.0F, std::floor(sum * 77 / 256)));
      }
    }
  }
}

TEST(IntegerChains, OfAveragesThatCountOtherTapsStayFunctions) {
  const std::string pads = attribute("kernel_shape", {2, 2}) + attribute("pads", {1, 1, 0, 0});
  for (const std::string& more :
       {pads, pads + attribute("count_include_pad", 0),
        attribute("kernel_shape", {3, 3}) + attribute("strides", {2, 2}) + attribute("ceil_mode", 1) +
            attribute("pads", {1, 1, 1, 1}) + attribute("count_include_pad", 1)})
    EXPECT_THAT(Net(ends({1, 2, 2, 2}) + constants() + node("AveragePool", {"x"}, "a", more) +
                        node("Mul", {"a", "three"}, "f") + node("Floor", {"f"}, "r") +
                        node("Clip", {"r", "lo", "hi"}, "y"),
                    kMap)
                    .types(),
                Contains("Nonlinearity"))
        << more;
}

std::string number_in_tensor(const std::string& name, float value) {
  return "attribute { name: '" + name +
         "' type: TENSOR t { data_type: 1 float_data: " + std::to_string(value) + " } } ";
}

TEST(RequantShift, RoundsHalfUpInAnyDomain) {
  const std::string start = ends({1, 2, 2, 2}) + constants() + node("Conv", {"x", "w"}, "c") +
                            integers_of_type(6, "mul", {2}, {5, 3}) +
                            integers_of_type(6, "add", {1, 2, 1, 1}, {700, -90});
  const auto expect = [&](const std::string& attributes, double lo, double hi) {
    const Net net(start + node("RequantShift", {"c", "mul", "add"}, "y", attributes), kMap);
    EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize"));
    for (const auto& x : kSamples)
      EXPECT_EQ(net.run(x), expected(x, {5, 3}, {700 + 32, -90 + 32}, 64, lo, hi)) << attributes;
  };
  expect(attribute("div", 64) + attribute("n_levels", 256) + attribute("signed", 1), -128, 127);
  expect("domain: 'PACTOps' " + number_in_tensor("div", 64) + number_in_tensor("n_levels_out", 16) +
             number_in_tensor("signed", 0),
         0, 15);
  expect(attribute("div", 64) + attribute("n_levels", 255) + attribute("signed", 1), -127, 127);
}

TEST(RequantShift, SaysWhatIsWrong) {
  const auto found = [](const std::string& attributes, const std::string& mul = "three") {
    return findings(
        ends({1, 2, 2, 2}) + constants() + node("RequantShift", {"x", mul, "three"}, "y", attributes), kMap);
  };
  const std::string hint =
      "\n  hint: RequantShift(x, mul, add) has constants mul and add, and the attributes div, n_levels and "
      "signed";
  const std::string levels = attribute("n_levels", 256) + attribute("signed", 1);
  EXPECT_EQ(found(levels),
            "net.onnx: node 'y' (RequantShift): 3 inputs and other attributes than expected" + hint);
  EXPECT_EQ(found(levels + attribute("div", 24)),
            "net.onnx: node 'y' (RequantShift): div is 24, expected a power of 2" + hint);
  EXPECT_EQ(found(attribute("div", 8) + attribute("n_levels", 1) + attribute("signed", 1)),
            "net.onnx: node 'y' (RequantShift): 1 levels, expected 2 to 65536" + hint);
  EXPECT_EQ(found(levels + attribute("div", 8), "x"),
            "net.onnx: node 'y' (RequantShift): input 1 is no constant" + hint);
}

TEST(IntegerChains, FactorsOfASumAreOneForEachInput) {
  EXPECT_EQ(findings(ends() + node("Sum", {"x", "x"}, "y",
                                   "attribute { name: 'n2d2_weights' type: FLOATS floats: 1 } ")),
            "net.onnx: node 'y' (Sum): n2d2_weights has 1 values, expected a finite number for each input");
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
        conv + node("Div", {"d", "c"}, "f") + end,
        ends({1, 2, 2, 2}) + constants() + integers("p", {0, 0, 0, 0, 0, 0, 1, 0}) + reals("h", {}, {0.5F}) +
            node("Pad", {"x", "p", "h"}, "b") + node("Conv", {"b", "w"}, "c") + usual() + end})
    EXPECT_THAT(types(text), AllOf(Contains("Nonlinearity"), Not(Contains("FakeQuantize")))) << text;
  EXPECT_THAT(types(conv + output("m") + usual() + end), Contains("Nonlinearity"));  // others read a step
}

TEST(IntegerChains, ANoticeSaysWhatIsAssumedAndHowExactItIs) {
  const log::Capture notices;
  const Net net(chain(usual()), kMap);
  EXPECT_THAT(notices.text(),
              HasSubstr("net.onnx: layers that compute integers in float tensors: 1; 1 of 2 outputs with "
                        "weights are exact for all inputs; biases in parts of their sums move results of the "
                        "others by at most 0.023 of a step before they are rounded\n"));
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

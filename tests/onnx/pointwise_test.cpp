#include <cmath>

#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/nonlinearity.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string real_attribute(const std::string& name, float value) {
  return "attribute { name: '" + name + "' type: FLOAT f: " + std::to_string(value) + " } ";
}

/// A map of 2x1x2, and results of one node on it.
const Shape kMap{1, 2, 1, 2};
const std::vector<float> kValues{-2, -0.5F, 0.5F, 4};

std::string map_ends() {
  return ends({1, 2, 1, 2});
}

struct Case {
  std::string type, attributes;
  double (*expected)(double x);
};

TEST(ImportPointwise, FunctionsHaveTheDefaultsOfTheirDefinition) {
  const std::vector<Case> cases{
      {"Sigmoid", "", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Tanh", "", [](double x) { return std::tanh(x); }},
      {"Softplus", "", [](double x) { return std::log(1 + std::exp(x)); }},
      {"Softsign", "", [](double x) { return x / (1 + std::abs(x)); }},
      {"HardSigmoid", "", [](double x) { return std::fmax(0, std::fmin(1, 0.2 * x + 0.5)); }},
      {"HardSigmoid", real_attribute("alpha", 0.5F) + real_attribute("beta", 0.25F),
       [](double x) { return std::fmax(0, std::fmin(1, 0.5 * x + 0.25)); }},
      {"HardSwish", "", [](double x) { return x * std::fmax(0, std::fmin(1, x / 6 + 0.5)); }},
      {"Elu", "", [](double x) { return x > 0 ? x : std::exp(x) - 1; }},
      {"Elu", real_attribute("alpha", 2), [](double x) { return x > 0 ? x : 2 * (std::exp(x) - 1); }},
      {"Celu", real_attribute("alpha", 2), [](double x) { return x > 0 ? x : 2 * (std::exp(x / 2) - 1); }},
      {"Selu", "", [](double x) { return 1.05070098 * (x > 0 ? x : 1.67326324 * (std::exp(x) - 1)); }},
      {"Selu", real_attribute("alpha", 2) + real_attribute("gamma", 3),
       [](double x) { return 3 * (x > 0 ? x : 2 * (std::exp(x) - 1)); }},
      {"ThresholdedRelu", "", [](double x) { return x > 1 ? x : 0; }},
      {"ThresholdedRelu", real_attribute("alpha", 0.25F), [](double x) { return x > 0.25 ? x : 0; }},
  };
  for (const Case& c : cases) {
    const Net net(map_ends() + node(c.type, {"x"}, "y", c.attributes), kMap, {}, 14);
    const std::vector<float> found = net.run(kValues);
    for (size_t i = 0; i < kValues.size(); ++i)
      EXPECT_NEAR(found[i], c.expected(kValues[i]), 1e-6)
          << c.type << " of " << kValues[i];  // float rounding
  }
}

TEST(ImportPointwise, FunctionsOfConstantsAreConstants) {
  const Net net(map_ends() + reals("c", {2, 1, 1}, {0, 100}) + node("Sigmoid", {"c"}, "s") +
                    node("Mul", {"x", "s"}, "y"),
                kMap);
  EXPECT_THAT(net.types(), ElementsAre("Scaling"));
  EXPECT_THAT(net.run(kValues), ElementsAre(-1, -0.25F, 0.5F, 4));
  EXPECT_THAT(
      findings(map_ends() + integers("i", {1}) + node("Tanh", {"i"}, "t") + node("Add", {"x", "t"}, "y"),
               kMap),
      HasSubstr("node 't' (Tanh): of integers is not folded"));
}

TEST(ImportPointwise, RefusesAttributesThatAFunctionDoesNotHave) {
  EXPECT_THAT(findings(map_ends() + node("Sigmoid", {"x"}, "y", real_attribute("alpha", 2)), kMap),
              HasSubstr("node 'y' (Sigmoid): attribute 'alpha' is not known for this operator"));
}

TEST(ImportPointwise, RefusesParametersThatAreNoNumbersOrNoFunction) {
  const std::string nan = "attribute { name: 'alpha' type: FLOAT f: nan } ";
  EXPECT_THAT(findings(map_ends() + node("Elu", {"x"}, "y", nan), kMap),
              HasSubstr("node 'y' (Elu): alpha is nan, expected a finite number"));
  EXPECT_THAT(findings(map_ends() + node("Celu", {"x"}, "y", real_attribute("alpha", 0)), kMap),
              HasSubstr("Alpha of Celu is 0"));
}

TEST(ImportPointwise, AValueTimesItsOwnGateIsOneFunction) {
  for (const bool gate_first : {false, true}) {
    const std::vector<std::string> operands =
        gate_first ? std::vector<std::string>{"s", "x"} : std::vector<std::string>{"x", "s"};
    const Net swish(map_ends() + node("Sigmoid", {"x"}, "s") + node("Mul", operands, "y"), kMap);
    EXPECT_THAT(swish.types(), ElementsAre("Nonlinearity"));
    EXPECT_EQ(swish.only<ops::Nonlinearity>().function, ops::Function::Swish);
    const Net hard(map_ends() + node("HardSigmoid", {"x"}, "s", real_attribute("alpha", 0.25F)) +
                       node("Mul", operands, "y"),
                   kMap);
    EXPECT_EQ(hard.only<ops::Nonlinearity>().function, ops::Function::HardSwish);
    EXPECT_THAT(hard.run(kValues), ElementsAre(0, -0.1875F, 0.3125F, 4));
  }
}

TEST(ImportPointwise, AGateThatOthersReadTooStaysAlone) {
  const Net net(
      map_ends() + node("Sigmoid", {"x"}, "s") + node("Mul", {"x", "s"}, "m") + node("Add", {"m", "s"}, "y"),
      kMap);
  EXPECT_THAT(net.types(), ElementsAre("Nonlinearity", "ElemWise", "ElemWise"));
  const auto gate = [](double x) { return 1 / (1 + std::exp(-x)); };
  const std::vector<float> found = net.run(kValues);
  for (size_t i = 0; i < kValues.size(); ++i)
    EXPECT_NEAR(found[i], kValues[i] * gate(kValues[i]) + gate(kValues[i]), 1e-6);
}

TEST(ImportPointwise, JoinsTensorsOfDataByEveryOperator) {
  const std::string text = map_ends() + node("Relu", {"x"}, "r");
  const auto run = [&](const std::string& type, const std::vector<std::string>& operands) {
    return Net(text + node(type, operands, "y"), kMap).run(kValues);
  };
  EXPECT_THAT(run("Mul", {"x", "r"}), ElementsAre(0, 0, 0.25F, 16));
  EXPECT_THAT(run("Sub", {"r", "x"}), ElementsAre(2, 0.5F, 0, 0));
  EXPECT_THAT(run("Max", {"x", "r", "x"}), ElementsAre(0, 0, 0.5F, 4));
  EXPECT_THAT(run("Min", {"x", "r"}), ElementsAre(-2, -0.5F, 0.5F, 4));
  EXPECT_THAT(run("Div", {"r", "x"}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(run("Mean", {"x", "r"}), ElementsAre(-1, -0.25F, 0.5F, 4));
  EXPECT_THAT(Net(text + node("Max", {"r"}, "y"), kMap).types(), ElementsAre("Relu"));
}

TEST(ImportPointwise, RepeatsExtentsOfOne) {
  const std::string text = map_ends() + node("GlobalMaxPool", {"x"}, "g");
  EXPECT_THAT(Net(text + node("Mul", {"x", "g"}, "y"), kMap).run(kValues), ElementsAre(1, 0.25F, 2, 16));
  EXPECT_THAT(Net(text + node("Sub", {"g", "x"}, "y"), kMap).run(kValues), ElementsAre(1.5F, 0, 3.5F, 0));
  const std::string attention = map_ends() + reals("w", {1, 2, 1, 1}, {1, 1}) + node("Conv", {"x", "w"}, "a");
  EXPECT_THAT(Net(attention + node("Mul", {"a", "x"}, "y"), kMap).run(kValues),
              ElementsAre(3, -1.75F, -0.75F, 14));
}

TEST(ImportPointwise, RefusesTensorsThatDoNotLieBesideEachOther) {
  const std::string flat = map_ends() + node("Flatten", {"x"}, "f");
  EXPECT_THAT(
      findings(flat + node("Mul", {"x", "f"}, "y"), kMap),
      HasSubstr(
          "node 'y' (Mul): operands of 1x2x1x2 and 1x4: tensors that depend on the data need one rank"));
  EXPECT_THAT(findings(ends({1, 2, 2, 4}) +
                           node("MaxPool", {"x"}, "p",
                                attribute("kernel_shape", {1, 2}) + attribute("strides", {1, 2})) +
                           node("Add", {"x", "p"}, "y"),
                       {1, 2, 2, 4}),
              HasSubstr("node 'y' (Add): 1x2x2x4 and 1x2x2x2 do not broadcast"));
}

TEST(ImportPointwise, ConstantsMayVaryFromPlaceToPlace) {
  const std::string text =
      map_ends() + reals("row", {2}, {10, 20}) + reals("all", {1, 2, 1, 2}, {1, 2, 3, 4});
  const Net sum(text + node("Add", {"row", "x"}, "y"), kMap);
  EXPECT_THAT(sum.types(), ElementsAre("ElemWise"));
  EXPECT_THAT(sum.run(kValues), ElementsAre(8, 19.5F, 10.5F, 24));
  EXPECT_THAT(Net(text + node("Sub", {"row", "x"}, "y"), kMap).run(kValues),
              ElementsAre(12, 20.5F, 9.5F, 16));
  EXPECT_THAT(Net(text + node("Sub", {"x", "all"}, "y"), kMap).run(kValues),
              ElementsAre(-3, -2.5F, -2.5F, 0));
  EXPECT_THAT(Net(text + node("Mul", {"x", "all"}, "y"), kMap).run(kValues), ElementsAre(-2, -1, 1.5F, 16));
  EXPECT_THAT(Net(text + node("Div", {"x", "all"}, "y"), kMap).run(kValues),
              ElementsAre(-2, -0.25F, 0.5F / 3, 1));
  EXPECT_THAT(Net(text + node("Max", {"all", "x", "row"}, "y"), kMap).run(kValues),
              ElementsAre(10, 20, 10, 20));
}

TEST(ImportPointwise, AConstantMayMakeTheResultLarger) {
  const Net net(ends({1, 2, 1, 1}) + reals("row", {3}, {1, 2, 3}) + node("Mul", {"x", "row"}, "y"),
                {1, 2, 1, 1});
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 2, 1, 3}));
  EXPECT_THAT(net.run({1, 10}), ElementsAre(1, 2, 3, 10, 20, 30));
}

TEST(ImportPointwise, ConstantsMayRepeatAlongSomeOfTheLastAxes) {
  const std::vector<float> zeros(12, 0);
  const auto plus = [&](const std::string& constant) {
    return Net(ends({1, 2, 1, 2, 3}) + constant + node("Add", {"x", "c"}, "y"), {1, 2, 1, 6}).run(zeros);
  };
  EXPECT_THAT(plus(reals("c", {2, 1}, {1, 2})), ElementsAre(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
  EXPECT_THAT(plus(reals("c", {1, 2, 1, 1, 3}, {1, 2, 3, 4, 5, 6})),
              ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
}

TEST(ImportPointwise, RefusesConstantsThatDoNotFit) {
  const auto message = [](const std::string& constant, const std::string& type = "Add") {
    return findings(map_ends() + constant + node(type, {"x", "c"}, "y"), kMap);
  };
  EXPECT_THAT(message(reals("c", {3}, {1, 2, 3})), HasSubstr("(Add): 3 and 1x2x1x2 do not broadcast"));
  EXPECT_THAT(message(reals("c", {1, 1, 1, 1, 2}, {1, 2})),
              HasSubstr("a constant of 1x1x1x1x2 next to data of 1x2x1x2 does not fit"));
  EXPECT_THAT(message(reals("c", {2, 1, 1, 2}, {1, 2, 3, 4})),
              HasSubstr("a constant of 2x1x1x2 next to data of 1x2x1x2 varies over the batch"));
  EXPECT_THAT(findings(map_ends() + reals("c", {2, 1, 1}, {1, 2}) + reals("d", {2}, {1, 2}) +
                           node("Max", {"x", "c", "d"}, "y"),
                       kMap),
              HasSubstr("node 'y' (Max): its constants are 2x1x2 together, larger than any of them"));
  EXPECT_THAT(message(integers("c", {1, 2})), HasSubstr("holds integers, expected real numbers"));
  EXPECT_THAT(message(reals("c", {2}, {1, 0}), "Div"), HasSubstr("a division by 0"));
  EXPECT_THAT(
      findings(map_ends() + reals("c", {2}, {1, 2}) + node("Div", {"c", "x"}, "y"), kMap),
      HasSubstr("node 'y' (Div): a constant that varies along the map divided by data is not imported\n"
                "  hint: one number, or one a channel, is"));
}

TEST(ImportPointwise, TheLargestOfATensorAndANumberIsAClamp) {
  const std::string text = map_ends() + reals("zero", {}, {0}) + reals("one", {1}, {1});
  EXPECT_THAT(Net(text + node("Max", {"zero", "x"}, "y"), kMap).types(), ElementsAre("Relu"));
  const Net net(text + node("Max", {"x", "zero"}, "m") + node("Min", {"m", "one"}, "y"), kMap);
  EXPECT_THAT(net.types(), ElementsAre("Relu", "Scaling"));
  EXPECT_THAT(net.run(kValues), ElementsAre(0, 0, 0.5F, 1));
}

TEST(ImportPointwise, SlopesOfAPReluAreOneOrOneAChannelOrMore) {
  const std::string text = map_ends() + reals("one", {1}, {0.5F}) + reals("two", {2, 1, 1}, {0.5F, 2}) +
                           reals("row", {2}, {0.25F, 2}) + reals("wrong", {3}, {1, 2, 3});
  const std::vector<float> values{-2, -0.5F, -0.5F, 4};
  EXPECT_THAT(Net(text + node("PRelu", {"x", "one"}, "y"), kMap).run(values),
              ElementsAre(-1, -0.25F, -0.25F, 4));
  EXPECT_THAT(Net(text + node("PRelu", {"x", "two"}, "y"), kMap).run(values), ElementsAre(-1, -0.25F, -1, 4));
  EXPECT_THAT(Net(text + node("PRelu", {"x", "row"}, "y"), kMap).run(values),
              ElementsAre(-0.5F, -1, -0.125F, 4));
  EXPECT_THAT(findings(text + node("PRelu", {"x", "wrong"}, "y"), kMap),
              HasSubstr("node 'y' (PRelu): a constant of 3 next to data of 1x2x1x2 does not fit"));
  EXPECT_THAT(
      findings(text + node("PRelu", {"x", "x"}, "y"), kMap),
      HasSubstr(
          "node 'y' (PRelu): the slopes (input 1): expected a constant, 'x' depends on the network's input"));
}

TEST(ImportPointwise, ALogSoftmaxFollowsTheAxisRulesOfASoftmax) {
  const std::string text = ends({1, 3}) + node("LogSoftmax", {"x"}, "y");
  const Net net(text, {1, 3, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("LogSoftmax"));
  for (const float y : net.run({7, 7, 7})) EXPECT_FLOAT_EQ(y, -std::log(3.0F));
  const std::string old = map_ends() + node("LogSoftmax", {"x"}, "y", attribute("axis", 1));
  for (const float y : Net(old, kMap, {}, 11).run({0, 0, 0, 0})) EXPECT_FLOAT_EQ(y, -std::log(4.0F));
  for (const float y : Net(map_ends() + node("LogSoftmax", {"x"}, "y"), kMap).run({0, 0, 0, 0}))
    EXPECT_FLOAT_EQ(y, -std::log(2.0F));
  EXPECT_THAT(findings(map_ends() + node("LogSoftmax", {"x"}, "y", attribute("axis", 0)), kMap),
              HasSubstr("node 'y' (LogSoftmax): over the batch of 1x2x1x2"));
}

TEST(ImportPointwise, RectifiersOfConstantsAreConstants) {
  const auto fold = [](const std::string& nodes) {
    return Net(map_ends() + reals("c", {2, 1, 1}, {-3, 100}) + nodes + node("Mul", {"x", "r"}, "y"), kMap)
        .run(kValues);
  };
  const std::vector<float> zeroed = fold(node("Relu", {"c"}, "r"));
  EXPECT_THAT(zeroed, ElementsAre(0, 0, 100 * kValues[2], 100 * kValues[3]));
  const std::vector<float> clipped =
      fold(reals("lo", {}, {-2}) + reals("hi", {}, {5}) + node("Clip", {"c", "lo", "hi"}, "r"));
  EXPECT_THAT(clipped, ElementsAre(-2 * kValues[0], -2 * kValues[1], 5 * kValues[2], 5 * kValues[3]));
}

TEST(ImportPointwise, APowerIsAProduct) {
  const auto power = [](float exponent) {
    return Net(map_ends() + reals("e", {}, {exponent}) + node("Pow", {"x", "e"}, "y"), kMap);
  };
  EXPECT_THAT(power(1).types(), ::testing::IsEmpty());
  EXPECT_THAT(power(2).types(), ElementsAre("ElemWise"));
  EXPECT_THAT(power(2).run({-1, 2, 3, 0.5F}), ElementsAre(1, 4, 9, 0.25F));
  EXPECT_THAT(power(3).run({-1, 2, 3, 0.5F}), ElementsAre(-1, 8, 27, 0.125F));
  const Net constant(map_ends() + reals("c", {2, 1, 1}, {4, 9}) + reals("e", {}, {0.5F}) +
                         node("Pow", {"c", "e"}, "r") + node("Mul", {"x", "r"}, "y"),
                     kMap);
  EXPECT_THAT(constant.run({1, 1, 1, 1}), ElementsAre(2, 2, 3, 3));
  EXPECT_EQ(findings(map_ends() + reals("e", {}, {INFINITY}) + node("Pow", {"x", "e"}, "y"), kMap),
            "net.onnx: node 'y' (Pow): an exponent of inf, expected one finite number");
  EXPECT_EQ(findings(map_ends() + reals("e", {2}, {1, 2}) + node("Pow", {"x", "e"}, "y"), kMap),
            "net.onnx: node 'y' (Pow): an exponent of 2, expected one finite number");
}

TEST(ImportPointwise, APowerThatIsNoProductIsAFunction) {
  const auto power = [](float exponent) {
    return Net(map_ends() + reals("e", {}, {exponent}) + node("Pow", {"x", "e"}, "y"), kMap);
  };
  EXPECT_EQ(power(0.5F).only<ops::Nonlinearity>().function, ops::Function::Sqrt);
  EXPECT_EQ(power(-1).only<ops::Nonlinearity>().function, ops::Function::Reciprocal);
  EXPECT_THAT(power(1.5F).run({1, 4, 0, -4}), ElementsAre(1, 8, 0, 0));
  EXPECT_THAT(power(-2).run({1, 4, -2, 0.5F}), ElementsAre(1, 0.0625F, 0.25F, 4));
  EXPECT_THAT(power(0).run(kValues), ElementsAre(1, 1, 1, 1));
}

TEST(ImportPointwise, FunctionsOfDataWithoutParameters) {
  const std::vector<Case> cases{
      {"Abs", "", [](double x) { return std::abs(x); }},
      {"Acos", "", [](double x) { return std::acos(x); }},
      {"Asin", "", [](double x) { return std::asin(x); }},
      {"Asinh", "", [](double x) { return std::asinh(x); }},
      {"Atan", "", [](double x) { return std::atan(x); }},
      {"Atanh", "", [](double x) { return std::atanh(x); }},
      {"Ceil", "", [](double x) { return std::ceil(x); }},
      {"Cos", "", [](double x) { return std::cos(x); }},
      {"Cosh", "", [](double x) { return std::cosh(x); }},
      {"Exp", "", [](double x) { return std::exp(x); }},
      {"Floor", "", [](double x) { return std::floor(x); }},
      {"Mish", "", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"Reciprocal", "", [](double x) { return 1 / x; }},
      {"Round", "", [](double x) { return std::nearbyint(x); }},
      {"Shrink", "", [](double x) { return std::abs(x) > 0.5 ? x : 0; }},
      {"Shrink", real_attribute("lambd", 0.125F) + real_attribute("bias", 0.25F),
       [](double x) { return x > 0.125    ? x - 0.25
                             : x < -0.125 ? x + 0.25
                                          : 0; }},
      {"Sign", "", [](double x) { return x > 0 ? 1.0 : -1.0; }},
      {"Sin", "", [](double x) { return std::sin(x); }},
      {"Sinh", "", [](double x) { return std::sinh(x); }},
      {"Tan", "", [](double x) { return std::tan(x); }},
  };
  const std::vector<float> values{-0.75F, -0.5F, 0.5F, 0.25F};
  const auto expect = [](const Case& c, const std::vector<float>& in) {
    const Net net(map_ends() + node(c.type, {"x"}, "y", c.attributes), kMap, {}, 18);
    const std::vector<float> found = net.run(in);
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_NEAR(found[i], c.expected(in[i]), 1e-6) << c.type << " of " << in[i];  // float rounding
  };
  for (const Case& c : cases) expect(c, values);
  expect({"Sqrt", "", [](double x) { return std::sqrt(x); }}, {0, 0.5F, 4, 9});
  expect({"Log", "", [](double x) { return std::log(x); }}, {0.125F, 0.5F, 4, 9});
  expect({"Acosh", "", [](double x) { return std::acosh(x); }}, {1, 1.5F, 4, 9});
}

TEST(ImportPointwise, ANoticeSaysWhatCountsOutsideADomain) {
  const auto notices_of = [](const std::string& text) {
    const log::Capture notices;
    const Net net(map_ends() + text, kMap);
    return notices.text();
  };
  EXPECT_THAT(notices_of(node("Log", {"x"}, "y")),
              HasSubstr("node 'y' (Log): values below 2^-126 count as this number"));
  EXPECT_THAT(notices_of(node("Sqrt", {"x"}, "y")), HasSubstr("node 'y' (Sqrt): values below 0 count as 0"));
  EXPECT_THAT(
      notices_of(node("Reciprocal", {"x"}, "y")),
      HasSubstr(
          "node 'y' (Reciprocal): values nearer to 0 than 2^-126 count as this number, with their sign"));
  EXPECT_THAT(notices_of(node("Asin", {"x"}, "y")),
              HasSubstr("node 'y' (Asin): values beyond -1 and 1 count as these"));
  EXPECT_THAT(notices_of(node("Acosh", {"x"}, "y")),
              HasSubstr("node 'y' (Acosh): values below 1 count as 1"));
  EXPECT_THAT(notices_of(reals("e", {}, {-1.5F}) + node("Pow", {"x", "e"}, "y")),
              HasSubstr("node 'y' (Pow): values below 2^-126 count as this number"));
  EXPECT_EQ(notices_of(node("Exp", {"x"}, "y")), "");
  EXPECT_EQ(notices_of(reals("e", {}, {5}) + node("Pow", {"x", "e"}, "y")), "");
}

TEST(ImportPointwise, ConstantsOutsideADomainAreWhatOnnxSays) {
  const Net net(map_ends() + reals("c", {2, 1, 1}, {0, 2}) + node("Reciprocal", {"c"}, "r") +
                    node("Reciprocal", {"r"}, "s") + node("Mul", {"x", "s"}, "y"),
                kMap);
  EXPECT_THAT(net.run(kValues), ElementsAre(0, 0, 1, 8));
}

TEST(ImportPointwise, AConstantDividedByDataIsAMultipleOfReciprocals) {
  const auto over = [](const std::string& constant) {
    return Net(map_ends() + constant + node("Div", {"c", "x"}, "y"), kMap);
  };
  EXPECT_THAT(over(reals("c", {}, {1})).types(), ElementsAre("Nonlinearity"));
  EXPECT_THAT(over(reals("c", {}, {3})).run(kValues), ElementsAre(-1.5F, -6, 6, 0.75F));
  EXPECT_THAT(over(reals("c", {2, 1, 1}, {3, 2})).run(kValues), ElementsAre(-1.5F, -6, 4, 0.5F));
  EXPECT_EQ(findings(map_ends() + reals("c", {}, {INFINITY}) + node("Div", {"c", "x"}, "y"), kMap),
            "net.onnx: node 'y' (Div): a constant that is not finite divided by data");
}

TEST(ImportPointwise, AQuotientOfDataIsAProductWithReciprocals) {
  const std::string sum = map_ends() + reals("two", {}, {2}) + node("Abs", {"x"}, "a") +
                          node("GlobalMaxPool", {"a"}, "g") + node("Mul", {"x", "two"}, "d");
  const log::Capture log;
  const Net net(sum + node("Div", {"d", "g"}, "y"), kMap);
  EXPECT_THAT(net.types(), ElementsAre("Nonlinearity", "Pool", "Scaling", "Nonlinearity", "ElemWise"));
  EXPECT_EQ(net.only<ops::ElemWise>().operation, ops::ElemWiseOperation::Prod);
  EXPECT_THAT(net.run(kValues), ElementsAre(-2, -0.5F, 0.25F, 2));
  EXPECT_THAT(log.text(), HasSubstr("node 'y' (Div): divisors nearer to 0 than 2^-126 count as this number, "
                                    "with their sign"));
}

TEST(ImportPointwise, OperatorsThatManyFilesHaveGetAdvice) {
  const std::string many = map_ends() + node("Scan", {"x"}, "l") + node("NonMaxSuppression", {"l"}, "n") +
                           node("Relu", {"x"}, "r") + node("TopK", {"r"}, "k") + node("Sum", {"n", "k"}, "y");
  const std::string found = findings(many, kMap);
  EXPECT_THAT(found, HasSubstr("hint: export the model with its loops written out"));
  EXPECT_THAT(found, HasSubstr("node 'n' (NonMaxSuppression): this operator is not imported\n"
                               "  hint: do this in the program that calls the network\n"));
  EXPECT_THAT(found,
              HasSubstr("node 'k' (TopK): depends on the network's input, and is only understood on "
                        "constants\n  hint: do this in the program that calls the network: '-outputs r' "));
}

}  // namespace
}  // namespace n2d2::onnx

// Normalizations of groups of channels and of vectors, reductions that are compositions.
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "n2d2/ops/layer_norm.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

/// Sums of float32 in another order.
constexpr float kTolerance = 1e-5F;

const Shape kMap{1, 4, 2, 3};

std::vector<float> values() {
  std::vector<float> out(24);
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>((i * 7) % 11) - 3;
  return out;
}

/// Groups of as many elements one behind the other with mean 0 and variance 1, then scaled for each channel.
std::vector<float> normalized(size_t size, const std::vector<double>& scale, const std::vector<double>& bias,
                              double epsilon) {
  std::vector<float> out = values();
  const size_t pixels = 6;
  for (size_t first = 0; first < out.size(); first += size) {
    double mean = 0, square = 0;
    for (size_t i = first; i < first + size; ++i) mean += out[i] / static_cast<double>(size);
    for (size_t i = first; i < first + size; ++i)
      square += (out[i] - mean) * (out[i] - mean) / static_cast<double>(size);
    for (size_t i = first; i < first + size; ++i) {
      const size_t c = i / pixels;
      out[i] = static_cast<float>((out[i] - mean) / std::sqrt(square + epsilon) * scale[c] + bias[c]);
    }
  }
  return out;
}

std::string real_attribute(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: FLOAT f: " + value + " } ";
}
std::string numbers() {
  return reals("s", {4}, {1, 2, -1, 0.5F}) + reals("b", {4}, {0, 1, 2, 3}) + reals("gs", {2}, {2, -1}) +
         reals("gb", {2}, {1, 0}) + reals("one", {4}, {1, 1, 1, 1}) + reals("none", {4}, {0, 0, 0, 0});
}
Net net(const std::string& nodes, int opset = 18) {
  return Net(ends({1, 4, 2, 3}) + numbers() + nodes, kMap, {}, opset);
}

TEST(ImportNorms, EachChannelOfAnInstanceHasItsOwnMean) {
  const Net own = net(node("InstanceNormalization", {"x", "s", "b"}, "y", real_attribute("epsilon", "0.25")));
  EXPECT_THAT(own.types(), Contains("LayerNorm"));
  EXPECT_THAT(own.run(values()),
              Pointwise(FloatNear(kTolerance), normalized(6, {1, 2, -1, 0.5}, {0, 1, 2, 3}, 0.25)));
  const Net plain = net(node("InstanceNormalization", {"x", "one", "none"}, "y"));
  EXPECT_THAT(plain.types(), Not(Contains("Scaling"))) << "scales of 1 are no layer";
  EXPECT_THAT(plain.run(values()),
              Pointwise(FloatNear(kTolerance), normalized(6, {1, 1, 1, 1}, {0, 0, 0, 0}, 1e-5)));
}

TEST(ImportNorms, GroupsHaveNumbersForEachGroupOrForEachChannel) {
  const Net of_groups = net(node("GroupNormalization", {"x", "gs", "gb"}, "y", attribute("num_groups", 2)));
  EXPECT_THAT(of_groups.run(values()),
              Pointwise(FloatNear(kTolerance), normalized(12, {2, 2, -1, -1}, {1, 1, 0, 0}, 1e-5)));
  const Net of_channels =
      net(node("GroupNormalization", {"x", "s", "b"}, "y", attribute("num_groups", 2)), 21);
  EXPECT_THAT(of_channels.run(values()),
              Pointwise(FloatNear(kTolerance), normalized(12, {1, 2, -1, 0.5}, {0, 1, 2, 3}, 1e-5)));
  const Net all = net(node("GroupNormalization", {"x", "s", "b"}, "y", attribute("num_groups", 1)), 21);
  EXPECT_THAT(all.types(), ElementsAre("PixelReshape", "LayerNorm", "PixelReshape", "BatchNorm"));
  EXPECT_THAT(all.run(values()),
              Pointwise(FloatNear(kTolerance), normalized(24, {1, 2, -1, 0.5}, {0, 1, 2, 3}, 1e-5)));
  EXPECT_THAT(findings(ends({1, 4, 2, 3}) + numbers() +
                           node("GroupNormalization", {"x", "s", "b"}, "y", attribute("num_groups", 3)),
                       kMap, {}, 21),
              HasSubstr("node 'y' (GroupNormalization): 3 groups of 4 channels"));
  EXPECT_THAT(findings(ends({1, 4, 2, 3}) + reals("s", {3}, {1, 1, 1}) +
                           node("InstanceNormalization", {"x", "s", "s"}, "y"),
                       kMap),
              HasSubstr("scales have extents 3, expected 4 real numbers"));
  EXPECT_THAT(
      findings(ends({1, 4}) + numbers() + node("InstanceNormalization", {"x", "s", "s"}, "y"), {1, 4, 1, 1}),
      HasSubstr("normalizes maps of 1x4, expected N,C,L or N,C,H,W"));
}

/// torch.nn.GroupNorm as operator sets below 18 write it.
TEST(ImportNorms, GroupsThatAreWrittenOutAreReadToo) {
  const Net written =
      net(integers("groups", {0, 2, -1}) + integers("map", {1, 4, 2, 3}) + reals("i", {2}, {1, 1}) +
          reals("z", {2}, {0, 0}) + reals("ws", {4, 1, 1}, {1, 2, -1, 0.5F}) +
          node("Reshape", {"x", "groups"}, "g") + node("InstanceNormalization", {"g", "i", "z"}, "n") +
          node("Reshape", {"n", "map"}, "m") + node("Mul", {"m", "ws"}, "y"));
  EXPECT_THAT(written.run(values()),
              Pointwise(FloatNear(kTolerance), normalized(12, {1, 2, -1, 0.5}, {0, 0, 0, 0}, 1e-5)));
}

TEST(ImportNorms, SeveralLastAxesAreNormalizedTogether) {
  const Net own = net(node("LayerNormalization", {"x", "w", "v"}, "y",
                           attribute("axis", 2) + real_attribute("epsilon", "0.25")) +
                      reals("w", {2, 3}, {1, 1, 1, 1, 1, 2}) + reals("v", {2, 3}, {0, 0, 0, 0, 0, 5}));
  std::vector<float> expected = normalized(6, {1, 1, 1, 1}, {0, 0, 0, 0}, 0.25);
  for (size_t i = 5; i < expected.size(); i += 6) expected[i] = expected[i] * 2 + 5;
  EXPECT_THAT(own.run(values()), Pointwise(FloatNear(kTolerance), expected));
  EXPECT_THAT(findings(ends({1, 4, 2, 3}) + reals("w", {1}, {1}) +
                           node("LayerNormalization", {"x", "w"}, "y", attribute("axis", 0)),
                       kMap, {}, 18),
              HasSubstr("normalizes over the batch of 1x4x2x3"));
}

TEST(ImportNorms, MeanVarianceNormalizationIsOfEachChannelOrOfTheMap) {
  EXPECT_THAT(net(node("MeanVarianceNormalization", {"x"}, "y")).run(values()),
              Pointwise(FloatNear(kTolerance), normalized(6, {1, 1, 1, 1}, {0, 0, 0, 0}, 0)));
  EXPECT_THAT(net(node("MeanVarianceNormalization", {"x"}, "y", attribute("axes", {1, 2, 3}))).run(values()),
              Pointwise(FloatNear(kTolerance), normalized(24, {1, 1, 1, 1}, {0, 0, 0, 0}, 0)));
  EXPECT_THAT(
      findings(ends({1, 4, 2, 3}) + node("MeanVarianceNormalization", {"x"}, "y", attribute("axes", {0, 2})),
               kMap),
      HasSubstr("normalizes axes 0x2 of 1x4x2x3, expected those behind the channels"));
}

// ---- vectors of length 1 ---------------------------------------------------------------------------------

const std::vector<float> kVector{3, 0, -4, 12}, kUnit{3 / 13.F, 0, -4 / 13.F, 12 / 13.F};

TEST(ImportNorms, AVectorOfLengthOneIsARootMeanSquareNormalization) {
  const auto unit = [&](const std::string& nodes) { return Net(ends({1, 4}) + nodes, {1, 4, 1, 1}); };
  const std::string tiny = reals("e", {}, {1e-6F}) + integers("ex", {1, 4});
  const std::string length = node("ReduceL2", {"x"}, "l", attribute("axes", std::vector<int64_t>{1}));
  const std::string axis = attribute("axis", 1);
  for (const std::string& nodes :
       {node("LpNormalization", {"x"}, "y", axis),
        length + tiny + node("Clip", {"l", "e"}, "c") + node("Expand", {"c", "ex"}, "r") +
            node("Div", {"x", "r"}, "y"),
        tiny + integers("a", {-1}) + node("Mul", {"x", "x"}, "q") + node("ReduceSum", {"q", "a"}, "s") +
            node("Max", {"e", "s"}, "m") + node("Sqrt", {"m"}, "l") + node("Reciprocal", {"l"}, "r") +
            node("Mul", {"r", "x"}, "y")}) {
    const Net net = unit(nodes);
    EXPECT_THAT(net.types(), ElementsAre("LayerNorm")) << nodes;
    EXPECT_THAT(net.run(kVector), Pointwise(FloatNear(kTolerance), kUnit)) << nodes;
    EXPECT_THAT(net.run({0, 0, 0, 0}), ElementsAre(0, 0, 0, 0)) << nodes;
  }
  EXPECT_THAT(findings(ends({1, 4}) + node("LpNormalization", {"x"}, "y", attribute("p", 1)), {1, 4, 1, 1}),
              HasSubstr("node 'y' (LpNormalization): p is 1, only 2 is imported"));
  EXPECT_THAT(findings(ends({1, 4, 2, 3}) + node("LpNormalization", {"x"}, "y", attribute("axis", 2)), kMap),
              HasSubstr("normalizes axis 2 of 1x4x2x3, only the last one or the channels"));
}

TEST(ImportNorms, ALengthThatIsKeptFromMoreThanZeroStaysADivision) {
  const Net far(ends({1, 4}) + reals("e", {}, {0.5F}) +
                    node("ReduceL2", {"x"}, "l", attribute("axes", std::vector<int64_t>{1})) +
                    node("Max", {"l", "e"}, "m") + node("Div", {"x", "m"}, "y"),
                {1, 4, 1, 1});
  EXPECT_THAT(far.types(), Not(Contains("LayerNorm")));
  EXPECT_THAT(far.run({0.25F, 0, 0, 0}), ElementsAre(0.5F, 0, 0, 0));
}

// ---- reductions ------------------------------------------------------------------------------------------

TEST(ImportNorms, ReductionsOfDataAreFunctionsAndSums) {
  const auto reduced = [&](const std::string& type) {
    return Net(ends({1, 4}) + node(type, {"x"}, "y", attribute("axes", std::vector<int64_t>{1})),
               {1, 4, 1, 1}, {}, 12)
        .run({1, -2, 3, 2})
        .at(0);
  };
  EXPECT_NEAR(reduced("ReduceL1"), 8, kTolerance);
  EXPECT_NEAR(reduced("ReduceL2"), std::sqrt(18), kTolerance);
  EXPECT_NEAR(reduced("ReduceSumSquare"), 18, kTolerance);
  EXPECT_NEAR(reduced("ReduceLogSum"), std::log(4), kTolerance);
  EXPECT_NEAR(reduced("ReduceLogSumExp"), std::log(std::exp(1) + std::exp(-2) + std::exp(3) + std::exp(2)),
              kTolerance);
  EXPECT_NEAR(reduced("ReduceMin"), -2, 0);
}

TEST(ImportNorms, ASumOfPowersIsNeverInfinite) {
  const Net net(ends({1, 2}) + node("ReduceLogSumExp", {"x"}, "y",
                                    attribute("axes", std::vector<int64_t>{1}) + attribute("keepdims", 0)),
                {1, 2, 1, 1}, {}, 12);
  EXPECT_THAT(net.run({1000, 1000}), ElementsAre(FloatNear(1000.6931F, 1e-3F)));
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1}));
}

}  // namespace
}  // namespace n2d2::onnx

// Sums, concatenations, mixed signs, an input that is also a branch.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using ::testing::ElementsAre;
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Joins : ::testing::Test {
  Net net{Shape{1, 2, 2, 2}};
  NamedRanges ranges = ranges_of({{"data", {0, 1}},
                                  {"a", {-2, 2}},
                                  {"b", {0, 4}},
                                  {"join", {-2, 4}},
                                  {"max", {-2, 2}},
                                  {"outer", {-2, 8}},
                                  {"c", {0, 8}},
                                  {"sum", {-5, 5}}});
  ValueId a = net.conv("a", net.data, 3, 1);
  ValueId b = net.conv("b", net.data, 3, 1);

  Joins() { net.graph.set_clamp(net.node("b").id, Clamp{0, kInf}); }
  quantize::QuantReport run(std::vector<ValueId> outputs) {
    net.graph.set_outputs(std::move(outputs));
    auto report = quantize::quantize_graph(net.graph, ranges.of(net.graph), without_clipping());
    graph::verify(net.graph);
    return report;
  }
  QuantParams quant(std::string_view name) const {
    return *net.graph.value(*net.graph.find_value(name)).type.quant;
  }
  static QuantParams params(bool is_signed, float threshold) {
    return {8, is_signed, -1, {threshold / (is_signed ? 127.0F : 255.0F)}};
  }
};

TEST_F(Joins, BranchesWithoutOtherReadersAreMadeAtTheJoinsScale) {
  const auto report = run({net.concat("join", {a, b})});
  EXPECT_EQ(net.graph.nodes().size(), 3U);
  for (const char* name : {"a", "b", "join"}) EXPECT_EQ(quant(name), params(true, 4)) << name;
  EXPECT_EQ(net.node("b").rescale->lo, 0);  // the rectifier stays
  EXPECT_EQ(net.node("b").rescale->hi, 127);
  EXPECT_EQ(report.layers.back().clipping, "join");
}

TEST_F(Joins, UnsignedBranchesGiveAnUnsignedJoin) {
  net.graph.set_clamp(net.node("a").id, Clamp{0, kInf});
  run({net.concat("join", {a, b})});
  EXPECT_EQ(quant("join"), params(false, 4));
}

TEST_F(Joins, AClampKeepsItsPlaceAtALargerScale) {
  net.graph.set_clamp(net.node("a").id, Clamp{0, 1});
  run({net.concat("join", {a, b})});
  EXPECT_EQ(net.node("a").rescale->hi, 64);  // round(1 * 255 / 4)
}

TEST_F(Joins, ABranchWithAnotherReaderGetsAScalingOnThatEdge) {
  const auto report = run({net.concat("join", {a, b}), a});
  EXPECT_EQ(quant("a"), params(true, 2));
  EXPECT_EQ(quant("a_rescale"), params(true, 4));
  EXPECT_EQ(net.as<ops::Scaling>("a_rescale").factor, std::vector<double>{1});
  EXPECT_THAT(net.node("a_rescale").rescale->factor, ElementsAre((2.0F / 127) * 1.0F / (4.0F / 127)));
  EXPECT_EQ(net.node("a_rescale").origin.line, 7);
  EXPECT_EQ(net.graph.nodes().size(), 4U);
  const auto inserted = std::find_if(report.layers.begin(), report.layers.end(),
                                     [](const auto& layer) { return layer.name == "a_rescale"; });
  ASSERT_NE(inserted, report.layers.end());
  EXPECT_THAT(inserted->notes, ElementsAre("inserted to bring a branch to the scale of its concatenation"));
}

TEST_F(Joins, TheNetworkInputCanBeABranch) {
  run({net.concat("join", {net.data, b})});
  EXPECT_EQ(quant("data"), params(false, 1));
  EXPECT_EQ(quant("data_rescale"), params(false, 4));
  const IntegerNet result(net.graph, {255, 0, 128, 4, 0, 0, 0, 0});
  EXPECT_THAT(Integers(result["join"].begin(), result["join"].begin() + 4), ElementsAre(64, 0, 32, 1));
}

TEST_F(Joins, EqualScalesNeedNothing) {
  ranges.values["b"].max = 1;
  run({net.concat("join", {net.data, b, b})});
  EXPECT_EQ(net.graph.nodes().size(), 3U);
  EXPECT_EQ(quant("join"), params(false, 1));
}

TEST_F(Joins, TheSameBranchTwiceIsMadeAtTheJoinsScale) {
  run({net.concat("join", {a, a, b})});
  EXPECT_EQ(net.graph.nodes().size(), 3U);
  EXPECT_EQ(quant("a"), params(true, 4));
}

TEST_F(Joins, OneValueIsBroughtToOneScaleOnce) {
  run({net.concat("join", {a, a, b}), net.concat("outer", {b, a}), a});
  EXPECT_EQ(quant("a"), params(true, 2));
  EXPECT_EQ(net.graph.nodes().size(), 5U);
  const ValueId brought = *net.graph.find_value("a_rescale");
  EXPECT_THAT(net.node("join").inputs, ElementsAre(brought, brought, b));
  EXPECT_THAT(net.node("outer").inputs, ElementsAre(b, brought));
}

TEST_F(Joins, OneValueIsBroughtToEachOfTwoScales) {
  const ValueId c = net.conv("c", net.data, 3, 1);
  run({net.concat("join", {a, b}), net.concat("outer", {a, c}), a});
  EXPECT_EQ(net.graph.nodes().size(), 7U);
  EXPECT_EQ(std::set({quant("a_rescale").scale, quant("a_rescale_2").scale}),
            std::set({params(true, 4).scale, params(true, 8).scale}));
}

TEST_F(Joins, WhatOnlyJoinsReadIsMadeAtTheFinestOfTheirScales) {
  const ValueId c = net.conv("c", net.data, 3, 1);
  run({net.concat("join", {a, b}), net.concat("outer", {a, b, c})});
  for (const char* name : {"a", "b", "join"}) EXPECT_EQ(quant(name), params(true, 4)) << name;
  for (const char* name : {"a_rescale", "b_rescale", "outer"})
    EXPECT_EQ(quant(name), params(true, 8)) << name;
  EXPECT_EQ(net.graph.nodes().size(), 7U);
}

TEST_F(Joins, ThatShareABranchTakeOneScaleWhereStepsGrowByLessThanHalf) {
  ranges.values["c"].max = 5.6;  // sqrt(2) * 4 is 5.66
  const ValueId c = net.conv("c", net.data, 3, 1);
  run({net.concat("join", {a, b}), net.concat("outer", {a, b, c})});
  for (const char* name : {"a", "b", "c", "join", "outer"})
    EXPECT_EQ(quant(name), QuantParams({8, true, -1, {static_cast<float>(5.6 / 127)}})) << name;
  EXPECT_EQ(net.graph.nodes().size(), 5U);
}

TEST_F(Joins, ABranchThatOthersReadTakesStepsThatGrowByLessThanHalf) {
  ranges.values["b"].max = 2.8;  // sqrt(2) * 2 is 2.83
  run({net.concat("join", {a, b}), a});
  EXPECT_EQ(net.graph.nodes().size(), 3U);
  EXPECT_EQ(quant("a"), QuantParams({8, true, -1, {static_cast<float>(2.8 / 127)}}));
}

TEST_F(Joins, ABranchThatOthersReadTakesNoLargerSteps) {
  ranges.values["b"].max = 2.9;
  run({net.concat("join", {a, b}), a});
  EXPECT_EQ(quant("a"), params(true, 2));
  EXPECT_TRUE(net.has("a_rescale"));
}

TEST_F(Joins, AnUnsignedBranchThatOthersReadKeepsItsSteps) {
  run({net.concat("join", {a, b}), b});
  EXPECT_EQ(quant("b"), params(false, 4));
  EXPECT_EQ(quant("b_rescale"), params(true, 4));
}

/// x0, then conv(x0), conv(x0 x1), ... each of them concatenated with all before it.
TEST_F(Joins, ADenseBlockIsRescaledNowhere) {
  std::vector<ValueId> features{a};
  for (int i = 1; i < 4; ++i) {
    const ValueId join = net.concat("join" + std::to_string(i), features);
    const std::string name = "x" + std::to_string(i);
    ranges.values["join" + std::to_string(i)] = ranges.values["join"];
    ranges.values[name] = ranges.values["a"];
    ranges.values[name].max = 2 + 0.2 * i;
    features.push_back(net.conv(name, join, 2, 1));
  }
  run({net.concat("join", features), a});
  for (const char* name : {"a", "x1", "x2", "x3", "join1", "join2", "join3", "join"})
    EXPECT_EQ(quant(name), QuantParams({8, true, -1, {static_cast<float>(2.6 / 127)}})) << name;
  EXPECT_EQ(net.graph.nodes().size(), 9U);
}

TEST_F(Joins, AScaleReachesThroughLayersThatMoveIntegers) {
  run({net.concat("join", {net.pool("max", a, ops::Pooling::Max, 1), b})});
  EXPECT_EQ(net.graph.nodes().size(), 4U);
  EXPECT_EQ(quant("a"), params(true, 4));
  EXPECT_EQ(quant("max"), params(true, 4));
}

TEST_F(Joins, AnOuterJoinDecidesForAnInnerOne) {
  const ValueId c = net.conv("c", net.data, 3, 1);
  run({net.concat("outer", {net.concat("join", {a, b}), c})});
  EXPECT_EQ(net.graph.nodes().size(), 5U);
  for (const char* name : {"a", "b", "c", "join", "outer"}) EXPECT_EQ(quant(name), params(true, 8)) << name;
}

TEST_F(Joins, AnInnerJoinWithAnotherReaderIsRescaledAsAWhole) {
  const ValueId inner = net.concat("join", {a, b}), c = net.conv("c", net.data, 3, 1);
  run({net.concat("outer", {inner, c}), inner});
  EXPECT_EQ(quant("join"), params(true, 4));
  EXPECT_EQ(quant("join_rescale"), params(true, 8));
}

TEST_F(Joins, ASilentBranchDoesNotDecide) {
  ranges.values["a"] = {};
  ranges.values["b"].max = 0.5;
  run({net.concat("join", {a, b})});
  EXPECT_EQ(quant("join"), params(true, 0.5));
}

TEST_F(Joins, SumsTakeInputsOfEitherSign) {
  run({net.sum("sum", {a, b})});
  EXPECT_EQ(quant("a"), params(true, 2));
  EXPECT_EQ(quant("b"), params(false, 4));
  EXPECT_EQ(quant("sum"), params(true, 5));
  const Rescale& r = *net.node("sum").rescale;
  // M = 2/5 and (4/5) 127/255
  EXPECT_EQ(r.multiplier[0], std::lround(std::ldexp(0.4, r.shift)));
  EXPECT_EQ(r.multiplier[1], std::lround(std::ldexp(0.8 * 127 / 255, r.shift)));
  EXPECT_EQ(net.graph.nodes().size(), 3U);
}

TEST_F(Joins, ASumOfValuesThatAreNotNegativeIsUnsigned) {
  net.graph.set_clamp(net.node("a").id, Clamp{0, kInf});
  run({net.sum("sum", {a, b, b}, {1, 0.5, 2})});
  EXPECT_EQ(quant("sum"), params(false, 5));
}

}  // namespace
}  // namespace n2d2::testing

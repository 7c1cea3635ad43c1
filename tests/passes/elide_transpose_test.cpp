// Which Transposes and Reshapes move no byte of an N,H,W,C map?
#include <gtest/gtest.h>

#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/pixel_reshape.hpp"

#include "e2e/odd_networks.hpp"
#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

const std::vector<int> kChannelsLast{2, 0, 1};   // N,C,H,W to N,H,W,C
const std::vector<int> kChannelsFirst{1, 2, 0};  // and back

/// Values in the order in which they lie in an export.
std::vector<float> bytes(const Tensor& tensor) {
  const Tensor pixels = to_layout(tensor, Layout::Nhwc);
  return {pixels.data<float>(), pixels.data<float>() + pixels.elements()};
}
/// Values in the order of the file.
std::vector<float> in_file(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.elements()};
}

struct ElideTranspose : ::testing::Test {
  Net net{Shape{1, 6, 3, 4}};

  /// Rows of `length` values of a map with its channels last.
  ValueId rows(const std::string& name, ValueId map, int length) {
    return net.reshape(name, net.transpose(name + "_last", map, kChannelsLast), {length, 1, -1});
  }
  int run(bool outputs_may_reshape) {
    const std::vector<std::string_view> names{"elide_transpose"};
    passes::PassContext context;
    context.outputs_may_reshape = outputs_may_reshape;
    return passes::run(net.graph, names, context);
  }
  size_t count(std::string_view type) const {
    size_t out = 0;
    for (const NodeId id : net.graph.nodes()) out += net.graph.op(id).type() == type ? 1 : 0;
    return out;
  }
  /// The outputs lie in an export as those of the network before the pass do in the file.
  void expect_bytes_of_file() {
    const Tensor input = random_tensor(net.graph.value(net.data).type.shape, net.rng);
    const std::vector<Tensor> before = evaluate(net.graph, input);
    EXPECT_GT(run(true), 0);
    const std::vector<Tensor> after = evaluate(net.graph, input);
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(in_file(before[i]), bytes(after[i]));
    EXPECT_EQ(count("Transpose") + count("Reshape"), 0U);
    EXPECT_EQ(run(true), 0);
  }
};

TEST_F(ElideTranspose, AViewOfTheShapeOfItsMapIsNone) {
  const ValueId there = net.transpose("there", net.conv("a", net.data, 6, 1), kChannelsLast);
  net.graph.set_outputs({net.conv("b", net.transpose("back", there, kChannelsFirst), 2, 1)});
  const Tensor input = random_tensor(net.graph.value(net.data).type.shape, net.rng);
  const std::vector<Tensor> before = evaluate(net.graph, input);
  EXPECT_GT(run(false), 0);
  EXPECT_EQ(distance(before, evaluate(net.graph, input)), 0);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
}

TEST_F(ElideTranspose, HeadsOfADetectorAreAConcatOfVectors) {
  const ValueId a = net.conv("a", net.data, 6, 1), b = net.conv("b", net.data, 4, 2);
  net.graph.set_outputs({net.concat("all", {rows("rows_a", a, 2), rows("rows_b", b, 2)})});
  expect_bytes_of_file();
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, (Shape{1, 2, 48, 1}));
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).name, "all");
  EXPECT_EQ(net.graph.value(net.node("all_flat").outputs.at(0)).type.shape, (Shape{1, 96, 1, 1}));
}

TEST_F(ElideTranspose, FunctionsOfSingleValuesStandBetween) {
  const ValueId scores = net.layer("scores", ops::Nonlinearity{}, {rows("rows", net.data, 2)});
  net.graph.set_outputs({net.relu("relu", scores, 0.5)});
  expect_bytes_of_file();
  EXPECT_EQ(count("Nonlinearity"), 1U);
  EXPECT_EQ(count("Relu"), 1U);
}

TEST_F(ElideTranspose, AnOutputWithChannelsLastIsTheMapBefore) {
  net.graph.set_outputs({net.transpose("last", net.conv("conv", net.data, 5, 1), kChannelsLast)});
  expect_bytes_of_file();
  EXPECT_EQ(net.graph.outputs().at(0), net.node("conv").outputs.at(0));
}

TEST_F(ElideTranspose, SoftmaxOfRowsReadsThemAsTheyLie) {
  const ValueId all = rows("rows", net.data, 3);
  const ValueId softmax = net.softmax("softmax", net.transpose("columns", all, {2, 1, 0}));
  net.graph.set_outputs({net.transpose("scores", softmax, {2, 1, 0})});
  expect_bytes_of_file();
  EXPECT_EQ(net.graph.value(net.node("softmax").inputs.at(0)).type.shape, (Shape{1, 3, 1, 24}));
}

TEST_F(ElideTranspose, ALayerOfMapsReadsWhatComesBackInItsOrder) {
  // N,H,W,C in two halves of the channels and back: a grouping that keras2onnx writes.
  const ValueId last = net.transpose("last", net.data, kChannelsLast);
  const ValueId halves = net.reshape("halves", last, {3, 8, 3});
  net.graph.set_outputs({net.conv("conv", net.transpose("first", halves, kChannelsFirst), 2, 1)});
  const Tensor input = random_tensor(net.graph.value(net.data).type.shape, net.rng);
  const std::vector<Tensor> before = evaluate(net.graph, input);
  EXPECT_EQ(run(true), 1);
  EXPECT_LT(distance(before, evaluate(net.graph, input)), 1e-6);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_EQ(net.as<ops::PixelReshape>("first").channels, 3);
}

/// One row, one column, one pixel, heads on any of the maps; what is not the same map has the order of the
/// file in an export.
TEST(ElideTransposes, OfOddNetworksKeepEveryValueInPlace) {
  constexpr uint64_t kNetworks = 1000;
  int reshaped = 0;
  for (uint64_t seed = 0; seed < kNetworks; ++seed) {
    OddNet odd(seed);
    const Tensor input = random_tensor(odd.input(), odd.rng());
    const std::vector<Tensor> before = evaluate(odd.graph(), input);
    const std::vector<std::string_view> names{"elide_transpose"};
    passes::PassContext context;
    context.outputs_may_reshape = true;
    passes::run(odd.graph(), names, context);
    const std::vector<Tensor> after = evaluate(odd.graph(), input);
    const bool is_same = before[0].shape() == after[0].shape();
    ASSERT_EQ(in_file(before[0]), is_same ? in_file(after[0]) : bytes(after[0])) << "seed " << seed;
    reshaped += is_same ? 0 : 1;
    for (const NodeId id : odd.graph().nodes()) ASSERT_NE(odd.graph().op(id).type(), "Transpose") << seed;
  }
  EXPECT_GT(reshaped, 50);
}

TEST_F(ElideTranspose, LeavesWhatMovesBytes) {
  const ValueId turned = net.transpose("turned", net.data, {1, 0, 2});  // height and width exchanged
  const ValueId mixed = net.reshape("mixed", net.relu("relu", net.data, 0.1), {4, 6, 3});
  net.graph.set_outputs({net.conv("a", turned, 2, 1), net.conv("b", mixed, 2, 1), turned});
  EXPECT_EQ(run(true), 0);
  EXPECT_EQ(net.graph.nodes().size(), 5U);
}

TEST_F(ElideTranspose, LeavesAReshapeThatIsAViewAlready) {
  const ValueId conv = net.conv("conv", net.data, 2, 1);
  net.graph.set_outputs({net.reshape("line", conv, {12, 1, 2}),
                         net.reshape("vector", net.pool("pool", conv, ops::Pooling::Average, 3), {2, 1, 2})});
  EXPECT_EQ(run(true), 0);
}

TEST_F(ElideTranspose, LeavesAnOutputWhoseExtentsCount) {
  net.graph.set_outputs({net.transpose("last", net.conv("conv", net.data, 5, 1), kChannelsLast)});
  EXPECT_EQ(run(false), 0);
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, (Shape{1, 3, 4, 5}));
}

TEST_F(ElideTranspose, WhatOthersReadInItsOwnOrderStaysBeside) {
  const ValueId conv = net.conv("conv", net.data, 4, 1);
  const ValueId last = net.transpose("last", conv, kChannelsLast);
  net.graph.set_outputs({net.reshape("rows", last, {2, 1, -1}), net.conv("other", last, 2, 1)});
  EXPECT_EQ(run(true), 1);
  EXPECT_TRUE(net.has("last"));
  EXPECT_EQ(net.node("rows").op->type(), "PixelReshape");
}

}  // namespace
}  // namespace n2d2::testing

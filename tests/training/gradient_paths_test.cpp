#include "gradient_paths.hpp"

#include <gtest/gtest.h>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fc.hpp"

namespace n2d2::training {
namespace {

/// data -> a -> b -> c, and data -> side; each a layer of 2 outputs.
struct Line {
  graph::Graph graph;
  graph::ValueId data = graph.add_input("data", {Shape{1, 2, 1, 1}, DataType::F32, Layout::Nchw, {}});
  graph::NodeId a = fc("a", data), b = fc("b", out(a)), c = fc("c", out(b)), side = fc("side", data);

  graph::NodeId fc(const std::string& name, graph::ValueId in) {
    auto op = std::make_unique<ops::Fc>();
    op->nb_outputs = 2;
    const auto weights = graph.add_constant(name + "_w", Tensor(Shape{2, 2}));
    return graph.add(std::move(op), name, {in, weights}, {"net.ini", 3});
  }
  graph::ValueId out(graph::NodeId node) const { return graph.node(node).outputs[0]; }
  graph::ValueId weights(graph::NodeId node) const { return graph.node(node).inputs[1]; }
  std::vector<std::string> reached(graph::ValueId seed, std::vector<graph::NodeId> stops = {}) const {
    std::vector<graph::ValueId> all;
    for (const auto node : {a, b, c, side}) all.push_back(weights(node));
    std::vector<std::string> names;
    for (const auto id : reached_constants(graph, {&seed, 1}, stops, all))
      names.push_back(graph.value(id).name);
    return names;
  }
};

using Names = std::vector<std::string>;

TEST(GradientPaths, ReachWhatIsAboveTheLoss) {
  const Line line;
  EXPECT_EQ(line.reached(line.out(line.c)), (Names{"a_w", "b_w", "c_w"}));
  EXPECT_EQ(line.reached(line.out(line.b)), (Names{"a_w", "b_w"}));
  EXPECT_EQ(line.reached(line.out(line.side)), (Names{"side_w"}));
}

TEST(GradientPaths, StopsLearnThemselvesButLetNothingThrough) {
  const Line line;
  EXPECT_EQ(line.reached(line.out(line.c), {line.b}), (Names{"b_w", "c_w"}));
  EXPECT_EQ(line.reached(line.out(line.c), {line.c}), (Names{"c_w"}));
  EXPECT_EQ(line.reached(line.out(line.c), {line.side}), (Names{"a_w", "b_w", "c_w"}));
}

TEST(GradientPaths, RefuseAStopThatCutsOnlyOneOfTwoBranches) {
  Line line;
  auto sum = std::make_unique<ops::ElemWise>();
  const auto joined =
      line.graph.node(line.graph.add(std::move(sum), "sum", {line.out(line.a), line.out(line.c)})).outputs[0];
  EXPECT_EQ(line.reached(joined), (Names{"a_w", "b_w", "c_w"}));
  for (const auto stop : {line.b, line.c}) try {
      line.reached(joined, {stop});
      ADD_FAILURE();
    } catch (const ModelError& error) {
      EXPECT_STREQ(
          error.what(),
          "net.ini:3: [b] Fc BackPropagate: 0 is not supported here: 'a' learns through other layers, "
          "too\n"
          "  hint: use BackPropagate=0 at every layer that reads it, or a learning rate of 0");
    }
}

TEST(GradientPaths, AllowAStopOnABranchThatStartsAtTheInput) {
  Line line;
  auto sum = std::make_unique<ops::ElemWise>();
  const auto joined =
      line.graph.node(line.graph.add(std::move(sum), "sum", {line.out(line.side), line.out(line.c)}))
          .outputs[0];
  EXPECT_EQ(line.reached(joined, {line.a}), (Names{"a_w", "b_w", "c_w", "side_w"}));
  EXPECT_EQ(line.reached(joined, {line.b}), (Names{"b_w", "c_w", "side_w"}));
}

}  // namespace
}  // namespace n2d2::training

// Which layers that resample values have no kernel?
#include <gtest/gtest.h>

#include "n2d2/ops/deconv.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

namespace n2d2::targets::cpp {
namespace {

/// Why the library takes no such layer behind an input of 4x6x6.
std::string reasons_of(std::unique_ptr<graph::Operator> op, bool weights = false) {
  graph::Graph graph;
  std::vector<graph::ValueId> inputs{
      graph.add_input("data", {Shape{1, 4, 6, 6}, DataType::F32, Layout::Nchw, {}})};
  if (weights) inputs.push_back(graph.add_constant("weights", Tensor(Shape{2, 4, 1, 1})));
  const graph::NodeId node = graph.add(std::move(op), "layer", inputs);
  std::string reasons;
  EXPECT_EQ(kernels().choose(graph, graph.node(node), reasons), nullptr);
  return reasons;
}

/// A pass makes a Conv of a Deconv without a table of connections.
TEST(CppLibrary, NamesLayersThatResampleValues) {
  auto deconv = std::make_unique<ops::Deconv>();
  deconv->kernel = {1, 1};
  deconv->nb_outputs = 2;
  EXPECT_EQ(reasons_of(std::move(deconv), true), "Deconv has no kernel");
}

}  // namespace
}  // namespace n2d2::targets::cpp

#include "insert_rescaling.hpp"

#include <memory>

#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/scaling.hpp"

namespace n2d2::quantize {

namespace {

std::unique_ptr<ops::Scaling> scaling_by_one() {
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = {1};
  return scaling;
}

}  // namespace

void put_rescaling(graph::Graph& graph, graph::NodeId node, graph::ValueId in, bool shifts) {
  if (!shifts) return graph.replace(node, scaling_by_one(), {in});
  const graph::ValueId slope = graph.add_constant(graph.unique_name(graph.node(node).name + "_slope"),
                                                  Tensor::from(Shape{1, 1, 1, 1}, {1}));
  graph.replace(node, std::make_unique<ops::PRelu>(), {in, slope});
}

graph::NodeId insert_rescaling(graph::Graph& graph, graph::Use reader, const std::string& name, bool shifts) {
  const SourceLocation origin = graph.node(reader.node).origin;
  const graph::NodeId made = graph.insert_before(reader, scaling_by_one(), name, origin);
  if (shifts) put_rescaling(graph, made, graph.node(made).inputs.at(0), shifts);
  return made;
}

}  // namespace n2d2::quantize

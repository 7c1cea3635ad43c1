#include "n2d2/graph/verify.hpp"

#include <algorithm>
#include <set>

namespace n2d2::graph {

namespace {

void verify_names(const Graph& graph) {
  std::set<std::string> nodes, values;
  for (const NodeId id : graph.nodes()) {
    const std::string& name = graph.node(id).name;
    N2D2_CHECK(nodes.insert(name).second, "two nodes are called '{}'", name);
    N2D2_CHECK(graph.find_node(name) == id, "node '{}' is not found by its name", name);
  }
  for (const ValueId id : graph.values()) {
    const std::string& name = graph.value(id).name;
    N2D2_CHECK(values.insert(name).second, "two values are called '{}'", name);
    N2D2_CHECK(graph.find_value(name) == id, "value '{}' is not found by its name", name);
  }
}

void verify_node(const Graph& graph, const Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto& uses = graph.value(node.inputs[i]).uses;
    N2D2_CHECK(std::count(uses.begin(), uses.end(), Use{node.id, static_cast<int>(i)}) == 1,
               "input {} of '{}' is not known to '{}'", i, node.name, graph.value(node.inputs[i]).name);
  }
  N2D2_CHECK(!node.outputs.empty(), "node '{}' has no output", node.name);
  std::vector<Shape> shapes;
  for (const ValueId input : node.inputs) shapes.push_back(graph.value(input).type.shape);
  const std::vector<Shape> inferred = node.op->infer(shapes);
  N2D2_CHECK(inferred.size() == node.outputs.size(), "node '{}' has {} outputs, infers {}", node.name,
             node.outputs.size(), inferred.size());
  for (size_t i = 0; i < inferred.size(); ++i) {
    const Value& output = graph.value(node.outputs[i]);
    N2D2_CHECK(output.producer == node.id, "output {} of '{}' has another producer", i, node.name);
    N2D2_CHECK(output.type.shape == inferred[i], "output {} of '{}' is {}, infers {}", i, node.name,
               output.type.shape.text(), inferred[i].text());
  }
}

void verify_value(const Graph& graph, const Value& value) {
  for (const Use& use : value.uses)
    N2D2_CHECK(graph.node(use.node).inputs.at(use.slot) == value.id,
               "value '{}' has a use that does not read it", value.name);
  const auto& inputs = graph.inputs();
  const bool is_input = std::find(inputs.begin(), inputs.end(), value.id) != inputs.end();
  N2D2_CHECK((value.producer ? 1 : 0) + (value.is_constant() ? 1 : 0) + (is_input ? 1 : 0) == 1,
             "value '{}' must be exactly one of input, constant, output of a node", value.name);
  if (value.is_constant())
    N2D2_CHECK(value.constant->shape() == value.type.shape && value.constant->dtype() == value.type.dtype,
               "constant '{}' is not what its type says", value.name);
}

}  // namespace

void verify(const Graph& graph) {
  verify_names(graph);
  for (const NodeId id : graph.nodes()) verify_node(graph, graph.node(id));
  for (const ValueId id : graph.values()) verify_value(graph, graph.value(id));
  for (const ValueId id : graph.outputs()) graph.value(id);
  (void)graph.schedule();
}

}  // namespace n2d2::graph

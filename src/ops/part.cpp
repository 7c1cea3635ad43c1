#include "n2d2/ops/part.hpp"

#include <algorithm>
#include <map>

#include "n2d2/graph/text.hpp"

#include "checks.hpp"

namespace n2d2::ops {

bool Part::equals(const graph::Operator& other) const {
  return other.type() == type() &&
         graph::to_text(graph, graph::Values::Hash) ==
             graph::to_text(static_cast<const Part&>(other).graph, graph::Values::Hash);
}

std::vector<std::pair<std::string, std::string>> Part::fields_text() const {
  std::vector<std::string> names;
  for (const graph::NodeId id : graph.schedule()) names.push_back(graph.node(id).name);
  return {{"Nodes", join(names, " ")}};
}

std::vector<Shape> Part::infer(std::span<const Shape> in) const {
  expect_inputs(in, graph.inputs().size(), graph.inputs().size());
  for (size_t i = 0; i < in.size(); ++i) {
    const Shape& wanted = graph.value(graph.inputs()[i]).type.shape;
    if (in[i] != wanted)
      throw ModelError(fmt::format("input {} is {}, the part takes {}", i, in[i].text(), wanted.text()));
  }
  std::vector<Shape> out;
  for (const graph::ValueId id : graph.outputs()) out.push_back(graph.value(id).type.shape);
  return out;
}

void Part::forward(const graph::ForwardArgs& args) const {
  std::map<graph::ValueId, Tensor> values;
  for (size_t i = 0; i < args.in.size(); ++i) values.emplace(graph.inputs()[i], *args.in[i]);
  const int64_t batch = args.in.empty() ? 1 : args.in[0]->shape().n();
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    std::vector<const Tensor*> in;
    std::vector<Tensor*> out;
    for (const graph::ValueId input : node.inputs) {
      const graph::Value& value = graph.value(input);
      in.push_back(value.is_constant() ? value.constant.get() : &values.at(input));
    }
    for (const graph::ValueId output : node.outputs)
      out.push_back(
          &values.emplace(output, Tensor(graph.value(output).type.shape.with_batch(batch))).first->second);
    node.op->forward({in, out, false, {}, nullptr});
    if (node.clamp)
      for (float& x : out[0]->span()) x = std::clamp(x, node.clamp->lo, node.clamp->hi);
  }
  for (size_t i = 0; i < args.out.size(); ++i) *args.out[i] = values.at(graph.outputs()[i]);
}

}  // namespace n2d2::ops

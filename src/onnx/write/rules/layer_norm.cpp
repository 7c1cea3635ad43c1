#include "n2d2/ops/layer_norm.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Written out: the operator goes over the last axis, ours over channels.
void write_layer_norm(NodeWriter& node) {
  expect_float(node);
  const auto& op = node.op<ops::LayerNorm>();
  const WrittenAttributes channels{{"axes", std::vector<int64_t>{1}}};
  std::string x = node.map();
  if (op.centered) x = node.add("Sub", {x, node.add("ReduceMean", {x}, channels)});
  const std::string variance = node.add("ReduceMean", {node.add("Mul", {x, x})}, channels);
  const std::string epsilon = node.channels("epsilon", {static_cast<float>(op.epsilon)}, false);
  const std::string root = node.add("Sqrt", {node.add("Add", {variance, epsilon})});
  const auto parameter = [&](size_t slot, std::string_view role) {
    const auto values = node.constant(slot).span<float>();
    return node.channels(role, {values.begin(), values.end()}, false);
  };
  std::string y = node.add("Mul", {node.add("Div", {x, root}), parameter(1, "scales")});
  if (node.has_input(2)) y = node.add("Add", {y, parameter(2, "biases")});
  node.result(y, false);
}

}  // namespace

void register_layer_norm(WriteRegistry& registry);
void register_layer_norm(WriteRegistry& registry) {
  registry.add(ops::LayerNorm::kType, write_layer_norm);
}

}  // namespace n2d2::onnx

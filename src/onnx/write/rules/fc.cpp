#include "n2d2/ops/fc.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Rows of the weights are flattened maps (channel, y, x), as Flatten makes them.
void write_fc(NodeWriter& node) {
  std::vector<std::string> inputs{node.flat(), node.parameter(1)};
  if (node.has_input(2)) inputs.push_back(node.parameter(2));
  node.result(node.add("Gemm", inputs, {{"transB", int64_t{1}}}), true);
}

}  // namespace

void register_fc(WriteRegistry& registry);
void register_fc(WriteRegistry& registry) {
  registry.add(ops::Fc::kType, write_fc);
}

}  // namespace n2d2::onnx

#include "n2d2/ops/transpose.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_transpose(NodeWriter& node) {
  const auto order = node.op<ops::Transpose>().order();
  std::vector<int64_t> perm{0};
  for (const size_t axis : order) perm.push_back(static_cast<int64_t>(axis));
  node.result(node.add("Transpose", {node.map()}, {{"perm", perm}}), false);
}

}  // namespace

void register_transpose(WriteRegistry& registry);
void register_transpose(WriteRegistry& registry) {
  registry.add(ops::Transpose::kType, write_transpose);
}

}  // namespace n2d2::onnx

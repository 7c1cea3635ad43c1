#include "n2d2/ops/concat.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_concat(NodeWriter& node) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < node.node().inputs.size(); ++i) inputs.push_back(node.any(i));
  node.result(node.add("Concat", inputs, {{"axis", int64_t{1}}}), node.is_flat());
}

}  // namespace

void register_concat(WriteRegistry& registry);
void register_concat(WriteRegistry& registry) {
  registry.add(ops::Concat::kType, write_concat);
}

}  // namespace n2d2::onnx

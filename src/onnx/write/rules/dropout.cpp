#include "n2d2/ops/dropout.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_dropout(NodeWriter& node) {
  expect_float(node);
  const std::string ratio = node.channels("ratio", {static_cast<float>(node.op<ops::Dropout>().probability)});
  node.result(node.add("Dropout", {node.any(), ratio}), node.is_flat());
}

}  // namespace

void register_dropout(WriteRegistry& registry);
void register_dropout(WriteRegistry& registry) {
  registry.add(ops::Dropout::kType, write_dropout);
}

}  // namespace n2d2::onnx

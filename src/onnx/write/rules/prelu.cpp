#include "n2d2/ops/prelu.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_prelu(NodeWriter& node) {
  expect_float(node);
  node.result(node.add("PRelu", {node.map(), node.parameter(1)}), false);
}

}  // namespace

void register_prelu(WriteRegistry& registry);
void register_prelu(WriteRegistry& registry) {
  registry.add(ops::PRelu::kType, write_prelu);
}

}  // namespace n2d2::onnx

#include "n2d2/ops/reshape.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Extent 0 keeps the batch.
void write_reshape(NodeWriter& node) {
  const Shape& out = node.out();
  node.result(node.add("Reshape", {node.any(), node.integers("shape", {0, out.c(), out.h(), out.w()})}),
              false);
}

}  // namespace

void register_reshape(WriteRegistry& registry);
void register_reshape(WriteRegistry& registry) {
  registry.add(ops::Reshape::kType, write_reshape);
}

}  // namespace n2d2::onnx

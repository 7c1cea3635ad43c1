#include "n2d2/ops/padding.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Negative extents crop.
void write_padding(NodeWriter& node) {
  const auto& p = node.op<ops::Padding>();
  node.result(
      node.add("Pad", {node.map(), node.integers("pads", {0, 0, p.top, p.left, 0, 0, p.bottom, p.right})}),
      false);
}

}  // namespace

void register_padding(WriteRegistry& registry);
void register_padding(WriteRegistry& registry) {
  registry.add(ops::Padding::kType, write_padding);
}

}  // namespace n2d2::onnx

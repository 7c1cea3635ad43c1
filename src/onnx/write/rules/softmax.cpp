#include "n2d2/ops/softmax.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Groups of channels get an axis of their own while they are normalized.
void write_softmax(NodeWriter& node) {
  expect_float(node);
  const int64_t group = node.op<ops::Softmax>().group_size;
  const Shape& s = node.in();
  if (group == 0 || group == s.c())
    return node.result(node.add("Softmax", {node.any()}, {{"axis", int64_t{1}}}), node.is_flat());
  const std::string groups =
      node.add("Reshape", {node.map(), node.integers("groups", {0, s.c() / group, group, s.h() * s.w()})});
  const std::string y = node.add("Softmax", {groups}, {{"axis", int64_t{2}}});
  node.result(node.add("Reshape", {y, node.integers("shape", {0, s.c(), s.h(), s.w()})}), false);
}

}  // namespace

void register_softmax(WriteRegistry& registry);
void register_softmax(WriteRegistry& registry) {
  registry.add(ops::Softmax::kType, write_softmax);
}

}  // namespace n2d2::onnx

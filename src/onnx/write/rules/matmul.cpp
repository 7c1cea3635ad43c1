#include "n2d2/ops/matmul.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Channels come before pixels in the file: the transpose of the product is written, b^T a^T or b a^T.
void write_matmul(NodeWriter& node) {
  expect_float(node);
  const auto& op = node.op<ops::MatMul>();
  const auto matrices = [&](size_t slot, std::string_view role) {
    const Shape& s = node.in(slot);
    const std::vector<int64_t> extents{0, op.groups, s.c() / op.groups, s.h() * s.w()};
    return node.add("Reshape", {node.map(slot), node.integers(role, extents)});
  };
  const std::string a = matrices(0, "of_a");
  std::string b = matrices(1, "of_b");
  if (op.transposed) b = node.add("Transpose", {b}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  std::string y = node.add("MatMul", {b, a});
  if (op.factor != 1)
    y = node.add("Mul", {y, node.channels("factor", {static_cast<float>(op.factor)}, false)});
  const Shape& s = node.out();
  node.result(node.add("Reshape", {y, node.integers("shape", {0, s.c(), s.h(), s.w()})}), false);
}

}  // namespace

void register_matmul(WriteRegistry& registry);
void register_matmul(WriteRegistry& registry) {
  registry.add(ops::MatMul::kType, write_matmul);
}

}  // namespace n2d2::onnx

#include "n2d2/ops/pool.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

WrittenAttributes window(const ops::Pool& pool, const Pads& padding) {
  return {{"kernel_shape", rows_columns(pool.kernel)},
          {"strides", rows_columns(pool.stride)},
          {"pads", begins_ends(padding)}};
}

/// ONNX's maximum ignores padding; where zeros count, they are put around the map before.
void write_max(NodeWriter& node, const ops::Pool& pool) {
  if (!pool.count_zeros || pool.padding == Pads{})
    return node.result(node.add("MaxPool", {node.map()}, window(pool, pool.padding)), false);
  const Pads& p = pool.padding;
  const std::string padded =
      node.add("Pad", {node.map(), node.integers("pads", {0, 0, p.top, p.left, 0, 0, p.bottom, p.right})});
  node.result(node.add("MaxPool", {node.keep_scale(padded)}, window(pool, {})), false);
}

void write_average(NodeWriter& node, const ops::Pool& pool) {
  const double size = static_cast<double>(pool.kernel.x) * pool.kernel.y;
  const bool whole =
      pool.kernel.y == node.in().h() && pool.kernel.x == node.in().w() && pool.padding == Pads{};
  if (whole) return node.result(node.add("GlobalAveragePool", {node.map()}), false, size);
  WrittenAttributes attributes = window(pool, pool.padding);
  const bool counts = pool.uncounted == Pads{};
  if (!counts && pool.uncounted != pool.padding)
    throw ModelError("an average that counts a part of its padding has no ONNX form here");
  attributes.emplace_back("count_include_pad", int64_t{counts ? 1 : 0});
  node.result(node.add("AveragePool", {node.map()}, attributes), false, size);
}

void write_pool(NodeWriter& node) {
  const auto& pool = node.op<ops::Pool>();
  if (pool.pooling == ops::Pooling::Max)
    write_max(node, pool);
  else
    write_average(node, pool);
}

}  // namespace

void register_pool(WriteRegistry& registry);
void register_pool(WriteRegistry& registry) {
  registry.add(ops::Pool::kType, write_pool);
}

}  // namespace n2d2::onnx

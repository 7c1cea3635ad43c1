#include "n2d2/ops/depth_to_space.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Blocks that are not square, which no operator of ONNX moves: N,C,a,b,H,W becomes N,C,H,a,W,b.
std::string moved_blocks(NodeWriter& node, const ops::DepthToSpace& op) {
  if (op.to_depth || op.order != ops::BlockOrder::Crd)
    throw ModelError("blocks that are not square are written channel first, to space alone", {},
                     "BlockRows=0, or Order=CRD without ToDepth");
  const Shape& deep = node.in();
  const int64_t a = op.block().y, b = op.block().x, c = deep.c() / (a * b), h = deep.h(), w = deep.w();
  std::string x = node.add("Reshape", {node.map(), node.integers("blocks", {0, c, a, b, h, w})});
  x = node.add("Transpose", {node.keep_scale(x)}, {{"perm", std::vector<int64_t>{0, 1, 4, 2, 5, 3}}});
  return node.add("Reshape", {node.keep_scale(x), node.integers("extents", {0, c, h * a, w * b})});
}

void write_depth_to_space(NodeWriter& node) {
  const auto& op = node.op<ops::DepthToSpace>();
  const bool block_first = op.order == ops::BlockOrder::Dcr;
  if (op.to_depth && !block_first)
    throw ModelError("Order=CRD with ToDepth: SpaceToDepth puts the block first", {}, "Order=DCR");
  WrittenAttributes attributes{{"blocksize", int64_t{op.block_size}}};
  if (!op.to_depth) attributes.emplace_back("mode", std::string(block_first ? "DCR" : "CRD"));
  const std::string type = op.to_depth ? "SpaceToDepth" : "DepthToSpace";
  const bool is_square = op.block().x == op.block().y;
  const std::string moved = is_square ? node.add(type, {node.map()}, attributes) : moved_blocks(node, op);
  if (op.crop == Pads{}) return node.result(moved, false);
  const Pads& p = op.crop;
  const std::string pads = node.integers("pads", {0, 0, -p.top, -p.left, 0, 0, -p.bottom, -p.right});
  node.result(node.add("Pad", {node.keep_scale(moved), pads}), false);
}

}  // namespace

void register_depth_to_space(WriteRegistry& registry);
void register_depth_to_space(WriteRegistry& registry) {
  registry.add(ops::DepthToSpace::kType, write_depth_to_space);
}

}  // namespace n2d2::onnx

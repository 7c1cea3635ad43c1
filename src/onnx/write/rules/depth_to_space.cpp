#include "n2d2/ops/depth_to_space.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_depth_to_space(NodeWriter& node) {
  const auto& op = node.op<ops::DepthToSpace>();
  const bool block_first = op.order == ops::BlockOrder::Dcr;
  if (op.to_depth && !block_first)
    throw ModelError("Order=CRD with ToDepth: SpaceToDepth puts the block first", {}, "Order=DCR");
  if (op.block().x != op.block().y)
    throw ModelError(fmt::format("a block of {}x{} pixels: {} has square ones", op.block().x, op.block().y,
                                 op.to_depth ? "SpaceToDepth" : "DepthToSpace"),
                     {}, "BlockRows=0");
  WrittenAttributes attributes{{"blocksize", int64_t{op.block_size}}};
  if (!op.to_depth) attributes.emplace_back("mode", std::string(block_first ? "DCR" : "CRD"));
  const std::string type = op.to_depth ? "SpaceToDepth" : "DepthToSpace";
  const std::string moved = node.add(type, {node.map()}, attributes);
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

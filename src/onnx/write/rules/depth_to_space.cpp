#include "n2d2/ops/depth_to_space.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_depth_to_space(NodeWriter& node) {
  const auto& op = node.op<ops::DepthToSpace>();
  const bool block_first = op.order == ops::BlockOrder::Dcr;
  if (op.to_depth && !block_first)
    throw ModelError("Order=CRD with ToDepth: SpaceToDepth puts the block first", {}, "Order=DCR");
  WrittenAttributes attributes{{"blocksize", int64_t{op.block_size}}};
  if (!op.to_depth) attributes.emplace_back("mode", std::string(block_first ? "DCR" : "CRD"));
  node.result(node.add(op.to_depth ? "SpaceToDepth" : "DepthToSpace", {node.map()}, attributes), false);
}

}  // namespace

void register_depth_to_space(WriteRegistry& registry);
void register_depth_to_space(WriteRegistry& registry) {
  registry.add(ops::DepthToSpace::kType, write_depth_to_space);
}

}  // namespace n2d2::onnx

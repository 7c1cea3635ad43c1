#include "n2d2/ops/depth_to_space.hpp"

#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

void convert(Node& node, bool to_depth) {
  const Operand& data = node.data();
  if (data.dims.size() != 4)
    refuse(fmt::format("the data has extents {}, expected N,C,H,W", text_of(data.dims)));
  auto op = std::make_unique<ops::DepthToSpace>();
  op->to_depth = to_depth;
  op->block_size = window_size("blocksize", node.integer("blocksize", 0), 1);
  const std::string mode = to_depth ? "DCR" : node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") refuse(fmt::format("mode '{}', expected DCR or CRD", mode));
  op->order = mode == "DCR" ? ops::BlockOrder::Dcr : ops::BlockOrder::Crd;
  node.finish_map(std::move(op), {data.value}, 4);
}

}  // namespace

void register_depth_to_space(RuleRegistry& registry);
void register_depth_to_space(RuleRegistry& registry) {
  registry.add("DepthToSpace", {[](Node& n) { convert(n, false); }, nullptr, Integers::Moved});
  registry.add("SpaceToDepth", {[](Node& n) { convert(n, true); }, nullptr, Integers::Moved});
}

}  // namespace n2d2::onnx

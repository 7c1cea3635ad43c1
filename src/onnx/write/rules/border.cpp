#include "n2d2/ops/border.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_border(NodeWriter& node) {
  const auto& b = node.op<ops::Border>();
  if (b.mode == ops::BorderMode::Constant) expect_float(node);
  constexpr std::array kModes{"constant", "reflect", "edge"};
  std::vector<std::string> inputs{node.map(),
                                  node.integers("pads", {0, 0, b.top, b.left, 0, 0, b.bottom, b.right})};
  if (b.mode == ops::BorderMode::Constant)
    inputs.push_back(node.channels("value", {static_cast<float>(b.value)}, false));
  node.result(node.add("Pad", inputs, {{"mode", std::string(kModes[static_cast<size_t>(b.mode)])}}), false);
}

}  // namespace

void register_border(WriteRegistry& registry);
void register_border(WriteRegistry& registry) {
  registry.add(ops::Border::kType, write_border);
}

}  // namespace n2d2::onnx

#include "n2d2/ops/border.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// The integer of a quantized graph as what the file computes with.
float fill_value_of(NodeWriter& node) {
  if (node.form() == Form::Float) return static_cast<float>(node.op<ops::Border>().value);
  const auto q = static_cast<float>(ops::fill_of(node.constant(1)));
  if (node.form() == Form::FakeQuantization) return q;
  const QuantParams& quant = node.quant_of_input();
  return (q - static_cast<float>(quant.zero_point)) * quant.scale.at(0);
}

void write_border(NodeWriter& node) {
  const auto& b = node.op<ops::Border>();
  constexpr std::array kModes{"constant", "reflect", "edge"};
  std::vector<std::string> inputs{node.map(),
                                  node.integers("pads", {0, 0, b.top, b.left, 0, 0, b.bottom, b.right})};
  if (b.mode == ops::BorderMode::Constant)
    inputs.push_back(node.channels("value", {fill_value_of(node)}, false));
  node.result(node.add("Pad", inputs, {{"mode", std::string(kModes[static_cast<size_t>(b.mode)])}}), false);
}

}  // namespace

void register_border(WriteRegistry& registry);
void register_border(WriteRegistry& registry) {
  registry.add(ops::Border::kType, write_border);
}

}  // namespace n2d2::onnx

#include "n2d2/ops/activation.hpp"

#include <limits>

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// In integers the bounds of the rescaling are those of the clamp.
void write_relu(NodeWriter& node) {
  const auto& relu = node.op<ops::Relu>();
  const std::string x = node.any();
  const bool is_float = node.form() == Form::Float;
  if (const auto clamp = relu.clamp())
    return node.result(is_float ? node.add_clamp(x, *clamp) : x, node.is_flat());
  if (relu.leak_slope < 0 && relu.clipping > 0)
    throw ModelError(fmt::format("LeakSlope {} below 0 with Clipping", print_real(relu.leak_slope)));
  const std::string leaky = node.add("LeakyRelu", {x}, {{"alpha", static_cast<float>(relu.leak_slope)}});
  if (relu.clipping == 0 || !is_float) return node.result(leaky, node.is_flat(), ops::Relu::kTaps);
  const Clamp top{-std::numeric_limits<float>::infinity(), static_cast<float>(relu.clipping)};
  node.result(node.add_clamp(leaky, top), node.is_flat());
}

void write_saturation(NodeWriter& node) {
  const std::string x = node.any();
  if (node.form() != Form::Float) return node.result(x, node.is_flat());
  node.result(node.add_clamp(x, node.op<ops::Saturation>().clamp()), node.is_flat());
}

}  // namespace

void register_activation(WriteRegistry& registry);
void register_activation(WriteRegistry& registry) {
  registry.add(ops::Relu::kType, write_relu);
  registry.add(ops::Saturation::kType, write_saturation);
}

}  // namespace n2d2::onnx

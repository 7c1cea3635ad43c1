#include "n2d2/ops/conv.hpp"

#include "node.hpp"
#include "window.hpp"

namespace n2d2::onnx {

namespace {

/// Conv of a tensor N,C,L or N,C,H,W with constant weights O,I/groups,kernel.
void convert_conv(Node& node) {
  const Operand& data = node.data();
  const Array& weights = node.constant(1, "the weights");
  if (weights.dims.size() != data.dims.size())
    refuse(
        fmt::format("the weights have extents {}, the data {}", text_of(weights.dims), text_of(data.dims)));
  const WindowSizes window = read_window(node, data.dims, {weights.dims.begin() + 2, weights.dims.end()});
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = window.kernel();
  conv->stride = window.stride();
  conv->dilation = window.dilation();
  conv->padding = window.pads();
  conv->groups = window_size("group", node.integer("group", 1), 1);
  conv->nb_outputs = window_size("number of outputs", weights.dims[0], 1);
  std::vector<graph::ValueId> inputs{data.value};
  inputs.push_back(node.add_constant(
      "weights", real_tensor(weights, {weights.dims[0], weights.dims[1], conv->kernel.y, conv->kernel.x},
                             "the weights")));
  if (const Array* biases = node.optional_constant(2, "the biases"))
    inputs.push_back(node.add_constant("biases", real_tensor(*biases, {weights.dims[0]}, "the biases")));
  node.finish_map(std::move(conv), std::move(inputs), data.dims.size());
}

}  // namespace

void register_conv(RuleRegistry& registry);
void register_conv(RuleRegistry& registry) {
  registry.add("Conv", {convert_conv, nullptr});
}

}  // namespace n2d2::onnx

#include "n2d2/ops/conv.hpp"

#include "import/layers.hpp"
#include "import/window.hpp"
#include "quantized.hpp"

namespace n2d2::onnx {

graph::ValueId add_conv(Node& node, const Operand& data, const Array& weights, std::optional<Tensor> biases,
                        std::string_view suffix) {
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
  const Shape shape{weights.dims[0], weights.dims[1], conv->kernel.y, conv->kernel.x};
  std::vector<graph::ValueId> inputs{data.value};
  inputs.push_back(node.add_constant("weights", real_tensor(weights, shape, "the weights"),
                                     scales_of_rows(node, weights, weights.dims[0])));
  if (biases) inputs.push_back(node.add_constant("biases", *std::move(biases)));
  return node.add(std::move(conv), std::move(inputs), suffix);
}

namespace {

void convert_conv(Node& node) {
  const Operand& data = node.data();
  const Array& weights = node.constant(1, "the weights");
  const int64_t outputs = weights.dims.empty() ? 0 : weights.dims[0];
  std::optional<Tensor> biases;
  if (const Array* given = node.optional_constant(2, "the biases"))
    biases = real_tensor(*given, {outputs}, "the biases");
  const graph::ValueId value = add_conv(node, data, weights, std::move(biases), "");
  node.set_value(value, node.extents_of(value, data.dims.size()));
}

}  // namespace

void register_conv(RuleRegistry& registry);
void register_conv(RuleRegistry& registry) {
  registry.add("Conv", {convert_conv, nullptr});
}

}  // namespace n2d2::onnx

#include "n2d2/ops/deconv.hpp"

#include <algorithm>

#include "import/window.hpp"
#include "quantized.hpp"

namespace n2d2::onnx {

namespace {

/// O,C/groups,KH,KW of C,O/groups,KH,KW, with the steps of the integers that they may be.
Array weights_of(const Array& weights, const ops::Deconv& op, int64_t channels) {
  const int64_t taps = int64_t{op.kernel.x} * op.kernel.y, group_in = channels / op.groups,
                group_out = op.nb_outputs / op.groups;
  if (weights.size() != channels * group_out * taps) refuse("the weights have other extents than the window");
  Array out = weights.like({op.nb_outputs, group_in, op.kernel.y, op.kernel.x});
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t o = 0; o < group_out; ++o) {
      const int64_t output = c / group_in * group_out + o;
      for (int64_t t = 0; t < taps; ++t)
        out.take((output * group_in + c % group_in) * taps + t, weights, (c * group_out + o) * taps + t);
    }
  return out;
}

/// Pads that leave `wanted` of an axis, the odd one in front unless `upper`. What is wanted beyond the last
/// kernel is output padding.
void pad_to(WindowAxis& axis, int64_t wanted, bool upper, int& more) {
  if (wanted < 1) refuse(fmt::format("output_shape has {}, expected at least 1", wanted));
  const int64_t total = (axis.in - 1) * axis.stride + axis.extent() + more - wanted;
  const int64_t cut = std::max<int64_t>(0, total);
  axis.before = window_size("pads", upper ? cut / 2 : cut - cut / 2, 0);
  axis.after = static_cast<int>(cut - axis.before);
  if (total < 0) more = window_size("output_padding", more - total, 0);
}

/// Reads the window and what else decides the size of the output. Source: ONNX ConvTranspose.
WindowSizes read_output(Node& node, const Extents& dims, const std::vector<int64_t>& kernel, Dims& more) {
  WindowSizes window = read_window(node, dims, kernel);
  const size_t axes = dims.size() - 2;
  const auto per_axis = [&](std::string_view name) {
    std::vector<int64_t> list = node.integers(name);
    if (!list.empty() && list.size() != axes)
      refuse(fmt::format("attribute '{}' has {} values, expected {}", name, list.size(), axes));
    return list;
  };
  const auto padding = per_axis("output_padding"), shape = per_axis("output_shape");
  const std::string mode = node.text("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  for (size_t i = 0; i < axes; ++i) {
    const bool x = i + 1 == axes;
    WindowAxis& axis = x ? window.x : window.y;
    int& added = x ? more.x : more.y;
    if (!padding.empty()) added = window_size("output_padding", padding[i], 0);
    if (!shape.empty())
      pad_to(axis, shape[i], mode == "SAME_UPPER", added);
    else if (same)
      pad_to(axis, axis.in * axis.stride, mode == "SAME_UPPER", added);
  }
  return window;
}

void convert_conv_transpose(Node& node) {
  const Operand& data = node.data();
  const Array& weights = node.constant(1, "the weights");
  if (weights.dims.size() != data.dims.size() || data.dims.size() < 3)
    refuse(
        fmt::format("the weights have extents {}, the data {}", text_of(weights.dims), text_of(data.dims)));
  auto deconv = std::make_unique<ops::Deconv>();
  const WindowSizes window =
      read_output(node, data.dims, {weights.dims.begin() + 2, weights.dims.end()}, deconv->output_padding);
  deconv->kernel = window.kernel();
  deconv->stride = window.stride();
  deconv->dilation = window.dilation();
  deconv->padding = window.pads();
  deconv->groups = window_size("group", node.integer("group", 1), 1);
  const int64_t channels = data.dims[1];
  if (channels != weights.dims[0] || channels % deconv->groups != 0)
    refuse(fmt::format("the data has {} channels, the weights are of {} in {} groups", channels,
                       weights.dims[0], deconv->groups));
  deconv->nb_outputs = window_size("number of outputs", weights.dims[1] * deconv->groups, 1);
  std::vector<graph::ValueId> inputs{data.value};
  const Array rows = weights_of(weights, *deconv, channels);
  const Shape shape{deconv->nb_outputs, channels / deconv->groups, deconv->kernel.y, deconv->kernel.x};
  inputs.push_back(node.add_constant("weights", real_tensor(rows, shape, "the weights"),
                                     scales_of_rows(node, rows, deconv->nb_outputs)));
  if (const Array* biases = node.optional_constant(2, "the biases"))
    inputs.push_back(node.add_constant("biases", real_tensor(*biases, {deconv->nb_outputs}, "the biases")));
  node.finish_map(std::move(deconv), std::move(inputs), data.dims.size());
}

}  // namespace

void register_deconv(RuleRegistry& registry);
void register_deconv(RuleRegistry& registry) {
  registry.add("ConvTranspose", {convert_conv_transpose, nullptr});
}

}  // namespace n2d2::onnx

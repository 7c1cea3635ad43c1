#include "n2d2/ops/layer_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "n2d2/ops/pixel_reshape.hpp"

#include "elemwise.hpp"
#include "import/channels_last.hpp"
#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

/// What is normalized: the last axis, the channels of a map, or all axes from one on.
enum class Over { Last, Channels, Rest };

struct NormAxes {
  Over over = Over::Last;
  size_t first = 0;
};

NormAxes norm_axes_of(Node& node, const Extents& dims) {
  std::vector<int64_t> axes = node.integers("axes");
  const size_t rank = dims.size();
  if (axes.empty()) {  // from one on
    const size_t axis = axis_of(node.integer("axis", -1), rank);
    if (axis == 0)
      refuse(fmt::format("normalizes over the batch of {}", text_of(dims)), "axis=1 or a later one");
    return {axis == rank - 1 ? Over::Last : Over::Rest, axis};
  }
  for (int64_t& axis : axes) axis = static_cast<int64_t>(axis_of(axis, rank));
  std::sort(axes.begin(), axes.end());
  const auto first = static_cast<size_t>(axes[0]);
  bool is_rest = first > 0 && axes.size() == rank - first;
  for (size_t i = 0; is_rest && i < axes.size(); ++i) is_rest = axes[i] == static_cast<int64_t>(first + i);
  if (is_rest) return {first == rank - 1 ? Over::Last : Over::Rest, first};
  if (axes.size() == 1 && first == 1) return {Over::Channels, first};
  refuse(fmt::format("normalizes axes {} of {}, only the channels or all axes from one on are imported",
                     text_of(axes), text_of(dims)));
}

/// One value for each channel.
Tensor of_channels(const Array& array, int64_t channels, std::string_view what) {
  if (array.is_integer || (array.size() != 1 && array.size() != channels))
    refuse(fmt::format("{} have extents {}, expected {} real numbers", what, text_of(array.dims), channels));
  Tensor out(Shape{channels});
  for (int64_t c = 0; c < channels; ++c)
    out.data<float>()[c] = static_cast<float>(array.at(array.size() == 1 ? 0 : c));
  return out;
}

Tensor ones(int64_t channels) {
  Tensor out(Shape{channels});
  out.fill(1);
  return out;
}

int64_t elements_between(const Extents& dims, size_t first, size_t last) {
  return std::accumulate(dims.begin() + static_cast<int64_t>(first),
                         dims.begin() + static_cast<int64_t>(last), int64_t{1}, std::multiplies<>());
}

/// The values of a map, in the order of the file, are lines one behind the other: each becomes the channels
/// of a pixel, and goes back.
graph::ValueId normalized_lines(Node& node, graph::ValueId value, int64_t lines,
                                std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> constants) {
  constexpr std::array<size_t, 3> kSwapped{3, 2, 1};
  const Shape map = node.graph().value(value).type.shape;
  const int64_t size = map.elements() / lines;
  graph::ValueId in =
      node.as_map(value, lines == 1 ? Shape{1, size, 1, 1} : Shape{1, lines, 1, size}, "lines");
  if (lines > 1) in = transposed(node, in, kSwapped, "features");
  constants.insert(constants.begin(), in);
  const bool is_last = lines == 1 && node.graph().value(in).type.shape == map;
  graph::ValueId out = node.add(std::move(op), std::move(constants), is_last ? "" : "normed");
  const graph::NodeId layer = node.layer;
  if (lines > 1) out = transposed(node, out, kSwapped, "back");
  out = node.as_map(out, map, "");
  node.layer = layer;
  return out;
}

void convert_layer_norm(Node& node, bool centered) {
  const Extents dims = node.lying(0).dims;
  if (dims.size() < 2) refuse(fmt::format("normalizes {}", text_of(dims)));
  const NormAxes axes = norm_axes_of(node, dims);
  auto op = std::make_unique<ops::LayerNorm>();
  op->epsilon = node.real("epsilon", 1e-5);
  op->centered = centered;
  node.integer("stash_type", 1);
  node.expect_no_output(1, "the mean");
  node.expect_no_output(2, "the deviation");
  const bool is_last = axes.over == Over::Last && dims.size() > 2;
  const graph::ValueId value = is_last ? node.with_channels_last(0) : node.data(0).value;
  const int64_t channels = axes.over == Over::Rest ? elements_between(dims, axes.first, dims.size())
                                                   : node.graph().value(value).type.shape.c();
  const Array* scales = node.optional_constant(1, "the scales");
  std::vector<graph::ValueId> constants{node.add_constant(
      "scales", scales != nullptr ? of_channels(*scales, channels, "scales") : ones(channels))};
  if (const Array* given = centered ? node.optional_constant(2, "the biases") : nullptr)
    constants.push_back(node.add_constant("biases", of_channels(*given, channels, "biases")));
  if (axes.over == Over::Rest) {
    const int64_t lines = elements_between(dims, 1, axes.first);
    return node.set_value(normalized_lines(node, value, lines, std::move(op), std::move(constants)), dims);
  }
  constants.insert(constants.begin(), value);
  if (!is_last) return node.finish(std::move(op), std::move(constants), dims);
  const graph::ValueId normed = node.add(std::move(op), std::move(constants));
  const graph::NodeId layer = node.layer;
  if (std::optional<Split> split = dims[0] == 1 ? std::optional(split_in_order(dims)) : std::nullopt)
    node.set_split(normed, *split);
  else
    node.set_channels_last(normed, dims);
  node.layer = layer;
}

/// x / |x| along the last axis or the channels: the root mean square is a multiple of the length.
void convert_lp_normalization(Node& node) {
  const Extents dims = node.lying(0).dims;
  if (const int64_t p = node.integer("p", 2); p != 2) refuse(fmt::format("p is {}, only 2 is imported", p));
  if (dims.size() < 2) refuse(fmt::format("normalizes {}", text_of(dims)));
  const size_t axis = axis_of(node.integer("axis", -1), dims.size());
  if (axis != 1 && axis != dims.size() - 1)
    refuse(fmt::format("normalizes axis {} of {}, only the last one or the channels are imported", axis,
                       text_of(dims)));
  const bool is_last = axis != 1;
  const graph::ValueId value = is_last ? node.with_channels_last(0) : node.data(0).value;
  auto op = std::make_unique<ops::LayerNorm>();
  op->epsilon = 0;
  op->centered = false;
  Tensor scales = ones(dims[axis]);
  scales.fill(static_cast<float>(1 / std::sqrt(static_cast<double>(dims[axis]))));
  const graph::ValueId normed =
      node.add(std::move(op), {value, node.add_constant("scales", std::move(scales))});
  const graph::NodeId layer = node.layer;
  if (!is_last)
    node.set_value(normed, dims);
  else if (dims[0] == 1)
    node.set_split(normed, split_in_order(dims));
  else
    node.set_channels_last(normed, dims);
  node.layer = layer;
}

// ---- groups of channels of a map -------------------------------------------------------------------------

/// Each group of channels of all pixels becomes the channels of a pixel, in the order of the bytes of an
/// export, and goes back.
graph::ValueId normalized_groups(Node& node, graph::ValueId value, int64_t groups, double epsilon,
                                 std::string_view suffix) {
  const Shape map = node.graph().value(value).type.shape;
  const int64_t channels = map.c() / groups, pixels = map.h() * map.w();
  auto op = std::make_unique<ops::LayerNorm>();
  op->epsilon = epsilon;
  const auto view = [&](const Shape& shape, std::string_view name) {
    if (node.graph().value(value).type.shape != shape)
      value = node.add(ops::pixel_reshape_to(shape), {value}, name);
  };
  const auto turn = [&](std::string_view name) {
    constexpr std::array<size_t, 3> kTurned{1, 3, 2};  // rows and columns
    value = transposed(node, value, kTurned, name);
  };
  if (groups > 1) view({1, channels, pixels, groups}, "groups"), turn("turned");
  view({1, channels * pixels, 1, groups}, "features");
  value = node.add(std::move(op), {value, node.add_constant("ones", ones(channels * pixels))}, "normed");
  if (groups > 1) view({1, channels, groups, pixels}, "pixels"), turn("back");
  view(map, suffix);
  return value;
}

/// One number for each channel, or for each group of them.
std::vector<double> numbers_of(const Array& array, int64_t channels, std::string_view what) {
  const int64_t size = array.size();
  if (array.is_integer || array.dims.size() != 1 || size == 0 || channels % size != 0)
    refuse(fmt::format("{} have extents {}, expected {} real numbers", what, text_of(array.dims), channels));
  std::vector<double> out;
  for (int64_t c = 0; c < channels; ++c) out.push_back(array.at(c / (channels / size)));
  return out;
}

/// Scales and biases of channels behind groups of mean 0 and variance 1.
void finish_groups(Node& node, int64_t groups, double epsilon) {
  const Operand& data = node.data(0);
  const Extents dims = data.dims;
  if (dims.size() < 3) refuse(fmt::format("normalizes maps of {}, expected N,C,L or N,C,H,W", text_of(dims)));
  if (groups < 1 || dims[1] % groups != 0) refuse(fmt::format("{} groups of {} channels", groups, dims[1]));
  const std::vector<double> scales = numbers_of(node.constant(1, "the scales"), dims[1], "scales"),
                            biases = numbers_of(node.constant(2, "the biases"), dims[1], "biases");
  const graph::ValueId normed = normalized_groups(node, data.value, groups, epsilon, "groups_normed");
  const graph::NodeId layer = node.layer;
  node.set_value(add_affine(node, normed, scales, biases), dims);
  node.layer = layer;
}

void convert_instance_norm(Node& node) {
  const Extents& dims = node.data(0).dims;
  finish_groups(node, dims.size() > 1 ? dims[1] : 1, node.real("epsilon", 1e-5));
}

void convert_group_norm(Node& node) {
  node.integer("stash_type", 1);
  finish_groups(node, node.integer("num_groups", 0), node.real("epsilon", 1e-5));
}

/// Each channel of a map, or the whole map, with mean 0 and variance 1. The batch is one sample.
void convert_mean_variance(Node& node) {
  constexpr double kEpsilon = 1e-18;  // 1e-9 is added to the deviation
  const Operand& data = node.data(0);
  const Extents dims = data.dims;
  std::vector<int64_t> axes = node.integers("axes");
  if (!node.has("axes")) axes = {0, 2, 3};
  std::vector<bool> gone(dims.size(), false);
  for (const int64_t axis : axes) gone[axis_of(axis, dims.size())] = true;
  const bool has_pixels =
      dims.size() > 2 && std::all_of(gone.begin() + 2, gone.end(), [](bool is) { return is; });
  if (!has_pixels || (gone[0] && dims[0] != 1))
    refuse(fmt::format("normalizes axes {} of {}, expected those behind the channels of one sample",
                       text_of(axes), text_of(dims)),
           "axes=[2, 3]");
  const int64_t groups = gone[1] ? 1 : dims[1];
  node.set_value(normalized_groups(node, data.value, groups, kEpsilon, ""), dims);
}

}  // namespace

void register_layer_norm(RuleRegistry& registry);
void register_layer_norm(RuleRegistry& registry) {
  registry.add("GroupNormalization", {convert_group_norm, nullptr});
  registry.add("InstanceNormalization", {convert_instance_norm, nullptr});
  registry.add("LayerNormalization", {[](Node& node) { convert_layer_norm(node, true); }, nullptr});
  registry.add("LpNormalization", {convert_lp_normalization, nullptr});
  registry.add("MeanVarianceNormalization", {convert_mean_variance, nullptr});
  registry.add("RMSNormalization", {[](Node& node) { convert_layer_norm(node, false); }, nullptr});
}

}  // namespace n2d2::onnx

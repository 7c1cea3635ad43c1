#include "n2d2/ops/layer_norm.hpp"

#include <algorithm>
#include <numeric>

#include "import/channels_last.hpp"
#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

/// What is normalized: the last axis, the channels of a map, or all axes behind the batch.
enum class Over { Last, Channels, All };

Over over(Node& node, const Extents& dims) {
  std::vector<int64_t> axes = node.integers("axes");
  const size_t rank = dims.size();
  if (axes.empty()) {  // from one on
    const size_t axis = axis_of(node.integer("axis", -1), rank);
    if (axis == rank - 1) return Over::Last;
    if (axis == 1) return Over::All;
    refuse(fmt::format("normalizes axes {} and on of {}, only the last one or all are imported", axis,
                       text_of(dims)));
  }
  if (axes.size() == 1 && axis_of(axes[0], rank) == rank - 1) return Over::Last;
  if (axes.size() == 1 && axis_of(axes[0], rank) == 1) return Over::Channels;
  refuse(fmt::format("normalizes axes {} of {}, only the last one or the channels are imported",
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

void convert_layer_norm(Node& node, bool centered) {
  const Extents dims = node.lying(0).dims;
  if (dims.size() < 2) refuse(fmt::format("normalizes {}", text_of(dims)));
  const Over what = over(node, dims);
  auto op = std::make_unique<ops::LayerNorm>();
  op->epsilon = node.real("epsilon", 1e-5);
  op->centered = centered;
  node.integer("stash_type", 1);
  node.expect_no_output(1, "the mean");
  node.expect_no_output(2, "the deviation");
  const bool is_last = what == Over::Last && dims.size() > 2;
  graph::ValueId value = is_last ? node.with_channels_last(0) : node.data(0).value;
  const Shape map = node.graph().value(value).type.shape;
  if (what == Over::All) value = node.as_map(value, {1, map.elements(), 1, 1}, "all");
  const int64_t channels = node.graph().value(value).type.shape.c();
  Tensor scales(Shape{channels});
  scales.fill(1);
  if (const Array* given = node.optional_constant(1, "the scales"))
    scales = of_channels(*given, channels, "scales");
  std::vector<graph::ValueId> inputs{value, node.add_constant("scales", std::move(scales))};
  if (const Array* given = centered ? node.optional_constant(2, "the biases") : nullptr)
    inputs.push_back(node.add_constant("biases", of_channels(*given, channels, "biases")));
  if (is_last) {
    const graph::ValueId normed = node.add(std::move(op), std::move(inputs));
    const graph::NodeId layer = node.layer;
    if (std::optional<Split> split = dims[0] == 1 ? std::optional(split_in_order(dims)) : std::nullopt)
      node.set_split(normed, *split);
    else
      node.set_channels_last(normed, dims);
    node.layer = layer;
    return;
  }
  if (what != Over::All) return node.finish(std::move(op), std::move(inputs), dims);
  const graph::ValueId normed =
      node.add(std::move(op), std::move(inputs), map.h() * map.w() > 1 ? "normed" : "");
  node.set_value(node.as_map(normed, map, ""), dims);
}

}  // namespace

void register_layer_norm(RuleRegistry& registry);
void register_layer_norm(RuleRegistry& registry) {
  registry.add("LayerNormalization", {[](Node& node) { convert_layer_norm(node, true); }, nullptr});
  registry.add("RMSNormalization", {[](Node& node) { convert_layer_norm(node, false); }, nullptr});
}

}  // namespace n2d2::onnx

#include "n2d2/ops/softmax.hpp"

#include "n2d2/ops/log_softmax.hpp"

#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

/// The last axis of a view whose last bytes it is: groups of channels.
bool over_groups(Node& node, graph::Operator& op) {
  const Operand& data = node.lying(0);
  auto* softmax = dynamic_cast<ops::Softmax*>(&op);
  if (!data.split || softmax == nullptr) return false;
  const size_t axis = axis_of(node.integer("axis", node.opset() < 13 ? 1 : -1), data.dims.size());
  const Split split = *data.split;
  const std::vector<size_t>& last = split.axes.back();
  if (axis + 1 != data.dims.size() || last.empty() || !split.is_last(last)) return false;
  const int64_t size = split.extent(last), channels = node.graph().value(data.value).type.shape.c();
  if (channels % size != 0) return false;
  softmax->group_size = size == channels ? 0 : static_cast<int>(size);
  node.set_split(node.add(softmax->clone(), {data.value}), split);
  return true;
}

/// Up to operator set 12 over all axes from `axis` on, after it over `axis` alone. Ours goes over channels:
/// what is normalized becomes the channels, and axes between it and the batch change places with it.
void convert_softmax(Node& node, std::unique_ptr<graph::Operator> softmax) {
  if (over_groups(node, *softmax)) return;
  const Operand& data = node.data();
  const bool flattens = node.opset() < 13;
  const size_t axis = axis_of(node.integer("axis", flattens ? 1 : -1), data.dims.size());
  int64_t before = 1, behind = 1;
  for (size_t i = 1; i < data.dims.size(); ++i) {
    if (i < axis) before *= data.dims[i];
    if (i > axis) behind *= data.dims[i];
  }
  if (axis == 0) refuse(fmt::format("over the batch of {}", text_of(data.dims)), "put the classes on axis 1");
  const int64_t channels = data.dims[axis] * (flattens ? behind : 1);
  const Shape own = map_shape(data.dims);
  const int64_t pixels = own.c() * own.h() * own.w() / channels;
  if (before != 1 && channels == data.dims[axis] && data.dims.size() <= 4) {
    const size_t rank = data.dims.size();
    const graph::ValueId in = swap_channels(node, data.value, axis, rank, "channels");
    const graph::ValueId out = node.add(std::move(softmax), {in}, "softmax");
    return node.set_value(swap_channels(node, out, axis, rank, ""), data.dims);
  }
  if (before != 1) {
    constexpr std::array<size_t, 3> kSwapped{2, 1, 3};
    const graph::ValueId view = node.as_map(data.value, {1, before, channels, pixels / before}, "view");
    const graph::ValueId in = transposed(node, view, kSwapped, "channels");
    const graph::ValueId out =
        transposed(node, node.add(std::move(softmax), {in}, "softmax"), kSwapped, "back");
    return node.set_value(node.as_map(out, own, ""), data.dims);
  }
  if (own.c() == channels) return node.finish(std::move(softmax), {data.value}, data.dims);
  const graph::ValueId in = node.as_map(data.value, {1, channels, 1, pixels}, "channels");
  const graph::ValueId out = node.add(std::move(softmax), {in}, "softmax");
  node.set_value(node.as_map(out, own, ""), data.dims);
}

}  // namespace

void register_softmax(RuleRegistry& registry);
void register_softmax(RuleRegistry& registry) {
  registry.add("LogSoftmax",
               {[](Node& node) { convert_softmax(node, std::make_unique<ops::LogSoftmax>()); }, nullptr});
  registry.add("Softmax", {[](Node& node) {
                             auto softmax = std::make_unique<ops::Softmax>();
                             softmax->with_loss = true;
                             convert_softmax(node, std::move(softmax));
                           },
                           nullptr});
}

}  // namespace n2d2::onnx

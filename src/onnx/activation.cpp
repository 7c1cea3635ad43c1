#include "n2d2/ops/activation.hpp"

#include <algorithm>
#include <limits>

#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/ops/softmax.hpp"

#include "node.hpp"

namespace n2d2::onnx {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void convert_relu(Node& node) {
  const Operand& data = node.data();
  node.finish(std::make_unique<ops::Relu>(), {data.value}, data.dims);
}

void convert_leaky_relu(Node& node) {
  const Operand& data = node.data();
  auto relu = std::make_unique<ops::Relu>();
  relu->leak_slope = node.real("alpha", 0.01F);
  node.finish(std::move(relu), {data.value}, data.dims);
}

/// A bound of Clip: an attribute in old operator sets, an input in new ones. The largest float means none.
double bound(Node& node, std::string_view attribute, size_t slot, double missing) {
  double value = missing;
  if (node.has(attribute)) {
    value = node.real(attribute, missing);
  } else if (const Array* array = node.optional_constant(slot, attribute)) {
    if (array->size() != 1) refuse(fmt::format("{} has {} values, expected one", attribute, array->size()));
    value = array->at(0);
  }
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (value != value) refuse(fmt::format("{} is not a number", attribute));
  return value >= kLargest ? kInfinity : value <= -kLargest ? -kInfinity : value;
}

void convert_clip(Node& node) {
  const Operand& data = node.data();
  const double lo = bound(node, "min", 1, -kInfinity), hi = bound(node, "max", 2, kInfinity);
  if (lo > hi) refuse(fmt::format("min {} is larger than max {}", lo, hi));
  if (lo == -kInfinity && hi == kInfinity) return node.pass_on(data, data.dims);
  if (lo == 0 && hi > 0) {
    auto relu = std::make_unique<ops::Relu>();
    relu->clipping = hi == kInfinity ? 0 : hi;
    return node.finish(std::move(relu), {data.value}, data.dims);
  }
  if (lo == -hi) {
    auto saturation = std::make_unique<ops::Saturation>();
    saturation->threshold = hi;
    return node.finish(std::move(saturation), {data.value}, data.dims);
  }
  auto scaling = std::make_unique<ops::Scaling>();  // only its clamp acts
  scaling->factor = {1};
  node.finish(std::move(scaling), {data.value}, data.dims);
  node.graph().set_clamp(node.layer, Clamp{static_cast<float>(lo), static_cast<float>(hi)});
}

/// Up to operator set 12 over all axes from `axis` on, after it over `axis` alone. Ours goes over channels, so what
/// is normalized must be the first axis behind the batch that has more than one element.
void convert_softmax(Node& node) {
  const Operand& data = node.data();
  const bool flattens = node.opset() < 13;
  const size_t axis = axis_of(node.integer("axis", flattens ? 1 : -1), data.dims.size());
  int64_t before = 1, behind = 1;
  for (size_t i = 1; i < data.dims.size(); ++i) {
    if (i < axis) before *= data.dims[i];
    if (i > axis) behind *= data.dims[i];
  }
  if (axis == 0 || before != 1)
    refuse(
        fmt::format("over axis {} of {}: only the channels (axis 1) are imported", axis, text_of(data.dims)),
        "put the classes on axis 1");
  const int64_t channels = data.dims[axis] * (flattens ? behind : 1);
  const Shape own = map_shape(data.dims);
  const int64_t pixels = own.c() * own.h() * own.w() / channels;
  auto softmax = std::make_unique<ops::Softmax>();
  softmax->with_loss = true;
  if (own.c() == channels) return node.finish(std::move(softmax), {data.value}, data.dims);
  const graph::ValueId in = node.as_map(data.value, {1, channels, 1, pixels}, "channels");
  const graph::ValueId out = node.add(std::move(softmax), {in}, "softmax");
  node.set_value(node.as_map(out, own, ""), data.dims);
}

/// Acts only while learning.
void convert_dropout(Node& node) {
  const Operand& data = node.data();
  node.expect_no_output(1, "the mask");
  double ratio = node.real("ratio", 0.5);
  node.integer("seed", 0);
  if (const Array* given = node.optional_constant(1, "the ratio"))
    ratio = given->size() == 1 ? given->at(0) : -1;
  if (const Array* training = node.optional_constant(2, "training_mode"))
    if (training->size() != 1 || training->at(0) != 0)
      refuse("training_mode is set", "export the model for inference");
  if (!(ratio >= 0 && ratio <= 1)) refuse(fmt::format("ratio {}, expected 0 to 1", ratio));
  auto dropout = std::make_unique<ops::Dropout>();
  dropout->probability = std::min(ratio, 0.999);
  node.finish(std::move(dropout), {data.value}, data.dims);
}

}  // namespace

void register_activation(RuleRegistry& registry);
void register_activation(RuleRegistry& registry) {
  registry.add("Clip", {convert_clip, nullptr});
  registry.add("Dropout", {convert_dropout, nullptr});
  registry.add("LeakyRelu", {convert_leaky_relu, nullptr});
  registry.add("Relu", {convert_relu, nullptr});
  registry.add("Softmax", {convert_softmax, nullptr});
}

}  // namespace n2d2::onnx

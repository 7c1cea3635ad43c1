#include "n2d2/ops/activation.hpp"

#include <algorithm>
#include <limits>

#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/scaling.hpp"

#include "clip.hpp"
#include "import/operands.hpp"
#include "quantized.hpp"

namespace n2d2::onnx {

namespace {

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

/// Fewer of the integers that a QuantizeLinear made: its own bounds where nothing else reads them, else
/// rounded again, which changes no other.
void clip_integers(Node& node, const Operand& data) {
  const Grid grid = *data.grid;
  const auto within = [&](double x) {
    return static_cast<int64_t>(
        std::clamp(x, static_cast<double>(grid.lowest), static_cast<double>(grid.highest)));
  };
  const int64_t least = within(bound(node, "min", 1, -kInfinity)),
                most = within(bound(node, "max", 2, kInfinity));
  if (least > most) refuse(fmt::format("min {} is larger than max {}", least, most));
  if (least == grid.lowest && most == grid.highest) {
    node.pass_on(data, data.dims);
    return node.set_grid(grid);
  }
  const graph::Node* maker = node.own_producer(0);
  const bool is_alone = maker != nullptr && graph::as<ops::FakeQuantize>(*maker) != nullptr;
  auto round = std::make_unique<ops::FakeQuantize>(rounding(grid));
  round->bounds = {static_cast<int>(least), static_cast<int>(most)};
  if (is_alone) {
    const std::vector<int>& own = graph::as<ops::FakeQuantize>(*maker)->bounds;
    if (!own.empty())
      round->bounds = {std::max(own[0], round->bounds[0]), std::min(own[1], round->bounds[1])};
    if (round->bounds[0] > round->bounds[1]) refuse("no integer is left");
    node.graph().replace(maker->id, std::move(round), maker->inputs);
    node.set_value(data.value, data.dims);
  } else {
    node.finish(std::move(round), {data.value}, data.dims);
  }
  node.set_grid(grid);
}

void convert_clip(Node& node) {
  const Operand& data = node.data();
  if (data.grid) return clip_integers(node, data);
  const double lo = bound(node, "min", 1, -kInfinity), hi = bound(node, "max", 2, kInfinity);
  finish_clip(node, data, lo, hi);
}

/// Constants within bounds.
void fold_bounds(Node& node, const std::function<Clamp(Node&)>& bounds) {
  Array out = node.constant(0, "the operand");
  const Clamp clamp = bounds(node);
  const auto within = [&](int64_t x) {  // of at most 16 bits, or a size: a float holds the bounds
    if (static_cast<double>(x) < clamp.lo) x = static_cast<int64_t>(clamp.lo);
    if (static_cast<double>(x) > clamp.hi) x = static_cast<int64_t>(clamp.hi);
    return x;
  };
  for (int64_t& x : out.integers) x = within(x);
  if (out.is_integer && out.highest > 0 && within(out.highest) > 0) {
    out.lowest = within(out.lowest);
    out.highest = within(out.highest);
  }
  out.steps.clear();
  for (float& x : out.reals) x = std::min(std::max(x, clamp.lo), clamp.hi);
  node.set_constant(std::move(out));
}

Clamp rectifier(Node&) {
  return {0, std::numeric_limits<float>::infinity()};
}

Clamp clip_bounds(Node& node) {
  return {static_cast<float>(bound(node, "min", 1, -kInfinity)),
          static_cast<float>(bound(node, "max", 2, kInfinity))};
}

/// Slopes of one value, one a channel, or more; as they broadcast to the data.
void convert_prelu(Node& node) {
  const Operand& data = node.data();
  Tensor slopes = constant_map(node.constant(1, "the slopes"), data.dims);
  const graph::ValueId constant = node.add_constant("slopes", std::move(slopes));
  node.finish(std::make_unique<ops::PRelu>(), {data.value, constant}, data.dims);
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

void finish_clip(Node& node, const Operand& data, double lo, double hi) {
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

void register_activation(RuleRegistry& registry);
void register_activation(RuleRegistry& registry) {
  registry.add("Clip", {convert_clip, [](Node& node) { fold_bounds(node, clip_bounds); }, Integers::Read});
  registry.add("Dropout", {convert_dropout, nullptr});
  registry.add("LeakyRelu", {convert_leaky_relu, nullptr});
  registry.add("PRelu", {convert_prelu, nullptr});
  registry.add("Relu", {convert_relu, [](Node& node) { fold_bounds(node, rectifier); }});
}

}  // namespace n2d2::onnx

#include "n2d2/compute/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "n2d2/base/random.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/recurrent.hpp"

namespace n2d2::compute {

namespace {

/// Products of weights and pixels.
int64_t macs_of(const graph::Graph& graph, const graph::Node& node) {
  if (node.inputs.size() < 2 || node.outputs.size() != 1) return 0;
  if (const auto* layer = graph::as<ops::Recurrent>(node))
    return layer->products(graph.value(node.inputs[0]).type.shape);
  if (const auto* product = graph::as<ops::MatMul>(node))
    return product->products(graph.value(node.inputs[0]).type.shape, graph.value(node.outputs[0]).type.shape);
  const graph::Value& weights = graph.value(node.inputs[1]);
  const Shape& out = graph.value(node.outputs[0]).type.shape;
  if (!weights.is_constant() || out.rank() != 4 || weights.type.shape.rank() < 2) return 0;
  return out.h() * out.w() * weights.type.shape.elements();
}

double element(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DataType::F32:
      return static_cast<double>(tensor.data<float>()[i]);
    case DataType::I8:
      return tensor.data<int8_t>()[i];
    case DataType::U8:
      return tensor.data<uint8_t>()[i];
    case DataType::I16:
      return tensor.data<int16_t>()[i];
    case DataType::U16:
      return tensor.data<uint16_t>()[i];
    case DataType::I32:
      return tensor.data<int32_t>()[i];
    case DataType::I64:
      return static_cast<double>(tensor.data<int64_t>()[i]);
  }
  return 0;
}

/// Returns the absolute tolerance of an element: kFloatTolerance times the largest finite magnitude of a
/// float tensor, 0 for integers, which must be equal.
double tolerance_of(const Tensor& expected) {
  if (expected.dtype() != DataType::F32) return 0;
  double largest = 0;
  for (const float v : expected.span())
    if (std::isfinite(v)) largest = std::max(largest, std::abs(static_cast<double>(v)));
  return kFloatTolerance * largest;
}

/// Infinity as the largest finite float of its sign, at which kernels end.
double finite(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return std::clamp(value, -kLargest, kLargest);
}

/// What is no number is equal to its like alone.
bool are_apart(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  return std::abs(finite(a) - finite(b)) > tolerance;
}

/// Rows of an Fc whose input lies pixel by pixel, O x (y, x, c), as O x (c, y, x).
Tensor to_channel_order(const Tensor& weights, const Shape& input) {
  Tensor out(weights.shape(), weights.dtype());
  const int64_t size = size_bytes(weights.dtype()), pixels = input.h() * input.w(), row = input.c() * pixels;
  const auto* src = static_cast<const std::byte*>(weights.raw());
  auto* dst = static_cast<std::byte*>(out.raw());
  for (int64_t i = 0; i < weights.elements(); ++i) {
    const int64_t o = i / row, p = i % row / input.c(), c = i % input.c();
    std::memcpy(dst + (o * row + c * pixels + p) * size, src + i * size, static_cast<size_t>(size));
  }
  return out;
}

/// Undoes passes::adapt_layout.
void to_logical_order(graph::Graph& graph) {
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (graph::as<ops::Fc>(node) == nullptr) continue;
    const TensorType input = graph.value(node.inputs.at(0)).type;
    const graph::Value& weights = graph.value(node.inputs.at(1));
    if (input.layout == Layout::Nhwc && input.shape.h() * input.shape.w() > 1)
      graph.set_constant(weights.id, to_channel_order(*weights.constant, input.shape), weights.type.quant);
  }
  for (const graph::ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    if (value.type.layout != Layout::Nhwc || value.type.shape.rank() != 4) continue;
    if (value.is_constant()) {
      graph.set_constant(id, to_layout(*value.constant, Layout::Nchw), value.type.quant);
    } else {
      TensorType type = value.type;
      type.layout = Layout::Nchw;
      graph.set_type(id, std::move(type));
    }
  }
}

}  // namespace

Judge::Judge(graph::Graph graph) : graph_(std::move(graph)) {
  to_logical_order(graph_);
  has_integers_ = graph_.value(graph_.inputs().at(0)).type.dtype != DataType::F32;
  for (const graph::NodeId id : graph_.nodes()) macs_ += macs_of(graph_, graph_.node(id));
}

std::map<std::string, Tensor> Judge::run_floats(const Tensor& sample) const {
  Executor executor(graph_, {.backend = Backend::Reference});
  executor.forward(sample);
  std::map<std::string, Tensor> out;
  for (const graph::ValueId id : graph_.values())
    if (const graph::Value& value = graph_.value(id); !value.is_constant())
      out.emplace(value.name, executor.read(id));
  return out;
}

std::map<std::string, Tensor> Judge::run(const Tensor& sample) const {
  if (!has_integers_) return run_floats(sample);
  std::map<std::string, Tensor> out;
  for (auto& [id, tensor] : IntegerExecutor(graph_).run(sample))
    out.emplace(graph_.value(id).name, std::move(tensor));
  return out;
}

std::map<std::string, double> Judge::amplified_rounding(const Tensor& sample,
                                                        const std::map<std::string, Tensor>& expected) const {
  N2D2_CHECK(!has_integers_, "integers are not rounded twice");
  Tensor moved = sample;
  Rng rng(0, "rounding");
  for (float& value : moved.span())
    value *= static_cast<float>(1 + (rng.chance(0.5) ? kRounding : -kRounding));
  std::map<std::string, double> out;
  for (const auto& [name, tensor] : run_floats(moved)) {
    double& largest = out[name];
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const double by = std::abs(finite(element(tensor, i)) - finite(element(expected.at(name), i)));
      if (by > largest) largest = by;
    }
  }
  return out;
}

std::optional<Difference> first_difference(const std::vector<NamedValue>& found,
                                           const std::map<std::string, Tensor>& expected,
                                           const std::map<std::string, double>& amplified) {
  for (const NamedValue& value : found) {
    const auto of_judge = expected.find(value.name);
    N2D2_CHECK(of_judge != expected.end(), "'{}' is no value of the judged network", value.name);
    const Tensor &wanted = of_judge->second, got = to_layout(value.tensor, Layout::Nchw);
    const Shape& shape = wanted.shape();
    N2D2_CHECK(got.elements() == wanted.elements() && got.dtype() == wanted.dtype(),
               "'{}' is {} {}, the judge has {} {}", value.name, to_string(got.dtype()), got.shape().text(),
               to_string(wanted.dtype()), shape.text());
    const auto by_rounding = amplified.find(value.name);
    const double tolerance =
        tolerance_of(wanted) + (by_rounding == amplified.end() ? 0 : kRoundings * by_rounding->second);
    std::optional<Difference> first;
    for (int64_t i = 0; i < wanted.elements(); ++i) {
      const double a = element(wanted, i), b = element(got, i);
      if (!are_apart(a, b, tolerance)) continue;
      const int64_t pixels = shape.h() * shape.w();
      if (!first) first = Difference{value.name, i / pixels, i % pixels / shape.w(), i % shape.w(), a, b, 0};
      ++first->count;
    }
    if (first) return first;
  }
  return {};
}

}  // namespace n2d2::compute

#include "steps.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/pool.hpp"

namespace n2d2::delegates {

namespace {

/// Factors that XNNPACK takes: normal numbers below this.
constexpr float kMostScale = 256.0F;

struct Geometry {
  Dims kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  Pads padding;
};

Geometry geometry_of(const graph::Node& node) {
  if (const auto* conv = graph::as<ops::Conv>(node))
    return {conv->kernel, conv->stride, conv->dilation, conv->padding};
  if (const auto* pool = graph::as<ops::Pool>(node))
    return {pool->kernel, pool->stride, {1, 1}, pool->padding};
  return {};
}

bool is_max_pool(const graph::Node& node) {
  const auto* pool = graph::as<ops::Pool>(node);
  return pool != nullptr && pool->pooling == ops::Pooling::Max;
}

const graph::Value& input_of(const graph::Graph& graph, const graph::Node& node) {
  return graph.value(node.inputs.at(0));
}
const graph::Value& output_of(const graph::Graph& graph, const graph::Node& node) {
  return graph.value(node.outputs.at(0));
}

bool is_byte(DataType type) {
  return type == DataType::U8 || type == DataType::I8;
}

/// Whether a window along one axis can lie outside of the map as a whole.
bool leaves(int64_t size, int64_t out, int kernel, int stride, int before) {
  return before >= kernel || (out - 1) * stride - before >= size;
}

std::string refuses_max_pool(const graph::Graph& graph, const graph::Node& node) {
  const auto& pool = *graph::as<ops::Pool>(node);
  const Shape& in = input_of(graph, node).type.shape;
  const Shape& out = output_of(graph, node).type.shape;
  const Pads& pads = pool.padding;
  const bool is_padded = pads.left + pads.top + pads.right + pads.bottom > 0;
  if (pool.kernel.x * pool.kernel.y == 1) return "a window of one pixel";
  if (input_of(graph, node).type.dtype != output_of(graph, node).type.dtype)
    return "the output has another sign than the input";
  if (is_padded && pool.count_zeros && input_of(graph, node).type.dtype == DataType::I8)
    return "signed values, and a padding that counts as zeros";
  if (leaves(in.h(), out.h(), pool.kernel.y, pool.stride.y, pads.top) ||
      leaves(in.w(), out.w(), pool.kernel.x, pool.stride.x, pads.left))
    return "windows that lie in the padding as a whole";
  return {};
}

std::string refuses_factors(const graph::Node& node) {
  if (!node.rescale || node.rescale->factor.empty()) return "no floating-point factors (Rescaling)";
  const auto& factors = node.rescale->factor;
  const bool is_taken = std::all_of(factors.begin(), factors.end(),
                                    [](float f) { return std::isnormal(f) && f > 0 && f < kMostScale; });
  return is_taken ? std::string() : std::string("a factor that is not of XNNPACK's range");
}

std::string refuses_weights(const graph::Graph& graph, const graph::Node& node) {
  if (graph::as<ops::Pool>(node) != nullptr) return {};
  if (graph.value(node.inputs.at(1)).type.dtype != DataType::I8) return "weights that are not 8 bits wide";
  if (node.inputs.size() > 2 && graph.value(node.inputs[2]).type.dtype != DataType::I32)
    return "biases that are not 32 bits wide";
  return {};
}

/// Bounds of the output.
std::pair<int64_t, int64_t> bounds_of(const graph::Graph& graph, const graph::Node& node) {
  if (node.rescale) return {node.rescale->lo, node.rescale->hi};
  const QuantParams& quant = *output_of(graph, node).type.quant;
  return {quant.lowest(), quant.highest()};
}

std::vector<float> scales_of(const graph::Node& node, int32_t outputs) {
  std::vector<float> out = node.rescale->factor;
  if (out.size() == 1) out.resize(static_cast<size_t>(outputs), out.front());
  N2D2_CHECK(out.size() == static_cast<size_t>(outputs), "'{}' has {} factors", node.name, out.size());
  return out;
}

template <class T>
std::vector<T> elements_of(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.elements()};
}

}  // namespace

int32_t xnnpack_offset(const graph::Value& value) {
  return value.type.dtype == DataType::U8 ? 128 : 0;
}

std::string xnnpack_refuses(const graph::Graph& graph, const graph::Node& node) {
  const bool is_known = graph::as<ops::Conv>(node) != nullptr || graph::as<ops::Fc>(node) != nullptr ||
                        graph::as<ops::Pool>(node) != nullptr;
  if (!is_known) return fmt::format("it has no {} that rounds like ours", node.op->type());
  for (const auto* value : {&input_of(graph, node), &output_of(graph, node)})
    if (!is_byte(value->type.dtype) || !value->type.quant)
      return fmt::format("'{}' is {}, not 8 bits wide", value->name, to_string(value->type.dtype));
  if (input_of(graph, node).type.quant->zero_point != 0)
    return fmt::format("'{}' has a zero point", input_of(graph, node).name);
  if (node.rescale && node.rescale->start != 0) return "its sums do not start from 0";
  const auto [lo, hi] = bounds_of(graph, node);
  if (lo >= hi) return "an output of one value";
  if (is_max_pool(node)) return refuses_max_pool(graph, node);
  const std::string factors = refuses_factors(node);
  return factors.empty() ? refuses_weights(graph, node) : factors;
}

XnnpackLayer xnnpack_layer(const graph::Graph& graph, const graph::Node& node) {
  namespace format = N2D2_Export::xnnpack;
  const graph::Value& in = input_of(graph, node);
  const graph::Value& out = output_of(graph, node);
  const bool is_fc = graph::as<ops::Fc>(node) != nullptr;
  const auto* conv = graph::as<ops::Conv>(node);
  const Geometry g = geometry_of(node);
  XnnpackLayer layer;
  format::Step& s = layer.step;
  s.kind = is_max_pool(node) ? format::kMaxPool : format::kConvolution;
  s.in_h = is_fc ? 1 : static_cast<int32_t>(in.type.shape.h());
  s.in_w = is_fc ? 1 : static_cast<int32_t>(in.type.shape.w());
  s.in_c = static_cast<int32_t>(in.type.shape.elements() / (s.in_h * s.in_w));
  s.out_c = static_cast<int32_t>(out.type.shape.c());
  s.kernel_h = g.kernel.y, s.kernel_w = g.kernel.x;
  s.stride_h = g.stride.y, s.stride_w = g.stride.x;
  s.dilation_h = g.dilation.y, s.dilation_w = g.dilation.x;
  s.top = g.padding.top, s.right = g.padding.right, s.bottom = g.padding.bottom, s.left = g.padding.left;
  s.groups = conv != nullptr ? conv->groups : is_fc ? 1 : s.in_c;
  s.in_zero = -xnnpack_offset(in), s.out_zero = -xnnpack_offset(out);
  const auto [lo, hi] = bounds_of(graph, node);
  s.lo = static_cast<int32_t>(lo) + s.out_zero, s.hi = static_cast<int32_t>(hi) + s.out_zero;
  if (s.kind == format::kMaxPool) return layer;
  layer.scales = scales_of(node, s.out_c);
  layer.biases.assign(static_cast<size_t>(s.out_c), 0);
  if (node.inputs.size() > 2) layer.biases = elements_of<int32_t>(*graph.value(node.inputs[2]).constant);
  if (conv != nullptr)
    layer.weights = elements_of<int8_t>(to_layout(*graph.value(node.inputs.at(1)).constant, Layout::Nhwc));
  else if (is_fc)
    layer.weights = elements_of<int8_t>(*graph.value(node.inputs.at(1)).constant);
  else
    layer.weights.assign(static_cast<size_t>(s.kernel_h * s.kernel_w * s.out_c), 1);
  return layer;
}

}  // namespace n2d2::delegates

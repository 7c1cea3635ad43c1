#include "scalar_layer.hpp"

#include <algorithm>
#include <optional>

#include "n2d2/base/text.hpp"

namespace n2d2::targets::cortexm {

namespace {

using program::Constant;

constexpr int kShift = 32;

bool is_byte(DataType type) {
  return type == DataType::U8 || type == DataType::I8;
}

/// Multipliers with a shift of 32; nothing where one has none. (x * m + 2^(f-1)) >> f is
/// (x * m * 2^(32-f) + 2^31) >> 32 to the bit.
std::optional<std::vector<int32_t>> shifted(const Rescale& rescale) {
  std::vector<int32_t> out;
  for (const int32_t m : rescale.multiplier) {
    int64_t wide = m;
    if (rescale.shift <= kShift) {
      wide *= int64_t{1} << (kShift - rescale.shift);
    } else {
      const int64_t unit = int64_t{1} << (rescale.shift - kShift);
      if (wide % unit != 0) return std::nullopt;
      wide /= unit;
    }
    if (wide > INT32_MAX || wide < 0) return std::nullopt;
    out.push_back(static_cast<int32_t>(wide));
  }
  return out;
}

template <class T>
Constant constant_of(const char* role, const std::vector<T>& values, bool is_bias) {
  auto data = std::make_shared<Tensor>(Shape{static_cast<int64_t>(values.size())}, data_type_of<T>());
  std::copy(values.begin(), values.end(), data->template data<T>());
  return {role, std::move(data), is_bias};
}

template <class T>
std::vector<T> for_outputs(std::vector<T> values, int outputs) {
  if (values.size() == 1) values.resize(static_cast<size_t>(outputs), values.front());
  return values;
}

/// pad(factors, 1) of floats or of multipliers, as the node has them.
template <class Pad>
Constant factors_of(const Constant& plain, const graph::Node& node, int outputs, const Pad& pad) {
  if (!node.rescale->multiplier.empty())
    return constant_of("factors", pad(for_outputs(shifted(*node.rescale).value(), outputs).data(), 1), true);
  const auto* first = plain.data->data<float>();
  const std::vector<float> floats(first, first + plain.data->elements());
  return constant_of("factors", pad(for_outputs(floats, outputs).data(), 1), true);
}

std::string refuses_sums(const graph::Graph& graph, const graph::Node& node, const Tensor& weights) {
  const auto outputs = static_cast<int>(weights.shape()[0]);
  std::vector<int32_t> biases(static_cast<size_t>(outputs));
  if (node.inputs.size() > 2) {
    const Tensor& given = *graph.value(node.inputs[2]).constant;
    biases.assign(given.data<int32_t>(), given.data<int32_t>() + given.elements());
  }
  return scalar::unpackable(outputs, static_cast<int>(weights.elements()) / outputs, weights.data<int8_t>(),
                            biases.data(), static_cast<int>(biases.size()) / outputs);
}

}  // namespace

std::string refuses_scalar(const graph::Graph& graph, const graph::Node& node) {
  const TensorType& in = graph.value(node.inputs.at(0)).type;
  const TensorType& out = graph.value(node.outputs.at(0)).type;
  if (!is_byte(in.dtype) || !is_byte(out.dtype)) return "its maps are no bytes";
  if (!node.rescale) return "it has no integers";
  const bool is_signed = out.dtype == DataType::I8;
  if (node.rescale->lo != (is_signed ? -128 : 0) || node.rescale->hi != (is_signed ? 127 : 255))
    return fmt::format("its outputs end at {} and {}, not where their type does", node.rescale->lo,
                       node.rescale->hi);
  if (!node.rescale->multiplier.empty() && !shifted(*node.rescale))
    return fmt::format("its multipliers of shift {} are none of shift {}", node.rescale->shift, kShift);
  const Tensor& weights = *graph.value(node.inputs.at(1)).constant;
  return weights.dtype() == DataType::I8 ? refuses_sums(graph, node, weights) : "its weights are no bytes";
}

std::vector<Constant> scalar_constants(const std::vector<Constant>& plain, const graph::Graph& graph,
                                       const graph::Node& node, const scalar::Filters& filters) {
  const auto* weights = plain.at(0).data->data<int8_t>();
  const Tensor& biases = *plain.at(1).data;
  const bool is_signed = graph.value(node.inputs.at(0)).type.dtype == DataType::I8;
  const auto pad = [&](const auto* values, int rows) { return scalar::pad_outputs(filters, values, rows); };
  return {constant_of("weights", scalar::pack_filters(filters, weights), false),
          constant_of("biases",
                      scalar::pack_biases(filters, weights, biases.data<int32_t>(),
                                          static_cast<int>(biases.elements()) / filters.outputs, is_signed),
                      true),
          factors_of(plain.at(2), node, filters.outputs, pad)};
}

std::vector<Constant> scalar_depthwise_constants(const std::vector<Constant>& plain, const graph::Node& node,
                                                 int channels) {
  const auto same = [&](const auto* values, int) { return std::vector(values, values + channels); };
  return {plain.at(0), plain.at(1), factors_of(plain.at(2), node, channels, same)};
}

}  // namespace n2d2::targets::cortexm

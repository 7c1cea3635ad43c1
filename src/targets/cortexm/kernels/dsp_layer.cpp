#include "dsp_layer.hpp"

#include <algorithm>

#include "n2d2/base/text.hpp"

namespace n2d2::targets::cortexm::dsp {

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
    if (wide > INT32_MAX || wide < INT32_MIN) return std::nullopt;
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
std::vector<T> for_outputs(const Tensor& values, int outputs) {
  std::vector<T> out(values.data<T>(), values.data<T>() + values.elements());
  if (out.size() == 1) out.resize(static_cast<size_t>(outputs), out.front());
  return out;
}

/// pad(values) of the biases, and of the factors that the kernels take.
template <class Pad>
std::vector<Constant> padded(std::vector<int8_t> weights, const std::vector<Constant>& plain,
                             const graph::Node& node, int outputs, const Pad& pad) {
  const Tensor& biases = *plain.at(1).data;
  std::vector<Constant> out{
      constant_of("weights", weights, false),
      constant_of("biases", pad(biases.data<int32_t>(), static_cast<int>(biases.elements()) / outputs),
                  true)};
  if (node.rescale->multiplier.empty()) {
    out.push_back(
        constant_of("factors", pad(for_outputs<float>(*plain.at(2).data, outputs).data(), 1), true));
    return out;
  }
  std::vector<int32_t> multipliers = shifted(*node.rescale).value();
  if (multipliers.size() == 1) multipliers.resize(static_cast<size_t>(outputs), multipliers.front());
  out.push_back(constant_of("factors", pad(multipliers.data(), 1), true));
  return out;
}

}  // namespace

std::string refuses_bytes(const graph::Graph& graph, const graph::Node& node) {
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
  return {};
}

std::string refuses_weights(const graph::Graph& graph, const graph::Node& node, const dsp::Filters& filters,
                            const Tensor& weights) {
  if (weights.dtype() != DataType::I8) return "its weights are no bytes";
  std::vector<int32_t> biases(static_cast<size_t>(filters.outputs));
  if (node.inputs.size() > 2) {
    const Tensor& given = *graph.value(node.inputs[2]).constant;
    biases.assign(given.data<int32_t>(), given.data<int32_t>() + given.elements());
  }
  return dsp::unpackable(filters, weights.data<int8_t>(),
                         {graph.value(node.inputs[0]).type.dtype == DataType::I8, biases.data(),
                          static_cast<int>(biases.size()) / filters.outputs});
}

std::vector<Constant> packed_constants(const std::vector<Constant>& plain, const graph::Node& node,
                                       const dsp::Filters& filters) {
  return padded(dsp::pack_filters(filters, plain.at(0).data->data<int8_t>()), plain, node, filters.outputs,
                [&](const auto* values, int rows) { return dsp::pad_outputs(filters, values, rows); });
}

std::vector<Constant> packed_depthwise(const std::vector<Constant>& plain, const graph::Node& node,
                                       int channels) {
  return padded(dsp::pack_depthwise(channels, plain.at(0).data->data<int8_t>()), plain, node, channels,
                [&](const auto* values, int) { return dsp::pad_channels(channels, values); });
}

}  // namespace n2d2::targets::cortexm::dsp

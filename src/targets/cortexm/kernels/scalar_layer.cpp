#include "scalar_layer.hpp"

namespace n2d2::targets::cortexm {

namespace {

using program::Constant;

std::string refuses_sums(const graph::Graph& graph, const graph::Node& node, const Tensor& weights) {
  const auto outputs = static_cast<int>(weights.shape()[0]);
  const std::vector<int32_t> biases = biases_or_zeros(graph, node, outputs);
  return scalar::unpackable(outputs, static_cast<int>(weights.elements()) / outputs, weights.data<int8_t>(),
                            biases.data(), static_cast<int>(biases.size()) / outputs);
}

}  // namespace

std::string refuses_scalar(const graph::Graph& graph, const graph::Node& node) {
  if (std::string why = refuses_bytes(graph, node, 0); !why.empty()) return why;
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
          packed_factors(plain.at(2), node, filters.outputs, pad)};
}

std::vector<Constant> scalar_depthwise_constants(const std::vector<Constant>& plain, const graph::Node& node,
                                                 int channels) {
  const auto same = [&](const auto* values, int) { return std::vector(values, values + channels); };
  return {plain.at(0), plain.at(1), packed_factors(plain.at(2), node, channels, same)};
}

}  // namespace n2d2::targets::cortexm

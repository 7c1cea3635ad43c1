#include "dsp_layer.hpp"

namespace n2d2::targets::cortexm::dsp {

namespace {

using program::Constant;

/// pad(values) of the biases, and of the factors that the kernels take.
template <class Pad>
std::vector<Constant> padded(std::vector<int8_t> weights, const std::vector<Constant>& plain,
                             const graph::Node& node, int outputs, const Pad& pad) {
  const Tensor& biases = *plain.at(1).data;
  std::vector<Constant> out{
      constant_of("weights", weights, false),
      constant_of("biases", pad(biases.data<int32_t>(), static_cast<int>(biases.elements()) / outputs),
                  true)};
  out.push_back(packed_factors(plain.at(2), node, outputs, pad));
  return out;
}

}  // namespace

std::string refuses_weights(const graph::Graph& graph, const graph::Node& node, const dsp::Filters& filters,
                            const Tensor& weights) {
  if (weights.dtype() != DataType::I8) return "its weights are no bytes";
  const std::vector<int32_t> biases = biases_or_zeros(graph, node, filters.outputs);
  return dsp::unpackable(filters, weights.data<int8_t>(),
                         {graph.value(node.inputs[0]).type.dtype == DataType::I8, biases.data(),
                          static_cast<int>(biases.size()) / filters.outputs});
}

std::vector<Constant> packed_constants(const std::vector<Constant>& plain, const graph::Graph& graph,
                                       const graph::Node& node, const dsp::Filters& filters,
                                       int tile_pixels) {
  const int8_t* const weights = plain.at(0).data->data<int8_t>();
  const auto pad = [&](const auto* values, int rows) { return dsp::pad_outputs(filters, values, rows); };
  std::vector<Constant> out = padded(dsp::pack_filters(filters, weights), plain, node, filters.outputs, pad);
  const Tensor& biases = *plain.at(1).data;
  const int rows = static_cast<int>(biases.elements()) / filters.outputs;
  const dsp::Terms terms{graph.value(node.inputs[0]).type.dtype == DataType::I8, biases.data<int32_t>(),
                         rows};
  if (tile_pixels == 2 || !dsp::may_be_narrow(filters, weights, terms)) return out;
  store_in_4_bits(out.at(0), dsp::pack_narrow(filters, weights));
  std::vector<int32_t> of_quads = pad(terms.bias, rows);
  dsp::pad_quads(filters, of_quads);
  out.at(1) = constant_of("biases", of_quads, true);
  return out;
}

std::vector<Constant> packed_depthwise(const std::vector<Constant>& plain, const graph::Node& node,
                                       int channels) {
  return padded(dsp::pack_depthwise(channels, plain.at(0).data->data<int8_t>()), plain, node, channels,
                [&](const auto* values, int) { return dsp::pad_channels(channels, values); });
}

}  // namespace n2d2::targets::cortexm::dsp

#include "mve_layer.hpp"

#include "n2d2/base/text.hpp"

namespace n2d2::targets::cortexm::mve {

using program::Constant;

namespace {

/// Stores packed weights in 4 bits if they may be; the kernels of channels read bytes.
void store(const Channels&, std::span<const int8_t>, std::span<const int32_t>, Constant&) {}
void store(const Windows& shape, std::span<const int8_t> weights, std::span<const int32_t> biases,
           Constant& packed) {
  if (may_be_narrow(shape, weights, biases))
    store_in_4_bits(packed, narrow_weights(packed.data->span<int8_t>()));
}

}  // namespace

std::string refuses_integers(const graph::Graph& graph, const graph::Node& node) {
  const DataType in = graph.value(node.inputs.at(0)).type.dtype,
                 out = graph.value(node.outputs.at(0)).type.dtype;
  if (!is_byte(in) || !is_byte(out)) return "its maps are no bytes";
  if (graph.value(node.inputs.at(1)).constant->dtype() != DataType::I8) return "its weights are no bytes";
  if (!node.rescale) return "it has no rescaling";
  const int lo = out == DataType::I8 ? -128 : 0;
  if (node.rescale->lo != lo || node.rescale->hi != lo + 255)
    return fmt::format("its outputs are bounded by {} and {}, not by the bounds of their type",
                       node.rescale->lo, node.rescale->hi);
  if (node.rescale->multiplier.empty()) return {};
  return not_at_shift_32(node.rescale->multiplier, node.rescale->shift);
}

template <class Shape>
std::vector<Constant> packed(const graph::Graph& graph, const graph::Node& node, const Shape& shape,
                             const std::vector<Constant>& plain) {
  const std::span<const int8_t> weights = plain.at(0).data->span<int8_t>();
  const std::span<const int32_t> biases = plain.at(1).data->span<int32_t>();
  const bool is_signed = graph.value(node.inputs.at(0)).type.dtype == DataType::I8;
  std::vector<Constant> out{constant_of("weights", pack_weights(shape, weights), false),
                            constant_of("biases", pack_biases(shape, weights, biases, is_signed), true)};
  store(shape, weights, biases, out.front());
  if (node.rescale->multiplier.empty()) {
    const std::span<const float> factors = plain.at(2).data->span<float>();
    out.push_back(constant_of("factors", pack_factors(shape, factors), true));
  } else {
    const std::vector<int32_t> factors = at_shift_32(node.rescale->multiplier, node.rescale->shift);
    out.push_back(constant_of("factors", pack_factors(shape, std::span<const int32_t>(factors)), true));
  }
  return out;
}

template std::vector<Constant> packed(const graph::Graph&, const graph::Node&, const Windows&,
                                      const std::vector<Constant>&);
template std::vector<Constant> packed(const graph::Graph&, const graph::Node&, const Channels&,
                                      const std::vector<Constant>&);

}  // namespace n2d2::targets::cortexm::mve

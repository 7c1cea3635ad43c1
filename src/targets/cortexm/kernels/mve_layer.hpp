// What do the kernels for the vectors of Cortex-M55 share: what they refuse, their constants, their calls
// in process?
#pragma once

#include "cpp/kernels/host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "isa.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

/// Calls use(in, out, weights, biases, factors, scratch) of a kernel of bytes.
template <class In, class Out, class Use>
void with_mve_factors(const cpp::Arrays& a, const Use& use) {
  const auto* const in = static_cast<const In*>(a.in[0]);
  auto* const out = static_cast<Out*>(a.out[0]);
  const auto* const weights = static_cast<const int8_t*>(a.constants[0]);
  const auto* const biases = static_cast<const int32_t*>(a.constants[1]);
  if (a.types.fixed_point)
    use(in, out, weights, biases, static_cast<const int32_t*>(a.constants[2]), a.scratch);
  else
    use(in, out, weights, biases, static_cast<const float*>(a.constants[2]), a.scratch);
}
template <class Use>
void with_mve_arrays(const cpp::Arrays& a, const Use& use) {
  const bool in_is_signed = a.types.in == DataType::I8, out_is_signed = a.types.out == DataType::I8;
  if (in_is_signed && out_is_signed) return with_mve_factors<int8_t, int8_t>(a, use);
  if (in_is_signed) return with_mve_factors<int8_t, uint8_t>(a, use);
  if (out_is_signed) return with_mve_factors<uint8_t, int8_t>(a, use);
  with_mve_factors<uint8_t, uint8_t>(a, use);
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

#include "cpp/kernels/layer.hpp"
#include "layouts/mve.hpp"

namespace n2d2::targets::cortexm::mve {

/// Why the kernels do not compute the integers of a node, "" if they do. Maps and weights have 8 bits, the
/// output has the bounds of its type, multipliers have a shift of 32 or an equal with it.
std::string refuses_integers(const graph::Graph& graph, const graph::Node& node);

/// Packs weights, biases and factors that are in the order of kernels of CPP.
template <class Shape>
std::vector<program::Constant> packed(const graph::Graph& graph, const graph::Node& node, const Shape& shape,
                                      const std::vector<program::Constant>& plain);

/// Sets the shift that packed multipliers have, and a factor for each output.
template <class C>
void set_packed_rescale(C& config, const graph::Node& node) {
  if (node.rescale && !node.rescale->multiplier.empty()) config.shift = 32;
  config.factor_step = 1;
}

}  // namespace n2d2::targets::cortexm::mve

#endif

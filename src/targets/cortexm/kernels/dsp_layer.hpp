// What do the kernels for the DSP instructions of Cortex-M share: what they refuse, their constants, their
// calls in process?
#pragma once

#include "cpp/kernels/host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "isa.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

/// Calls f(in, out, weights, biases, factors) of a kernel of bytes.
template <class F>
void dsp_with_bytes(const cpp::Arrays& a, F f) {
  const auto call = [&]<class In, class Out>() {
    const auto use = [&](const auto* factors) {
      f(static_cast<const In*>(a.in[0]), static_cast<Out*>(a.out[0]),
        static_cast<const int8_t*>(a.constants[0]), static_cast<const int32_t*>(a.constants[1]), factors);
    };
    if (a.types.fixed_point)
      use(static_cast<const int32_t*>(a.constants[2]));
    else
      use(static_cast<const float*>(a.constants[2]));
  };
  const bool is_signed = a.types.out == DataType::I8;
  if (a.types.in == DataType::U8)
    return is_signed ? call.template operator()<uint8_t, int8_t>()
                     : call.template operator()<uint8_t, uint8_t>();
  return is_signed ? call.template operator()<int8_t, int8_t>() : call.template operator()<int8_t, uint8_t>();
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include <optional>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

#include "cpp/kernels/layer.hpp"
#include "layouts/dsp.hpp"

namespace n2d2::targets::cortexm::dsp {

/// Why the kernels do not read, round or write the integers of a node, "" if they do: maps of bytes, bounds
/// of the output that are those of its type, multipliers that have a shift of 32.
std::string refuses_bytes(const graph::Graph& graph, const graph::Node& node);

/// Why the weights of a convolution or a fully connected layer cannot be packed, "" if they can. `weights`
/// lie in the order of `filters`.
std::string refuses_weights(const graph::Graph& graph, const graph::Node& node, const dsp::Filters& filters,
                            const Tensor& weights);

/// Packs constants as kernels of CPP read them: weights, biases, factors.
std::vector<program::Constant> packed_constants(const std::vector<program::Constant>& plain,
                                                const graph::Node& node, const dsp::Filters& filters);
std::vector<program::Constant> packed_depthwise(const std::vector<program::Constant>& plain,
                                                const graph::Node& node, int channels);

/// Sets what the kernels want of multipliers in place of the shift of the node.
template <class C>
void set_packed_rescale(C& config, const graph::Node& node) {
  if (node.rescale && !node.rescale->multiplier.empty()) config.shift = 32;
  config.factor_step = 1;
}

}  // namespace n2d2::targets::cortexm::dsp

#endif

// What do the kernels for a Cortex-M without DSP instructions share: what they refuse, their constants, their
// calls in process?
#pragma once

#include "cpp/kernels/host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "isa.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

/// Calls f(in, out, weights, biases, factors) of a kernel of bytes.
template <class F>
void with_scalar_arrays(const cpp::Arrays& a, F f) {
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

#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

#include "cpp/kernels/layer.hpp"
#include "layouts/scalar.hpp"

namespace n2d2::targets::cortexm {

/// Why the kernels do not compute a node, "" if they do: maps and weights of bytes, bounds of the output
/// that are those of its type, multipliers >= 0 that have a shift of 32, sums within 2^29.
std::string refuses_scalar(const graph::Graph& graph, const graph::Node& node);

/// The constants of a node in the layout of the filters; `plain` are those that kernels of CPP read.
std::vector<program::Constant> scalar_constants(const std::vector<program::Constant>& plain,
                                                const graph::Graph& graph, const graph::Node& node,
                                                const scalar::Filters& filters);
/// Returns those of a depthwise convolution, whose weights are [channels][3][3].
std::vector<program::Constant> scalar_depthwise_constants(const std::vector<program::Constant>& plain,
                                                          const graph::Node& node, int channels);

/// Sets what the kernels take in place of the shift of the node.
template <class C>
void set_scalar_rescale(C& config, const graph::Node& node) {
  if (node.rescale && !node.rescale->multiplier.empty()) config.shift = 32;
  config.factor_step = 1;
}

}  // namespace n2d2::targets::cortexm

#endif

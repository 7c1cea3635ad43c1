// What do the kernels for a Cortex-M without DSP instructions share beside byte_layer.hpp?
#pragma once

#include "byte_layer.hpp"

#ifndef N2D2_HOST_VARIANT

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

}  // namespace n2d2::targets::cortexm

#endif

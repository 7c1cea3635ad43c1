// What do the kernels for the DSP instructions of Cortex-M share beside byte_layer.hpp?
#pragma once

#include "byte_layer.hpp"

#ifndef N2D2_HOST_VARIANT

#include "layouts/dsp.hpp"

namespace n2d2::targets::cortexm::dsp {

/// Why the weights of a convolution or a fully connected layer cannot be packed, "" if they can. `weights`
/// lie in the order of `filters`.
std::string refuses_weights(const graph::Graph& graph, const graph::Node& node, const dsp::Filters& filters,
                            const Tensor& weights);

/// Packs constants as kernels of CPP read them: weights, biases, factors. Weights are stored in 4 bits if
/// they may be and tiles have 4 pixels or 1.
std::vector<program::Constant> packed_constants(const std::vector<program::Constant>& plain,
                                                const graph::Graph& graph, const graph::Node& node,
                                                const dsp::Filters& filters, int tile_pixels);
std::vector<program::Constant> packed_depthwise(const std::vector<program::Constant>& plain,
                                                const graph::Node& node, int channels);

}  // namespace n2d2::targets::cortexm::dsp

#endif

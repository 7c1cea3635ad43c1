// What do the kernels for the vectors of Cortex-M55 share beside byte_layer.hpp?
#pragma once

#include "byte_layer.hpp"

#ifndef N2D2_HOST_VARIANT

#include "layouts/mve.hpp"

namespace n2d2::targets::cortexm::mve {

/// Why the kernels do not compute the integers of a node, "" if they do. Maps and weights have 8 bits, the
/// output has the bounds of its type, multipliers have a shift of 32 or an equal with it.
std::string refuses_integers(const graph::Graph& graph, const graph::Node& node);

/// Packs weights, biases and factors that are in the order of kernels of CPP.
template <class Shape>
std::vector<program::Constant> packed(const graph::Graph& graph, const graph::Node& node, const Shape& shape,
                                      const std::vector<program::Constant>& plain);

}  // namespace n2d2::targets::cortexm::mve

#endif

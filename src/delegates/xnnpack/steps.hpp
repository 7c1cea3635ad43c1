// Which layers does XNNPACK compute with our bytes, and as what?
#pragma once

#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"

#include "runtime/blob.hpp"

namespace n2d2::delegates {

/// A node as an operator of XNNPACK. Places, offsets and debug handle of `step` are 0.
struct XnnpackLayer {
  N2D2_Export::xnnpack::Step step{};
  std::vector<float> scales;
  std::vector<int32_t> biases;
  std::vector<int8_t> weights;
};

/// "" when XNNPACK computes the node and gives the bytes that the integer reference gives; else why not.
/// Measured with Debian's version of February 2022 on instruction sets from SSE2 to AVX2: convolutions of
/// every kind, Fc as a convolution of one pixel, average pools as depthwise convolutions with ones, maximum
/// pools. Its own average pools and its additions round differently.
std::string xnnpack_refuses(const graph::Graph& graph, const graph::Node& node);

/// Returns the operator for a node that xnnpack_refuses() does not refuse.
XnnpackLayer xnnpack_layer(const graph::Graph& graph, const graph::Node& node);

/// The map as it lies in the scratch: what is subtracted of its values.
int32_t xnnpack_offset(const graph::Value& value);

}  // namespace n2d2::delegates

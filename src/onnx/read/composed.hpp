// Which chains of nodes are one operator that exporters of older operator sets write out?
#pragma once

#include "file.hpp"

namespace n2d2::onnx {

/// Puts one node in place of the nodes of a chain that nothing else reads, `kept` and outputs included:
///   LayerNormalization   (x - mean) / sqrt(mean of (x - mean)^2 + epsilon), perhaps times and plus constants
///   RMSNormalization     the same without the means taken off
///   LpNormalization      x / sqrt(sum of x^2) over one axis, whose length is kept from being 0
///   Gelu                 x (1 + erf(x / sqrt 2)) / 2, and its form with tanh, in any order of factors
/// Normalizations have the attribute "axes" then, those of their means, and may have no scale.
void compose(File& file, const std::set<std::string, std::less<>>& kept);

}  // namespace n2d2::onnx

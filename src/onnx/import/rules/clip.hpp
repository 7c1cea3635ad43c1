// How does a clamp with any bounds come into the graph?
#pragma once

#include <limits>

#include "import/node.hpp"

namespace n2d2::onnx {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Ends the node as the data within [lo, hi]; infinite where there is no bound. Refused when lo > hi.
void finish_clip(Node& node, const Operand& data, double lo, double hi);

}  // namespace n2d2::onnx

// Which rules make a function of single elements?
#pragma once

#include "n2d2/ops/nonlinearity.hpp"

#include "import/node.hpp"

namespace n2d2::onnx {

/// A notice of what the function makes of numbers outside its domain.
void tell_domain(const Node& node, const ops::Nonlinearity& op);
/// The node becomes this function of its first input.
void finish_function(Node& node, const ops::Nonlinearity& op);

}  // namespace n2d2::onnx

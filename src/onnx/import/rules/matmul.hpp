// How are two tensors that depend on the data multiplied?
#pragma once

#include "import/node.hpp"

namespace n2d2::onnx {

/// The product of inputs 0 and 1, tensors of matrices. Refused where these are not in both alike.
void multiply_data(Node& node);

}  // namespace n2d2::onnx

// Which reals do the integers of a tensor stand for?
#pragma once

#include <vector>

#include "n2d2/tensor/quant_params.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::quantize {

/// scale * (q - zero point) of each element, one scale for the tensor. InternalError for floats.
std::vector<double> real_values(const Tensor& integers, const QuantParams& quant);

}  // namespace n2d2::quantize

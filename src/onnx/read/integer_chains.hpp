// Which chains of a float file compute integers, and round them as one rescaling does?
#pragma once

#include "file.hpp"

namespace n2d2::onnx {

/// Files of NEMO, QuantLab and DORY (pulp-platform) hold integers in float tensors. What follows alone, as
/// Mul, Add, Sub and Div by constants in any order before Floor and Clip,
///   y = clip(floor((k x + l) / d), lo, hi)
/// with whole k and l, one each or one for each output, and whole d, becomes part of what makes x, and a
/// rounding to the integers from lo to hi, of scale 1. x are
///   sums of a Conv, Gemm or MatMul whose weights are integers: a layer with weights of scale
///     |k| / (d m) and biases of about (l - (d - 1) / 2) / d, in parts of 1 / m of the sums (bias_of())
///   averages of integers: such a layer with weights of 1 for each channel
///   sums of two tensors of integers, perhaps times whole numbers: a sum with these factors and a constant
/// No sum of integers is a tie of that rounding. Inputs of the file that these read are taken for integers
/// from 0 to 255. A notice says both, how many outputs have all results of the file, and how far biases may
/// move those of the others. Layers of integer weights behind such chains keep them. Files without a chain
/// stay as they are.
/// Attributes <name>_bits, in which DORY has widths, are dropped with a notice.
void compose_integer_chains(File& file);

}  // namespace n2d2::onnx

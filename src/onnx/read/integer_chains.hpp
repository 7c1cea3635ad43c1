// Which chains of a float file compute integers, and round them as one rescaling does?
#pragma once

#include "file.hpp"

namespace n2d2::onnx {

/// Files of NEMO, QuantLab and DORY (pulp-platform) hold integers in float tensors. A Conv, Gemm or MatMul
/// with weights that are integers, and what follows it alone,
///   y = clip(floor((k x + l) / d), lo, hi)
/// with whole k and l, one each or one for each output, and whole d, written as Mul, Add, Sub and Div by
/// constants in any order before Floor and Clip, becomes one layer with weights of scale |k| / d, biases of
/// (l - (d - 1) / 2) / d, and a rounding to the integers from lo to hi, of scale 1. No sum of integers is a
/// tie of that rounding. Inputs of the file that such layers read are taken for integers from 0 to 255. A
/// notice says both, and how far biases that are rounded to the unit of the sums may move a result.
/// Layers of integer weights behind such chains keep them. Files without a chain stay as they are.
/// Attributes <name>_bits, in which DORY has widths, are dropped with a notice.
void compose_integer_chains(File& file);

}  // namespace n2d2::onnx

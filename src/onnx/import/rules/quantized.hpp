// Which integers are the weights of a file that was quantized before?
#pragma once

#include <optional>

#include "n2d2/ops/fake_quantize.hpp"

#include "import/node.hpp"

namespace n2d2::onnx {

/// The scales of weights that DequantizeLinear or Quant made, one for each of `rows` equal parts: axis 0, or
/// -1 when all are equal, and the fewest signed bits that hold all integers that these nodes can make.
/// Nothing for weights that were never integers. Weights that need more than symmetric 8 bits (a zero point
/// in the middle of nowhere) or several steps in one row have none either, with a warning.
std::optional<QuantParams> scales_of_rows(const Node& node, const Array& weights, int64_t rows);

/// What rounds to all integers of the grid, in 8 bits where they suffice, else in 16.
ops::FakeQuantize rounding(const Grid& grid);

}  // namespace n2d2::onnx

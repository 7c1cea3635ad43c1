// What does an operator see when a quantized graph is run in plain integers?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "n2d2/tensor/shape.hpp"

namespace n2d2::graph {

/// One sample of a value, or a parameter: integers of any width in logical order.
struct Integers {
  Shape shape;
  std::vector<int64_t> values;
  /// The integer that stands for 0. 0 for parameters, and for inputs of the network whose zero point is no
  /// integer.
  int64_t zero = 0;

  int64_t operator[](int64_t i) const { return values[static_cast<size_t>(i)]; }
  int64_t& operator[](int64_t i) { return values[static_cast<size_t>(i)]; }
};

/// From sums to integers of the output, as Node::rescale says; bounds included.
class Rounding {
 public:
  Rounding() = default;
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
  virtual ~Rounding() = default;
  /// One sum of an output channel (Addends::Taps).
  virtual int64_t sum(int64_t sum, int64_t channel) const = 0;
  /// One value of each data input (Addends::Inputs).
  virtual int64_t inputs(std::span<const int64_t> values) const = 0;
};

/// Inputs in the order of the node, parameters included; `out` has its shapes and is filled with zeros.
struct IntegerArgs {
  std::span<const Integers* const> in;
  std::span<Integers* const> out;
  /// Rounding of nodes whose form has ScaleOf::Own. InternalError when another node asks for it.
  const Rounding& rounding;
};

}  // namespace n2d2::graph

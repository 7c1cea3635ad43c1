// What does a recurrent layer compute, step by step, where its state comes from outside or leaves it? Layers
// that other networks have, too.
#pragma once

#include <optional>

#include "n2d2/ops/recurrent.hpp"

#include "node.hpp"

namespace n2d2::onnx {

/// More steps than these are not written out: each step has layers of its own.
inline constexpr int64_t kMostStepsWrittenOut = 16;

/// A recurrent layer of the file with its constants as ops::Recurrent has them.
struct RecurrentParts {
  ops::Recurrent op;
  Tensor weights, recurrent, biases;
  graph::ValueId sequence;  ///< a map of one row or one column, a pixel a step
  int64_t steps = 1;
  /// A row or column of a pixel for each direction, channels are units; nothing: 0.
  std::optional<graph::ValueId> state = {}, cell = {};
};

/// Channels are the units of one direction after those of the other.
struct WrittenOut {
  graph::ValueId steps;  ///< a row, a pixel a step
  graph::ValueId state;  ///< one pixel, after the last step
  std::optional<graph::ValueId> cell = {};
};

/// Adds two Fc a gate, sums, products and functions for each step. A GRU has a state.
WrittenOut write_out(Node& node, const RecurrentParts& parts);

}  // namespace n2d2::onnx

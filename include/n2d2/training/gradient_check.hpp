// Are the gradients that a network learns by those of what its layers compute?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "n2d2/training/evaluate.hpp"

namespace n2d2::training {

/// What a gradient may be off, as a share of the largest one of its tensor.
inline constexpr double kGradientTolerance = 1e-3;
/// Samples that the layers are checked on: enough for a layer that takes statistics over the batch.
inline constexpr int64_t kGradientSamples = 4;

/// Some values of one gradient of a layer: of a parameter, of an input, or of the loss of a target.
struct CheckedGradient {
  std::string layer;  ///< subject() of the node: "[conv1] Conv"
  std::string of;     ///< "weights", "biases", "input", "input 2", "loss"
  SourceLocation where;
  int64_t checked = 0;   ///< values that were compared
  int64_t left_out = 0;  ///< values at a bend or a jump of the function, where differences say nothing
  double deviation = 0;  ///< the largest, as a share of the largest gradient of the tensor
  double gradient = 0, difference = 0;  ///< of the value with that deviation
  bool is_wrong() const { return !(deviation <= kGradientTolerance); }
};

struct GradientCheck {
  std::vector<CheckedGradient> gradients;  ///< in the order in which layers run, those of losses last
  /// Layers whose gradient is none of their function on purpose, with the reason.
  std::vector<std::string> exceptions;
};

/// Compares the gradients of every layer that learning goes through with central differences of its own
/// forward(), in training mode on what it reads of this batch, in the reference loops: sums of its outputs in
/// double, with steps that shrink until three agree. A layer is differentiated with the random numbers of one
/// step held, so that those that draw (Dropout) are functions, too; one that rounds is its
/// surrogate. Four values a tensor, the largest gradient among them; the same for the same arguments.
/// `batch`: N,C,H,W float32 and N label ids, at most kGradientSamples count. ModelError when a layer has no
/// gradient or its values are not finite.
GradientCheck check_gradients(graph::Graph graph, std::span<const TrainingTarget> targets,
                              const Tensor& batch, std::span<const int> labels, uint64_t seed);

}  // namespace n2d2::training

// How wrong is an output, and in which direction would it be less wrong?
#pragma once

#include <array>
#include <span>

#include "n2d2/base/fields.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::training {

enum class Loss { CrossEntropy, BinaryCrossEntropy, SquaredError };

/// CrossEntropy for the output of a Softmax with WithLoss=1, BinaryCrossEntropy for that of a
/// LogisticWithLoss, else SquaredError.
Loss loss_of(const graph::Graph& graph, graph::ValueId target);

/// The value that gets the gradient: the target itself for SquaredError, else the input of what makes it.
graph::ValueId seeded_value(const graph::Graph& graph, graph::ValueId target, Loss loss);

/// The wanted outputs: `right` at the channel of a sample's class, `other` elsewhere. With one output, class
/// 1 wants `right` and class 0 `other`.
struct TargetValues {
  double right = 1, other = 0;
};

struct LossResult {
  double loss = 0;  ///< summed over the samples that count
  Tensor gradient;  ///< of that loss, N,C,H,W like the output
};

/// loss = -sum want log(output); gradient output - want, with respect to the input of the softmax.
/// output: N,C,H,W float32; classes: N (all positions of a sample want its class) or N,H,W, -1: does not
/// count (its gradient is 0). A position weighs as the inverse of how many positions of its sample want its
/// class.
/// InternalError when a class is not an output.
LossResult cross_entropy(const Tensor& output, std::span<const int> classes, const TargetValues& values);

/// loss = -sum want log(output) + (1 - want) log(1 - output); gradient output - want, with respect to the
/// input of the logistic. Arguments as above.
LossResult binary_cross_entropy(const Tensor& output, std::span<const int> classes,
                                const TargetValues& values);

/// loss = 1/2 sum (output - want)^2; gradient output - want. Arguments as above.
LossResult squared_error(const Tensor& output, std::span<const int> classes, const TargetValues& values);

/// The outputs should be `wanted`, of as many values: loss = 1/2 sum weight (output - wanted)^2, gradient
/// weight (output - wanted). The weight of a value is the inverse of how many of its sample's are in the same
/// of 20 bins over [-1, 1], which the first and the last continue.
LossResult squared_error_of_data(const Tensor& output, const Tensor& wanted);

LossResult compute_loss(Loss loss, const Tensor& output, std::span<const int> classes,
                        const TargetValues& values);

}  // namespace n2d2::training

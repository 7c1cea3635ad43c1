// What do the losses share? The wanted value of every channel and position.
#pragma once

#include <functional>

#include "n2d2/training/loss.hpp"

namespace n2d2::training {

/// Adds weight * loss(output, want) over channels and positions of the samples that count, weight being the
/// inverse number of positions; the gradient is weight * (output - want).
LossResult sum_over_positions(const Tensor& output, std::span<const int> classes, const TargetValues& values,
                              const std::function<double(double output, double want)>& loss);

}  // namespace n2d2::training

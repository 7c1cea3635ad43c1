// How wrong are the outputs of a batch for all targets together?
#pragma once

#include <span>
#include <vector>

#include "n2d2/cluster/shards.hpp"
#include "n2d2/training/evaluate.hpp"

#include "batch_outputs.hpp"

namespace n2d2::training {

struct BatchLoss {
  double loss = 0;             ///< summed over the batch and the targets
  std::vector<double> losses;  ///< of each target
  std::vector<compute::GradientSeed> seeds;
};

/// The loss of a whole batch, in the order of its samples, and the gradients of a part of it.
BatchLoss loss_of_targets(const graph::Graph& graph, std::span<const TrainingTarget> targets,
                          const BatchOutputs& batch, const cluster::Share& part);

}  // namespace n2d2::training

// What did the network answer to a batch, on this rank and on the others?
#pragma once

#include <cstdint>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/training/evaluate.hpp"

namespace n2d2::training {

struct BatchOutputs {
  int64_t samples = 0;          ///< 0: there was no batch
  std::vector<int> labels;      ///< as data::Batch
  std::vector<Tensor> outputs;  ///< one for each target
  Tensor seen;                  ///< the input, where a target wants it
  bool stops = false;           ///< a rank wants the run to end
};

/// What the executor has found for the targets in the batch that ran last. `seen` where a target wants it.
BatchOutputs outputs_of(const compute::Executor& executor, std::span<const TrainingTarget> targets,
                        const Tensor& batch, std::span<const int> labels, bool stops);

/// The outputs of all ranks in their order, on every rank.
std::vector<BatchOutputs> of_all_ranks(BatchOutputs own, const cluster::Cluster& cluster);

/// The batch of which every rank has a part, as one process would have it; on every rank.
BatchOutputs whole_batch(BatchOutputs own, const cluster::Cluster& cluster);

/// Its input alone.
Tensor whole_input(const Tensor& batch, const cluster::Cluster& cluster);

/// Samples [first, first + count) of N,C,H,W float32.
Tensor samples_of(const Tensor& batch, int64_t first, int64_t count);

}  // namespace n2d2::training

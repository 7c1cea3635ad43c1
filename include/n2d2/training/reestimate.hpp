// Which means and variances do batch normalizations have once nothing else learns any more?
#pragma once

#include <cstdint>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/training/sample_source.hpp"

namespace n2d2::training {

struct Reestimation {
  int64_t batches = 200, batch_size = 1;
  /// Keys the order of the samples, their random transformations and what layers draw.
  uint64_t seed = 0;
  compute::Backend backend = compute::Backend::OneDnn;
};

/// Whether a BatchNorm of the graph takes statistics while it learns: MovingAverageMomentum=0 keeps those
/// that there are.
bool takes_statistics(const graph::Graph& graph);

/// Sets the means and variances of these BatchNorms to the averages, over batches of the Learn partition, of
/// the mean and the unbiased variance of a batch. The layers run forward as they do while learning, each
/// BatchNorm with the statistics of the batch. All batches have `batch_size` samples, or all that there are.
/// Running averages lag behind weights that still move between two levels of their grid: Nagel et al. 2022
/// (arXiv 2203.11086). Results do not depend on the number of threads. Returns the constants that it set.
std::vector<graph::ValueId> reestimate_statistics(graph::Graph& graph, const SampleSource& source,
                                                  const Reestimation& options);

}  // namespace n2d2::training

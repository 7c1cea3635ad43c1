// How right is the float network on these samples?
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/data/target.hpp"
#include "n2d2/training/loss.hpp"
#include "n2d2/training/sample_source.hpp"

namespace n2d2::training {

/// A value that has a wanted content. `target` maps labels to outputs and names the wanted values.
struct TrainingTarget {
  graph::ValueId value;
  data::Target target;
  Loss loss = Loss::SquaredError;
};

/// The target with the loss that belongs to the value (loss_of). ModelError when the value's channels are not
/// the target's outputs.
TrainingTarget training_target(const graph::Graph& graph, graph::ValueId value, data::Target target);

/// How wrong the output is that a batch with these labels gave for the target, and the gradient for
/// seeded_value().
LossResult loss_of_batch(const TrainingTarget& target, const Tensor& output, std::span<const int> labels,
                         const Tensor& batch);

/// Whether a validation with the metric `now` is better than one with `before`: larger, or smaller where the
/// metric counts errors (MissRate, FallOut, FalseDiscoveryRate, FalseOmissionRate).
bool is_better(data::Metric metric, double now, double before);

/// Called after each batch: samples seen, samples in all, the scores so far.
using EvaluateProgress = std::function<void(int64_t done, int64_t total, std::span<const data::Score>)>;

/// What is scored: the float network, or another form of it.
struct Scored {
  /// Outputs of a batch (N,C,H,W f32), one for each target.
  std::function<std::vector<Tensor>(const Tensor& batch)> outputs;
  /// Real value of one step of an output; 1 for floats.
  std::function<double(size_t target)> step = [](size_t) { return 1.0; };
  /// The reals that its input stands for when it reads this batch.
  std::function<Tensor(const Tensor& batch)> seen = [](const Tensor& batch) { return batch; };
};
/// Scores samples as the next one.
std::vector<data::Score> evaluate(const Scored& network, const SampleSource& source,
                                  data::Partition partition, std::vector<int64_t> positions,
                                  std::span<const TrainingTarget> targets, int64_t batch_size,
                                  const EvaluateProgress& progress = {},
                                  const std::function<bool()>& wants_stop = {},
                                  const cluster::Cluster& cluster = cluster::alone());

/// Runs the samples at these positions of the partition in inference mode and scores every target:
/// recognition rate, TopN, confusion matrix. One score for each target, in their order. `executor` must not
/// be a training one. `wants_stop` is asked after each batch: true ends it with the scores so far.
/// The ranks of a cluster take whole batches in turn; each of them has the scores of all, and asks
/// `wants_stop` after a batch of every rank.
std::vector<data::Score> evaluate(compute::Executor& executor, const SampleSource& source,
                                  data::Partition partition, std::vector<int64_t> positions,
                                  std::span<const TrainingTarget> targets, int64_t batch_size,
                                  const EvaluateProgress& progress = {},
                                  const std::function<bool()>& wants_stop = {},
                                  const cluster::Cluster& cluster = cluster::alone());

}  // namespace n2d2::training

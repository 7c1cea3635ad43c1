#include "n2d2/training/evaluate.hpp"

#include <utility>

#include "n2d2/base/error.hpp"
#include "n2d2/cluster/shards.hpp"

#include "batch_outputs.hpp"

namespace n2d2::training {

TrainingTarget training_target(const graph::Graph& graph, graph::ValueId value, data::Target target) {
  const graph::Value& wire = graph.value(value);
  if (wire.type.shape.c() != target.outputs())
    throw ModelError(fmt::format("target on '{}': expected {} outputs, the layer has {}", wire.name,
                                 target.outputs(), wire.type.shape.c()));
  const Loss loss = loss_of(graph, value);
  return {value, std::move(target), loss};
}

LossResult loss_of_batch(const TrainingTarget& target, const Tensor& output, std::span<const int> labels,
                         const Tensor& batch) {
  const data::TargetOptions& wanted = target.target.options();
  if (wanted.data_as_target) return squared_error_of_data(output, batch);
  const Shape& shape = output.shape();
  return compute_loss(target.loss, output, target.target.classes_of(labels, shape.n(), shape.h(), shape.w()),
                      {wanted.target_value, wanted.default_value});
}

bool is_better(data::Metric metric, double now, double before) {
  using data::Metric;
  const bool counts_errors = metric == Metric::MissRate || metric == Metric::FallOut ||
                             metric == Metric::FalseDiscoveryRate || metric == Metric::FalseOmissionRate;
  return counts_errors ? now < before : now > before;
}

std::vector<data::Score> evaluate(compute::Executor& executor, const SampleSource& source,
                                  data::Partition partition, std::vector<int64_t> positions,
                                  std::span<const TrainingTarget> targets, int64_t batch_size,
                                  const EvaluateProgress& progress, const std::function<bool()>& wants_stop,
                                  const cluster::Cluster& cluster) {
  Scored floats;
  floats.outputs = [&](const Tensor& batch) {
    executor.forward(batch);
    std::vector<Tensor> out;
    for (const TrainingTarget& target : targets) out.push_back(executor.read(target.value));
    return out;
  };
  return evaluate(floats, source, partition, std::move(positions), targets, batch_size, progress, wants_stop,
                  cluster);
}

std::vector<data::Score> evaluate(const Scored& network, const SampleSource& source,
                                  data::Partition partition, std::vector<int64_t> positions,
                                  std::span<const TrainingTarget> targets, int64_t batch_size,
                                  const EvaluateProgress& progress, const std::function<bool()>& wants_stop,
                                  const cluster::Cluster& cluster) {
  const auto total = static_cast<int64_t>(positions.size());
  std::vector<data::Score> scores;
  bool wants_data = false;
  for (const TrainingTarget& target : targets) {
    scores.emplace_back(target.target);
    wants_data = wants_data || target.target.options().data_as_target;
  }
  // A test set looks the same at every evaluation: random transformations get one key.
  const auto stream =
      source.open(partition, cluster::dealt_batches(positions, batch_size, cluster.rank(), cluster.size()),
                  batch_size, 0);
  data::Batch batch;
  int64_t done = 0;
  while (done < total) {
    BatchOutputs own;
    if (stream->next(batch)) {
      own = {batch.data.shape().n(), batch.labels, network.outputs(batch.data), {}};
      if (wants_data) own.seen = network.seen(batch.data);
    }
    for (const BatchOutputs& one : of_all_ranks(std::move(own), cluster)) {
      if (one.samples == 0) continue;
      for (size_t i = 0; i < scores.size(); ++i)
        scores[i].add(one.outputs.at(i), one.labels, one.seen, network.step(i));
      done += one.samples;
      if (progress) progress(done, total, scores);
    }
    if (wants_stop && cluster.any(wants_stop())) break;
  }
  return scores;
}

}  // namespace n2d2::training

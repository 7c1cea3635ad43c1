#include "n2d2/training/reestimate.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "n2d2/base/progress.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/training/trainer.hpp"

namespace n2d2::training {

namespace {

constexpr size_t kMeans = 3, kVariances = 4;  // inputs of a BatchNorm

std::vector<graph::NodeId> with_statistics(const graph::Graph& graph) {
  std::vector<graph::NodeId> out;
  for (const graph::NodeId id : graph.schedule())
    if (const auto* norm = graph::as<ops::BatchNorm>(graph.node(id)); norm != nullptr && norm->momentum > 0)
      out.push_back(id);
  return out;
}

/// A BatchNorm whose running statistics are those of the last batch.
void forget_earlier_batches(graph::Graph& graph, graph::NodeId id) {
  auto op = std::make_unique<ops::BatchNorm>(*graph::as<ops::BatchNorm>(graph.node(id)));
  op->momentum = 1;
  const std::vector<graph::ValueId> inputs = graph.node(id).inputs;
  graph.replace(id, std::move(op), inputs);
}

/// Sums of the values that constants had after each batch.
class Sums {
 public:
  void add(const graph::Graph& graph, graph::ValueId constant) {
    const std::span<const float> values = graph.value(constant).constant->span<float>();
    std::vector<double>& sums = sums_[constant];
    sums.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) sums[i] += double{values[i]};
  }
  std::vector<graph::ValueId> write_means(graph::Graph& graph, int64_t batches) const {
    std::vector<graph::ValueId> written;
    for (const auto& [constant, sums] : sums_) {
      const std::span<float> values = graph.mutable_constant(constant).span();
      for (size_t i = 0; i < sums.size(); ++i)
        values[i] = static_cast<float>(sums[i] / static_cast<double>(batches));
      written.push_back(constant);
    }
    return written;
  }

 private:
  std::map<graph::ValueId, std::vector<double>> sums_;
};

}  // namespace

bool takes_statistics(const graph::Graph& graph) {
  return !with_statistics(graph).empty();
}

std::vector<graph::ValueId> reestimate_statistics(graph::Graph& graph, const SampleSource& source,
                                                  const Reestimation& options) {
  const int64_t size = require_learn_samples(source), batch_size = std::min(size, options.batch_size);
  const std::vector<graph::NodeId> norms = with_statistics(graph);
  graph::Graph copy = graph;
  for (const graph::NodeId id : norms) forget_earlier_batches(copy, id);
  compute::Executor executor(copy, {.backend = options.backend, .training = true, .seed = options.seed});
  Sums sums;
  progress::Task task("Measuring statistics of BatchNorm", options.batches, "batches");
  int64_t done = 0;
  for (uint64_t epoch = 0; done < options.batches; ++epoch) {
    std::vector<int64_t> order = data::shuffled_order(size, options.seed, epoch);
    const int64_t batches = std::min(size / batch_size, options.batches - done);
    order.resize(static_cast<size_t>(batches * batch_size));
    const auto stream = source.open(data::Partition::Learn, std::move(order), batch_size, epoch);
    for (data::Batch batch; stream->next(batch); ++done) {
      task.at(done);
      executor.forward(batch.data, static_cast<uint64_t>(done));
      executor.absorb(copy);
      for (const graph::NodeId id : norms)
        for (const size_t slot : {kMeans, kVariances}) sums.add(copy, copy.node(id).inputs.at(slot));
    }
  }
  return sums.write_means(graph, done);
}

}  // namespace n2d2::training

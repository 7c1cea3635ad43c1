#include "batch_loss.hpp"

#include <map>
#include <utility>

namespace n2d2::training {

BatchLoss loss_of_targets(const graph::Graph& graph, std::span<const TrainingTarget> targets,
                          const BatchOutputs& batch, const cluster::Share& part) {
  BatchLoss out;
  // Two targets may seed the same value; an ordered map keeps the order of addition fixed.
  std::map<graph::ValueId, Tensor> gradients;
  for (size_t t = 0; t < targets.size(); ++t) {
    const TrainingTarget& target = targets[t];
    LossResult found = loss_of_batch(target, batch.outputs[t], batch.labels, batch.seen);
    out.loss += found.loss;
    out.losses.push_back(found.loss);
    if (part.count() < batch.samples) found.gradient = samples_of(found.gradient, part.first, part.count());
    const auto [seed, fresh] =
        gradients.try_emplace(seeded_value(graph, target.value, target.loss), std::move(found.gradient));
    if (!fresh)
      for (size_t i = 0; i < seed->second.span().size(); ++i)
        seed->second.span()[i] += found.gradient.span()[i];
  }
  for (auto& [value, gradient] : gradients) out.seeds.push_back({value, std::move(gradient)});
  return out;
}

}  // namespace n2d2::training

// Who tells a TargetBias layer the classes of a batch?
#pragma once

#include <span>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/training/trainer.hpp"

namespace n2d2::training {

/// Writes the classes of a batch where TargetBias layers read them: each has those of the first target that
/// depends on it.
class TargetClasses {
 public:
  /// ModelError for a TargetBias that no target depends on.
  TargetClasses(const graph::Graph& graph, std::span<const TrainingTarget> targets);
  /// Before a step with these labels.
  void set(graph::Graph& graph, std::span<const TrainingTarget> targets, std::span<const int> labels) const;

 private:
  struct Entry {
    graph::ValueId classes;
    size_t target;
  };
  std::vector<Entry> entries_;
};

}  // namespace n2d2::training

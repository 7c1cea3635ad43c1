// How much of what the floats do is left in the integers of an export, on the Test samples that score both?
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/data/agreement.hpp"
#include "n2d2/data/batch_loader.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::app {

/// The floats of an export beside its integers: both are scored on the same batches.
class FloatsBeside {
 public:
  /// `floats`: the graph as it was before integers, its outputs those of the targets of the network. One that
  /// learnt with quantizers has them.
  FloatsBeside(const loader::Network& net, graph::Graph floats);

  /// Outputs of the floats for these samples.
  std::vector<Tensor> run(const Tensor& samples);
  /// A batch whose integers were added to `scores` last: what `build` made of it, and the floats.
  void add(const data::Batch& batch, const std::vector<Tensor>& floats, const targets::Build& build,
           const std::vector<Tensor>& integers, const std::vector<data::Score>& scores);

  /// All batches were added; these are the scores of the integers. To be called before what follows.
  void finish(std::vector<data::Score> integers) { integers_ = std::move(integers); }
  /// Lines for the console: a paragraph for each target, and what it took.
  std::string text() const;
  /// Rows for the README.
  std::vector<std::pair<std::string, std::string>> rows() const;
  const std::vector<data::Score>& scores() const { return scores_; }
  const std::vector<data::Agreement>& agreements() const { return agreements_; }
  /// Content of statistics/score.json.
  std::string json() const;

 private:
  const loader::Network& net_;
  graph::Graph graph_;
  compute::Executor executor_;
  std::vector<data::Score> scores_, integers_;
  std::vector<data::Agreement> agreements_;
  int64_t samples_ = 0;
};

/// What the paired counts of a target allow to say about the difference of its scores.
std::string verdict(const data::Agreement& agreement);

}  // namespace n2d2::app

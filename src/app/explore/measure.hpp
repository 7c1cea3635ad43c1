// What does an export score, and what does it take of a machine?
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/pipeline/pipeline.hpp"

#include "figures.hpp"

namespace n2d2::app {

/// Makes the integers of one setting after the other. Ranges are measured once for all settings of equal
/// widths.
class IntegerGraphs {
 public:
  explicit IntegerGraphs(loader::Network& net);
  ~IntegerGraphs();

  struct Made {
    graph::Graph floats, integers;
    pipeline::Request request;
  };
  /// `options`: those of the setting. Any Error says why there are none.
  Made make(const IntegerSetting& setting, const Options& options);

 private:
  struct Measured;
  const Measured& measured(const IntegerSetting& setting, const Options& options);

  loader::Network& net_;
  graph::Graph as_loaded_;
  std::vector<std::pair<IntegerSetting, std::unique_ptr<const Measured>>> measured_;
};

/// The planned program. ExportError.
std::unique_ptr<const targets::Build> planned(const IntegerGraphs::Made& made, const Options& options);

Cost cost_of(const targets::Build& build);

/// Scores integers on the Test samples that the options leave. The floats of all of them are run once, where
/// their outputs are no more than 256 MiB.
class Scorer {
 public:
  Scorer(const loader::Network& net, const Options& options) : net_(net), options_(options) {}
  /// `floats`: equal in all calls.
  Accuracy run(const graph::Graph& floats, const targets::Build& build);

 private:
  /// Keeps the outputs of the next batch where there is room; returns them.
  std::vector<Tensor> keep(std::vector<Tensor> outputs, size_t batch);

  const loader::Network& net_;
  const Options& options_;
  std::vector<std::vector<Tensor>> outputs_;  // of the floats, a batch each
  int64_t bytes_ = 0;
};

}  // namespace n2d2::app

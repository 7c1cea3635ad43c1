// What does an export score, and what does it take of a machine?
#pragma once

#include <map>
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
  IntegerGraphs(loader::Network& net, const Options& options);
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

/// The Test samples that the options leave, in integers and in floats.
Accuracy accuracy_of(const loader::Network& net, const graph::Graph& floats, const targets::Build& build,
                     const Options& options);

}  // namespace n2d2::app

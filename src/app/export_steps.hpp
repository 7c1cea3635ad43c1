// What of an export is the same for all targets?
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"
#include "compare_floats.hpp"

namespace n2d2::app {

/// Outputs in the order of the targets of the network.
std::vector<targets::Output> outputs_of(const loader::Network& net);

/// What becomes of the bytes of a picture of the Test samples.
PixelTable table_of_pictures(const loader::Network& net);

/// The Test samples that go with the export (-db-export), and what is known of all of them.
exporter::Samples export_samples(const loader::Network& net, const Options& options);

/// Called for each batch, with the outputs of the integers, and the scores to which these were added last.
using ScoredBatch = std::function<void(const data::Batch& batch, const std::vector<Tensor>& outputs,
                                       const std::vector<data::Score>& scores)>;
/// Runs what was built on these Test samples; returns a score for each target.
std::vector<data::Score> scores_of(const loader::Network& net, const targets::Build& build,
                                   const std::vector<int64_t>& positions, const ScoredBatch& scored);

/// A sample with one decision, and the classes; expected -1: it has none.
struct DifferingSample {
  std::string name;
  int expected = -1, floats = 0, integers = 0;
};

/// What the Test samples say of an export.
struct ScoredExport {
  std::vector<std::pair<std::string, std::string>> rows;  ///< of the README: what it is, and how good
  std::vector<data::Score> scores;                        ///< of each target; none: it was not run
  /// For each target, the samples of which floats and integers say different classes.
  std::vector<std::vector<DifferingSample>> differing;
};

/// Scores what was built on the Test samples and reports that as "export"; a notice when it does not run in
/// process. `beside`: its floats, to be
/// scored on the same samples and compared; null: there are none.
ScoredExport score_export(const loader::Network& net, const targets::Build& build, const Options& options,
                          FloatsBeside* beside);

}  // namespace n2d2::app

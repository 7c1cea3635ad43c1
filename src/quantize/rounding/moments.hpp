// Which inputs do the layers with weights see? Means and covariances of windows over samples, and a few
// windows to judge by.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/quantize/calibrate.hpp"

#include "closed_form.hpp"
#include "windows.hpp"

namespace n2d2::quantize {

/// Elements of a window from `first` on whose products are added up.
struct MomentBlock {
  int64_t group = 0, first = 0;
  Matrix products;  ///< upper triangle
};

/// What is gathered of one layer, in steps of its input.
struct LayerMoments {
  Windows windows;
  float unit = 1;
  int64_t count = 0;         ///< windows in `sums` and `blocks`
  std::vector<double> sums;  ///< [groups][size]
  std::vector<MomentBlock> blocks;
  int64_t held_count = 0;
  std::vector<float> held;  ///< [held_count][groups][size]: windows that are in no sum

  double mean(int64_t group, int64_t i) const {
    return sums[static_cast<size_t>(group * windows.size() + i)] / static_cast<double>(count);
  }
  /// Returns the covariance of the elements of a block.
  Matrix covariance(const MomentBlock& block) const;
};

/// Runs samples through `simulated` and gathers windows of the layers `names`, whose inputs are multiples of
/// `units`. Sums are of integers, or of halves: they are exact, and do not depend on the order of work.
/// Memory does not depend on the number of samples: each layer takes some thousand windows, drawn by
/// (seed, layer, sample). Every fourth sample is held out.
std::vector<LayerMoments> gather_moments(const graph::Graph& simulated, const std::vector<std::string>& names,
                                         const std::vector<float>& units, int64_t samples,
                                         const BatchSource& source, const compute::ExecutorOptions& options);

}  // namespace n2d2::quantize

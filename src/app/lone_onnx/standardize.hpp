// Which mean and deviation do the features of the calibration samples have?
#pragma once

#include <vector>

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Each channel of a network's input has a mean, a population deviation and a largest magnitude over all
/// pixels and samples.
struct FeatureStatistics {
  std::vector<double> mean, deviation, largest;
};
FeatureStatistics feature_statistics(const loader::Network& net, int64_t samples);

/// The options with -mean, -std and -scale in place of -standardize. `raw` is the network of the same options
/// that gets the values as they are. Features that never change are only moved to 0, with a notice.
Options standardized(const Options& options, const loader::Network& raw);

}  // namespace n2d2::app

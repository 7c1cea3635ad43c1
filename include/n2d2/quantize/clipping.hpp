// Which threshold represents a histogram best with a few bits?
#pragma once

#include <functional>

#include "n2d2/base/registry.hpp"
#include "n2d2/quantize/histogram.hpp"

namespace n2d2::quantize {

/// The integers a clipped value is rounded to, and what the mode is asked for besides.
struct ClippingTarget {
  int bits = 8;
  bool is_signed = true;
  /// Options::quantile.
  double quantile = 1;
};

struct Clipping {
  /// False: the threshold is the largest magnitude, no histogram is looked at.
  bool needs_histogram = false;
  /// Threshold T > 0, or 0 for an empty histogram.
  std::function<double(const Histogram& histogram, const ClippingTarget& target)> threshold;
  /// Bins of the histogram for integers of so many bits.
  std::function<int64_t(int bits)> bins = histogram_bins;
  /// Whether -wt-clipping-mode takes it.
  bool is_for_weights = true;
};

using ClippingRegistry = Registry<Clipping>;

/// "None", "MSE" ...: filled from the sorted list of src/quantize/CMakeLists.txt.
const ClippingRegistry& clipping_registry();
/// Names that -act-clipping-mode and -wt-clipping-mode take, sorted.
std::vector<std::string> clipping_names();
std::vector<std::string> weight_clipping_names();

/// ConfigError for an unknown name, with the known ones; `option` is the subject of the message.
const Clipping& clipping(std::string_view name, std::string_view option);
/// Likewise for -wt-clipping-mode, which does not take all of them.
const Clipping& weight_clipping(std::string_view name);

}  // namespace n2d2::quantize

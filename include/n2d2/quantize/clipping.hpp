// Which threshold represents a histogram best with a few bits?
#pragma once

#include <functional>

#include "n2d2/base/registry.hpp"
#include "n2d2/quantize/histogram.hpp"

namespace n2d2::quantize {

/// The integers a clipped value is rounded to.
struct ClippingTarget {
  int bits = 8;
  bool is_signed = true;
};

struct Clipping {
  /// False: the threshold is the largest magnitude, no histogram is looked at.
  bool needs_histogram = false;
  /// Threshold T > 0, or 0 for an empty histogram. Spec quantization 6.
  std::function<double(const Histogram& histogram, const ClippingTarget& target)> threshold;
};

using ClippingRegistry = Registry<Clipping>;

/// "None", "MSE": filled from the sorted list of src/quantize/CMakeLists.txt.
const ClippingRegistry& clipping_registry();

/// ConfigError for `KL-Divergence` and `Quantile` (not supported yet) and for unknown names (lists the known
/// ones); `option` is the subject of the message.
const Clipping& clipping(std::string_view name, std::string_view option);

}  // namespace n2d2::quantize

// Which part of what a Softmax reads has an effect?
#pragma once

#include <map>
#include <span>
#include <vector>

#include "n2d2/compute/executor.hpp"

namespace n2d2::quantize {

/// Values that Softmax layers alone read. An element that is far below the largest of its group counts
/// nothing: masks put -1e4 or less where no share is wanted. What is measured of such a value ends that far
/// below.
class SoftmaxInputs {
 public:
  explicit SoftmaxInputs(const graph::Graph& graph);

  /// Returns `seen` with elements of such a value raised to `kFar` below the largest of their group, which
  /// `room` has then. Any other value, and one without such elements, comes back as it is.
  compute::Observation bounded(const compute::Observation& seen, std::vector<float>& room) const;

  /// exp(-16) is 1.1e-7: a thousand of them are less than a step of 8 bits, a hundred than one of 16.
  static constexpr float kFar = 16;

 private:
  struct Groups {
    int64_t channels, pixels, size;  ///< of a sample; channels of a group
  };
  std::map<graph::ValueId, Groups> groups_;
};

}  // namespace n2d2::quantize

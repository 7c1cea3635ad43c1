// Answers: how far are outputs from the data that they should be?
// Part of an exported project; may be used without condition.
#pragma once

#include "feature_map.hpp"
#include "stimulus.hpp"

namespace N2D2_Export {

// Computes the mean squared difference of target 0's values from those that its stimuli expect, in reals.
class Distance {
 public:
  Distance() : squares_(0), values_(0), stimuli_(0) {}

  // `values`: output of the target's cell. Returns the mean of this stimulus; fails for data of another size.
  double add(const Stimulus& stimulus, const FeatureMap& values);

  // Returns the mean over all stimuli, 0 without any.
  double mean() const { return values_ > 0 ? squares_ / static_cast<double>(values_) : 0.0; }
  int count() const { return stimuli_; }

 private:
  double squares_;
  long long values_;
  int stimuli_;
};

}  // namespace N2D2_Export

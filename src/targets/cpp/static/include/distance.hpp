// Answers: how far are outputs from the data that they ought to be?
// Part of an exported project; may be used without condition.
#pragma once

#include "feature_map.hpp"
#include "stimulus.hpp"

namespace N2D2_Export {

// Mean of the squared differences of the values of target 0 and those that its stimuli expect, both in real units.
class Distance {
 public:
  Distance() : squares_(0), values_(0), stimuli_(0) {}

  // `values`: the target cell's output. Returns the mean of this stimulus; fails if it expects no data of that size.
  double add(const Stimulus& stimulus, const FeatureMap& values);

  // Of all stimuli; 0 without any.
  double mean() const { return values_ > 0 ? squares_ / static_cast<double>(values_) : 0.0; }
  int count() const { return stimuli_; }

 private:
  double squares_;
  long long values_;
  int stimuli_;
};

}  // namespace N2D2_Export

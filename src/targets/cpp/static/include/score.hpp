// Answers: how many stimuli were recognised, and which classes were confused?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include "feature_map.hpp"
#include "stimulus.hpp"

namespace N2D2_Export {

// Scores target 0 where it gives classes (data: distance.hpp). The success of a stimulus is the fraction of
// right entries among those with an expected value >= 0; a stimulus without such entries does not count.
class Score {
 public:
  explicit Score(int top);

  // `values`: the output of the target's cell, needed when top > 1.
  void add(const Stimulus& stimulus, const std::vector<int32_t>& outputs, const FeatureMap& values);

  double success() const { return success_; }
  int count() const { return count_; }
  double percent() const { return count_ > 0 ? 100.0 * success_ / count_ : 0.0; }

  // Prints a table with a row for each expected class and a column for each class found.
  std::string confusion() const;
  std::string confusion_json() const;

 private:
  bool is_right(int pixel, int expected, int found, const FeatureMap& values) const;

  int top_;
  int classes_;
  double success_;
  int count_;
  std::vector<int> matrix_;
};

}  // namespace N2D2_Export

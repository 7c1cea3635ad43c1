// How good are the decisions? Counts of (expected, estimated) and the figures that follow from them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"

namespace n2d2::data {

enum class Metric {
  Sensitivity,
  Specificity,
  Precision,
  NegativePredictiveValue,
  MissRate,
  FallOut,
  FalseDiscoveryRate,
  FalseOmissionRate,
  Accuracy,
  F1Score,
  Informedness,
  Markedness,
  IU
};

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::Metric> {
  static constexpr std::array names{
      "Sensitivity", "Specificity", "Precision",          "NegativePredictiveValue",
      "MissRate",    "FallOut",     "FalseDiscoveryRate", "FalseOmissionRate",
      "Accuracy",    "F1Score",     "Informedness",       "Markedness",
      "IU"};
};

namespace n2d2::data {

/// Decisions about one class against all others.
struct ClassCounts {
  int64_t tp = 0, tn = 0, fp = 0, fn = 0;
};

/// A quotient of counts in [0,1] (Informedness, Markedness: [-1,1]); 0 where its denominator is 0.
double metric(Metric which, const ClassCounts& counts);

class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int classes = 0);

  /// expected, estimated in [0, classes).
  void add(int expected, int estimated, int64_t count = 1);
  void add(const ConfusionMatrix& other);

  int classes() const { return classes_; }
  int64_t count(int expected, int estimated) const;
  int64_t total() const;
  ClassCounts counts(int cls) const;
  /// Share of decisions on the diagonal; 0 without any.
  double recognition_rate() const;
  /// Mean of metric() over the classes having at least one tp, fp or fn; 0 without any.
  double macro(Metric which) const;
  /// Text table of counts and row percentages (ConfusionMatrix_*.dat). A missing name is the class number.
  std::string text(const std::vector<std::string>& names = {}) const;

 private:
  int classes_;
  std::vector<int64_t> counts_, expected_, estimated_;  // all, and summed over a row and over a column
};

/// The lines of a score from "Final recognition rate" on, each ended by a newline; rate in [0,1].
std::string final_score_text(double recognition_rate, const ConfusionMatrix& confusion);

}  // namespace n2d2::data

#include "n2d2/data/confusion_matrix.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

namespace n2d2::data {
namespace {

/// Class 0: 8 right, 2 taken for 1. Class 1: 5 right, 5 taken for 0. Class 2 never occurs.
ConfusionMatrix sample() {
  ConfusionMatrix out(3);
  out.add(0, 0, 8);
  out.add(0, 1, 2);
  out.add(1, 1, 5);
  out.add(1, 0, 5);
  return out;
}

TEST(ConfusionMatrix, CountsOneClassAgainstTheOthers) {
  const ClassCounts c = sample().counts(0);
  EXPECT_EQ(c.tp, 8);
  EXPECT_EQ(c.fn, 2);
  EXPECT_EQ(c.fp, 5);
  EXPECT_EQ(c.tn, 5);
  EXPECT_DOUBLE_EQ(sample().recognition_rate(), 13.0 / 20);
  EXPECT_DOUBLE_EQ(ConfusionMatrix(2).recognition_rate(), 0);
}

TEST(ConfusionMatrix, FiguresFollowTheirDefinitions) {
  const ClassCounts c{8, 5, 5, 2};  // tp tn fp fn
  EXPECT_DOUBLE_EQ(metric(Metric::Sensitivity, c), 0.8);
  EXPECT_DOUBLE_EQ(metric(Metric::Specificity, c), 0.5);
  EXPECT_DOUBLE_EQ(metric(Metric::Precision, c), 8.0 / 13);
  EXPECT_DOUBLE_EQ(metric(Metric::NegativePredictiveValue, c), 5.0 / 7);
  EXPECT_DOUBLE_EQ(metric(Metric::MissRate, c), 0.2);
  EXPECT_DOUBLE_EQ(metric(Metric::FallOut, c), 0.5);
  EXPECT_DOUBLE_EQ(metric(Metric::FalseDiscoveryRate, c), 5.0 / 13);
  EXPECT_DOUBLE_EQ(metric(Metric::FalseOmissionRate, c), 2.0 / 7);
  EXPECT_DOUBLE_EQ(metric(Metric::Accuracy, c), 13.0 / 20);
  EXPECT_DOUBLE_EQ(metric(Metric::F1Score, c), 16.0 / 23);
  EXPECT_DOUBLE_EQ(metric(Metric::Informedness, c), 0.8 + 0.5 - 1);
  EXPECT_DOUBLE_EQ(metric(Metric::Markedness, c), 8.0 / 13 + 5.0 / 7 - 1);
  EXPECT_DOUBLE_EQ(metric(Metric::IU, c), 8.0 / 15);
  EXPECT_DOUBLE_EQ(metric(Metric::Precision, {0, 4, 0, 3}), 0);
}

TEST(ConfusionMatrix, MeansLeaveOutClassesThatNeverOccur) {
  EXPECT_DOUBLE_EQ(sample().macro(Metric::Sensitivity), (0.8 + 0.5) / 2);
  ConfusionMatrix with_false_positive = sample();
  with_false_positive.add(0, 2);
  EXPECT_DOUBLE_EQ(with_false_positive.macro(Metric::Sensitivity), (8.0 / 11 + 0.5 + 0) / 3);
  EXPECT_DOUBLE_EQ(ConfusionMatrix(4).macro(Metric::Accuracy), 0);
}

TEST(ConfusionMatrix, AddsUp) {
  ConfusionMatrix sum = sample();
  sum.add(sample());
  EXPECT_EQ(sum.count(1, 0), 10);
  EXPECT_EQ(sum.total(), 40);
  EXPECT_THROW(sum.add(3, 0), InternalError);
  EXPECT_THROW(sum.add(ConfusionMatrix(2)), InternalError);
}

TEST(ConfusionMatrix, PrintsCountsAndRowPercentages) {
  EXPECT_EQ(sample().text({"cat", "dog"}),
            "# rows: expected, columns: estimated; count, then percent of the row\n"
            "# 0:\"cat\" 1:\"dog\" 2:\"2\"\n"
            "0 8 80.00 2 20.00 0 0.00\n"
            "1 5 50.00 5 50.00 0 0.00\n"
            "2 0 0.00 0 0.00 0 0.00\n");
}

TEST(FinalScore, HasTheLinesScriptsRelyOn) {
  EXPECT_EQ(final_score_text(0.98954, sample()),
            "Final recognition rate: 98.95%    (error rate: 1.05%)\n"
            "    Sensitivity: 65.00% / Specificity: 65.00% / Precision: 66.48%\n"
            "    Accuracy: 65.00% / F1-score: 64.19% / Informedness: 30.00%\n");
}

}  // namespace
}  // namespace n2d2::data

#include "n2d2/data/agreement.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

namespace n2d2::data {
namespace {

Target target(int outputs, TargetOptions options = {}) {
  Diagnostics diagnostics;
  const std::vector<std::string> labels{"a", "b"};
  return *make_target(options, labels, outputs, NoKeys("[t]"), diagnostics);
}

Tensor bytes(const Shape& shape, const std::vector<int8_t>& values) {
  Tensor out(shape, DataType::I8);
  std::copy(values.begin(), values.end(), out.data<int8_t>());
  return out;
}

/// Both score and compare one batch.
Agreement compared(const Target& t, const Tensor& floats, const Tensor& integers,
                   const std::vector<int>& labels, double step) {
  Score a(t), b(t);
  Agreement out(t);
  a.add(floats, labels, floats);
  b.add(integers, labels, floats, step);
  out.add(a, b, labels, floats, integers, step);
  return out;
}

TEST(McNemar, IsTheSumOfTheTailsOfTossesOfACoin) {
  EXPECT_EQ(mcnemar_p(0, 0), 1);
  EXPECT_EQ(mcnemar_p(3, 3), 1);
  EXPECT_NEAR(mcnemar_p(1, 0), 1, 1e-12);
  EXPECT_NEAR(mcnemar_p(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar_p(0, 6), 2.0 / 64, 1e-12);
  EXPECT_NEAR(mcnemar_p(2, 8), 2.0 * (1 + 10 + 45) / 1024, 1e-12);
  EXPECT_NEAR(mcnemar_p(8, 2), mcnemar_p(2, 8), 1e-15);
  // In exact fractions.
  EXPECT_NEAR(mcnemar_p(49500, 50500), 0.00158236, 1e-8);
}

TEST(Agreement, CountsWhoIsRight) {
  // Classes 1, 1, 0, 0, 1; floats decide 1, 1, 1, 1, 0 and integers 1, 0, 0, 1, 0.
  const Tensor floats = Tensor::from({5, 2, 1, 1}, {0, 1, 0, 1, 0, 1, 0, 1, 1, 0});
  const Tensor integers = bytes({5, 2, 1, 1}, {0, 2, 2, 0, 2, 0, 0, 2, 2, 0});
  const Agreement a = compared(target(2), floats, integers, {1, 1, 0, 0, 1}, 0.5);
  EXPECT_EQ(a.decisions(), 5);
  EXPECT_EQ(a.equal(), 3);
  EXPECT_DOUBLE_EQ(a.share(), 0.6);
  EXPECT_EQ(a.paired().both, 1);
  EXPECT_EQ(a.paired().only_floats, 1);
  EXPECT_EQ(a.paired().only_integers, 1);
  EXPECT_EQ(a.paired().neither, 2);
  ASSERT_TRUE(a.p());
  EXPECT_EQ(*a.p(), 1);
  EXPECT_DOUBLE_EQ(a.outputs().sqnr(), 10 * std::log10(5.0 / 4)) << "the steps are of one half";
}

TEST(Agreement, DecisionsWithoutLabelAgreeAndAreNotPaired) {
  const Tensor floats = Tensor::from({1, 2, 1, 1}, {0, 1});
  const Agreement a = compared(target(2), floats, bytes({1, 2, 1, 1}, {0, 1}), {-1}, 1);
  EXPECT_EQ(a.equal(), 1);
  EXPECT_EQ(a.paired().both + a.paired().neither, 0);
  EXPECT_FALSE(a.p());
}

TEST(Agreement, PixelsAreDecisionsAndNoTosses) {
  const Tensor floats = Tensor::from({1, 2, 1, 2}, {0, 1, 1, 0});
  const Agreement a = compared(target(2), floats, bytes({1, 2, 1, 2}, {0, 0, 1, 1}), {1}, 1);
  EXPECT_EQ(a.decisions(), 2);
  EXPECT_EQ(a.equal(), 1);
  EXPECT_FALSE(a.p());
}

TEST(Agreement, OfDataComparesOutputsAlone) {
  TargetOptions options;
  options.data_as_target = true;
  const Tensor floats = Tensor::from({1, 2, 1, 1}, {3, 4});
  const Agreement a = compared(target(2, options), floats, bytes({1, 2, 1, 1}, {3, 3}), {-1}, 1);
  EXPECT_FALSE(a.has_classes());
  EXPECT_FALSE(a.p());
  EXPECT_EQ(a.decisions(), 0);
  EXPECT_DOUBLE_EQ(a.outputs().mean_squared_error(), 0.5);
}

}  // namespace
}  // namespace n2d2::data

#include "n2d2/quantize/histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/random.hpp"

namespace n2d2::quantize {
namespace {

TEST(Histogram, RefusesValuesOutsideItsLimits) {
  Histogram symmetric(-1.5, 1.5, 6), positive(0, 2, 4);
  for (const double x : {-1.5, 1.5}) symmetric.insert(x);
  for (const double x : {0.0, 2.0}) positive.insert(x);
  EXPECT_EQ(symmetric.total(), 2U);
  EXPECT_EQ(positive.total(), 2U);
  try {
    symmetric.insert(1.75);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("value 1.75 is outside the limits [-1.5, 1.5] of a histogram"));
  }
  EXPECT_THROW(positive.insert(-0.01), InternalError);
  EXPECT_EQ(symmetric.total(), 2U);
}

TEST(BinCounts, CountLikeOneInsertForEachValue) {
  for (const double low : {0.0, -3.25}) {
    Histogram one_by_one(low, 3.25, 16384), together(low, 3.25, 16384);
    Rng rng(5, "counts");
    BinCounts counts;
    for (const size_t size : {1, 7, 512, 1201, 30000}) {
      std::vector<float> values(size);
      for (float& x : values) x = rng.below(3) == 0 ? 0.0F : static_cast<float>(rng.uniform(low, 3.25));
      // Limits, and the boundary of a bin.
      values[0] = 3.25F;
      values[size / 2] = static_cast<float>(low);
      values[size - 1] = static_cast<float>(low + 4096 * one_by_one.width());
      for (const float x : values) one_by_one.insert(x);
      counts.count(together, values);
      together.insert(counts);
      EXPECT_EQ(together, one_by_one) << size << " values from " << low;
    }
  }
}

TEST(BinCounts, RefuseWhatAHistogramRefuses) {
  const Histogram limits(-1, 1, 64);
  for (const float wrong : {1.5F, -1.0001F, NAN}) {
    std::vector<float> values(700, 0.5F);
    values[600] = wrong;
    EXPECT_THROW(BinCounts().count(limits, values), InternalError) << wrong;
  }
  BinCounts counts;
  counts.count(limits, std::vector<float>{0.5F});
  Histogram other(-1, 1, 32);
  EXPECT_THROW(other.insert(counts), InternalError);
}

TEST(Histogram, CountsLikeANaiveCounter) {
  Histogram histogram(-2, 3, 50);
  std::vector<uint64_t> expected(50);
  Rng rng(3, "histogram");
  uint64_t total = 0;
  for (int i = 0; i < 5000; ++i) {
    const double x = rng.uniform(-2, 3);
    const uint64_t times = 1 + rng.below(3);
    for (size_t b = 0; b < 50; ++b) {
      const double low = -2 + 0.1 * static_cast<double>(b);
      if (x >= low && x < low + 0.1) expected[b] += times;
    }
    histogram.insert(x, times);
    total += times;
  }
  EXPECT_EQ(histogram.bins(), 50);
  EXPECT_DOUBLE_EQ(histogram.width(), 0.1);
  EXPECT_EQ(histogram.total(), total);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), histogram.counts().begin()));
}

TEST(Histogram, KnowsTheCentreOfEachBin) {
  const Histogram histogram(-1, 3, 8);
  for (int64_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(histogram.centre(i), -0.75 + 0.5 * static_cast<double>(i));
  EXPECT_THROW(histogram.centre(8), InternalError);
  EXPECT_THROW(histogram.centre(-1), InternalError);
}

TEST(Histogram, ClampsLookupsAndPutsBoundariesInTheUpperBin) {
  Rng rng(5, "boundaries");
  for (int n = 0; n < 1000; ++n) {
    const double low = rng.uniform(-10, 0), high = rng.uniform(0.1, 10);
    const auto bins = static_cast<int64_t>(1 + rng.below(300));
    const Histogram histogram(low, high, bins);
    EXPECT_EQ(histogram.bin(low - 1), 0);
    EXPECT_EQ(histogram.bin(high + 1), bins - 1);
    EXPECT_EQ(histogram.bin(high), bins - 1);
    for (int64_t i = 0; i < bins; ++i)
      ASSERT_EQ(histogram.bin(low + (high - low) / static_cast<double>(bins) * static_cast<double>(i)), i);
  }
}

TEST(Histogram, NeedsLimitsAndBins) {
  EXPECT_THROW(Histogram(1, 1, 4), InternalError);
  EXPECT_THROW(Histogram(0, 1, 0), InternalError);
}

TEST(Histogram, HasMoreBinsForMoreBits) {
  EXPECT_EQ(histogram_bins(2), 256);
  EXPECT_EQ(histogram_bins(8), 16384);
  EXPECT_EQ(histogram_bins(10), 65536);
  EXPECT_EQ(histogram_bins(16), 65536);
}

}  // namespace
}  // namespace n2d2::quantize

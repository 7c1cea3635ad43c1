#include "n2d2/quantize/clipping.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace n2d2::quantize {
namespace {

/// The histogram of 10^9 samples without noise: each bin gets its probability mass. `cdf` is of |x|.
Histogram expected_histogram(const std::function<double(double)>& cdf, double limit, int bits,
                             bool is_signed) {
  Histogram histogram(is_signed ? -limit : 0, limit, histogram_bins(bits));
  for (int64_t i = 0; i < histogram.bins(); ++i) {
    const double low = std::abs(histogram.centre(i)) - histogram.width() / 2;
    const double mass = (cdf(low + histogram.width()) - cdf(low)) / (is_signed ? 2 : 1);
    if (const auto count = static_cast<uint64_t>(std::llround(mass * 1e9)))
      histogram.insert(histogram.centre(i), count);
  }
  return histogram;
}

/// Minimum over a fine grid of T of the integral of (x - Q(x))^2 p(x), by the midpoint rule.
double best_threshold(const std::function<double(double)>& density, double limit, int bits, bool is_signed) {
  const double half = std::ldexp(1, bits - 1);
  const double q_min = is_signed ? -half : 0, q_max = is_signed ? half - 1 : 2 * half - 1;
  double best = INFINITY, threshold = 0;
  for (double t = limit / 200; t <= limit; t += limit / 400) {
    const double step = t / q_max;
    double error = 0;
    const double dx = std::min(step / 8, limit / 4000);
    for (double x = (is_signed ? -limit : 0) + dx / 2; x < limit; x += dx) {
      const double q = std::min(std::max(std::round(x / step), q_min), q_max) * step;
      error += (x - q) * (x - q) * density(std::abs(x)) * dx;
    }
    if (error < best) {
      best = error;
      threshold = t;
    }
  }
  return threshold;
}

double gaussian(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
}
double gaussian_cdf(double x) {
  return x < 0 ? -std::erf(-x / std::sqrt(2)) : std::erf(x / std::sqrt(2));
}
double laplace(double x) {
  return std::exp(-x) / 2;
}
double laplace_cdf(double x) {
  return x < 0 ? std::exp(x) - 1 : 1 - std::exp(-x);
}

class MseThreshold : public ::testing::TestWithParam<int> {};

// The optimum is flat: the grid of the search (1/1000 of the limit) and of this oracle (1/400) are part of
// the 2 %.
TEST_P(MseThreshold, IsWithinTwoPercentOfTheOptimumOfAGaussian) {
  const int bits = GetParam();
  const double found =
      clipping("MSE", "test").threshold(expected_histogram(gaussian_cdf, 6, bits, true), {bits, true});
  const double best = best_threshold(gaussian, 6, bits, true);
  EXPECT_NEAR(found, best, 0.02 * best);
}

TEST_P(MseThreshold, IsWithinTwoPercentOfTheOptimumOfALaplacian) {
  const int bits = GetParam();
  const double limit = bits < 8 ? 12 : 20;
  const double found =
      clipping("MSE", "test").threshold(expected_histogram(laplace_cdf, limit, bits, true), {bits, true});
  const double best = best_threshold(laplace, limit, bits, true);
  EXPECT_NEAR(found, best, 0.02 * best);
}

TEST_P(MseThreshold, IsWithinTwoPercentOfTheOptimumOfARectifiedGaussian) {
  const int bits = GetParam();
  const double found =
      clipping("MSE", "test").threshold(expected_histogram(gaussian_cdf, 6, bits, false), {bits, false});
  const double best = best_threshold(gaussian, 6, bits, false);
  EXPECT_NEAR(found, best, 0.02 * best);
}

INSTANTIATE_TEST_SUITE_P(Bits, MseThreshold, ::testing::Values(2, 4, 8));

TEST(MseThresholdOf, ValuesOnTheGridIsTheLargestOne) {
  Histogram histogram(0, 1, 1000);
  histogram.insert(0.9995, 10);
  histogram.insert(0.0005, 10);
  EXPECT_NEAR(clipping("MSE", "test").threshold(histogram, {8, false}), 1, 2e-3);
}

TEST(Clipping, GivesZeroForAnEmptyHistogram) {
  const Histogram empty(-1, 1, 16);
  for (const char* mode : {"None", "MSE"}) EXPECT_EQ(clipping(mode, "test").threshold(empty, {}), 0) << mode;
}

TEST(Clipping, NoneIsTheLargestMagnitude) {
  Histogram histogram(-3, 3, 16);
  histogram.insert(1);
  EXPECT_EQ(clipping("None", "test").threshold(histogram, {}), 3);
  EXPECT_FALSE(clipping("None", "test").needs_histogram);
  EXPECT_TRUE(clipping("MSE", "test").needs_histogram);
}

std::string message(std::string_view mode) {
  try {
    clipping(mode, "-act-clipping-mode");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Clipping, SaysWhatIsNotSupportedAndWhatIsKnown) {
  EXPECT_EQ(message("KL-Divergence"),
            "-act-clipping-mode: 'KL-Divergence' is not supported yet; known: MSE, None");
  EXPECT_EQ(message("Quantile"), "-act-clipping-mode: 'Quantile' is not supported yet; known: MSE, None");
  EXPECT_EQ(message("mse"), "-act-clipping-mode: unknown clipping mode 'mse'; known: MSE, None");
}

}  // namespace
}  // namespace n2d2::quantize

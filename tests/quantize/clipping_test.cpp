#include "n2d2/quantize/clipping.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

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

/// Values of a distribution with long tails, or of its magnitude.
std::vector<double> long_tailed(int count, bool is_signed) {
  std::mt19937 bits(7);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const double u = (static_cast<double>(bits()) + 0.5) / 4294967296.0;
    const double magnitude = -std::log(u);
    out.push_back(is_signed && bits() % 3 == 0 ? -magnitude : magnitude);
  }
  return out;
}

Histogram histogram_of(const std::vector<double>& values, int64_t bins, bool is_signed) {
  double limit = 0;
  for (const double v : values) limit = std::max(limit, std::abs(v));
  Histogram out(is_signed ? -limit : 0, limit, bins);
  for (const double v : values) out.insert(v);
  return out;
}

/// KL(P, Q) as it is written: Q is what a bin gets back of the coarse bin that its centre, clamped, was
/// poured into.
double divergence(const Histogram& fine, double t, int coarse_bins) {
  const double low = fine.min() < 0 ? -t : 0, width = (t - low) / coarse_bins;
  std::vector<double> poured(static_cast<size_t>(coarse_bins));
  std::vector<size_t> place;
  for (int64_t b = 0; b < fine.bins(); ++b) {
    const double x = fine.min() + (static_cast<double>(b) + 0.5) * (fine.max() - fine.min()) / fine.bins();
    const double index = std::floor((std::clamp(x, low, t) - low) / width + 1e-6);
    place.push_back(static_cast<size_t>(std::min(index, coarse_bins - 1.0)));
    poured[place.back()] += static_cast<double>(fine.counts()[static_cast<size_t>(b)]);
  }
  double z = 0, sum = 0;
  for (const size_t j : place) z += poured[j];
  for (size_t b = 0; b < place.size(); ++b)
    if (const auto count = static_cast<double>(fine.counts()[b]); count > 0) {
      const double p = count / static_cast<double>(fine.total());
      sum += p * std::log(p / (poured[place[b]] / z));
    }
  return sum;
}

class KlThreshold : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(KlThreshold, HasTheSmallestDivergenceOfAllCandidates) {
  const auto [bits, is_signed] = GetParam();
  const Histogram histogram = histogram_of(long_tailed(20000, is_signed), 64 << bits, is_signed);
  const double found = clipping("KL-Divergence", "test").threshold(histogram, {bits, is_signed});
  double best = INFINITY, first = 0;
  for (int k = 0; k < 1000; ++k) {
    const double t = histogram.max() * (1000 - k) / 1000;
    const double now = divergence(histogram, t, 1 << bits);
    if (now < best) best = now, first = t;
  }
  EXPECT_NEAR(divergence(histogram, found, 1 << bits), best, 1e-9);
  EXPECT_DOUBLE_EQ(found, first);
  EXPECT_LT(found, histogram.max()) << "long tails are cut";
}

INSTANTIATE_TEST_SUITE_P(Bits, KlThreshold, ::testing::Combine(::testing::Values(2, 4), ::testing::Bool()));

TEST(KlThresholdOf, EquallyFrequentValuesIsTheLargestOne) {
  Histogram histogram(0, 1, 256);
  for (int64_t b = 0; b < histogram.bins(); ++b) histogram.insert(histogram.centre(b), 100);
  EXPECT_EQ(clipping("KL-Divergence", "test").threshold(histogram, {4, false}), 1);
}

TEST(QuantileThreshold, LeavesThatShareOfTheMagnitudes) {
  const Clipping& mode = clipping("Quantile", "test");
  EXPECT_EQ(mode.bins(4), 65536);
  for (const bool is_signed : {false, true})
    for (const double q : {0.5, 0.99, 0.9999, 1.0}) {
      const std::vector<double> values = long_tailed(20000, is_signed);
      const Histogram histogram = histogram_of(values, mode.bins(8), is_signed);
      std::vector<double> magnitudes;
      for (const double v : values) magnitudes.push_back(std::abs(v));
      std::sort(magnitudes.begin(), magnitudes.end());
      const double wanted = magnitudes.at(static_cast<size_t>(std::floor(q * 20000)) - 1);
      EXPECT_NEAR(mode.threshold(histogram, {8, is_signed, q}), wanted, 0.51 * histogram.width())
          << is_signed << " " << q;
    }
}

TEST(QuantileThreshold, OfValuesBelowZeroIsTheirs) {
  Histogram histogram(-4, 4, 16);
  histogram.insert(-3.9, 99);
  histogram.insert(0.1, 1);
  EXPECT_EQ(clipping("Quantile", "test").threshold(histogram, {8, true, 0.9}), 3.75);
  EXPECT_EQ(clipping("Quantile", "test").threshold(histogram, {8, true, 0.001}), 0.25)
      << "one value at least";
}

TEST(Clipping, GivesZeroForAnEmptyHistogram) {
  const Histogram empty(-1, 1, 16);
  for (const std::string& mode : clipping_names())
    EXPECT_EQ(clipping(mode, "test").threshold(empty, {}), 0) << mode;
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

TEST(Clipping, SaysWhatIsKnown) {
  EXPECT_EQ(message("mse"),
            "-act-clipping-mode: unknown clipping mode 'mse'; known: KL-Divergence, MSE, None, Quantile");
  EXPECT_EQ(message("KL-Divergence"), "");
  EXPECT_EQ(message("Quantile"), "");
  EXPECT_EQ(weight_clipping_names(), (std::vector<std::string>{"KL-Divergence", "MSE", "None"}));
}

}  // namespace
}  // namespace n2d2::quantize

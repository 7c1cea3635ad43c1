// How far are outputs off, on which samples?
#include "n2d2/quantize/compare_settings.hpp"

#include <gtest/gtest.h>

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

/// Samples of one number each, 0, 1, 2 and so on, `batch` at once.
quantize::BatchSource numbers(int64_t count, int64_t batch) {
  return [=](int64_t index, Tensor& to) {
    const int64_t first = index * batch, size = std::min(batch, count - first);
    if (size <= 0) return false;
    std::vector<float> values;
    for (int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(first + i));
    to = Tensor::from(Shape{size, 1, 1, 1}, std::move(values));
    return true;
  };
}

std::vector<float> held_out(int64_t count, int64_t batch) {
  const Tensor samples = quantize::held_out_samples(numbers(count, batch), count);
  if (samples.empty()) return {};
  return {samples.span<float>().begin(), samples.span<float>().end()};
}

TEST(HeldOutSamples, AreEveryFourthOfThoseThatAreRun) {
  EXPECT_EQ(held_out(7, 4), std::vector<float>{});
  EXPECT_EQ(held_out(8, 3), (std::vector<float>{3, 7}));
  EXPECT_EQ(held_out(13, 5), (std::vector<float>{3, 7, 11}));
}

TEST(HeldOutSamples, AreSpreadAndNotMoreThan64) {
  const std::vector<float> found = held_out(1100, 100);  // one in three is run
  ASSERT_EQ(found.size(), 64U);
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<float>(3 * (4 * i + 3)));
}

/// y = x through weights of one, over values from -1 to 1.
struct Identity : ::testing::Test {
  Net net{Shape{1, 1, 4, 4}};
  quantize::Options options = without_clipping();
  Tensor samples{Shape{2, 1, 4, 4}};

  Identity() {
    ops::Conv op;
    op.kernel = {1, 1}, op.nb_outputs = 1;
    const ValueId conv = net.conv("conv", net.data, op, false);
    net.graph.set_constant(net.node("conv").inputs[1], Tensor::from(Shape{1, 1, 1, 1}, {1}));
    net.graph.set_outputs({conv});
    for (int64_t i = 0; i < samples.elements(); ++i)
      samples.data<float>()[i] = static_cast<float>(i - 16) / 16;
  }
  quantize::OutputSnr snr(const quantize::Ranges& ranges) const {
    const quantize::Setting setting{"plain", &net.graph, &ranges, nullptr, options};
    return quantize::output_snr(net.graph, {&setting, 1}, samples, {compute::Backend::Reference, false, 0})
        .at(0);
  }
};

/// An oracle by hand: signed bytes whose threshold is `most`, in and out.
double expected_snr(const Tensor& samples, double most) {
  double signal = 0, error = 0;
  for (const float x : samples.span<float>()) {
    const double step = most / 127, in = step * std::clamp(std::round(double{x} / step), -128.0, 127.0);
    signal += double{x} * double{x};
    error += (double{x} - in) * (double{x} - in);
  }
  return 10 * std::log10(signal / error);
}

TEST_F(Identity, ErrsAsItsGrid) {
  constexpr double kFloat32 = 0.01;  // dB: steps are float32, an error of 1e-7 beside one of 1e-3
  quantize::Ranges ranges = observe(net.graph, samples);
  const quantize::OutputSnr found = snr(ranges);
  EXPECT_NEAR(found.all, expected_snr(samples, 1), kFloat32);
  ASSERT_EQ(found.of_samples.size(), 2U);
  for (int64_t n = 0; n < 2; ++n) {
    const float* first = samples.data<float>() + n * 16;
    const Tensor one = Tensor::from(Shape{1, 1, 4, 4}, {first, first + 16});
    EXPECT_NEAR(found.of_samples[static_cast<size_t>(n)], expected_snr(one, 1), kFloat32);
  }
  for (auto& [id, statistics] : ranges.values) statistics.min = -0.5, statistics.max = 0.5;
  EXPECT_NEAR(snr(ranges).all, expected_snr(samples, 0.5), kFloat32);
}

TEST_F(Identity, HasABoundWhereNothingErrs) {
  for (float& x : samples.span<float>()) x = 0;
  quantize::Ranges ranges = observe(net.graph, samples);
  EXPECT_EQ(snr(ranges).all, 200);
}

}  // namespace
}  // namespace n2d2::testing

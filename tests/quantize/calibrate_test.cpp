#include "n2d2/quantize/calibrate.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::Ranges;

struct Calibrate : ::testing::Test {
  Net net{Shape{1, 2, 5, 5}};
  Tensor samples = random_tensor(Shape{12, 2, 5, 5}, net.rng, 0, 1);

  Calibrate() {
    ValueId x = net.conv("conv", net.data, 4, 3);
    net.graph.set_clamp(net.node("conv").id, Clamp{0, Clamp{}.hi});
    net.graph.set_outputs({net.fc("fc", net.pool("pool", x, ops::Pooling::Max, 2), 3)});
  }
  /// Batches of `size` samples, the last one shorter.
  quantize::BatchSource batches(int64_t size) const {
    return [this, size](int64_t index, Tensor& batch) {
      const int64_t first = index * size, count = std::min(size, samples.shape().n() - first);
      if (count <= 0) return false;
      const int64_t elements = samples.elements() / samples.shape().n();
      batch = Tensor(samples.shape().with_batch(count));
      std::copy_n(samples.span<float>().begin() + first * elements, count * elements, batch.data<float>());
      return true;
    };
  }
  quantize::Statistics of(const Ranges& ranges, const char* name) const {
    return ranges.values.at(*net.graph.find_value(name));
  }
  Ranges run(int64_t batch, const quantize::Options& options = {},
             const quantize::CalibrationProgress& progress = {}) {
    compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
    return quantize::calibrate(net.graph, executor, batches(batch), options, progress);
  }
};

TEST_F(Calibrate, MeasuresEveryValueIncludingTheInput) {
  const Ranges ranges = run(12);
  EXPECT_EQ(ranges.samples, 12);
  ASSERT_EQ(ranges.values.size(), 4U);
  for (const auto& [id, tensor] : evaluate_all(net.graph, samples)) {
    const quantize::Statistics& s = ranges.values.at(id);
    double sum = 0, squares = 0;
    for (const float x : tensor.span<float>()) {
      sum += x;
      squares += double{x} * x;
    }
    const auto data = tensor.span<float>();
    EXPECT_EQ(s.smallest, *std::min_element(data.begin(), data.end()));
    EXPECT_EQ(s.min, std::min(0.0F, *std::min_element(data.begin(), data.end())));
    EXPECT_EQ(s.max, std::max(0.0F, *std::max_element(data.begin(), data.end())));
    EXPECT_EQ(s.count, data.size());
    EXPECT_NEAR(s.sum, sum, 1e-9 * squares);
    const size_t channels = static_cast<size_t>(tensor.shape().c());
    const size_t pixels = static_cast<size_t>(tensor.shape().h() * tensor.shape().w());
    std::vector<double> of_channel(channels, 0);
    for (size_t i = 0; i < data.size(); ++i) of_channel[i / pixels % channels] += double{data[i]};
    ASSERT_EQ(s.channel_sums.size(), channels);
    for (size_t c = 0; c < channels; ++c) {
      EXPECT_NEAR(s.channel_sums[c], of_channel[c], 1e-9 * squares);
      EXPECT_NEAR(s.channel_mean(c), of_channel[c] / static_cast<double>(data.size() / channels), 1e-9);
    }
    EXPECT_NEAR(s.stddev() * s.stddev() + s.mean() * s.mean(), squares / static_cast<double>(data.size()),
                1e-9);
    ASSERT_TRUE(s.histogram);
    EXPECT_EQ(s.histogram->total(), data.size());
    EXPECT_EQ(s.histogram->max(), std::max(0.1, s.maxabs()));
  }
}

TEST_F(Calibrate, MeasuresTheSameInEveryLayoutOfABackend) {
  // Two ways of adding the same products: differences are of single roundings to float.
  constexpr double kRelative = 1e-5;
  const Ranges planes = run(12);
  compute::Executor executor(net.graph,
                             {.backend = compute::Backend::OneDnn, .keep = compute::Keep::Outputs});
  const Ranges pixels = quantize::calibrate(net.graph, executor, batches(12), {});
  ASSERT_EQ(pixels.values.size(), planes.values.size());
  for (const auto& [id, expected] : planes.values) {
    const std::string& name = net.graph.value(id).name;
    const quantize::Statistics& found = pixels.values.at(id);
    const double scale = std::sqrt(expected.sum_of_squares * static_cast<double>(expected.count));
    EXPECT_NEAR(found.min, expected.min, kRelative * expected.maxabs()) << name;
    EXPECT_NEAR(found.max, expected.max, kRelative * expected.maxabs()) << name;
    EXPECT_EQ(found.count, expected.count) << name;
    EXPECT_NEAR(found.sum, expected.sum, kRelative * scale) << name;
    ASSERT_EQ(found.channel_sums.size(), expected.channel_sums.size()) << name;
    for (size_t c = 0; c < expected.channel_sums.size(); ++c)
      EXPECT_NEAR(found.channel_sums[c], expected.channel_sums[c], kRelative * scale) << name << " " << c;
  }
}

// What -mean and -std make of a picture of one colour has a value for each channel.
TEST_F(Calibrate, NamesSamplesWithoutContent) {
  const auto values = samples.span<float>();
  for (size_t i = 0; i < 50; ++i) values[7 * 50 + i] = i < 25 ? 0.25F : 0.5F, values[50 + i] = 0;
  values[50 + 49] = 1e-3F;
  EXPECT_EQ(run(5).constant_samples, (std::vector<int64_t>{7}));
  compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
  const Ranges measured = quantize::measure(net.graph, executor, batches(5));
  EXPECT_EQ(quantize::with_histograms(net.graph, executor, measured, batches(5), {}), run(5));
}

TEST_F(Calibrate, HasHistogramsFromZeroForUnsignedValues) {
  const Ranges ranges = run(4);
  for (const char* name : {"data", "conv", "pool"}) EXPECT_EQ(of(ranges, name).histogram->min(), 0) << name;
  EXPECT_EQ(of(ranges, "fc").histogram->min(), -of(ranges, "fc").histogram->max());
  EXPECT_EQ(of(ranges, "fc").histogram->bins(), 16384);
  quantize::Options options;
  options.allow_unsigned = false;
  EXPECT_LT(of(run(4, options), "conv").histogram->min(), 0);
  options.activation_clipping = "Quantile";
  EXPECT_EQ(of(run(4, options), "conv").histogram->bins(), 65536);
  samples.span<float>()[77] = -0.25F;
  EXPECT_LT(of(run(4), "data").histogram->min(), 0);
}

TEST_F(Calibrate, DoesNotDependOnBatchesOrThreads) {
  const Ranges one = run(1);
  for (const int64_t size : {2, 5, 12, 100}) EXPECT_EQ(run(size), one) << "batch " << size;
  const int threads = max_threads();
  set_max_threads(1);
  EXPECT_EQ(run(5), one);
  set_max_threads(4);
  EXPECT_EQ(run(5), one);
  set_max_threads(threads);
}

TEST_F(Calibrate, ReadsOnceWhenNoHistogramIsWanted) {
  std::string seen;
  const auto progress = [&](int reading, int64_t count) { seen += fmt::format("{}:{} ", reading, count); };
  const Ranges ranges = run(8, without_clipping(), progress);
  EXPECT_EQ(seen, "0:8 0:12 ");
  EXPECT_FALSE(of(ranges, "conv").histogram);
  run(8, {}, progress);
  EXPECT_EQ(seen, "0:8 0:12 0:8 0:12 1:8 1:12 ");
}

TEST_F(Calibrate, NeedsSamples) {
  compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
  try {
    quantize::calibrate(net.graph, executor, [](int64_t, Tensor&) { return false; }, {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "-calib: the calibration set is empty\n  hint: give the database a Validation or Learn part");
  }
}

TEST_F(Calibrate, NamesTheSampleThatIsNotFinite) {
  net.parameter("conv", 2)[0] = INFINITY;
  try {
    run(5);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "net.ini:7: [conv] Conv: expected finite values, got infinity or NaN for calibration sample 0\n"
        "  hint: check the weights, and the transformations of the data");
  }
  net.parameter("conv", 2)[0] = 0;
  samples.span<float>()[7 * 50 + 3] = NAN;
  try {
    run(5);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "network input 'data': expected finite values, got infinity or NaN for calibration sample 7\n"
        "  hint: check the weights, and the transformations of the data");
  }
}

TEST_F(Calibrate, RefusesOptionsBeforeItReads) {
  EXPECT_THROW(run(5, without_clipping(1)), ConfigError);
}

TEST_F(Calibrate, GivesWhatQuantizationNeeds) {
  const Ranges ranges = run(6);
  const auto report = quantize::quantize_graph(net.graph, ranges, {});
  EXPECT_EQ(report.samples, 12);
  EXPECT_EQ(report.layers[1].clipping, "MSE");
}

TEST(UnsignedValues, FollowDeclaredRanges) {
  Net net(Shape{1, 2, 4, 4});
  const ValueId conv = net.conv("conv", net.data, 2, 1), relu = net.relu("relu", conv);
  const ValueId pool = net.pool("pool", relu, ops::Pooling::Max, 2), join = net.concat("join", {pool, pool});
  const auto of = [&](bool input, const quantize::Options& options = {}) {
    return quantize::unsigned_values(net.graph, input, options);
  };
  EXPECT_TRUE(of(true).at(net.data));
  EXPECT_FALSE(of(false).at(net.data));
  EXPECT_FALSE(of(true).at(conv));
  for (const ValueId id : {relu, pool, join}) EXPECT_TRUE(of(false).at(id));
  quantize::Options options;
  options.allow_unsigned = false;
  EXPECT_FALSE(of(true, options).at(relu));
}

}  // namespace
}  // namespace n2d2::testing

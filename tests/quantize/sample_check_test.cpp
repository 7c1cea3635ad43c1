// A network whose integers lost what its floats do is told from one that is right.
#include "n2d2/quantize/sample_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::SampleCheck;
using quantize::SampleReport;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct SampleChecks : ::testing::Test {
  Net net{Shape{1, 3, 6, 6}};
  Tensor input = random_tensor(Shape{12, 3, 6, 6}, net.rng, -1, 1);

  /// Two convolutions and a mean: four scores.
  void build() {
    const ValueId x = net.conv("conv2", net.conv("conv1", net.data, 6, 3), 6, 1);
    net.graph.set_clamp(net.node("conv1").id, Clamp{0, std::numeric_limits<float>::infinity()});
    net.graph.set_outputs({net.conv("scores", net.pool("mean", x, ops::Pooling::Average, 4), 4, 1)});
  }
  /// What equalization must not do: the same function with one channel far above the others.
  void inflate(const char* parent, const char* child, float factor) {
    const auto above = net.parameter(parent, 1);
    for (size_t i = 0; i < above.size() / 6; ++i) above[i] = 0;
    net.parameter(parent, 2)[0] = 0.7F * factor;
    const auto below = net.parameter(child, 1);
    for (size_t i = 0; i < below.size(); i += 6) below[i] /= factor;
  }
  SampleReport check() {
    compute::Executor executor(net.graph, {.backend = compute::Backend::Reference});
    const SampleCheck samples(net.graph, executor, input);
    quantize::quantize_graph(net.graph, observe_channels(net.graph, input), without_clipping());
    return samples.compare(net.graph);
  }
};

TEST_F(SampleChecks, FindNothingWhereIntegersFollow) {
  build();
  const SampleReport report = check();
  EXPECT_EQ(report.samples, 12);
  ASSERT_EQ(report.outputs.size(), 1U);
  EXPECT_EQ(report.outputs[0].name, "scores");
  EXPECT_EQ(report.outputs[0].distinct_floats, 12);
  EXPECT_GT(report.outputs[0].distinct_integers, 6);
  EXPECT_GT(report.outputs[0].snr, 25);
  EXPECT_EQ(report.outputs[0].begins, "");
  for (const Diagnostic& finding : report.findings) EXPECT_THAT(finding.message, HasSubstr("get one class"));
}

TEST_F(SampleChecks, NameTheLayerWhereOneChannelTakesTheRangeOfTheOthers) {
  build();
  inflate("conv1", "conv2", 1e7F);
  const SampleReport report = check();
  ASSERT_GE(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].message,
            "output 'scores': the integers are the same for all 12 samples, the floats are not; it begins at "
            "'conv1'");
  EXPECT_THAT(report.findings[0].hint, HasSubstr("-no-cle"));
  EXPECT_EQ(report.outputs[0].begins, "conv1");
}

TEST_F(SampleChecks, FindFeaturesThatTheScaleOfTheInputLoses) {
  Net rows(Shape{1, 3, 1, 1});
  rows.graph.set_outputs({rows.fc("fc2", rows.fc("fc1", rows.data, 8), 2)});
  const auto weights = rows.parameter("fc1", 1);
  for (size_t i = 0; i < weights.size(); i += 3) weights[i] = 0;  // the large feature is not used
  Tensor samples = random_tensor(Shape{12, 3, 1, 1}, rows.rng, -1, 1);
  for (size_t i = 0; i < 36; i += 3) samples.span<float>()[i] *= 30000;
  net = rows;
  input = samples;
  const SampleReport report = check();
  ASSERT_GE(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].message, StartsWith("output 'fc2': "));
  EXPECT_THAT(report.findings[0].message, HasSubstr("it begins at 'fc1'"));
}

TEST_F(SampleChecks, TellFeaturesOfDifferentSize) {
  const auto message = [](Net& rows, std::vector<float> sizes) -> std::string {
    Tensor samples = random_tensor(rows.graph.value(rows.data).type.shape.with_batch(16), rows.rng, -1, 1);
    for (size_t i = 0; i < samples.span<float>().size(); ++i)
      samples.span<float>()[i] *= sizes[i % sizes.size()];
    const auto findings = quantize::check_features(rows.graph, samples);
    return findings.empty() ? "" : findings[0].message;
  };
  Net channels(Shape{1, 3, 1, 1}), columns(Shape{1, 1, 1, 3}), shifted(Shape{1, 1, 1, 3}),
      standardized(Shape{1, 1, 1, 3}), series(Shape{1, 1, 1, 3});
  channels.graph.set_outputs({channels.fc("fc", channels.data, 2)});
  columns.graph.set_outputs({columns.fc("fc", columns.data, 2)});
  shifted.graph.set_outputs({shifted.fc("fc", shifted.scaling("before", shifted.data, {0.5}), 2)});
  const auto channels_of_row = standardized.reshape("map", standardized.data, {3, 1, 1});
  standardized.graph.set_outputs(
      {standardized.fc("fc", standardized.depthwise("norm", channels_of_row, 1), 2)});
  series.graph.set_outputs({series.conv("conv", series.data, 2, 1)});
  for (Net* net : {&channels, &columns, &shifted, &standardized}) {
    EXPECT_THAT(
        message(*net, {1, 1000, 900}),
        StartsWith(
            "the input 'data': 1 of 3 features vary by less than a 64th of the largest (feature 0 by "));
    EXPECT_EQ(message(*net, {50, 1000, 900}), "");
    EXPECT_EQ(message(*net, {0, 1000, 900}), "") << "one that never changes";
  }
  EXPECT_EQ(message(series, {1, 1000, 900}), "") << "columns are points in time";
}

TEST_F(SampleChecks, TellAConstantNetwork) {
  build();
  input.fill(0.25F);
  const SampleReport report = check();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].message, "output 'scores': it is the same for all 12 samples, in floats, too");
}

TEST_F(SampleChecks, TellSamplesWithoutContent) {
  build();
  input = Tensor(Shape{32, 3, 6, 6});
  input.fill(0.25F);
  quantize::Ranges ranges = observe_channels(net.graph, input);
  for (int64_t n = 0; n < 32; ++n) ranges.constant_samples.push_back(n);
  auto findings = quantize::check_samples(net.graph, ranges, {32});
  ASSERT_EQ(findings.size(), 1U) << "not each of them again";
  EXPECT_EQ(findings[0].message,
            "the input 'data' is 0.25 in all 32 calibration samples: ranges of the layers are those of one "
            "picture without content");
  ranges = observe_channels(net.graph, random_tensor(Shape{32, 3, 6, 6}, net.rng, -1, 1));
  EXPECT_TRUE(quantize::check_samples(net.graph, ranges, {32}).empty());
  ranges.constant_samples = {3, 5, 9, 30};
  const auto name = [](int64_t n) { return std::to_string(n) + ".png"; };
  findings = quantize::check_samples(net.graph, ranges, {32, name});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].message,
            "4 of 32 calibration samples are constant, all pixels are equal: '3.png', '5.png', '9.png', ...");
  ranges.constant_samples = {30};
  EXPECT_EQ(quantize::check_samples(net.graph, ranges, {32, name}).at(0).message,
            "1 of 32 calibration samples is constant, all pixels are equal: '30.png'");
}

TEST_F(SampleChecks, TellFewSamplesAndThoseOfOneClass) {
  build();
  quantize::Ranges ranges = observe_channels(net.graph, random_tensor(Shape{4, 3, 6, 6}, net.rng, -1, 1));
  ranges.samples = 31;
  const auto finding = [&](const quantize::SampleOrigin& origin) {
    const auto found = quantize::check_samples(net.graph, ranges, origin);
    return found.size() == 1 ? found[0].message + "|" + found[0].hint : std::to_string(found.size());
  };
  const std::string few = "calibrated on 31 samples: others may go beyond what these reach|";
  EXPECT_EQ(finding({31}), few +
                               "there are no more: '-calib-dir' or CalibrationPath takes pictures without "
                               "labels; 100 of all kinds are usual");
  EXPECT_EQ(finding({60}),
            few + "'-calib -1' takes more of the 60 that there are; 100 of all kinds are usual");
  EXPECT_EQ(finding({600}),
            few + "'-calib 100' takes more of the 600 that there are; 100 of all kinds are usual");
  ranges.samples = 32;
  EXPECT_EQ(finding({32}), "0");
  quantize::SampleOrigin origin{600};
  origin.only_class = "cat";
  EXPECT_THAT(finding(origin),
              StartsWith("all 32 calibration samples have the class 'cat': others may reach further|"));
  ranges.samples = 1;
  EXPECT_THAT(finding(origin), StartsWith("calibrated on 1 sample: others")) << "one sample has one class";
}

TEST_F(SampleChecks, WorkIsBounded) {
  Net small(Shape{1, 3, 6, 6}), large(Shape{1, 64, 512, 512});
  small.graph.set_outputs({small.conv("conv", small.data, 4, 3)});
  large.graph.set_outputs({large.conv("conv", large.data, 64, 3)});
  EXPECT_EQ(quantize::samples_to_check(small.graph), 16);
  EXPECT_EQ(quantize::samples_to_check(large.graph), 1);
}

}  // namespace
}  // namespace n2d2::testing

// Is the simpler way to quantize taken where its outputs are nearer?
#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"
#include "n2d2/pipeline/pipeline.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

using ::testing::HasSubstr;

compute::ExecutorOptions executor() {
  return {compute::Backend::Reference, false, 7};
}

quantize::BatchSource source(const Tensor& samples) {
  return [&samples](int64_t index, Tensor& batch) {
    batch = samples;
    return index == 0;
  };
}

quantize::StoredCalibration calibrated(graph::Graph& graph, const Tensor& samples,
                                       const quantize::Options& options) {
  const pipeline::Calibration found =
      pipeline::calibrate(graph, source(samples), executor(), options, pipeline::Equalization::Off);
  return {{}, found.before, found.ranges};
}

/// Values of which few are large, and a Rectifier that lets those pass alone.
struct Spikes : ::testing::Test {
  static constexpr int64_t kSide = 32, kSamples = 32;
  Net net{Shape{1, 1, kSide, kSide}};
  Tensor samples{Shape{kSamples, 1, kSide, kSide}};
  quantize::Options options;

  Spikes() {
    ops::Conv op;
    op.kernel = {1, 1}, op.nb_outputs = 4;
    const ValueId first = net.conv("first", net.data, op, false);
    op.nb_outputs = 1;
    const ValueId second = net.conv("second", first, op, true);
    net.graph.set_constant(net.node("first").inputs[1], Tensor::from(Shape{4, 1, 1, 1}, {1, 1, 1, 1}));
    net.graph.set_constant(net.node("second").inputs[1], Tensor::from(Shape{1, 4, 1, 1}, {1, 0, 0, 0}));
    net.graph.set_constant(net.node("second").inputs[2], Tensor::from(Shape{1}, {-0.5F}));
    net.graph.set_clamp(net.node("second").id, Clamp{0, Clamp{}.hi});
    net.graph.set_outputs({second});
    options.widths.layers["first"].activations = 4;
    Rng rng(3, "spikes");
    for (float& x : samples.span<float>()) x = static_cast<float>(0.05 * rng.normal());
    for (int64_t n = 0; n < kSamples; ++n)
      samples.data<float>()[n * kSide * kSide + static_cast<int64_t>(rng.below(kSide * kSide))] = 1;
  }
};

TEST_F(Spikes, KeepTheirThreshold) {
  quantize::StoredCalibration calibration = calibrated(net.graph, samples, options);
  log::Capture said;
  const pipeline::Choice choice =
      pipeline::choose(net.graph, nullptr, calibration, options, source(samples), executor());
  EXPECT_EQ(choice.samples, 8);
  ASSERT_NE(choice.taken, 0U) << pipeline::to_csv(*calibration.chosen);
  EXPECT_GT(choice.tried[choice.taken].snr, choice.tried[0].snr + 3);
  EXPECT_EQ(calibration.chosen->activation_clipping, "None");
  EXPECT_THAT(calibration.chosen->name, HasSubstr("the largest values as thresholds"));
  EXPECT_THAT(said.text(), HasSubstr("held out, where the default has"));
}

TEST_F(Spikes, AreClippedWhereThatWasAskedFor) {
  options.activation_clipping = "KL-Divergence";
  quantize::StoredCalibration calibration = calibrated(net.graph, samples, options);
  pipeline::choose(net.graph, nullptr, calibration, options, source(samples), executor());
  EXPECT_EQ(calibration.chosen->activation_clipping, "KL-Divergence");
}

TEST_F(Spikes, TooFewDecideNothing) {
  const Tensor few =
      Tensor::from(Shape{7, 1, kSide, kSide},
                   {samples.span<float>().begin(), samples.span<float>().begin() + 7 * kSide * kSide});
  quantize::StoredCalibration calibration = calibrated(net.graph, few, options);
  options.effort = 2;
  log::Capture said;
  const pipeline::Choice choice =
      pipeline::choose(net.graph, nullptr, calibration, options, source(few), executor());
  EXPECT_THAT(said.text(),
              HasSubstr("-quant-effort 2: nothing is learnt: 7 samples show too little, 8 are wanted"));
  EXPECT_EQ(choice.samples, 0);
  EXPECT_EQ(calibration.chosen->name, "");
  EXPECT_EQ(calibration.rounding->why_not, "7 samples show too little, 8 are wanted");
}

/// Two channels of one size.
struct Channels : ::testing::Test {
  Net net{Shape{1, 2, 8, 8}};
  Tensor samples{Shape{32, 2, 8, 8}};
  quantize::Options options;

  Channels() {
    ops::Conv op;
    op.kernel = {1, 1}, op.nb_outputs = 8;
    const ValueId first = net.conv("first", net.data, op, true);
    net.graph.set_clamp(net.node("first").id, Clamp{0, Clamp{}.hi});
    op.nb_outputs = 4;
    net.graph.set_outputs({net.conv("last", first, op, true)});
    Rng rng(5, "channels");
    for (float& x : samples.span<float>()) x = static_cast<float>(rng.normal());
  }
  /// Returns the network with one channel 64 times as large, as no equalization should leave it.
  graph::Graph distorted() const {
    constexpr float kFactor = 64;
    graph::Graph out = net.graph;
    const auto& first = net.node("first").inputs;
    for (const ValueId id : {first[1], first[2]}) {
      Tensor scaled = *out.value(id).constant;
      for (int64_t i = 0; i < scaled.elements() / 8; ++i) scaled.data<float>()[i] *= kFactor;
      out.set_constant(id, std::move(scaled));
    }
    const ValueId last = net.node("last").inputs[1];
    Tensor scaled = *out.value(last).constant;
    for (int64_t i = 0; i < scaled.elements(); ++i)
      if (i % 8 == 0) scaled.data<float>()[i] /= kFactor;
    out.set_constant(last, std::move(scaled));
    return out;
  }
};

TEST_F(Channels, AreNotEqualizedWhereThatHarms) {
  graph::Graph graph = distorted();
  const quantize::StoredCalibration plain = calibrated(net.graph, samples, options);
  quantize::StoredCalibration calibration = calibrated(graph, samples, options);
  calibration.before = plain.ranges;
  const pipeline::Choice choice =
      pipeline::choose(graph, &net.graph, calibration, options, source(samples), executor());
  EXPECT_THAT(choice.tried[choice.taken].name, ::testing::StartsWith("no equalization"))
      << pipeline::to_csv(*calibration.chosen);
  EXPECT_GT(choice.tried[choice.taken].snr, choice.tried[0].snr + 10);
  EXPECT_FALSE(calibration.before);
  EXPECT_EQ(calibration.ranges, plain.ranges);
  const ValueId weights = net.node("first").inputs[1];
  EXPECT_TRUE(*graph.value(weights).constant == *net.graph.value(weights).constant);
  EXPECT_TRUE(pipeline::to_csv(*calibration.chosen).find("no equalization,") != std::string::npos);
}

TEST_F(Channels, LearnByBlocksWithMoreEffort) {
  options.effort = 2;
  options.widths.others.weights = 3;
  quantize::StoredCalibration calibration = calibrated(net.graph, samples, options);
  const pipeline::Choice choice =
      pipeline::choose(net.graph, nullptr, calibration, options, source(samples), executor());
  EXPECT_EQ(choice.tried.back().name, "weights learnt by blocks");
  EXPECT_EQ(choice.blocks.size(), 1U);
  EXPECT_EQ(calibration.chosen->effort, 2);
  EXPECT_EQ(choice.taken + 1 == choice.tried.size(), choice.tried.back().snr > choice.tried.front().snr);
}

TEST_F(Channels, AreAsAskedForWhereThatIsBest) {
  quantize::StoredCalibration calibration = calibrated(net.graph, samples, options);
  const quantize::Ranges before = calibration.ranges;
  const pipeline::Choice choice =
      pipeline::choose(net.graph, nullptr, calibration, options, source(samples), executor());
  EXPECT_EQ(choice.taken, 0U) << pipeline::to_csv(*calibration.chosen);
  EXPECT_EQ(calibration.ranges, before);
  EXPECT_EQ(calibration.chosen->name, "");
  EXPECT_EQ(calibration.chosen->effort, 1);
  ASSERT_EQ(calibration.chosen->tried.size(), choice.tried.size());
  EXPECT_EQ(calibration.chosen->tried.front().snr, choice.tried.front().snr);
  EXPECT_EQ(calibration.rounding->layers.size(), 2U);
}

}  // namespace
}  // namespace n2d2::testing

// Is the noise that a layer is blamed for the noise that it makes?
#include "n2d2/quantize/diagnose.hpp"

#include <gtest/gtest.h>

#include "doctor/switched_graph.hpp"
#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::Diagnosis;
using quantize::LayerFigures;

const compute::ExecutorOptions kReference{compute::Backend::Reference, false, 0};

const LayerFigures& figures(const Diagnosis& diagnosis, const std::string& name) {
  const auto found = std::find_if(diagnosis.layers.begin(), diagnosis.layers.end(),
                                  [&](const LayerFigures& layer) { return layer.name == name; });
  EXPECT_NE(found, diagnosis.layers.end()) << name;
  return *found;
}

/// y = 1 x, values k / 16 with steps of 1 / 127.
struct DiagnoseIdentity : ::testing::Test {
  Net net{Shape{1, 1, 4, 4}};
  Tensor samples{Shape{2, 1, 4, 4}};
  double noise = 0, signal = 0;

  DiagnoseIdentity() {
    ops::Conv op;
    op.kernel = {1, 1}, op.nb_outputs = 1;
    const ValueId conv = net.conv("conv", net.data, op, false);
    net.graph.set_constant(net.node("conv").inputs[1], Tensor::from(Shape{1, 1, 1, 1}, {1}));
    net.graph.set_outputs({conv});
    for (int i = 0; i < 32; ++i) {
      const int k = i - 16;
      samples.data<float>()[i] = static_cast<float>(k) / 16;
      const double x = k / 16.0, off = x - std::round(x * 127) / 127;
      signal += x * x, noise += off * off;
    }
  }
  Diagnosis run(const quantize::Ranges& ranges) const {
    Graph integers = net.graph;
    quantize::quantize_graph(integers, ranges, without_clipping());
    return quantize::diagnose(net.graph, integers, samples, kReference);
  }
};

TEST_F(DiagnoseIdentity, IsThatOfTheDefinition) {
  const Diagnosis found = run(observe_channels(net.graph, samples));
  EXPECT_EQ(found.samples, 2);
  ASSERT_EQ(found.layers.size(), 2U);
  const double snr = 10 * std::log10(signal / noise);
  const LayerFigures &data = figures(found, "data"), &conv = figures(found, "conv");
  EXPECT_EQ(data.type, "Input");
  EXPECT_EQ(conv.type, "Conv");
  EXPECT_FALSE(data.weights);
  ASSERT_TRUE(data.values && conv.weights && conv.values);
  EXPECT_NEAR(data.own.sqnr(), snr, 1e-3);
  EXPECT_NEAR(conv.own.sqnr(), snr, 1e-3);
  EXPECT_NEAR(conv.accumulated.sqnr(), snr, 1e-3) << "what is rounded is not rounded again";
  EXPECT_NEAR(conv.amplification(), 0, 1e-3);
  EXPECT_NEAR(found.all, snr, 1e-3);
  EXPECT_NEAR(found.values, snr, 1e-3);
  EXPECT_GT(found.weights, 120) << "1 is a weight";
  // Each of both roundings alone makes all of the noise; without it the other one does.
  for (const LayerFigures* layer : {&data, &conv}) {
    EXPECT_NEAR(layer->values->without.share, 0, 1e-4);
    EXPECT_NEAR(layer->values->alone.share, 1, 1e-4);
    EXPECT_EQ(layer->clipped, 0);
  }
  EXPECT_NEAR(conv.weights->without.share, 0, 1e-4);
  EXPECT_NEAR(conv.weights->alone.share, 0, 1e-4);
  EXPECT_TRUE(found.widened.empty()) << "none gains anything by itself";
  EXPECT_EQ(found.runs, 2 * 3 + 4);
  EXPECT_EQ(found.runs, quantize::runs_of_diagnosis(net.graph, [&] {
              Graph integers = net.graph;
              quantize::quantize_graph(integers, observe_channels(net.graph, samples), without_clipping());
              return integers;
            }()));
}

TEST_F(DiagnoseIdentity, CountsWhatIsClipped) {
  quantize::Ranges ranges = observe_channels(net.graph, samples);
  quantize::Statistics& input = ranges.values.at(net.data);
  input.min = input.smallest = -0.5, input.max = 0.5;
  const Diagnosis found = run(ranges);
  // 16 / 16 to 9 / 16 of both signs; -0.5 is an integer, and so is 0.5.
  EXPECT_DOUBLE_EQ(figures(found, "data").clipped, (8 + 7) / 32.0);
  EXPECT_EQ(figures(found, "conv").clipped, 0);
  EXPECT_NEAR(figures(found, "data").values->alone.share, 1, 0.02);
  EXPECT_GT(figures(found, "data").values->without.share, 0.99);
  EXPECT_GT(figures(found, "conv").amplification(), 10) << "the input did it";
}

/// Four convolutions; the weights of one have 2 bits.
struct DiagnoseChain : ::testing::Test {
  Net net{Shape{1, 3, 10, 10}};
  Tensor samples = random_tensor(Shape{10, 3, 10, 10}, net.rng, -1, 1);
  Graph integers;
  quantize::Options options = without_clipping();

  DiagnoseChain() {
    ValueId x = net.data;
    for (const char* name : {"conv1", "conv2", "conv3", "conv4"}) {
      x = net.conv(name, x, 6, 3);
      net.graph.set_clamp(net.node(name).id, Clamp{0, std::numeric_limits<float>::infinity()});
    }
    net.graph.set_outputs({net.fc("fc", x, 5)});
  }
  Diagnosis run() {
    integers = net.graph;
    quantize::quantize_graph(integers, observe_channels(net.graph, samples), options);
    return quantize::diagnose(net.graph, integers, samples, kReference);
  }
};

TEST_F(DiagnoseChain, RanksTheLayerWithFewBitsFirst) {
  for (const char* bad : {"conv1", "conv3", "fc"}) {
    options.widths.layers.clear();
    options.widths.layers[bad].weights = 2;
    const Diagnosis found = run();
    const auto parts = quantize::ranked(found);
    ASSERT_EQ(parts.size(), 1U + 5U + 5U);
    EXPECT_EQ(parts[0].layer->name, bad);
    EXPECT_TRUE(parts[0].is_weights());
    EXPECT_GT(parts[0].part->without.share, 0.9);
    EXPECT_GT(parts[0].part->alone.share, 0.8);
    EXPECT_GT(parts[0].part->without.error, 0);
    EXPECT_LT(parts[0].part->without.error, 0.1);
    EXPECT_LT(found.weights, found.values) << "weights are what is wrong";
    for (size_t i = 1; i < parts.size(); ++i)
      EXPECT_LE(parts[i].part->without.share, parts[i - 1].part->without.share);
  }
}

TEST_F(DiagnoseChain, RanksValuesWithFewBitsFirst) {
  options.widths.layers["conv2"].activations = 3;
  const Diagnosis found = run();
  const auto parts = quantize::ranked(found);
  EXPECT_EQ(parts[0].layer->name, "conv2");
  EXPECT_FALSE(parts[0].is_weights());
  EXPECT_GT(found.weights, found.values + 6);
  EXPECT_LT(figures(found, "conv2").own.sqnr(), figures(found, "conv1").own.sqnr() - 10);
  EXPECT_GT(figures(found, "conv3").amplification(), 6) << "what conv2 did";
  ASSERT_FALSE(found.widened.empty());
  EXPECT_EQ(found.widened[0].name, "conv2");
  EXPECT_EQ(found.widened[0].values, 6 * 6 * 6);
  // The noise that is left is the share that is not gone; and conv2 does have 16 bits then.
  EXPECT_NEAR(found.widened[0].snr, found.all - 10 * std::log10(1 - parts[0].part->without.share), 1e-6);
  options.widths.layers["conv2"].activations = 16;
  EXPECT_NEAR(run().all, found.widened[0].snr, 1) << "biases are corrected anew";
}

TEST_F(DiagnoseChain, WithNothingSwitchedOnIsTheFloats) {
  run();
  const auto layers = quantize::switched_layers(net.graph, integers);
  const Graph none = quantize::switched_graph(net.graph, integers, layers, {layers.size(), false, false});
  const auto outputs = [&](const Graph& graph) {
    compute::Executor executor(graph, kReference);
    executor.forward(samples);
    return executor.read(graph.outputs()[0]);
  };
  EXPECT_EQ(outputs(none), outputs(net.graph));
  EXPECT_NE(outputs(quantize::switched_graph(net.graph, integers, layers, {layers.size(), true, true})),
            outputs(net.graph));
}

TEST_F(DiagnoseChain, DoesNotDependOnHowManySamplesRunAtOnce) {
  const Diagnosis together = run();
  const quantize::Ranges ranges = observe_channels(net.graph, samples);
  double squares = 0;
  Tensor one(Shape{1, 3, 10, 10});
  for (int64_t n = 0; n < 10; ++n) {
    std::copy_n(samples.data<float>() + n * 300, 300, one.data<float>());
    const Diagnosis alone = quantize::diagnose(net.graph, integers, one, kReference);
    squares += figures(alone, "conv3").accumulated.error_squares;
  }
  EXPECT_NEAR(figures(together, "conv3").accumulated.error_squares, squares, 1e-9 * squares);
}

}  // namespace
}  // namespace n2d2::testing

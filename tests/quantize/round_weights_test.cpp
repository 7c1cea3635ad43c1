// Do weights become the integers that err least at the outputs?
#include "n2d2/quantize/round_weights.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/compute/integer.hpp"

#include "quantize/integer_net.hpp"
#include "quantize/quantize_for.hpp"
#include "rounding/closed_form.hpp"
#include "rounding/moments.hpp"
#include "rounding/simulated_graph.hpp"

namespace n2d2::testing {
namespace {

using quantize::Matrix;
using quantize::RowsToRound;

// ---- rows
// --------------------------------------------------------------------------------------------------

Matrix matrix_of(const std::vector<std::vector<double>>& rows) {
  Matrix out(static_cast<int64_t>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), out.row(static_cast<int64_t>(i)));
  return out;
}

std::vector<int32_t> rounded(const Matrix& covariance, const std::vector<double>& exact, int32_t most = 127) {
  RowsToRound rows{static_cast<int64_t>(exact.size()) / covariance.n, covariance.n, exact, {}, most};
  quantize::round_in_closed_form(covariance, rows);
  return rows.rounded;
}

double error_of(const Matrix& covariance, const std::vector<double>& exact,
                const std::vector<int32_t>& integers) {
  double out = 0;
  for (int64_t i = 0; i < covariance.n; ++i)
    for (int64_t j = 0; j < covariance.n; ++j)
      out += (exact[static_cast<size_t>(i)] - integers[static_cast<size_t>(i)]) * covariance.row(i)[j] *
             (exact[static_cast<size_t>(j)] - integers[static_cast<size_t>(j)]);
  return out;
}

TEST(ClosedForm, RoundsToTheNearestWhereInputsAreIndependent) {
  const Matrix covariance = matrix_of({{2, 0, 0}, {0, 1, 0}, {0, 0, 3}});
  EXPECT_EQ(rounded(covariance, {0.4, -1.6, 2.5001, 0.6, 7.2, -0.3}),
            (std::vector<int32_t>{0, -2, 3, 1, 7, 0}));
}

TEST(ClosedForm, MakesUpForAnErrorWhereInputsGoTogether) {
  // The second input is nearly the first: 0.4 + 0.4 is nearer to 1 than to 0.
  const std::vector<int32_t> found = rounded(matrix_of({{1, 0.99}, {0.99, 1}}), {0.4, 0.4});
  EXPECT_EQ(found[0] + found[1], 1);
  // They are opposites: 0.4 - 0.4 is 0.
  const std::vector<int32_t> opposite = rounded(matrix_of({{1, -0.99}, {-0.99, 1}}), {0.4, 0.4});
  EXPECT_EQ(opposite[0], opposite[1]);
}

TEST(ClosedForm, KeepsToTheGrid) {
  EXPECT_EQ(rounded(matrix_of({{1, 0}, {0, 1}}), {300, -9}, 7), (std::vector<int32_t>{7, -7}));
}

TEST(ClosedForm, RoundsInputsThatAreAlwaysTheSame) {
  EXPECT_EQ(rounded(matrix_of({{0, 0}, {0, 0}}), {1.4, -0.6}), (std::vector<int32_t>{1, -1}));
}

TEST(ClosedForm, ErrsLessThanTheNearestOnes) {
  Rng rng(1, "closed form");
  double nearest = 0, closed = 0, best = 0;
  for (int round = 0; round < 100; ++round) {
    constexpr int64_t kSize = 4;
    Matrix covariance(kSize);
    for (int k = 0; k < 6; ++k) {
      std::array<double, kSize> x{};
      const double common = rng.normal();
      for (double& v : x) v = common + 0.4 * rng.normal();
      for (int64_t i = 0; i < kSize; ++i)
        for (int64_t j = 0; j < kSize; ++j)
          covariance.row(i)[j] += x[static_cast<size_t>(i)] * x[static_cast<size_t>(j)];
    }
    std::vector<double> exact;
    for (int64_t i = 0; i < kSize; ++i) exact.push_back(rng.uniform(-5, 5));
    std::vector<int32_t> integers;
    for (const double w : exact) integers.push_back(static_cast<int32_t>(std::lround(w)));
    nearest += error_of(covariance, exact, integers);
    closed += error_of(covariance, exact, rounded(covariance, exact));
    double least = std::numeric_limits<double>::infinity();
    for (int code = 0; code < 81; ++code) {
      std::vector<int32_t> tried = integers;
      for (int64_t i = 0, rest = code; i < kSize; ++i, rest /= 3)
        tried[static_cast<size_t>(i)] += static_cast<int32_t>(rest % 3) - 1;
      least = std::min(least, error_of(covariance, exact, tried));
    }
    best += least;
  }
  EXPECT_LT(closed, 0.5 * nearest);
  EXPECT_LT(closed, 2 * best);
}

// ---- windows
// -----------------------------------------------------------------------------------------------

TEST(Windows, AreWhatTheLayersMultiply) {
  Net net(Shape{1, 4, 5, 6});
  ops::Conv grouped;
  grouped.kernel = {3, 2}, grouped.stride = {2, 1}, grouped.dilation = {1, 2}, grouped.padding = {1, 2, 0, 1};
  grouped.nb_outputs = 6, grouped.groups = 2;
  const ValueId conv = net.conv("conv", net.data, grouped, false);
  net.graph.set_outputs({net.fc("fc", conv, 3, false)});
  Tensor sample(Shape{1, 4, 5, 6});
  for (float& x : sample.span<float>()) x = static_cast<float>(net.rng.below(9)) - 4;
  const std::map<ValueId, Tensor> values = evaluate_all(net.graph, sample);
  for (const char* name : {"conv", "fc"}) {
    const graph::Node& node = net.node(name);
    const quantize::Windows windows = quantize::windows_of(net.graph, node).value();
    const auto weights = net.graph.value(node.inputs[1]).constant->span<float>();
    const Tensor& in = values.at(node.inputs[0]);
    const Tensor& out = values.at(node.outputs[0]);
    const int64_t outputs = out.shape().c(), all = windows.groups * windows.size();
    std::vector<float> read(static_cast<size_t>(all)), other = read;
    const Tensor pixels = to_layout(in, Layout::Nhwc);
    for (int64_t p = 0; p < windows.positions(); ++p) {
      // The output of conv is no multiple of anything: halves of a small unit are near enough.
      constexpr float kUnit = 1.0F / 65536;
      windows.read(in.span<float>(), Layout::Nchw, p, kUnit, read.data());
      windows.read(pixels.span<float>(), Layout::Nhwc, p, kUnit, other.data());
      EXPECT_EQ(read, other);
      for (int64_t o = 0; o < outputs; ++o) {
        double sum = 0;
        const int64_t group = o / (outputs / windows.groups);
        for (int64_t i = 0; i < windows.size(); ++i)
          sum += double{weights[static_cast<size_t>(o * windows.size() + i)]} * kUnit *
                 double{read[static_cast<size_t>(group * windows.size() + i)]};
        EXPECT_NEAR(sum, double{out.span<float>()[static_cast<size_t>(o * windows.positions() + p)]}, 1e-3);
      }
    }
  }
}

// ---- layers
// ------------------------------------------------------------------------------------------------

/// A net whose inputs go together, with what it computes in every form.
struct Rounding : ::testing::Test {
  static constexpr int64_t kSamples = 24;
  Net net{Shape{1, 3, 8, 8}};
  quantize::Options options = without_clipping();

  Rounding() {
    ops::Conv op;
    op.kernel = {3, 3}, op.padding = {1, 1, 1, 1}, op.nb_outputs = 8;
    const ValueId first = net.conv("first", net.data, op);
    net.graph.set_clamp(net.node("first").id, Clamp{0, Clamp{}.hi});
    const ValueId deep = net.depthwise("deep", first, 3, false);
    const ValueId pool = net.pool("pool", deep, ops::Pooling::Average, 2);
    net.graph.set_outputs({net.fc("fc", pool, 5)});
  }
  Tensor samples(uint64_t seed) const {
    Rng rng(seed, "samples");
    Tensor out(Shape{kSamples, 3, 8, 8});
    for (int64_t n = 0; n < kSamples; ++n) {
      const double level = rng.uniform(0, 1), slope = rng.uniform(-0.1, 0.1);
      for (int64_t i = 0; i < 192; ++i)
        out.data<float>()[n * 192 + i] =
            static_cast<float>(level + slope * static_cast<double>(i % 8) + 0.05 * rng.normal());
    }
    return out;
  }
  static quantize::BatchSource source(const Tensor& samples) {
    return [&samples](int64_t index, Tensor& batch) {
      batch = samples;
      return index == 0;
    };
  }
  static compute::ExecutorOptions executor() { return {compute::Backend::Reference, false, 7}; }
  quantize::Rounding round(Graph& graph, const Tensor& samples) const {
    quantize::Rounding out = quantize::find_rounding(graph, observe_channels(graph, samples), options,
                                                     source(samples), executor());
    quantize::apply_rounding(graph, out);
    return out;
  }
  /// Squared error of the outputs where weights and biases alone are those of an integer form.
  double error_of(const Graph& rounded, const Tensor& samples) const {
    Graph integers = rounded, weights = net.graph;
    quantize::quantize_graph(integers, observe_channels(rounded, samples), options);
    for (const char* name : {"first", "deep", "fc"}) {
      const graph::Node& made = integers.node(*integers.find_node(name));
      std::vector<ValueId> inputs = weights.node(*weights.find_node(name)).inputs;
      inputs.resize(1);
      for (size_t slot = 1; slot < made.inputs.size(); ++slot) {
        const graph::Value& value = integers.value(made.inputs[slot]);
        const Integers found = integers_of(*value.constant);
        Tensor reals(value.constant->shape());
        const size_t row = found.size() / value.type.quant->scale.size();
        for (size_t i = 0; i < found.size(); ++i)
          reals.span<float>()[i] = static_cast<float>(found[i]) * value.type.quant->scale[i / row];
        inputs.push_back(
            weights.add_constant(weights.unique_name(std::string(name) + "_reals"), std::move(reals)));
      }
      const NodeId id = *weights.find_node(name);
      weights.replace(id, weights.op(id).clone(), inputs);
    }
    const Tensor wanted = evaluate(net.graph, samples)[0], found = evaluate(weights, samples)[0];
    double out = 0;
    for (size_t i = 0; i < wanted.span<float>().size(); ++i)
      out += std::pow(double{wanted.span<float>()[i]} - double{found.span<float>()[i]}, 2);
    return out;
  }
};

/// Compares what integers compute with their simulation in floats.
void expect_simulation(const Graph& floats, const Graph& integers, const Tensor& samples) {
  const Graph simulated = quantize::simulated_graph(floats, integers);
  const std::map<ValueId, Tensor> values = evaluate_all(simulated, samples);
  const graph::Value& input = integers.value(integers.inputs()[0]);
  const Tensor bytes = quantize::quantize_input(samples, *input.type.quant);
  const std::vector<Tensor> outputs = compute::IntegerExecutor(integers).outputs(bytes);
  const QuantParams& quant = *integers.value(integers.outputs()[0]).type.quant;
  const Integers found = integers_of(outputs[0]);
  const auto wanted = values.at(simulated.outputs()[0]).span<float>();
  for (size_t i = 0; i < found.size(); ++i)
    // The output of the simulation is not rounded; biases were, and a value may be a step aside.
    EXPECT_NEAR(double{wanted[i]}, static_cast<double>(found[i]) * double{quant.scale[0]},
                2 * double{quant.scale[0]});
}

TEST_F(Rounding, SimulatesWhatIntegersCompute) {
  const Tensor some = samples(1);
  Graph integers = net.graph;
  quantize::quantize_graph(integers, observe_channels(net.graph, some), options);
  expect_simulation(net.graph, integers, some);
}

TEST_F(Rounding, SimulatesValuesOfFewBits) {
  options.widths.layers["first"].activations = 3;
  const Tensor some = samples(1);
  Graph integers = net.graph;
  quantize::Ranges ranges = observe_channels(net.graph, some);
  ranges.values.at(net.node("first").outputs[0]).max /= 4;
  quantize::quantize_graph(integers, ranges, options);
  expect_simulation(net.graph, integers, some);
}

/// Biases of integers have what zero points add, which the floats of the simulation must not have.
TEST_F(Rounding, SimulatesBiasesWithoutZeroPoints) {
  options.activation_clipping = "MSE";
  options.zero_points = true;
  options.bytes = quantize::ByteGrid{1 / 127.5, 127};
  Net leaky{Shape{1, 3, 8, 8}};
  const ValueId first = leaky.relu("leaky", leaky.conv("first", leaky.data, 6, 3), 0.1);
  leaky.graph.set_outputs({leaky.conv("last", first, 4, 3)});
  const Tensor some = samples(1);
  Graph integers = leaky.graph;
  quantize_for(integers, some, options);
  ASSERT_EQ(integers.value(integers.inputs()[0]).type.quant->zero_point, 127);
  ASSERT_NE(integers.value(*integers.find_value("first")).type.quant->zero_point, 0);
  ASSERT_NE(integers.value(*integers.find_value("leaky")).type.quant->zero_point, 0);
  expect_simulation(leaky.graph, integers, some);
}

TEST_F(Rounding, ErrsLessAtTheOutputs) {
  for (const int bits : {8, 4}) {
    options.widths.others.weights = bits;
    Graph rounded = net.graph;
    const quantize::Rounding report = round(rounded, samples(1));
    ASSERT_EQ(report.layers.size(), 3U) << bits;
    EXPECT_GT(report.gain(), 1) << bits;
    for (const quantize::RoundedLayer& layer : report.layers)
      EXPECT_LE(layer.chosen, layer.nearest) << layer.name;
    EXPECT_LT(error_of(rounded, samples(2)), 0.5 * error_of(net.graph, samples(2))) << bits;
  }
}

TEST_F(Rounding, LeavesWeightsOnTheGridThatIntegersKeep) {
  Graph rounded = net.graph;
  round(rounded, samples(1));
  Graph integers = rounded;
  quantize::quantize_graph(integers, observe_channels(rounded, samples(1)), options);
  for (const char* name : {"first", "deep", "fc"}) {
    const graph::Value& floats = rounded.value(net.node(name).inputs[1]);
    ASSERT_TRUE(floats.type.quant) << name;
    const Integers found =
        integers_of(*integers.value(integers.node(*integers.find_node(name)).inputs[1]).constant);
    const size_t row = found.size() / floats.type.quant->scale.size();
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(floats.constant->span<float>()[i],
                static_cast<float>(found[i]) * floats.type.quant->scale[i / row]);
  }
}

TEST_F(Rounding, DoesNotDependOnTheNumberOfThreads) {
  const int threads = max_threads();
  std::vector<Graph> graphs;
  for (const int used : {1, 2}) {
    set_max_threads(used);
    graphs.push_back(net.graph);
    round(graphs.back(), samples(1));
  }
  set_max_threads(threads);
  for (const char* name : {"first", "deep", "fc"})
    for (size_t slot = 1; slot < graphs[0].node(*graphs[0].find_node(name)).inputs.size(); ++slot) {
      const auto constant = [&](const Graph& graph) {
        return *graph.value(graph.node(*graph.find_node(name)).inputs[slot]).constant;
      };
      EXPECT_TRUE(constant(graphs[0]) == constant(graphs[1])) << name << slot;
    }
}

TEST_F(Rounding, LeavesWhatHasAScale) {
  const ValueId weights = net.node("fc").inputs[1];
  Tensor given = *net.graph.value(weights).constant;
  for (float& w : given.span<float>()) w = std::round(w * 64) / 64;
  net.graph.set_constant(weights, given, QuantParams{8, true, -1, {1.0F / 64}});
  Graph rounded = net.graph;
  EXPECT_EQ(round(rounded, samples(1)).layers.size(), 2U);
  EXPECT_TRUE(*rounded.value(weights).constant == given);
}

// A threshold chosen later may make the bias 8 times as long, which scales that are given would not hold.
TEST_F(Rounding, LeavesALayerWhoseBiasNeedsTheAccumulator) {
  for (float& w : net.parameter("fc", 1)) w *= 1e-5F;
  for (float& b : net.parameter("fc", 2)) b = 100;
  Graph rounded = net.graph;
  EXPECT_EQ(round(rounded, samples(1)).layers.size(), 2U);
  quantize::Ranges narrow = observe_channels(rounded, samples(1));
  quantize::Statistics& pool = narrow.values.at(*rounded.find_value("pool"));
  pool.min /= 8, pool.max /= 8;
  quantize::quantize_graph(rounded, narrow, options);
}

TEST_F(Rounding, SaysWhyNothingIsDone) {
  const auto why_not = [&] {
    Graph rounded = net.graph;
    return round(rounded, samples(1)).why_not;
  };
  EXPECT_EQ(why_not(), "");
  Tensor few(Shape{7, 3, 8, 8});
  Graph unchanged = net.graph;
  EXPECT_EQ(round(unchanged, few).why_not, "7 samples show too little, 8 are wanted");
  options.rescaling = RescaleMode::DoubleShift;
  EXPECT_EQ(why_not(), "shifts choose the scales of weights themselves");
  options.rescaling = RescaleMode::FloatingPoint, options.bits = 16;
  EXPECT_EQ(why_not(), "weights of more than 8 bits lose nothing to speak of");
}

}  // namespace
}  // namespace n2d2::testing

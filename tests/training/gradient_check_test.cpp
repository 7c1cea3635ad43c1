#include "n2d2/training/gradient_check.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/quantize_activation.hpp"

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

/// y = scale * x^2 / 2 with a gradient that may be wrong.
struct Square final : graph::OperatorBase<Square> {
  static constexpr const char* kType = "Square";
  double error = 0;
  template <class V>
  static void fields(V&& v) {
    v("Error", &Square::error);
  }
  std::vector<Shape> infer(std::span<const Shape> in) const override { return {in[0]}; }
  void forward(const graph::ForwardArgs& args) const override {
    for (size_t i = 0; i < args.in[0]->span().size(); ++i)
      args.out[0]->span()[i] = args.in[0]->span()[i] * args.in[0]->span()[i] / 2;
  }
  bool backward(const graph::BackwardArgs& args) const override {
    for (size_t i = 0; args.d_in[0] != nullptr && i < args.d_in[0]->span().size(); ++i)
      args.d_in[0]->span()[i] =
          static_cast<float>((1 + error) * args.in[0]->span()[i] * args.d_out[0]->span()[i]);
    return true;
  }
};

struct Samples {
  Tensor batch;
  std::vector<int> labels;
};

Samples samples_of(const VectorSource& source, int64_t count) {
  data::Batch batch;
  source.open(data::Partition::Learn, data::in_order(count), count, 0)->next(batch);
  return {std::move(batch.data), std::move(batch.labels)};
}

GradientCheck check(const SmallNet& net, const VectorSource& source, uint64_t seed = 3) {
  const Samples samples = samples_of(source, 4);
  return check_gradients(net.graph, net.targets(), samples.batch, samples.labels, seed);
}

const CheckedGradient& find(const GradientCheck& check, const std::string& layer, const std::string& of) {
  const auto found =
      std::find_if(check.gradients.begin(), check.gradients.end(),
                   [&](const CheckedGradient& one) { return one.layer == layer && one.of == of; });
  if (found == check.gradients.end()) throw std::runtime_error("no gradient of " + layer + " " + of);
  return *found;
}

TEST(GradientCheck, FindsEveryGradientOfANetworkRight) {
  SmallNet net(Shape{1, 1, 8, 8});
  net.conv("conv", 4, 3);
  net.batchnorm("norm");
  net.relu("relu");
  ops::Pool pool;
  pool.kernel = pool.stride = {2, 2};
  pool.pooling = ops::Pooling::Max;
  net.add(std::make_unique<ops::Pool>(pool), "pool");
  net.dropout("drop");
  net.fc("out", 3);
  net.softmax();
  const GradientCheck found = check(net, stripes(12));
  EXPECT_TRUE(found.exceptions.empty());
  std::vector<std::string> names;
  for (const CheckedGradient& one : found.gradients) {
    names.push_back(one.layer + " " + one.of);
    EXPECT_FALSE(one.is_wrong()) << names.back() << " " << one.deviation;
    EXPECT_GT(one.checked, 0) << names.back();
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "[conv] Conv weights", "[conv] Conv biases", "[norm] BatchNorm input",
                       "[norm] BatchNorm scales", "[norm] BatchNorm biases", "[relu] Relu input",
                       "[pool] Pool input", "[drop] Dropout input", "[out] Fc input", "[out] Fc weights",
                       "[out] Fc biases", "[softmax] Softmax loss"}));
}

// The mean is a float: what rounding does to it is in every output.
TEST(GradientCheck, BlamesNoRoundingOfStatistics) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    SmallNet net(Shape{1, 1, 8, 8});
    net.conv("conv", 4, 3);
    net.graph.mutable_constant(net.learnt[1]).fill(20);
    net.batchnorm("norm");
    net.fc("out", 3);
    net.softmax();
    for (const CheckedGradient& one : check(net, stripes(12), seed).gradients)
      EXPECT_FALSE(one.is_wrong()) << seed << " " << one.layer << " " << one.of << " " << one.deviation;
  }
}

TEST(GradientCheck, IsTheSameForAnyNumberOfThreads) {
  const int before = max_threads();
  const SmallNet net = stripes_net();
  std::vector<double> deviations[2];
  for (const int threads : {1, 2}) {
    set_max_threads(threads);
    for (const CheckedGradient& one : check(net, stripes(12)).gradients)
      deviations[threads - 1].push_back(one.deviation);
  }
  set_max_threads(before);
  EXPECT_EQ(deviations[0], deviations[1]);
}

TEST(GradientCheck, NamesTheLayerWhoseGradientIsWrong) {
  for (const double error : {0.0, 0.01, -1.0}) {
    SmallNet net(Shape{1, 2, 1, 1});
    net.fc("hidden", 8);
    Square square;
    square.error = error;
    net.add(std::make_unique<Square>(square), "square");
    net.fc("out", 2);
    net.softmax();
    const GradientCheck found = check(net, xor_points(8));
    for (const CheckedGradient& one : found.gradients)
      EXPECT_EQ(one.is_wrong(), error != 0 && one.layer == "[square] Square")
          << one.layer << " " << one.deviation;
    const CheckedGradient& wrong = find(found, "[square] Square", "input");
    EXPECT_EQ(wrong.where, (SourceLocation{"net.ini", 1}));
    if (error == 0.01) {
      EXPECT_NEAR(wrong.deviation, 0.01 / 1.01, 1e-3);
    }
    if (error == -1) {
      EXPECT_EQ(wrong.gradient, 0);
    }
  }
}

TEST(GradientCheck, LeavesOutValuesWhereTheFunctionBends) {
  SmallNet net(Shape{1, 2, 1, 1});
  net.fc("hidden", 8);
  net.graph.mutable_constant(net.learnt[0]).fill(0);  // every value of the rectifier is at its bend
  net.relu("relu");
  net.fc("out", 2);
  net.softmax();
  const CheckedGradient relu = find(check(net, xor_points(8)), "[relu] Relu", "input");
  EXPECT_EQ(relu.checked, 0);
  EXPECT_GT(relu.left_out, 0);
  EXPECT_FALSE(relu.is_wrong());
}

TEST(GradientCheck, ChecksTheLossOfEveryTarget) {
  SmallNet net(Shape{1, 2, 1, 1});
  net.fc("hidden", 3);
  const graph::ValueId hidden = net.last;
  net.relu("relu");
  net.fc("out", 2);
  net.softmax();
  const Samples samples = samples_of(xor_points(8), 4);
  data::TargetOptions soft;
  soft.target_value = 0.8;
  soft.default_value = 0.1;
  const std::vector<TrainingTarget> targets{net.target(), net.target_on(hidden), net.target(soft)};
  const GradientCheck found = check_gradients(net.graph, targets, samples.batch, samples.labels, 3);
  EXPECT_FALSE(find(found, "[softmax] Softmax", "loss").is_wrong());
  EXPECT_FALSE(find(found, "[hidden] Fc", "loss").is_wrong());
  EXPECT_EQ(
      found.exceptions,
      (std::vector<std::string>{"loss of 'softmax': the wanted values of a sample do not add up to 1"}));
}

/// conv, quantizer, fc, quantizer, out: both methods, and a grid that is fixed.
SmallNet quantized_net() {
  SmallNet net(Shape{1, 1, 8, 8});
  net.conv("conv", 4, 3);
  ops::QuantizeActivation sat, lsq;
  sat.levels = lsq.levels = 7;
  lsq.method = ops::QuantizeMethod::LSQ;
  lsq.is_signed = true;
  const auto alpha = net.constant("alpha", Shape{1}, 0.5F, true);
  net.add(std::make_unique<ops::QuantizeActivation>(sat), "sat", {alpha});
  net.fc("fc", 8);
  const auto step = net.constant("step", Shape{1}, 0.1F, true);
  net.add(std::make_unique<ops::QuantizeActivation>(lsq), "lsq", {step});
  net.fc("out", 3);
  ops::FakeQuantize fixed;
  fixed.scale = {0.125};
  fixed.bits = 4;
  net.add(std::make_unique<ops::FakeQuantize>(fixed), "fixed");
  net.softmax();
  return net;
}

TEST(GradientCheck, ComparesLayersThatRoundWithTheirSurrogates) {
  const GradientCheck found = check(quantized_net(), stripes(12));
  EXPECT_TRUE(found.exceptions.empty());
  for (const auto& [layer, of] : {std::pair{"[sat] QuantizeActivation", "input"},
                                  {"[sat] QuantizeActivation", "SAT_Alpha"},
                                  {"[lsq] QuantizeActivation", "input"},
                                  {"[lsq] QuantizeActivation", "LSQ_StepSize"},
                                  {"[fixed] FakeQuantize", "input"}}) {
    const CheckedGradient& one = find(found, layer, of);
    EXPECT_FALSE(one.is_wrong()) << layer << " " << of << " " << one.deviation;
    EXPECT_GT(one.checked, 0) << layer << " " << of;
  }
}

TEST(GradientCheck, SaysWhoseValuesAreNotFinite) {
  SmallNet net = xor_net();
  net.graph.mutable_constant(net.learnt[0]).fill(std::numeric_limits<float>::infinity());
  try {
    check(net, xor_points(8));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "net.ini:1: [hidden] Fc: its outputs of samples of Learn are not finite, no gradient can be checked\n"
        "  hint: smaller initial weights, or samples of a smaller range");
  }
}

}  // namespace
}  // namespace n2d2::training

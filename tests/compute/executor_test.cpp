#include "n2d2/compute/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"

#include "compute/network.hpp"

namespace n2d2::compute {
namespace {

using testing::Network;
using testing::Pass;
using testing::random_tensor;

/// Loss gradients of float networks of a few layers, against differences of float forwards: both carry
/// rounding of some 1e-6 of values near 1, divided by 2 kStep.
constexpr double kStep = 1.0 / 512, kGradientTolerance = 5e-3;

const ExecutorOptions kReference{Backend::Reference, false, 1}, kTraining{Backend::Reference, true, 1};

template <class F>
std::string error_of(F&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Two paths from one value: a sum of it with a convolution of it, then a concatenation with itself.
Network branching() {
  Network net({1, 3, 6, 6});
  net.conv(4, 3, 1, 1);
  const graph::ValueId trunk = net.last;
  net.batchnorm();
  net.graph.set_clamp(*net.graph.find_node("bn"), Clamp{0, 2});
  net.conv(4, 3, 1, 1);
  net.add(ops::ElemWise(), {trunk, net.last});
  net.add(ops::Concat(), {net.last, net.last, trunk});
  net.pool(ops::Pooling::Average, 3, 2);
  net.fc(5);
  return net;
}

TEST(Executor, CountsTheTimeOfNodesWhenItIsAskedTo) {
  const Network net = branching();
  for (const bool asked : {false, true}) {
    Executor executor(net.graph, {.backend = Backend::Reference, .training = true, .time_nodes = asked});
    executor.forward(random_tensor({5, 3, 6, 6}, 1));
    executor.forward(random_tensor({3, 3, 6, 6}, 1));
    const NodeTimes forward = executor.node_times();
    executor.backward(std::vector<GradientSeed>{{net.last, random_tensor({3, 5, 1, 1}, 2)}});
    const NodeTimes times = executor.node_times();
    EXPECT_EQ(times.forward_samples, 8);
    EXPECT_EQ(times.backward_samples, 3);
    ASSERT_EQ(times.nodes.size(), net.graph.nodes().size());
    for (size_t i = 0; i < times.nodes.size(); ++i) {
      EXPECT_EQ(times.nodes[i].node, net.graph.schedule()[i]);
      EXPECT_EQ(times.nodes[i].forward > 0, asked);
      EXPECT_EQ(times.nodes[i].backward > 0, asked);
      EXPECT_EQ(forward.nodes[i].backward, 0);
      EXPECT_EQ(forward.nodes[i].forward, times.nodes[i].forward);
    }
  }
}

TEST(Executor, RunsTheOperatorsOnAnyBatch) {
  Network net({1, 1, 1, 2});
  net.fc(3);
  Executor executor(net.graph, kReference);
  for (const int64_t n : {1, 9, 20, 3}) {
    const Tensor x = random_tensor({n, 1, 1, 2}, 1);
    executor.forward(x);
    const Tensor y = executor.read(net.last);
    ASSERT_EQ(y.shape(), (Shape{n, 3, 1, 1}));
    const Tensor &w = executor.read(net.parameters[0]), &b = executor.read(net.parameters[1]);
    for (int64_t i = 0; i < n * 3; ++i) {
      const float *weights = w.data<float>() + i % 3 * 2, *sample = x.data<float>() + i / 3 * 2;
      EXPECT_NEAR(y.data<float>()[i],
                  weights[0] * sample[0] + weights[1] * sample[1] + b.data<float>()[i % 3], 1e-6);
    }
  }
}

TEST(Executor, ReadsConstantsAnewAtEveryForward) {
  Network net({1, 1, 1, 1});
  net.fc(1, false);
  Executor executor(net.graph, kReference);
  const Tensor x = Tensor::from({1, 1, 1, 1}, {2});
  net.graph.set_constant(net.parameters[0], Tensor::from({1, 1}, {3}));
  executor.forward(x);
  EXPECT_EQ(executor.read(net.last).data<float>()[0], 6);
  net.graph.mutable_constant(net.parameters[0]).fill(5);
  executor.forward(x);
  EXPECT_EQ(executor.read(net.last).data<float>()[0], 10);
}

TEST(Executor, AppliesTheClampOfANodeAfterItsOperator) {
  Network net({1, 1, 1, 3});
  ops::Scaling twice;
  twice.factor = {2};
  net.add(twice);
  net.graph.set_clamp(net.graph.value(net.last).producer, Clamp{-1, 3});
  Executor executor(net.graph, kReference);
  executor.forward(Tensor::from({1, 1, 1, 3}, {-4, 1, 5}));
  EXPECT_EQ(executor.read(net.last), Tensor::from({1, 1, 1, 3}, {-1, 2, 3}));
}

TEST(Executor, GradientsAgreeWithFiniteDifferencesThroughBranches) {
  Network net = branching();
  const Tensor x = random_tensor({3, 3, 6, 6}, 2);
  const Pass pass = testing::run(net, kTraining, x);
  const Tensor seed = random_tensor(pass.output.shape(), 5);
  Executor executor(net.graph, kTraining);
  const auto loss = [&] {
    executor.forward(x);
    const Tensor y = executor.read(net.last);
    double sum = 0;
    for (int64_t i = 0; i < y.elements(); ++i)
      sum += static_cast<double>(y.data<float>()[i]) * seed.data<float>()[i];
    return sum;
  };
  for (size_t p = 0; p < net.parameters.size(); ++p) {
    Tensor& parameter = net.graph.mutable_constant(net.parameters[p]);
    for (int64_t i = 0; i < parameter.elements(); i += 7) {
      float& w = parameter.data<float>()[i];
      const float before = w;
      w = static_cast<float>(before + kStep);
      const double high = loss();
      w = static_cast<float>(before - kStep);
      const double low = loss();
      w = before;
      const double expected = (high - low) / (2 * kStep);
      EXPECT_NEAR(pass.gradients[p].data<float>()[i], expected, kGradientTolerance * (1 + std::abs(expected)))
          << net.graph.value(net.parameters[p]).name << " " << i;
    }
  }
}

TEST(Executor, AddsSeedsOnTheWayAndOnTheSameValue) {
  Network net({1, 1, 1, 1});
  net.fc(1, false);
  const graph::ValueId middle = net.last;
  net.fc(1, false);
  net.graph.set_constant(net.parameters[0], Tensor::from({1, 1}, {3}));
  net.graph.set_constant(net.parameters[1], Tensor::from({1, 1}, {10}));
  Executor executor(net.graph, kTraining);
  executor.forward(Tensor::from({1, 1, 1, 1}, {2}));
  const Tensor one = Tensor::from({1, 1, 1, 1}, {1});
  const std::vector<GradientSeed> seeds{{net.last, one}, {middle, one}, {middle, one}};
  executor.backward(seeds);
  EXPECT_EQ(executor.gradient(net.parameters[1]).data<float>()[0], 6);  // middle
  EXPECT_EQ(executor.gradient(net.parameters[0]).data<float>()[0],
            2 * (10 + 2));  // input x (through + seeds)
}

TEST(Executor, AddsTheGradientsOfASharedConstantAndZeroesTheUnreached) {
  Network net({1, 2, 1, 1});
  net.fc(2, false);
  const graph::ValueId middle = net.last, shared = net.parameters[0];
  ops::Fc op;
  op.nb_outputs = 2;
  net.add(op, {net.last, shared});
  const graph::ValueId tied = net.last;
  net.fc(1, false);
  Executor executor(net.graph, kTraining);
  executor.forward(random_tensor({2, 2, 1, 1}, 3));
  const Tensor seed = random_tensor({2, 2, 1, 1}, 4);
  const std::vector<GradientSeed> only_middle{{middle, seed}}, only_tied{{tied, seed}};
  executor.backward(only_middle);
  const Tensor first = executor.gradient(shared);
  for (const float v : executor.gradient(net.parameters[1]).span()) EXPECT_EQ(v, 0);
  executor.backward(only_tied);
  EXPECT_FALSE(executor.gradient(shared) == first);

  Network twin({1, 2, 1, 1});  // the same with two constants
  twin.fc(2, false);
  twin.fc(2, false);
  twin.graph.set_constant(twin.parameters[1], *twin.graph.value(twin.parameters[0]).constant);
  Executor apart(twin.graph, kTraining);
  apart.forward(random_tensor({2, 2, 1, 1}, 3));
  const std::vector<GradientSeed> seeds{{twin.last, seed}};
  apart.backward(seeds);
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(executor.gradient(shared).data<float>()[i],
                    apart.gradient(twin.parameters[0]).data<float>()[i] +
                        apart.gradient(twin.parameters[1]).data<float>()[i]);
}

TEST(Executor, AbsorbsBatchStatisticsIntoTheGraph) {
  for (const Backend backend : {Backend::Reference, Backend::OneDnn}) {
    Network net({1, 1, 1, 2});
    net.batchnorm(0.5);
    const auto& inputs = net.graph.node(*net.graph.find_node("bn")).inputs;
    net.graph.mutable_constant(inputs[3]).fill(2);
    net.graph.mutable_constant(inputs[4]).fill(1);
    Executor executor(net.graph, {backend, true, 1});
    executor.forward(Tensor::from({2, 1, 1, 2}, {1, 3, 5, 7}));
    executor.absorb(net.graph);
    EXPECT_FLOAT_EQ(net.graph.value(inputs[3]).constant->data<float>()[0], 3);  // (2 + 4) / 2
    EXPECT_FLOAT_EQ(net.graph.value(inputs[4]).constant->data<float>()[0], (1 + 20.0F / 3) / 2);  // unbiased
  }
}

TEST(Executor, UsesRunningStatisticsAndNoDropoutWhenNotTraining) {
  Network net({1, 2, 2, 2});
  net.batchnorm();
  net.add(ops::Dropout());
  const Tensor x = random_tensor({4, 2, 2, 2}, 1);
  const Pass pass = testing::run(net, kReference, x);
  Network without({1, 2, 2, 2});
  without.batchnorm();
  EXPECT_EQ(pass.output, testing::run(without, kReference, x).output);
}

TEST(Executor, DrawsDropoutFromSeedStepAndSampleOnly) {
  Network net({1, 2, 4, 4});
  net.add(ops::Dropout());
  const Tensor x = random_tensor({17, 2, 4, 4}, 1);
  const auto output = [&](Backend backend, uint64_t seed, uint64_t step) {
    Executor executor(net.graph, {backend, true, seed});
    executor.forward(x, step);
    return executor.read(net.last);
  };
  const Tensor y = output(Backend::Reference, 1, 2);
  EXPECT_EQ(y, output(Backend::OneDnn, 1, 2));
  EXPECT_FALSE(y == output(Backend::Reference, 1, 3));
  EXPECT_FALSE(y == output(Backend::Reference, 2, 2));
}

TEST(Executor, RefusesWhatItCannotRun) {
  Network net({1, 1, 2, 2});
  net.fc(3);
  Executor executor(net.graph, kReference);
  EXPECT_EQ(error_of([&] {
              executor.forward(Tensor(Shape{2, 1, 2, 3}));
            }),
            "input 'data': batch has shape 2x1x2x3, expected 1x1x2x2 with any batch extent");
  EXPECT_THAT(error_of([&] { executor.read(net.last); }),
              ::testing::HasSubstr("'fc' is read before any forward"));
  EXPECT_THAT(error_of([&] { executor.backward({}); }),
              ::testing::HasSubstr("backward needs a forward in training mode"));
  EXPECT_THAT(error_of([&] { executor.gradient(net.parameters[0]); }),
              ::testing::HasSubstr("'fc_w' has no gradient: not learnt, or no backward yet"));

  Executor training(net.graph, kTraining);
  training.forward(Tensor(Shape{2, 1, 2, 2}));
  const std::vector<GradientSeed> wrong{{net.last, Tensor(Shape{1, 3, 1, 1})}};
  EXPECT_THAT(error_of([&] { training.backward(wrong); }),
              ::testing::HasSubstr("gradient of 'fc' has shape 1x3x1x1, expected 2x3x1x1"));
}

TEST(Executor, RefusesConstantsAsDataAndComputedParameters) {
  Network constant({1, 1, 1, 1});
  constant.add(ops::ElemWise(), {constant.last, constant.parameter("c", {1, 1, 1, 1}, 1)}, "sum");
  EXPECT_EQ(error_of([&] { Executor(constant.graph, kReference); }),
            "[sum] ElemWise: input 1 is a constant, expected an activation");
  Network two({1, 1, 1, 1});
  two.graph.add_input("more", testing::float_type({1, 1, 1, 1}));
  EXPECT_EQ(error_of([&] { Executor(two.graph, kReference); }), "the graph has 2 inputs, expected 1");
  Network computed({1, 1, 1, 1});
  ops::Conv op;
  op.kernel = {1, 1};
  op.nb_outputs = 1;
  computed.add(op, {computed.last, computed.last}, "conv");
  EXPECT_EQ(error_of([&] { Executor(computed.graph, kReference); }),
            "[conv] Conv: input 1 (weights) is computed, expected a constant");
}

/// An operator without a gradient.
struct Step final : graph::OperatorBase<Step> {
  static constexpr const char* kType = "Step";
  template <class V>
  static void fields(V&&) {}
  std::vector<Shape> infer(std::span<const Shape> in) const override { return {in[0]}; }
  void forward(const graph::ForwardArgs& args) const override { *args.out[0] = *args.in[0]; }
};

TEST(Executor, NamesTheNodeThatHasNoGradient) {
  for (const Backend backend : {Backend::Reference, Backend::OneDnn}) {
    Network net({1, 1, 1, 1});
    net.fc(2);
    net.add(Step(), {net.last}, "step");
    EXPECT_EQ(error_of([&] {
                testing::run(net, {backend, true, 1}, Tensor(Shape{2, 1, 1, 1}));
              }),
              "[step] Step: has no gradient, cannot be trained through");
  }
}

/// Depthwise, pointwise, maximum, dropout, softmax.
Network separable() {
  Network net({1, 3, 6, 6});
  net.conv(16, 3, 1, 1, 1, false);
  net.batchnorm();
  net.add(ops::Relu());
  net.conv(16, 3, 1, 1, 16, false);
  net.batchnorm();
  net.graph.set_clamp(net.conv(24, 1, 1, 0), Clamp{0, 6});
  net.pool(ops::Pooling::Max, 2, 2);
  net.add(ops::Dropout());
  net.fc(10);
  net.add(ops::Softmax());
  return net;
}

void expect_same_bytes(const Network& net) {
  const int threads = max_threads();
  const Shape& sample = net.graph.value(net.graph.inputs()[0]).type.shape;
  const Tensor x = random_tensor(sample.with_batch(51), 2);  // three of the largest blocks and a short one
  for (const Backend backend : {Backend::Reference, Backend::OneDnn}) {
    set_max_threads(1);
    const Pass one = testing::run(net, {backend, true, 1}, x);
    for (const int count : {2, 3}) {
      set_max_threads(count);
      const Pass many = testing::run(net, {backend, true, 1}, x);
      EXPECT_EQ(one.output, many.output) << count;
      for (size_t i = 0; i < one.gradients.size(); ++i)
        EXPECT_EQ(one.gradients[i], many.gradients[i]) << count;
    }
  }
  set_max_threads(threads);
}

TEST(Executor, GivesTheSameBytesWithAnyNumberOfThreads) {
  expect_same_bytes(branching());
  expect_same_bytes(separable());
  expect_same_bytes(testing::shrinking());
  expect_same_bytes(testing::shrinking_beside_a_dead_end());
}

}  // namespace
}  // namespace n2d2::compute

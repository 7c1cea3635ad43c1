#include "n2d2/ops/quantize_activation.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"

#include "compute/network.hpp"

namespace n2d2::compute {
namespace {

/// Batches of more than a block, of a map whose size is no multiple of a vector.
constexpr int64_t kBatch = 19;

struct Found {
  std::vector<float> y;
  std::vector<float> d_weights;  ///< of the convolution: sums of d_x times x
  float d_learnt = 0;
  friend bool operator==(const Found&, const Found&) = default;
};

/// A network of a convolution of one weight 1 (it makes x need a gradient) and the quantizer.
Found run(const ops::QuantizeActivation& op, float learnt, Backend backend, const Tensor& x,
          const Tensor& d) {
  testing::Network net(x.shape().with_batch(1));
  ops::Conv one;
  one.kernel = {1, 1};
  one.nb_outputs = static_cast<int>(x.shape().c());
  one.groups = one.nb_outputs;
  net.conv(one, false);
  net.graph.mutable_constant(net.parameters[0]).fill(1);
  const graph::ValueId in = net.last;
  const graph::ValueId step = net.graph.add_constant("step", Tensor::from(Shape{1}, {learnt}));
  net.add(op, {in, step});
  net.graph.set_outputs({net.last});
  Executor executor(net.graph, {.backend = backend, .training = true});
  executor.forward(x);
  executor.backward(std::vector<GradientSeed>{{net.last, d}});
  const Tensor y = executor.read(net.last), d_weights = executor.gradient(net.parameters[0]);
  return {{y.span().begin(), y.span().end()},
          {d_weights.span().begin(), d_weights.span().end()},
          executor.gradient(step).span()[0]};
}

Found by_definition(const ops::QuantizeActivation& op, float learnt, const Tensor& x, const Tensor& d) {
  const Tensor step = Tensor::from(Shape{1}, {learnt});
  Tensor y(x.shape()), d_x(x.shape()), d_step(Shape{1});
  const std::vector<const Tensor*> in{&x, &step}, d_out{&d};
  const std::vector<Tensor*> out{&y}, d_in{&d_x, &d_step};
  op.forward({in, out, true, {}, nullptr});
  const std::vector<const Tensor*> made{&y};
  op.backward({in, made, d_out, d_in, {}, nullptr});
  std::vector<float> d_weights(static_cast<size_t>(x.shape().c()));
  const auto pixels = static_cast<size_t>(x.shape().h() * x.shape().w());
  for (size_t c = 0; c < d_weights.size(); ++c) {
    double sum = 0;
    for (size_t i = 0; i < x.span().size(); ++i)
      if (i / pixels % d_weights.size() == c) sum += double{d_x.span()[i]} * x.span()[i];
    d_weights[c] = static_cast<float>(sum);
  }
  return {{y.span().begin(), y.span().end()}, d_weights, d_step.span()[0]};
}

TEST(QuantizeActivationKernel, IsTheOperatorOnTheWholeBatchInBothBackends) {
  const Tensor x = testing::random_tensor({kBatch, 3, 5, 7}, 1, 2),
               d = testing::random_tensor({kBatch, 3, 5, 7}, 2);
  ops::QuantizeActivation sat, lsq, both;
  sat.levels = lsq.levels = both.levels = 15;
  lsq.method = both.method = ops::QuantizeMethod::LSQ;
  both.is_signed = true;
  for (const auto& [op, learnt] : {std::pair{sat, 2.5F}, {sat, -2.5F}, {lsq, 0.2F}, {both, 0.2F}}) {
    const Found expected = by_definition(op, learnt, x, d);
    for (const Backend backend : {Backend::Reference, Backend::OneDnn}) {
      const Found found = run(op, learnt, backend, x, d);
      EXPECT_EQ(found.y, expected.y);
      for (size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(found.d_weights[c], expected.d_weights[c], 1e-4 * std::abs(expected.d_weights[c]) + 1e-4);
      EXPECT_NEAR(found.d_learnt, expected.d_learnt, 1e-5 * std::abs(expected.d_learnt));
    }
  }
}

TEST(QuantizeActivationKernel, DoesNotDependOnTheNumberOfThreads) {
  const Tensor x = testing::random_tensor({64, 3, 5, 7}, 1, 2), d = testing::random_tensor({64, 3, 5, 7}, 2);
  ops::QuantizeActivation op;
  op.levels = 15;
  const int before = max_threads();
  set_max_threads(1);
  const Found one = run(op, 2.5F, Backend::OneDnn, x, d);
  set_max_threads(2);
  EXPECT_TRUE(one == run(op, 2.5F, Backend::OneDnn, x, d));
  set_max_threads(before);
}

TEST(QuantizeActivationKernel, ATrainingStepGivesTheFirstValueToACopyThatMeasures) {
  testing::Network net({1, 2, 2, 2});
  net.conv(2, 1, 1, 0);
  ops::QuantizeActivation op;
  op.method = ops::QuantizeMethod::LSQ;
  op.levels = 15;
  op.init = ops::StepInit::Batch;
  op.measures = true;
  const graph::ValueId in = net.last;
  const graph::ValueId step = net.graph.add_constant("step", Tensor(Shape{1}));
  net.add(op, {in, step});
  net.graph.set_outputs({net.last});
  for (const Backend backend : {Backend::Reference, Backend::OneDnn}) {
    net.graph.mutable_constant(step).fill(0);
    Executor executor(net.graph, {.backend = backend, .training = true});
    executor.forward(testing::random_tensor({kBatch, 2, 2, 2}, 1));
    executor.absorb(net.graph);
    double sum = 0;
    const Tensor x = executor.read(in);
    for (const float value : x.span()) sum += std::abs(value);
    const double expected = 2 * sum / static_cast<double>(x.elements()) / std::sqrt(15.0);
    EXPECT_NEAR(net.graph.value(step).constant->span()[0], expected, 1e-6);
  }
}

}  // namespace
}  // namespace n2d2::compute

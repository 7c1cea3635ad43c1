#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/ops/quantize_activation.hpp"
#include "n2d2/training/first_steps.hpp"
#include "n2d2/training/learning_state.hpp"

#include "training/small_nets.hpp"
#include "working_folder.hpp"

namespace n2d2::training {
namespace {

using Texts = std::map<std::string, std::string>;

/// What quantizes the weights of a layer, by the name of the constant.
struct Rule {
  std::string constant, type;
  Texts keys;
};

/// conv SAT, SAT clip, fc LSQ a step an output, LSQ steps that the first batch gives, out pruned by and by.
struct QuantizedNet {
  SmallNet net{Shape{1, 1, 8, 8}};
  graph::ValueId alpha, step;
  std::vector<Rule> rules{
      {"conv_weights", "SAT", {{"QuantMode", "Symmetric"}, {"Range", "15"}, {"ApplyScaling", "1"}}},
      {"fc_weights", "LSQ", {{"Range", "7"}, {"PerChannel", "1"}}},
      {"out_weights",
       "Prune",
       {{"PruningMode", "Gradual"}, {"PruningFiller", "IterNonStruct"}, {"StepSizeThreshold", "64"}}}};

  QuantizedNet() {
    net.conv("conv", 4, 3);
    net.batchnorm("norm");
    ops::QuantizeActivation sat, lsq;
    sat.levels = lsq.levels = 15;
    lsq.method = ops::QuantizeMethod::LSQ;
    lsq.init = ops::StepInit::Batch;
    alpha = net.constant("norm_QAct_SAT_Alpha", Shape{1}, 6, true);
    net.add(std::make_unique<ops::QuantizeActivation>(sat), "norm_QAct", {alpha});
    net.fc("fc", 12);
    net.relu("relu");
    step = net.constant("fc_QAct_LSQ_StepSize", Shape{1}, 0, true);
    net.add(std::make_unique<ops::QuantizeActivation>(lsq), "fc_QAct", {step});
    net.fc("out", 3);
    net.softmax();
  }

  std::vector<LearntConstant> learnt() const {
    std::vector<LearntConstant> out = net.solvers("SGD", {{"LearningRate", "0.05"}, {"Momentum", "0.9"}});
    for (LearntConstant& constant : out)
      for (const Rule& rule : rules) {
        const graph::Value& value = net.graph.value(constant.value);
        if (value.name != rule.constant) continue;
        Diagnostics diagnostics;
        constant.quantizer = make_quantizer(rule.type, MapKeys(rule.keys), diagnostics);
        EXPECT_FALSE(diagnostics.has_errors());
        constant.quantizer->bind({value.name, value.type.shape, {}, {}, 5, 0});
        if (rule.type == "LSQ")
          constant.step_solver = make_solver("SGD", MapKeys(Texts{{"LearningRate", "0.001"}}), diagnostics);
      }
    return out;
  }
};

TrainerOptions options_of(int threads, compute::Backend backend = compute::Backend::OneDnn) {
  set_max_threads(threads);
  TrainerOptions options = reference_options(16);
  options.backend = backend;
  return options;
}

/// 200 steps of batches of 16.
TrainerState learn(int threads, compute::Backend backend) {
  const int before = max_threads();
  QuantizedNet quantized;
  Trainer trainer(quantized.net.graph, quantized.learnt(), quantized.net.targets(),
                  options_of(threads, backend));
  trainer.learn_stimuli(stripes(90), 200 * 16);
  set_max_threads(before);
  return trainer.state();
}

TEST(QuantizedTraining, GivesTheSameBytesWithOneAndTwoThreads) {
  for (const auto backend : {compute::Backend::Reference, compute::Backend::OneDnn}) {
    const TrainerState one = learn(1, backend);
    EXPECT_TRUE(one == learn(2, backend));
    ASSERT_EQ(one.quantizers.size(), 5U);  // three of weights, two of activations
  }
}

TEST(QuantizedTraining, LearnsWithFewLevels) {
  QuantizedNet quantized;
  const int before = max_threads();
  Trainer trainer(quantized.net.graph, quantized.learnt(), quantized.net.targets(), options_of(1));
  const VectorSource source = stripes(90, 90);
  trainer.learn_epochs(source, 40);
  EXPECT_GE(trainer.evaluate(source, data::Partition::Validation).front().recognition_rate(), 0.95);
  set_max_threads(before);
}

const TrainerState::Quantizer& find(const TrainerState& state, const std::string& name) {
  for (const TrainerState::Quantizer& one : state.quantizers)
    if (one.name == name) return one;
  throw std::runtime_error("no quantizer of " + name);
}

TEST(QuantizedTraining, LearnsMastersAndSteps) {
  QuantizedNet quantized;
  const Tensor before = *quantized.net.graph.value(quantized.net.learnt[0]).constant;
  Trainer trainer(quantized.net.graph, quantized.learnt(), quantized.net.targets(), options_of(1));
  const VectorSource source = stripes(90);
  trainer.learn_stimuli(source, 16 * 8);
  const TrainerState state = trainer.state();
  // The graph has masters, which are on no grid of 15 levels.
  const Tensor& masters = *quantized.net.graph.value(quantized.net.learnt[0]).constant;
  EXPECT_FALSE(masters == before);
  std::set<float> levels(masters.span().begin(), masters.span().end());
  EXPECT_GT(levels.size(), 15U);
  const QuantizerState& lsq = find(state, "fc_weights").now;
  EXPECT_TRUE(lsq.is_started);
  ASSERT_EQ(lsq.steps.size(), 12U);
  EXPECT_NE(lsq.steps, lsq.starts);
  EXPECT_NE(quantized.net.graph.value(quantized.alpha).constant->span()[0], 6);
  EXPECT_EQ(find(state, "norm_QAct_SAT_Alpha").now.starts, std::vector<float>{6});
  EXPECT_GT(quantized.net.graph.value(quantized.step).constant->span()[0], 0);
  // 128 stimuli: two raises of 0.05 from 0.1, of 36 weights
  const QuantizerState& pruned = find(state, "out_weights").now;
  EXPECT_EQ(pruned.raises, 2);
  EXPECT_EQ(std::count(pruned.mask.begin(), pruned.mask.end(), 0.0F), 8);
}

TEST(QuantizedTraining, TheNetworkSeesTheQuantizedWeights) {
  // One Fc without bias, loss of a step on known numbers: w = 0.5 -0.25 with the step 0.25 of 3 levels.
  SmallNet net(Shape{1, 2, 1, 1});
  auto fc = std::make_unique<ops::Fc>();
  fc->nb_outputs = 1;
  const auto weights = net.constant("w", Shape{1, 2}, 0, true);
  net.graph.mutable_constant(weights).span()[0] = 0.9F;
  net.graph.mutable_constant(weights).span()[1] = -0.3F;
  net.add(std::move(fc), "fc", {weights});
  std::vector<LearntConstant> learnt = net.solvers("SGD", {{"LearningRate", "0"}});
  Diagnostics diagnostics;
  learnt[0].quantizer = make_quantizer(
      "LSQ", MapKeys(Texts{{"Range", "3"}, {"StepSize", "0.25"}, {"SetOptInitStepSize", "0"}}), diagnostics);
  learnt[0].quantizer->bind({"w", Shape{1, 2}, {}, {}, 1, 0});
  Trainer trainer(net.graph, std::move(learnt), net.targets(), options_of(1));
  // -2 .. 1 steps: 0.25 and -0.25; the squared error of output 0.25 * 3 - 0.25 * 1 = 0.5 against 1 or 0
  const Tensor x = Tensor::from(Shape{1, 2, 1, 1}, {3, 1});
  const std::vector<int> label{0};
  const double loss = trainer.step(x, label, 0);
  net.graph.mutable_constant(weights).span()[0] = 0.25F;
  net.graph.mutable_constant(weights).span()[1] = -0.25F;
  Trainer plain(net.graph, net.solvers("SGD", {{"LearningRate", "0"}}), net.targets(), options_of(1));
  EXPECT_EQ(loss, plain.step(x, label, 0));
  EXPECT_GT(loss, 0);
}

TEST(QuantizedTraining, StepsKeepTheirBound) {
  QuantizedNet quantized;
  std::vector<LearntConstant> learnt = quantized.learnt();
  Diagnostics diagnostics;
  for (LearntConstant& constant : learnt)
    if (constant.value == quantized.alpha)
      constant.solver = make_solver("SGD", MapKeys(Texts{{"LearningRate", "1000"}}), diagnostics);
  for (LearntConstant& constant : learnt)
    if (constant.step_solver)
      constant.step_solver = make_solver("SGD", MapKeys(Texts{{"LearningRate", "1000"}}), diagnostics);
  Trainer trainer(quantized.net.graph, std::move(learnt), quantized.net.targets(), options_of(1));
  try {
    trainer.learn_stimuli(stripes(90), 16 * 6);
  } catch (const Diverged&) {
    // A huge step may end the learning; one below its bound may not come about.
  }
  const TrainerState state = trainer.state();
  EXPECT_GE(quantized.net.graph.value(quantized.alpha).constant->span()[0], 6 * 0x1p-20F);
  const QuantizerState& lsq = find(state, "fc_weights").now;
  for (size_t i = 0; i < lsq.steps.size(); ++i) EXPECT_GE(lsq.steps[i], lsq.starts[i] * 0x1p-20F);
}

TEST(QuantizedTraining, StoppedRunGoesOnToTheSameBytesFromItsFiles) {
  const WorkingFolder folder;
  const VectorSource source = stripes(90, 30);
  const int before = max_threads();
  QuantizedNet straight;
  TrainerOptions options = options_of(2);
  options.log_stimuli = 300;
  Trainer whole(straight.net.graph, straight.learnt(), straight.net.targets(), options);
  whole.learn_stimuli(source, 1600);

  int batches = 0;
  TrainerCallbacks callbacks;
  callbacks.wants_stop = [&batches] { return ++batches == 57; };
  QuantizedNet first;
  Trainer stopped(first.net.graph, first.learnt(), first.net.targets(), options, std::move(callbacks));
  EXPECT_TRUE(stopped.learn_stimuli(source, 1600).interrupted);
  const LearningState written{{{"seed", "3"}}, 1600, stopped.state()};
  save_state(written, "state");
  const LearningState read = load_state("state");
  EXPECT_TRUE(read == written);

  QuantizedNet second;
  Trainer resumed(second.net.graph, second.learnt(), second.net.targets(), options);
  resumed.resume(read.trainer);
  resumed.learn_stimuli(source, 1600);
  EXPECT_TRUE(resumed.state() == whole.state());
  // The best validation has steps and masks of its own.
  whole.take_best();
  resumed.take_best();
  EXPECT_TRUE(resumed.state() == whole.state());
  set_max_threads(before);
}

TEST(QuantizedTraining, SaysThatAMasterIsNotFinite) {
  QuantizedNet quantized;
  quantized.net.graph.mutable_constant(quantized.net.learnt[0]).span()[0] = std::nanf("");
  Trainer trainer(quantized.net.graph, quantized.learnt(), quantized.net.targets(), options_of(1));
  try {
    trainer.learn_stimuli(stripes(90), 16);
    FAIL();
  } catch (const Diverged& error) {
    EXPECT_STREQ(error.what(),
                 "learning diverged: a weight of 'conv_weights' is not finite\n  hint: a lower "
                 "Solvers.LearningRate");
  }
}

TEST(QuantizedTraining, FirstStepsAreThoseOfTheBatchBehindQuantizedLayers) {
  QuantizedNet quantized;
  EXPECT_TRUE(lacks_first_steps(quantized.net.graph));
  data::Batch batch;
  stripes(90).open(data::Partition::Learn, data::in_order(16), 16, 0)->next(batch);
  measure_first_steps(quantized.net.graph, batch.data, 0, compute::Backend::OneDnn, 3);
  EXPECT_FALSE(lacks_first_steps(quantized.net.graph));
  const float found = quantized.net.graph.value(quantized.step).constant->span()[0];
  // What the network has in front of that quantizer, in training mode.
  compute::Executor executor(quantized.net.graph,
                             {.backend = compute::Backend::Reference, .training = true, .seed = 3});
  executor.forward(batch.data);
  const Tensor x = executor.read(*quantized.net.graph.find_value("relu"));
  double sum = 0;
  for (const float value : x.span()) sum += std::abs(value);
  EXPECT_NEAR(found, 2 * sum / static_cast<double>(x.elements()) / std::sqrt(15.0), 1e-5);
}

// ---- the gradient of a quantizer is that of its function with what its rounding adds held ----------------

TEST(QuantizedTraining, SatGradientsAreThoseOfTheSurrogate) {
  Rng rng(3);
  std::vector<float> masters(40), factors(40);
  for (float& w : masters) w = static_cast<float>(rng.normal());
  for (float& f : factors) f = static_cast<float>(rng.uniform(0.5, 1));
  for (const char* mode : {"Default", "Symmetric", "Asymmetric", "FullRange"}) {
    Diagnostics diagnostics;
    const auto sat = make_quantizer("SAT", MapKeys(Texts{{"QuantMode", mode}, {"Range", "15"}}), diagnostics);
    sat->bind({"w", Shape{4, 10}, {}, {}, 1, 0});
    std::vector<float> weights(40), found(40);
    sat->forward(masters, weights);
    sat->backward(masters, factors, found, {});
    double most = 0;
    for (const float w : masters) most = std::max(most, std::tanh(std::abs(double{w})));
    const std::string name = mode;
    const double phi = name == "Asymmetric" ? 1 + 1 / 14.0 : name == "FullRange" ? 1 + 0.9998 / 15 : 1;
    for (size_t i = 0; i < masters.size(); ++i) {
      const auto f = [&](double w) { return factors[i] * phi * std::tanh(w) / most; };
      constexpr double kStep = 1e-5;
      const double slope = (f(masters[i] + kStep) - f(masters[i] - kStep)) / (2 * kStep);
      EXPECT_NEAR(found[i], slope, 1e-5) << mode << " " << i;
    }
  }
}

TEST(QuantizedTraining, LsqGradientsAreThoseOfTheSurrogate) {
  Rng rng(3);
  std::vector<float> masters(40), factors(40), weights(40), found(40), d_steps(4);
  for (float& w : masters) w = static_cast<float>(rng.normal());
  for (float& f : factors) f = static_cast<float>(rng.uniform(0.5, 1));
  Diagnostics diagnostics;
  const auto lsq = make_quantizer("LSQ", MapKeys(Texts{{"Range", "7"}, {"PerChannel", "1"}}), diagnostics);
  lsq->bind({"w", Shape{4, 10}, {}, {}, 1, 0});
  lsq->forward(masters, weights);
  lsq->backward(masters, factors, found, d_steps);
  const auto sum = [&](size_t output, double step, size_t moved, double by) {
    const double at = lsq->steps()[output];
    double total = 0;
    for (size_t i = output * 10; i < (output + 1) * 10; ++i) {
      const double v = masters[i] / at, held = std::nearbyint(v) - v;
      const double w = masters[i] + (i == moved ? by : 0);
      total += factors[i] * (v <= -4 ? -4 * step : v >= 3 ? 3 * step : w + step * held);
    }
    return total;
  };
  constexpr double kStep = 1e-5;
  for (size_t o = 0; o < 4; ++o) {
    const double at = lsq->steps()[o];
    const double slope = (sum(o, at + kStep, 40, 0) - sum(o, at - kStep, 40, 0)) / (2 * kStep);
    EXPECT_NEAR(d_steps[o], slope / std::sqrt(10 * 3.0), 1e-4);
    for (size_t i = o * 10; i < (o + 1) * 10; ++i)
      EXPECT_NEAR(found[i], (sum(o, at, i, kStep) - sum(o, at, i, -kStep)) / (2 * kStep), 1e-4);
  }
}

}  // namespace
}  // namespace n2d2::training

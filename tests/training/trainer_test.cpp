#include "n2d2/training/trainer.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

using Keys = std::map<std::string, std::string>;
const Keys kFast{{"LearningRate", "0.2"}, {"Momentum", "0.9"}};

double rate_of(Trainer& trainer, const SampleSource& source) {
  return trainer.evaluate(source, data::Partition::Test).front().recognition_rate();
}

TEST(Trainer, LearnsWhatNoLinearNetCan) {
  SmallNet net = xor_net();
  const VectorSource source = xor_points(200);
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), reference_options(20));
  trainer.learn_epochs(source, 12);
  EXPECT_EQ(rate_of(trainer, source), 1);
}

TEST(Trainer, LearnsWithAdamAndSquaredErrorOnOneOutput) {
  SmallNet net(Shape{1, 2, 1, 1});
  net.fc("hidden", 8);
  net.relu("relu");
  net.fc("out", 1);
  const VectorSource source = xor_points(200);
  Trainer trainer(net.graph, net.solvers("Adam", {{"LearningRate", "0.02"}}), net.targets(),
                  reference_options(20));
  trainer.learn_epochs(source, 15);
  EXPECT_EQ(rate_of(trainer, source), 1);
}

TEST(Trainer, LearnsThroughConvolutionBatchNormAndDropout) {
  SmallNet net = stripes_net();
  const VectorSource source = stripes(240);
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "0.05"}, {"Momentum", "0.9"}}),
                  net.targets(), reference_options(24));
  trainer.learn_stimuli(source, 240 * 10);
  EXPECT_GE(rate_of(trainer, source), 0.98);
}

TEST(Trainer, LearnsOnThePrimitivesToo) {
  SmallNet net = stripes_net();
  const VectorSource source = stripes(240);
  TrainerOptions options = reference_options(24);
  options.backend = compute::Backend::OneDnn;
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "0.05"}, {"Momentum", "0.9"}}),
                  net.targets(), options);
  trainer.learn_epochs(source, 8);
  EXPECT_GE(rate_of(trainer, source), 0.98);
}

// ---- one seed, one result
// ----------------------------------------------------------------------------------

std::vector<Tensor> learn_stripes(compute::Backend backend, int threads, uint64_t seed) {
  const int before = max_threads();
  set_max_threads(threads);
  SmallNet net = stripes_net();
  const VectorSource source = stripes(90);
  TrainerOptions options = reference_options(32);
  options.backend = backend;
  options.seed = seed;
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "0.05"}, {"Momentum", "0.9"}}),
                  net.targets(), options);
  trainer.learn_epochs(source, 2);
  trainer.learn_stimuli(source, 50);
  set_max_threads(before);
  return net.constants();
}

TEST(Trainer, GivesTheSameBytesWithOneAndTwoThreads) {
  for (const auto backend : {compute::Backend::Reference, compute::Backend::OneDnn}) {
    const auto one = learn_stripes(backend, 1, 3);
    EXPECT_TRUE(one == learn_stripes(backend, 2, 3));
    EXPECT_FALSE(one == learn_stripes(backend, 1, 4));
  }
}

// ---- what a step does
// --------------------------------------------------------------------------------------

TEST(Trainer, StepIsTheUpdateOfTheSolverWithTheGradientOfTheLoss) {
  // One linear output y = w x + b, squared error: dw = (y - t) x, db = y - t, averaged over the batch.
  SmallNet net(Shape{1, 1, 1, 1});
  net.fc("out", 1);
  net.graph.mutable_constant(net.learnt[0]).fill(2);
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "0.5"}}), net.targets(),
                  reference_options(2));
  const std::vector<int> labels{1, 0};
  const Tensor batch = Tensor::from(Shape{2, 1, 1, 1}, {1, 3});
  // y = 2, 6; t = 1, 0; y - t = 1, 6
  EXPECT_DOUBLE_EQ(trainer.step(batch, labels, 0), 0.5 * 1 + 0.5 * 36);
  EXPECT_FLOAT_EQ(net.graph.value(net.learnt[0]).constant->span()[0], 2 - 0.5F * (1 * 1 + 6 * 3) / 2);
  EXPECT_FLOAT_EQ(net.graph.value(net.learnt[1]).constant->span()[0], -0.5F * (1 + 6) / 2);
  EXPECT_EQ(trainer.solver_state(0).updates, 1);
}

TEST(Trainer, UsesTheTargetAndDefaultValues) {
  SmallNet net(Shape{1, 1, 1, 1});
  net.fc("out", 2);
  net.graph.mutable_constant(net.learnt[0]).fill(0);
  data::TargetOptions options;
  options.target_value = 3;
  options.default_value = -2;
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "1"}}), {net.target(options)},
                  reference_options(1));
  const std::vector<int> labels{1};
  trainer.step(Tensor(Shape{1, 1, 1, 1}), labels, 0);
  EXPECT_FLOAT_EQ(net.graph.value(net.learnt[1]).constant->span()[0], -2);
  EXPECT_FLOAT_EQ(net.graph.value(net.learnt[1]).constant->span()[1], 3);
}

TEST(Trainer, AddsTheLossesOfAllTargets) {
  const auto learn = [](int copies) {
    SmallNet net(Shape{1, 1, 1, 1});
    net.fc("out", 2);
    std::vector<TrainingTarget> targets(static_cast<size_t>(copies), net.target());
    Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", copies == 1 ? "0.5" : "0.25"}}), targets,
                    reference_options(1));
    const std::vector<int> labels{1};
    trainer.step(Tensor::from(Shape{1, 1, 1, 1}, {0.5}), labels, 0);
    return net.constants();
  };
  EXPECT_TRUE(learn(1) == learn(2));
}

TEST(Trainer, AccumulatesBatchesLikeOneBigBatch) {
  const auto learn = [](const std::string& iteration_size, int64_t batch_size) {
    SmallNet net = xor_net();
    const VectorSource source = xor_points(32);
    Trainer trainer(net.graph,
                    net.solvers("SGD", {{"LearningRate", "0.1"}, {"IterationSize", iteration_size}}),
                    net.targets(), reference_options(batch_size));
    const RunResult result = trainer.learn_epochs(source, 3);
    EXPECT_EQ(result.updates, 3 * 32 / 16);
    return net.constants();
  };
  const auto small = learn("4", 4), big = learn("1", 16);
  for (size_t i = 0; i < small.size(); ++i)
    for (size_t k = 0; k < small[i].span().size(); ++k)
      EXPECT_NEAR(small[i].span()[k], big[i].span()[k], 1e-5);
}

TEST(Trainer, LeavesFrozenAndUnlistedConstantsAlone) {
  SmallNet net = stripes_net();
  auto solvers = net.solvers("SGD", kFast);
  Diagnostics diagnostics;
  solvers[0].solver = make_solver("SGD", MapKeys(Keys{{"LearningRate", "0"}, {"Decay", "0.1"}}), diagnostics);
  solvers.erase(solvers.begin() + 1);
  const Tensor conv_weights = *net.graph.value(net.learnt[0]).constant;
  const Tensor conv_biases = *net.graph.value(net.learnt[1]).constant;
  const Tensor out_weights = *net.graph.value(net.learnt[4]).constant;
  Trainer trainer(net.graph, std::move(solvers), net.targets(), reference_options(16));
  trainer.learn_epochs(stripes(32), 1);
  EXPECT_TRUE(conv_weights == *net.graph.value(net.learnt[0]).constant);
  EXPECT_TRUE(conv_biases == *net.graph.value(net.learnt[1]).constant);
  EXPECT_FALSE(out_weights == *net.graph.value(net.learnt[4]).constant);
}

TEST(Trainer, MovesRunningStatisticsUnlessTheMomentumIsZero) {
  for (const double momentum : {0.0, 0.1}) {
    SmallNet net(Shape{1, 1, 8, 8});
    const graph::NodeId norm = net.batchnorm("norm", momentum);
    net.fc("out", 3);
    std::vector<Tensor> before;
    for (size_t slot = 1; slot < 5; ++slot)
      before.push_back(*net.graph.value(net.graph.node(norm).inputs[slot]).constant);
    auto solvers = net.solvers("SGD", kFast);
    Diagnostics diagnostics;
    for (size_t i : {size_t{0}, size_t{1}})
      solvers[i].solver = make_solver("SGD", MapKeys(Keys{{"LearningRate", "0"}}), diagnostics);
    Trainer trainer(net.graph, std::move(solvers), net.targets(), reference_options(16));
    trainer.learn_epochs(stripes(32), 1);
    for (size_t slot = 1; slot < 5; ++slot) {
      const bool is_same = before[slot - 1] == *net.graph.value(net.graph.node(norm).inputs[slot]).constant;
      EXPECT_EQ(is_same, slot < 3 || momentum == 0) << "momentum " << momentum << ", input " << slot;
    }
  }
}

TEST(Trainer, LetsNoGradientThroughAStop) {
  SmallNet net = xor_net();
  TrainerOptions options = reference_options(16);
  options.gradient_stops = {*net.graph.find_node("out")};
  const std::vector<Tensor> before = net.constants();
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), options);
  trainer.learn_epochs(xor_points(32), 1);
  const std::vector<Tensor> after = net.constants();
  EXPECT_TRUE(before[0] == after[0]);   // hidden_weights
  EXPECT_TRUE(before[1] == after[1]);   // hidden_biases
  EXPECT_FALSE(before[2] == after[2]);  // out_weights
}

TEST(Trainer, SaysThatLearningDiverged) {
  SmallNet net = xor_net();
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "1e30"}}), net.targets(),
                  reference_options(16));
  try {
    trainer.learn_epochs(xor_points(64), 5);
    ADD_FAILURE();
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.substr(0, 41), "learning diverged: the loss of batch 1 is");
    EXPECT_NE(text.find("\n  hint: a lower Solvers.LearningRate, or a smaller Scaling of the fillers"),
              std::string::npos);
  }
}

TEST(Trainer, SaysThatThereIsNothingToLearnFrom) {
  SmallNet net = xor_net();
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), reference_options(16));
  const VectorSource empty({}, {});
  for (const bool epochs : {false, true}) try {
      if (epochs)
        trainer.learn_epochs(empty, 1);
      else
        trainer.learn_stimuli(empty, 10);
      ADD_FAILURE();
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(),
                   "learning: expected stimuli in the Learn partition, got none\n"
                   "  hint: Learn= or the paths of the [database] section");
    }
}

TEST(Trainer, RefusesATargetWithOtherOutputsThanItsLayer) {
  SmallNet net = xor_net();
  Diagnostics diagnostics;
  const std::vector<std::string> labels{"a", "b"};
  const auto target = *data::make_target({}, labels, 3, NoKeys(), diagnostics);
  try {
    training_target(net.graph, net.last, target);
    ADD_FAILURE();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "target on 'softmax': expected 3 outputs, the layer has 2");
  }
}

TEST(Trainer, TakesTheLengthOfPolyDecayFromTheRunAndSaysSo) {
  SmallNet net = xor_net();
  Trainer trainer(
      net.graph,
      net.solvers("SGD", {{"LearningRate", "0.1"}, {"LearningRatePolicy", "PolyDecay"}, {"Power", "1"}}),
      net.targets(), reference_options(10));
  const log::Capture capture;
  trainer.learn_epochs(xor_points(32), 2);  // 4 batches an epoch
  EXPECT_EQ(
      capture.text(),
      "MaxIterations=0 with PolyDecay: taken as 8 updates, the length of this run (hidden_weights and 3 "
      "more)\n");
  EXPECT_NEAR(trainer.learnt()[0].solver->rate(trainer.solver_state(0), 10), 0, 1e-12);
}

// ---- which samples, when
// -----------------------------------------------------------------------------------

TEST(Trainer, ShowsEverySampleOnceAnEpochInItsOwnOrder) {
  SmallNet net = xor_net();
  const VectorSource source = xor_points(20);
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), reference_options(8));
  const RunResult result = trainer.learn_epochs(source, 2);
  trainer.learn_epochs(source, 1);
  EXPECT_EQ(result.stimuli, 40);
  EXPECT_EQ(result.updates, 6);  // 8 + 8 + 4, twice
  ASSERT_EQ(source.opened.size(), 3U);
  std::set<std::vector<int64_t>> orders;
  for (size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(source.opened[e].epoch, e);
    EXPECT_EQ(source.opened[e].partition, data::Partition::Learn);
    EXPECT_EQ(source.opened[e].order, data::shuffled_order(20, 3, e));
    orders.insert(source.opened[e].order);
  }
  EXPECT_EQ(orders.size(), 3U);
}

TEST(Trainer, DrawsExactlyTheStimuliAskedForWithReplacement) {
  SmallNet net = xor_net();
  const VectorSource source = xor_points(20);
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), reference_options(8));
  EXPECT_EQ(trainer.learn_stimuli(source, 2003).stimuli, 2003);
  std::vector<int> drawn(20);
  int64_t total = 0;
  bool repeats = false;
  for (const auto& opened : source.opened) {
    std::set<int64_t> different(opened.order.begin(), opened.order.end());
    repeats = repeats || different.size() < opened.order.size();
    total += static_cast<int64_t>(opened.order.size());
    for (const int64_t i : opened.order) ++drawn[static_cast<size_t>(i)];
  }
  EXPECT_TRUE(repeats);
  EXPECT_EQ(total, 2003);
  // 100 draws of each expected, standard deviation 10.
  EXPECT_GE(*std::min_element(drawn.begin(), drawn.end()), 60);
  EXPECT_LE(*std::max_element(drawn.begin(), drawn.end()), 140);
}

// ---- reports
// -----------------------------------------------------------------------------------------------

struct Recorder {
  std::vector<Progress> progress;
  std::vector<int64_t> logged;
  std::vector<Validation> validations;
  int lasts = 0, validating = 0;
  int64_t learning_samples = 0;
  TrainerCallbacks callbacks() {
    return {[this](const Progress& p) { progress.push_back(p); }, [this](int64_t, int64_t) { ++validating; },
            [this](const LogPoint& p) {
              logged.push_back(p.done);
              lasts += p.is_last ? 1 : 0;
              learning_samples += p.learning->samples();
              if (p.validation) validations.push_back(*p.validation);
            }};
  }
};

/// Whoever saves the state there, a log or what ends the run, writes the same position.
TEST(Trainer, APortionEndsWithItsLastBatch) {
  SmallNet net = xor_net();
  TrainerOptions options = reference_options(8);
  options.log_stimuli = 16;
  std::optional<Trainer> trainer;
  std::vector<std::pair<uint64_t, int64_t>> positions;
  TrainerCallbacks callbacks;
  callbacks.log = [&](const LogPoint&) {
    const TrainerState state = trainer->state();
    positions.emplace_back(state.next_epoch, state.in_portion);
  };
  trainer.emplace(net.graph, net.solvers("SGD", kFast), net.targets(), options, callbacks);
  trainer->learn_stimuli(xor_points(32), 64);
  EXPECT_EQ(positions, (std::vector<std::pair<uint64_t, int64_t>>{{0, 16}, {1, 0}, {1, 16}, {2, 0}}));
}

TEST(Trainer, ReportsProgressAtMultiples) {
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(8);
  options.report = 20;
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), options, recorder.callbacks());
  trainer.learn_epochs(xor_points(32), 2);
  std::vector<int64_t> done;
  for (const Progress& p : recorder.progress) {
    done.push_back(p.done);
    EXPECT_EQ(p.total, 64);
    EXPECT_GT(p.per_second, 0);
    EXPECT_GE(p.seconds_left, 0);
    EXPECT_GT(p.loss, 0);
    EXPECT_GE(p.success, 0);
    EXPECT_LE(p.success, 1);
  }
  EXPECT_EQ(done, (std::vector<int64_t>{24, 40, 64}));
}

TEST(Trainer, ReportsAtMostOnceInItsTime) {
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(8);
  options.report = 1;
  options.report_seconds = 3600;
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), options, recorder.callbacks());
  trainer.learn_epochs(xor_points(32), 2);
  EXPECT_TRUE(recorder.progress.empty());
}

TEST(Trainer, SuccessRateForgetsWhatLeftTheWindow) {
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(20);
  options.window = 100;
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), options, recorder.callbacks());
  trainer.learn_epochs(xor_points(200), 12);
  EXPECT_EQ(recorder.progress.back().success, 1);
}

TEST(Trainer, LogsAfterEachIntervalAndAtTheEnd) {
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(8);
  options.log_epochs = 2;
  Trainer epochs(net.graph, net.solvers("SGD", kFast), net.targets(), options, recorder.callbacks());
  epochs.learn_epochs(xor_points(20), 5);
  EXPECT_EQ(recorder.logged, (std::vector<int64_t>{40, 80, 100}));
  EXPECT_EQ(recorder.lasts, 1);
  EXPECT_EQ(recorder.learning_samples, 100);
  EXPECT_TRUE(recorder.validations.empty());

  Recorder stimuli_recorder;
  options.log_stimuli = 30;
  Trainer stimuli(net.graph, net.solvers("SGD", kFast), net.targets(), options, stimuli_recorder.callbacks());
  stimuli.learn_stimuli(xor_points(20), 70);
  EXPECT_EQ(stimuli_recorder.logged, (std::vector<int64_t>{32, 64, 70}));
  EXPECT_EQ(stimuli_recorder.lasts, 1);
}

TEST(Trainer, ValidatesTheWholePartitionAndKeepsTheBest) {
  SmallNet net = xor_net();
  Recorder recorder;
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), reference_options(20),
                  recorder.callbacks());
  const RunResult result = trainer.learn_epochs(xor_points(200, 50), 20);
  ASSERT_EQ(recorder.validations.size(), 20U);
  EXPECT_EQ(recorder.validating, 20 * 3);  // 20 + 20 + 10 samples
  double best = -1;
  int without = 0;
  for (const Validation& v : recorder.validations) {
    EXPECT_EQ(v.score.samples(), 50);
    EXPECT_DOUBLE_EQ(v.metric, v.score.confusion().macro(data::Metric::Sensitivity));
    EXPECT_EQ(v.is_best, v.metric > best);
    without = v.is_best ? 0 : without + 1;
    best = std::max(best, v.metric);
    EXPECT_EQ(v.best, best);
    EXPECT_EQ(v.without_progress, without);
  }
  EXPECT_EQ(result.best, best);
  EXPECT_EQ(best, 1);
  EXPECT_FALSE(result.stopped_early);
}

TEST(Trainer, ScoresValidationByTheMetricAskedFor) {
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(20);
  options.metric = data::Metric::MissRate;
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), options, recorder.callbacks());
  trainer.learn_epochs(xor_points(40, 40), 1);
  ASSERT_EQ(recorder.validations.size(), 1U);
  EXPECT_DOUBLE_EQ(recorder.validations[0].metric,
                   recorder.validations[0].score.confusion().macro(data::Metric::MissRate));
}

TEST(Trainer, TakesTheSmallestErrorRateForTheBest) {
  using data::Metric;
  for (const Metric metric :
       {Metric::MissRate, Metric::FallOut, Metric::FalseDiscoveryRate, Metric::FalseOmissionRate})
    EXPECT_TRUE(is_better(metric, 0.1, 0.2) && !is_better(metric, 0.2, 0.1) && !is_better(metric, 0.1, 0.1));
  for (const Metric metric :
       {Metric::Sensitivity, Metric::Specificity, Metric::Precision, Metric::NegativePredictiveValue,
        Metric::Accuracy, Metric::F1Score, Metric::Informedness, Metric::Markedness, Metric::IU})
    EXPECT_TRUE(is_better(metric, 0.2, 0.1) && !is_better(metric, 0.1, 0.2) && !is_better(metric, 0.1, 0.1));
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(20);
  options.metric = Metric::MissRate;
  Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "0.05"}}), net.targets(), options,
                  recorder.callbacks());
  const auto best = trainer.learn_epochs(xor_points(40, 40), 8).best;
  std::vector<double> metrics;
  for (const Validation& v : recorder.validations) metrics.push_back(v.metric);
  const auto [low, high] = std::minmax_element(metrics.begin(), metrics.end());
  EXPECT_LT(*low, *high);
  EXPECT_EQ(best, *low);
}

TEST(Trainer, StopsAfterValidationsWithoutABetterOne) {
  for (const bool epochs : {false, true}) {
    SmallNet net = xor_net();
    Recorder recorder;
    TrainerOptions options = reference_options(20);
    options.stop_valid = 3;
    options.log_stimuli = 40;
    // Nothing learns, so the first validation stays the best.
    Trainer trainer(net.graph, net.solvers("SGD", {{"LearningRate", "0"}}), net.targets(), options,
                    recorder.callbacks());
    const VectorSource source = xor_points(40, 40);
    const RunResult result = epochs ? trainer.learn_epochs(source, 100) : trainer.learn_stimuli(source, 4000);
    EXPECT_EQ(result.stimuli, 4 * 40);
    EXPECT_TRUE(result.stopped_early);
    EXPECT_EQ(recorder.validations.size(), 4U);
    EXPECT_EQ(recorder.validations.back().without_progress, 3);
    EXPECT_EQ(recorder.lasts, 1);
  }
}

TEST(Trainer, NeverValidatesWithAnIntervalOfZeroEpochs) {
  SmallNet net = xor_net();
  Recorder recorder;
  TrainerOptions options = reference_options(20);
  options.log_epochs = 0;
  Trainer trainer(net.graph, net.solvers("SGD", kFast), net.targets(), options, recorder.callbacks());
  trainer.learn_epochs(xor_points(40, 40), 3);
  EXPECT_EQ(recorder.logged, (std::vector<int64_t>{120}));
  EXPECT_TRUE(recorder.validations.empty());
}

}  // namespace
}  // namespace n2d2::training

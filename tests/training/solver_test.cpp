#include "n2d2/training/solver.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/base/random.hpp"

#include "training/keys.hpp"

namespace n2d2::training {
namespace {

using Keys = std::map<std::string, std::string>;

std::unique_ptr<Solver> make(const std::string& type, const Keys& keys) {
  Diagnostics diagnostics;
  auto solver = make_solver(type, MapKeys(keys), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return solver;
}

std::string error_of(const std::string& type, const Keys& keys) {
  Diagnostics diagnostics;
  EXPECT_EQ(make_solver(type, MapKeys(keys), diagnostics), nullptr);
  return only_error(diagnostics);
}

/// A weight through several steps with these gradients.
std::vector<float> path(const Solver& solver, float weight, const std::vector<float>& gradients,
                        int64_t batch = 1) {
  SolverState state;
  std::vector<float> weights;
  for (const float gradient : gradients) {
    solver.step({&weight, 1}, {&gradient, 1}, batch, state);
    weights.push_back(weight);
  }
  return weights;
}

void expect_path(const std::vector<float>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-6 * std::max(1.0, std::abs(expected[i]))) << "step " << i;
}

TEST(Sgd, DescendsByRateTimesMeanGradient) {
  expect_path(path(*make("SGD", {{"LearningRate", "0.5"}}), 1, {8, -4}, 4), {0, 0.5});
}

TEST(Sgd, HasDefaultRateOfOneHundredth) {
  expect_path(path(*make("SGD", {}), 1, {1}), {0.99});
}

TEST(Sgd, KeepsVelocityByMomentum) {
  // v: -0.1, -0.5 * 0.1 - 0.2 = -0.25, -0.125
  expect_path(path(*make("SGD", {{"LearningRate", "0.1"}, {"Momentum", "0.5"}}), 1, {1, 2, 0}),
              {0.9, 0.65, 0.525});
}

TEST(Sgd, DecaysWeightsByRate) {
  // w - 0.1 * 0.5 * w
  expect_path(path(*make("SGD", {{"LearningRate", "0.1"}, {"Decay", "0.5"}}), 2, {0, 0}), {1.9, 1.805});
}

TEST(Sgd, PutsDecayIntoTheVelocity) {
  // v1 = -0.1 * 1 - 0.1 * 0.5 * 2 = -0.2;  v2 = 0.5 * -0.2 - 0 - 0.05 * 1.8 = -0.19
  expect_path(path(*make("SGD", {{"LearningRate", "0.1"}, {"Decay", "0.5"}, {"Momentum", "0.5"}}), 2, {1, 0}),
              {1.8, 1.61});
}

TEST(Sgd, ClampsWeightsButNotVelocity) {
  const auto solver = make("SGD", {{"LearningRate", "1"}, {"Momentum", "0.5"}, {"Clamping", "-1:0.5"}});
  // v: 2, 1, 0.5 - 3 = -2.5
  expect_path(path(*solver, 0, {-2, 0, 3}), {0.5, 0.5, -1});
}

TEST(Sgd, ClampingWasASwitch) {
  expect_path(path(*make("SGD", {{"LearningRate", "1"}, {"Clamping", "1"}}), 0, {-2, 9}), {1, -1});
  expect_path(path(*make("SGD", {{"LearningRate", "1"}, {"Clamping", "0"}}), 0, {-2, 9}), {2, -7});
}

TEST(Sgd, ClampingSidesMayBeEmpty) {
  expect_path(path(*make("SGD", {{"LearningRate", "1"}, {"Clamping", ":1.0"}}), 0, {-2, 9}), {1, -8});
  expect_path(path(*make("SGD", {{"LearningRate", "1"}, {"Clamping", "-1.5:"}}), 0, {-2, 9}), {2, -1.5});
  expect_path(path(*make("SGD", {{"LearningRate", "1"}, {"Clamping", ""}}), 0, {-2, 9}), {2, -7});
}

TEST(Sgd, RejectsClampingThatIsNoRange) {
  for (const std::string text : {"2", "1:0", "a:b", "1:2:3"})
    EXPECT_EQ(
        error_of("SGD", {{"Clamping", text}}),
        "net.ini:11: [conv1] Clamping: expected 'min:max' with min <= max (either may be left out), got '" +
            text + "'");
}

TEST(Sgd, AccumulatesGradientsLikeOneBigBatch) {
  const Keys keys{{"LearningRate", "0.1"}, {"Momentum", "0.9"}, {"Decay", "0.01"}};
  Keys accumulating = keys;
  accumulating["IterationSize"] = "4";
  const auto small = path(*make("SGD", accumulating), 1, {1, 2, 3, 4, -1, -1, -1, -1}, 8);
  const auto big = path(*make("SGD", keys), 1, {10, -4}, 32);
  EXPECT_FLOAT_EQ(small[2], 1);
  EXPECT_FLOAT_EQ(small[3], big[0]);
  EXPECT_FLOAT_EQ(small[6], big[0]);
  EXPECT_FLOAT_EQ(small[7], big[1]);
}

TEST(Sgd, FollowsItsPolicyByUpdates) {
  const auto solver = make("SGD", {{"LearningRate", "1"},
                                   {"LearningRatePolicy", "StepDecay"},
                                   {"LearningRateStepSize", "4"},
                                   {"LearningRateDecay", "0.5"},
                                   {"IterationSize", "2"}});
  // An update every 2 batches of 1; 4 stimuli a step.
  expect_path(path(*solver, 0, {1, 1, 1, 1, 1, 1}), {0, -1, -1, -2, -2, -2.5});
}

TEST(Sgd, TellsTheRateOfTheNextUpdate) {
  const auto solver = make("SGD", {{"LearningRate", "0.2"}, {"LearningRatePolicy", "InvTDecay"}});
  SolverState state;
  EXPECT_DOUBLE_EQ(solver->rate(state, 5), 0.2);
  state.updates = 2;
  EXPECT_DOUBLE_EQ(solver->rate(state, 5), 0.1);  // 1 / (1 + 0.1 * 10)
}

TEST(Sgd, RateOfZeroFreezesEvenWithClamping) {
  const auto solver = make("SGD", {{"LearningRate", "0"}, {"Decay", "1"}, {"Clamping", "0:1"}});
  EXPECT_TRUE(solver->is_frozen());
  expect_path(path(*solver, 3, {5, 5}), {3, 3});
}

TEST(Sgd, DoesNotSupportOtherPolyakMomentum) {
  EXPECT_EQ(error_of("SGD", {{"PolyakMomentum", "0"}}),
            "net.ini:11: [conv1] PolyakMomentum: expected 1, got '0': other momentum is not supported");
}

TEST(Sgd, SteppedPolicyNeedsAStep) {
  EXPECT_EQ(error_of("SGD", {{"LearningRatePolicy", "StepDecay"}, {"LearningRateStepSize", "0"}}),
            "net.ini:12: [conv1] LearningRateStepSize: expected an integer >= 1 with "
            "LearningRatePolicy=StepDecay, got '0'\n"
            "  hint: the unit is stimuli; [sp]_EpochSize is one epoch");
  EXPECT_NE(make("SGD", {{"LearningRateStepSize", "0"}}), nullptr);
}

TEST(Sgd, CosineMustBeLongerThanItsWarmUp) {
  EXPECT_EQ(
      error_of("SGD",
               {{"LearningRatePolicy", "CosineDecay"}, {"MaxIterations", "5"}, {"WarmUpDuration", "5"}}),
      "net.ini:12: [conv1] MaxIterations: expected more steps than WarmUpDuration = 5, got '5'");
}

TEST(Sgd, RejectsAnUnknownPolicy) {
  EXPECT_EQ(
      error_of("SGD", {{"LearningRatePolicy", "Cosine"}}),
      "net.ini:11: [conv1] LearningRatePolicy: expected one of None StepDecay ExponentialDecay InvTDecay "
      "PolyDecay InvDecay CosineDecay, got 'Cosine'");
}

TEST(Sgd, SettlesTheLengthOfPolyDecayByTheRun) {
  const auto solver = make(
      "SGD",
      {{"LearningRate", "1"}, {"LearningRatePolicy", "PolyDecay"}, {"Power", "1"}, {"IterationSize", "2"}});
  EXPECT_EQ(solver->settle(4000, 16),
            "MaxIterations=0 with PolyDecay: taken as 2,000 updates, the length of this run");
  EXPECT_EQ(solver->settle(8000, 16), "");
  SolverState state;
  state.updates = 500;
  EXPECT_DOUBLE_EQ(solver->rate(state, 16), 0.75);
}

TEST(Sgd, SettlesTheLengthOfCosineDecayInSteps) {
  const auto solver = make("SGD", {{"LearningRatePolicy", "CosineDecay"}, {"LearningRateStepSize", "100"}});
  EXPECT_EQ(solver->settle(1000, 20),
            "MaxIterations=0 with CosineDecay: taken as 200 steps, the length of this run");
}

TEST(Sgd, HasNothingToSettleWithAGivenLength) {
  EXPECT_EQ(make("SGD", {{"LearningRatePolicy", "PolyDecay"}, {"MaxIterations", "7"}})->settle(10, 1), "");
  EXPECT_EQ(make("SGD", {})->settle(10, 1), "");
}

TEST(Adam, TakesStepsOfTheRateWhateverTheSizeOfTheGradient) {
  const auto solver = make("Adam", {{"LearningRate", "0.1"}});
  expect_path(path(*solver, 1, {1000}), {0.9});
  expect_path(path(*solver, 1, {-0.01F}), {1.1});
}

TEST(Adam, FollowsKingmaAndBaByHand) {
  // Beta1 = 0.5, Beta2 = 0.75, G = 2 then -1:
  //   m = 1, m' = 2;     v = 1, v' = 4;             w = 1 - 0.1 * 2 / 2 = 0.9
  //   m = 0, m' = 0;     v = 1, v' = 1 / 0.4375;    w = 0.9
  //   G = 3: m = 1.5, m' = 1.5 / 0.875; v = 0.75 + 2.25 = 3, v' = 3 / 0.578125
  const auto solver = make("Adam", {{"LearningRate", "0.1"}, {"Beta1", "0.5"}, {"Beta2", "0.75"}});
  const double third = 0.9 - 0.1 * (1.5 / 0.875) / std::sqrt(3 / 0.578125);
  expect_path(path(*solver, 1, {2, -1, 3}), {0.9, 0.9, third});
}

TEST(Adam, AddsEpsilonToTheCorrectedRoot) {
  // m' = G = 2, sqrt(v') = 2, Epsilon = 2
  expect_path(path(*make("Adam", {{"LearningRate", "0.1"}, {"Epsilon", "2"}}), 1, {2}), {0.95});
}

TEST(Adam, SumsTheGradientOverTheBatch) {
  const auto solver = make("Adam", {{"LearningRate", "0.1"}, {"Epsilon", "2"}});
  expect_path(path(*solver, 1, {2}, 64), {0.95});
}

TEST(Adam, StaysPutWhereNoGradientEverWas) {
  expect_path(path(*make("Adam", {{"Epsilon", "0"}}), 1, {0, 0}), {1, 1});
}

TEST(Adam, ClampsAndFreezes) {
  expect_path(path(*make("Adam", {{"LearningRate", "1"}, {"Clamping", "0.5:"}}), 1, {1}), {0.5});
  expect_path(path(*make("Adam", {{"LearningRate", "0"}}), 1, {1}), {1});
}

TEST(Adam, RejectsBetaOfOne) {
  EXPECT_EQ(error_of("Adam", {{"Beta2", "1"}}).substr(0, 41), "net.ini:11: [conv1] Beta2: expected a num");
}

TEST(Solver, NamesWhatIsKnownForAnUnknownSolver) {
  EXPECT_EQ(error_of("RMSprop", {}), "net.ini:10: [conv1] unknown solver 'RMSprop'; known: Adam, SGD");
}

TEST(Solver, LaterSourcesWin) {
  const MapKeys layer({{"LearningRate", "0.1"}, {"Momentum", "0.9"}}, "[conv1]", 10);
  const MapKeys config({{"LearningRate", "0.2"}}, "[common.config]", 50);
  const std::vector<const KeySource*> keys{&layer, &config};
  Diagnostics diagnostics;
  const auto solver = make_solver("SGD", keys, diagnostics);
  ASSERT_NE(solver, nullptr);
  const std::vector<std::pair<std::string, std::string>> expected{{"LearningRate", "0.2"},
                                                                  {"Momentum", "0.9"}};
  EXPECT_EQ(solver->fields_text(), expected);
}

TEST(Solver, ReportsAtTheSourceThatHoldsTheKey) {
  const MapKeys layer({{"PolyakMomentum", "0"}}, "[conv1]", 10);
  const MapKeys config({{"LearningRate", "0.2"}}, "[common.config]", 50);
  const std::vector<const KeySource*> keys{&layer, &config};
  Diagnostics diagnostics;
  EXPECT_EQ(make_solver("SGD", keys, diagnostics), nullptr);
  EXPECT_EQ(only_error(diagnostics).substr(0, 19), "net.ini:11: [conv1]");
}

TEST(Solver, CloneKeepsAllParameters) {
  const Keys keys{{"Beta1", "0.8"}, {"Clamping", "-1:1"}, {"LearningRate", "0.5"}};
  const std::vector<std::pair<std::string, std::string>> expected{
      {"LearningRate", "0.5"}, {"Beta1", "0.8"}, {"Clamping", "-1:1"}};
  EXPECT_EQ(make("Adam", keys)->clone()->fields_text(), expected);
}

TEST(Solver, GivesTheSameBytesWithOneAndTwoThreads) {
  const size_t count = 100000;
  std::vector<float> gradient(count), start(count);
  Rng rng(3);
  for (float& g : gradient) g = static_cast<float>(rng.normal());
  for (float& w : start) w = static_cast<float>(rng.normal());
  const int threads = max_threads();
  for (const std::string type : {"SGD", "Adam"}) {
    std::vector<std::vector<float>> results;
    for (const int n : {1, 2}) {
      set_max_threads(n);
      SolverState state;
      std::vector<float> weights = start;
      const auto solver = make(type, {{"Clamping", "-1:1"}});
      for (int i = 0; i < 3; ++i) solver->step(weights, gradient, 7, state);
      results.push_back(std::move(weights));
    }
    EXPECT_EQ(results[0], results[1]) << type;
    EXPECT_NE(results[0], start);
  }
  set_max_threads(threads);
}

}  // namespace
}  // namespace n2d2::training

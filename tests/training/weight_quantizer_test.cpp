#include "n2d2/training/weight_quantizer.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/base/random.hpp"

#include "training/keys.hpp"

namespace n2d2::training {
namespace {

using Texts = std::map<std::string, std::string>;
using Integers = std::vector<int32_t>;
using Floats = std::vector<float>;

std::unique_ptr<WeightQuantizer> quantizer_of(const std::string& type, const Texts& keys, const Shape& shape,
                                              std::vector<int64_t> parts = {}, std::vector<char> used = {}) {
  Diagnostics diagnostics;
  auto made = make_quantizer(type, MapKeys(keys, "[conv1] QWeight:"), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  made->bind({"conv1.weights", shape, std::move(parts), std::move(used), 1, 100});
  return made;
}

std::string refusal_of(const std::string& type, const Texts& keys) {
  Diagnostics diagnostics;
  EXPECT_EQ(make_quantizer(type, MapKeys(keys, "[conv1] QWeight:"), diagnostics), nullptr);
  return only_error(diagnostics);
}

/// tanh: 0.462117 -0.244919 0.0996680 -0.761594; over the largest: 0.606776 -0.321585 0.130868 -1.
const Floats kFour{0.5F, -0.25F, 0.1F, -1};

struct SatRow {
  const char *mode, *range;
  Integers integers;
  int32_t lowest, highest;
  double step;
};

TEST(WeightQuantizer, SatHasTheIntegersComputedByHand) {
  const SatRow rows[] = {
      // 15 (x + 1) / 2 = 12.051 5.088 8.482 0, k = 12 5 8 0, 2k - 15
      {"Default", "15", {9, -5, 1, -15}, -15, 15, 1.0 / 15},
      // 1.5 (x + 1) = 2.410 1.018 1.696 0
      {"Default", "3", {1, -1, 1, -3}, -3, 3, 1.0 / 3},
      {"Default", "1", {1, -1, 1, -1}, -1, 1, 1},
      // 127.5 (x + 1) = 204.864 86.498 144.186 0
      {"Default", "255", {155, -83, 33, -255}, -255, 255, 1.0 / 255},
      // 3.9998 (x + 1) / 2 - 0.4999 = 2.713 0.857 1.762 -0.4999
      {"FullRange", "3", {3, -1, 1, -3}, -3, 3, 1.0 / 3},
      // 7 x = 4.247 -2.251 0.916 -7
      {"Symmetric", "15", {4, -2, 1, -7}, -7, 7, 1.0 / 7},
      {"Symmetric", "3", {1, 0, 0, -1}, -1, 1, 1},
      // 7.5 x - 0.5 = 4.051 -2.912 0.482 -8
      {"Asymmetric", "15", {4, -3, 0, -8}, -8, 7, 1.0 / 7},
  };
  for (const SatRow& row : rows) {
    SCOPED_TRACE(fmt::format("{} {}", row.mode, row.range));
    const auto sat = quantizer_of("SAT", {{"QuantMode", row.mode}, {"Range", row.range}}, Shape{2, 2});
    const auto found = sat->integers(kFour);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->values, row.integers);
    EXPECT_EQ(found->lowest, row.lowest);
    EXPECT_EQ(found->highest, row.highest);
    EXPECT_EQ(found->codebook, row.mode == std::string("Default") || row.mode == std::string("FullRange"));
    ASSERT_EQ(found->steps.size(), 1U);
    EXPECT_EQ(found->steps[0], static_cast<float>(row.step));
    Floats weights(4);
    sat->forward(kFour, weights);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(weights[i], static_cast<float>(row.integers[i]) * found->steps[0]) << i;
  }
}

TEST(WeightQuantizer, SatScalesByTheDeviationOfTheQuantizedWeights) {
  // 4 -2 1 -7 over 7: mean -1/7, variance (25 + 1 + 4 + 36) / 49 / 3 = 0.448980.
  // Fc of two outputs: sigma = sqrt(2 * 0.448980) = 0.947607. A kernel of two taps: sqrt(2 * 2 * 0.448980).
  const Texts keys{{"QuantMode", "Symmetric"}, {"Range", "15"}, {"ApplyScaling", "1"}};
  EXPECT_NEAR(quantizer_of("SAT", keys, Shape{2, 2})->integers(kFour)->steps[0], 1 / 7.0 / 0.9476071, 1e-7);
  EXPECT_NEAR(quantizer_of("SAT", keys, Shape{2, 1, 2, 1})->integers(kFour)->steps[0],
              1 / 7.0 / (0.9476071 * std::sqrt(2.0)), 1e-7);
  // Two inputs count twice.
  EXPECT_NEAR(quantizer_of("SAT", keys, Shape{2, 2}, {1, 1})->integers(Floats{0.5F, -0.5F, -1, 1})->steps[0],
              1 / 7.0 / std::sqrt(4 * 2 * (49 + 16) / 49.0 / 3), 1e-7);  // 4 -4 -7 7
}

TEST(WeightQuantizer, SatClampPhaseIsNotRounded) {
  Floats weights(4);
  const auto plain = quantizer_of("SAT", {{"ApplyQuantization", "0"}}, Shape{2, 2});
  EXPECT_FALSE(plain->integers(kFour));
  plain->forward(kFour, weights);
  const double clamped[] = {0.6067761, -0.3215868, 0.1308676, -1};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(weights[i], clamped[i], 2e-7);
  // u = (1 + 1/14) x - 1/14
  quantizer_of("SAT", {{"ApplyQuantization", "0"}, {"QuantMode", "Asymmetric"}, {"Range", "15"}}, Shape{2, 2})
      ->forward(kFour, weights);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(weights[i], clamped[i] * 15 / 14 - 1 / 14.0, 2e-7);
  // Over the root of two outputs times the unbiased variance of these four.
  quantizer_of("SAT", {{"ApplyQuantization", "0"}, {"ApplyScaling", "1"}}, Shape{2, 2})
      ->forward(kFour, weights);
  double mean = 0, variance = 0;
  for (const double x : clamped) mean += x / 4;
  for (const double x : clamped) variance += (x - mean) * (x - mean) / 3;
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(weights[i], clamped[i] / std::sqrt(2 * variance), 1e-6);
}

TEST(WeightQuantizer, SatGradientIsThatOfTanhOverTheMaximum) {
  // 1 / cosh^2: 0.786448 0.940015 0.990066 0.419974, over m = 0.761594
  const double slopes[] = {0.7864477, 0.9400149, 0.9900663, 0.4199743};
  constexpr double kMost = 0.7615942;
  const Floats d_weights{1, 2, -1, 0.5F};
  struct Row {
    Texts keys;
    double factor;
  };
  const Row rows[] = {
      {{{"Range", "15"}}, 1},
      {{{"QuantMode", "Symmetric"}, {"Range", "15"}}, 1},
      {{{"QuantMode", "Asymmetric"}, {"Range", "15"}}, 15 / 14.0},
      {{{"QuantMode", "FullRange"}, {"Range", "3"}}, 1 + 0.9998 / 3},
      {{{"QuantMode", "Asymmetric"}, {"Range", "15"}, {"ApplyQuantization", "0"}}, 15 / 14.0},
      {{{"QuantMode", "Symmetric"}, {"Range", "15"}, {"ApplyScaling", "1"}}, 1 / 0.9476071},
  };
  for (const Row& row : rows) {
    const auto sat = quantizer_of("SAT", row.keys, Shape{2, 2});
    Floats weights(4), d_masters(4);
    sat->forward(kFour, weights);
    sat->backward(kFour, d_weights, d_masters, {});
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(d_masters[i], d_weights[i] * slopes[i] / kMost * row.factor, 2e-6) << i;
  }
}

TEST(WeightQuantizer, SatHasAMaximumForEachInput) {
  // Columns 0 and 1 belong to the first input, with m = tanh 1; column 2 has m = tanh 0.1 alone.
  const Floats weights{0.5F, -0.25F, 0.1F, -1, 0.1F, -0.05F};
  const auto sat = quantizer_of("SAT", {{"QuantMode", "Symmetric"}, {"Range", "15"}}, Shape{2, 3}, {2, 1});
  // tanh 0.05 / tanh 0.1 = 0.501249, * 7 = 3.509
  EXPECT_EQ(sat->integers(weights)->values, (Integers{4, -2, 7, -7, 1, -4}));
}

TEST(WeightQuantizer, SatOfZerosIsThatOfTheRatioZero) {
  const Floats zeros(4);
  EXPECT_EQ(quantizer_of("SAT", {{"QuantMode", "Symmetric"}}, Shape{2, 2})->integers(zeros)->values,
            Integers(4));
  // 15 / 2 = 7.5 is a tie: to the even code 8
  EXPECT_EQ(quantizer_of("SAT", {{"Range", "15"}}, Shape{2, 2})->integers(zeros)->values,
            (Integers{1, 1, 1, 1}));
  const auto scaled = quantizer_of("SAT", {{"Range", "15"}, {"ApplyScaling", "1"}}, Shape{2, 2});
  EXPECT_EQ(scaled->integers(zeros)->steps[0], 1.0F / 15);
  Floats d_masters(4);
  scaled->backward(zeros, Floats{1, 1, 1, 1}, d_masters, {});
  EXPECT_EQ(d_masters, (Floats{1, 1, 1, 1}));
}

TEST(WeightQuantizer, WeightsWithoutConnectionAreZero) {
  const std::vector<char> used{1, 1, 1, 0};
  for (const char* type : {"SAT", "LSQ"}) {
    const auto made = quantizer_of(type, {{"Range", "15"}}, Shape{2, 2, 1, 1}, {}, used);
    Floats weights(4), d_masters(4), d_steps(made->steps().size());
    made->forward(kFour, weights);
    d_steps.resize(made->steps().size());
    made->backward(kFour, Floats{1, 1, 1, 1}, d_masters, d_steps);
    EXPECT_EQ(weights[3], 0) << type;
    EXPECT_EQ(d_masters[3], 0) << type;
    EXPECT_NE(weights[0], 0) << type;
  }
  // The largest that counts is 0.5: its code is the highest one.
  EXPECT_EQ(quantizer_of("SAT", {{"Range", "15"}}, Shape{2, 2, 1, 1}, {}, used)->integers(kFour)->values[0],
            15);
}

TEST(WeightQuantizer, TanhIsThatOfTheLibrary) {
  Rng rng(3);
  Floats masters(5000), weights(5000);
  for (size_t i = 0; i < masters.size(); ++i) {
    const double size = std::pow(10, rng.uniform(-6, 1.5));
    masters[i] = static_cast<float>(rng.chance(0.5) ? size : -size);
  }
  masters[0] = 100;
  quantizer_of("SAT", {{"ApplyQuantization", "0"}}, Shape{50, 100})->forward(masters, weights);
  for (size_t i = 0; i < masters.size(); ++i) {
    const double wanted = std::tanh(double{masters[i]});
    EXPECT_NEAR(weights[i], wanted, 1.2e-7 * std::abs(wanted)) << masters[i];
  }
}

TEST(WeightQuantizer, LsqRoundsToItsLearntStep) {
  // R = 7: integers -4 .. 3. Mean of |w| is 0.4625, the step 2 * 0.4625 / sqrt(3) = 0.534049.
  const auto lsq = quantizer_of("LSQ", {{"Range", "7"}}, Shape{2, 2});
  lsq->start(kFour);
  ASSERT_EQ(lsq->steps().size(), 1U);
  EXPECT_NEAR(lsq->steps()[0], 0.5340490, 1e-6);
  lsq->steps()[0] = 0.2F;
  const Floats masters{0.5F, -0.25F, 0.75F, -1};  // over the step 2.5 -1.25 3.75 -5
  const auto found = lsq->integers(masters);
  EXPECT_EQ(found->values, (Integers{2, -1, 3, -4}));
  EXPECT_EQ(found->lowest, -4);
  EXPECT_EQ(found->highest, 3);
  EXPECT_FALSE(found->codebook);
  Floats weights(4), d_masters(4), d_steps(1);
  lsq->forward(masters, weights);
  EXPECT_EQ(weights, (Floats{2 * 0.2F, -0.2F, 3 * 0.2F, -4 * 0.2F}));
  lsq->backward(masters, Floats{1, 2, 3, 4}, d_masters, d_steps);
  EXPECT_EQ(d_masters, (Floats{1, 2, 0, 0}));
  // (2 - 2.5) + 2 (-1 + 1.25) + 3 * 3 - 4 * 4 = -7, g = 1 / sqrt(4 * 3)
  EXPECT_NEAR(d_steps[0], -7 / std::sqrt(12.0), 1e-6);
}

TEST(WeightQuantizer, LsqHasAStepForEachOutputWhereAsked) {
  const auto lsq = quantizer_of("LSQ", {{"Range", "7"}, {"PerChannel", "1"}}, Shape{2, 2});
  lsq->start(kFour);
  ASSERT_EQ(lsq->steps().size(), 2U);
  EXPECT_NEAR(lsq->steps()[0], 2 * 0.375 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(lsq->steps()[1], 2 * 0.55 / std::sqrt(3.0), 1e-6);
  lsq->steps()[0] = 0.2F;
  lsq->steps()[1] = 0.1F;
  const Floats masters{0.5F, -0.25F, 0.17F, -1};
  EXPECT_EQ(lsq->integers(masters)->values, (Integers{2, -1, 2, -4}));
  Floats d_masters(4), d_steps(2);
  lsq->backward(masters, Floats{1, 2, 3, 4}, d_masters, d_steps);
  EXPECT_NEAR(d_steps[0], (-0.5 + 2 * 0.25) / std::sqrt(6.0), 1e-6);
  EXPECT_NEAR(d_steps[1], (3 * 0.3 - 4 * 4) / std::sqrt(6.0), 1e-6);
}

TEST(WeightQuantizer, LsqStartsWithTheStepThatIsGiven) {
  const auto lsq = quantizer_of("LSQ", {{"StepSize", "0.25"}, {"SetOptInitStepSize", "0"}}, Shape{2, 2});
  lsq->start(kFour);
  EXPECT_EQ(lsq->steps()[0], 0.25F);
}

TEST(WeightQuantizer, LsqStartsWithTheFirstInput) {
  const auto lsq = quantizer_of("LSQ", {{"Range", "7"}}, Shape{2, 2}, {1, 1});
  lsq->start(kFour);  // of 0.5 and 0.1
  EXPECT_NEAR(lsq->steps()[0], 2 * 0.3 / std::sqrt(3.0), 1e-6);
}

TEST(WeightQuantizer, LsqCalibratedStartHasNoLargerErrorThanAnyOther) {
  Rng rng(5);
  Floats masters(512);
  for (float& w : masters) w = static_cast<float>(rng.normal());
  const auto lsq = quantizer_of("LSQ", {{"Range", "7"}, {"Init", "Calibrated"}}, Shape{8, 64});
  lsq->start(masters);
  const auto error_with = [&](float step) {
    double total = 0;
    for (const float w : masters) {
      const double q = std::min(std::max(std::nearbyint(double{w} / step), -4.0), 3.0);
      total += (q * step - w) * (q * step - w);
    }
    return total;
  };
  const float found = lsq->steps()[0];
  for (const float other : {0.1F, 0.3F, 0.5F, 0.7F, 0.9F, 1.1F})
    EXPECT_LE(error_with(found), error_with(other)) << found;
}

TEST(WeightQuantizer, LsqOfZerosHasAStep) {
  const auto lsq = quantizer_of("LSQ", {{"Range", "7"}}, Shape{2, 2});
  Floats weights(4, 1);
  lsq->forward(Floats(4), weights);
  EXPECT_EQ(weights, Floats(4));
  EXPECT_GT(lsq->steps()[0], 0);
}

TEST(WeightQuantizer, StepsDoNotFallBelowTheirBound) {
  const auto lsq = quantizer_of("LSQ", {{"StepSize", "0.5"}, {"SetOptInitStepSize", "0"}}, Shape{2, 2});
  lsq->start(kFour);
  lsq->steps()[0] = -3;
  lsq->bound_steps();
  EXPECT_EQ(lsq->steps()[0], 0.5F * 0x1p-20F);
}

int64_t zeros_of(const WeightQuantizer& prune) {
  const Floats& mask = prune.state().mask;
  return std::count(mask.begin(), mask.end(), 0.0F);
}

TEST(WeightQuantizer, PruneTakesTheSmallestWithTiesByPlace) {
  const auto prune = quantizer_of(
      "Prune", {{"PruningMode", "Static"}, {"PruningFiller", "IterNonStruct"}, {"Threshold", "0.4"}},
      Shape{1, 5});
  const Floats masters{0.5F, -0.1F, 0.1F, 0.1F, -2};
  Floats weights(5), d_masters(5);
  prune->forward(masters, weights);
  EXPECT_EQ(weights, (Floats{0.5F, 0, 0, 0.1F, -2}));
  EXPECT_FALSE(prune->integers(masters));
  prune->backward(masters, Floats{1, 2, 3, 4, 5}, d_masters, {});
  EXPECT_EQ(d_masters, (Floats{1, 0, 0, 4, 5}));
}

TEST(WeightQuantizer, PruneDrawsAnExactShareByNameAndSeed) {
  const Texts keys{{"PruningMode", "Static"}, {"Threshold", "0.3"}};
  Floats masters(1000);
  std::iota(masters.begin(), masters.end(), 1.0F);
  const auto mask_of = [&](const std::string& name, uint64_t seed) {
    const auto prune = quantizer_of("Prune", keys, Shape{10, 100});
    prune->bind({name, Shape{10, 100}, {}, {}, seed, 0});
    prune->start(masters);
    EXPECT_EQ(zeros_of(*prune), 300);
    return prune->state().mask;
  };
  EXPECT_EQ(mask_of("a", 1), mask_of("a", 1));
  EXPECT_NE(mask_of("a", 1), mask_of("b", 1));
  EXPECT_NE(mask_of("a", 1), mask_of("a", 2));
}

TEST(WeightQuantizer, PruneWithoutModeOrFillerKeepsEveryWeight) {
  for (const Texts& keys : {Texts{}, Texts{{"PruningMode", "Static"}, {"PruningFiller", "None"}}}) {
    Floats weights(4);
    quantizer_of("Prune", keys, Shape{2, 2})->forward(kFour, weights);
    EXPECT_EQ(weights, kFour);
  }
}

TEST(WeightQuantizer, PruneRaisesItsShareWithTheStimuliLearnt) {
  const Texts keys{{"PruningMode", "Gradual"},
                   {"StepSizeThreshold", "50"},
                   {"Threshold", "0.25"},
                   {"StartThreshold", "0.1"},
                   {"GammaThreshold", "0.1"}};
  const auto drawn = quantizer_of("Prune", keys, Shape{10, 10});
  Floats masters(100, 1);
  drawn->start(masters);
  EXPECT_EQ(zeros_of(*drawn), 10);
  drawn->advance(masters, 49);
  EXPECT_EQ(zeros_of(*drawn), 10);
  const Floats before = drawn->state().mask;
  drawn->advance(masters, 50);
  EXPECT_EQ(zeros_of(*drawn), 20);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_LE(drawn->state().mask[i], before[i]);
  drawn->advance(masters, 200);
  EXPECT_EQ(zeros_of(*drawn), 25);

  Texts smallest = keys;
  smallest["PruningFiller"] = "IterNonStruct";
  smallest["StepSizeThreshold"] = "0";  // the interval of logs, 100 here
  const auto remade = quantizer_of("Prune", smallest, Shape{10, 10});
  std::iota(masters.begin(), masters.end(), 1.0F);
  remade->start(masters);
  EXPECT_EQ(remade->state().mask[0], 0);
  masters[0] = 1000;  // grown meanwhile: it comes back
  remade->advance(masters, 99);
  EXPECT_EQ(remade->state().mask[0], 0);
  remade->advance(masters, 100);
  EXPECT_EQ(remade->state().mask[0], 1);
  EXPECT_EQ(zeros_of(*remade), 20);
}

TEST(WeightQuantizer, StateContinues) {
  const Texts keys{{"Range", "7"}};
  const auto one = quantizer_of("LSQ", keys, Shape{2, 2}), other = quantizer_of("LSQ", keys, Shape{2, 2});
  one->start(kFour);
  one->steps()[0] = 0.125F;
  other->restore(one->state());
  EXPECT_EQ(other->state(), one->state());
  other->start(Floats{9, 9, 9, 9});
  EXPECT_EQ(other->steps()[0], 0.125F);
  QuantizerState wrong = one->state();
  wrong.steps.push_back(1);
  EXPECT_THROW(other->restore(wrong), InternalError);
}

TEST(WeightQuantizer, DoesNotDependOnTheNumberOfThreads) {
  Rng rng(11);
  Floats masters(90000), d_weights(90000);
  for (float& w : masters) w = static_cast<float>(rng.normal());
  for (float& d : d_weights) d = static_cast<float>(rng.normal());
  const int before = max_threads();
  const std::pair<const char*, Texts> kinds[] = {{"SAT", {{"ApplyScaling", "1"}}},
                                                 {"SAT", {{"ApplyScaling", "1"}, {"ApplyQuantization", "0"}}},
                                                 {"LSQ", {{"Range", "15"}}},
                                                 {"LSQ", {{"Range", "15"}, {"PerChannel", "1"}}}};
  for (const auto& [type, keys] : kinds) {
    std::vector<Floats> found;
    for (const int threads : {1, 2}) {
      set_max_threads(threads);
      const auto made = quantizer_of(type, keys, Shape{10, 1000, 3, 3});
      Floats weights(masters.size()), d_masters(masters.size());
      made->forward(masters, weights);
      Floats d_steps(made->steps().size());
      made->backward(masters, d_weights, d_masters, d_steps);
      weights.insert(weights.end(), d_masters.begin(), d_masters.end());
      weights.insert(weights.end(), d_steps.begin(), d_steps.end());
      weights.insert(weights.end(), made->steps().begin(), made->steps().end());
      found.push_back(std::move(weights));
    }
    EXPECT_EQ(found[0], found[1]) << type;
  }
  set_max_threads(before);
}

TEST(WeightQuantizer, RefusalsNameTheKey) {
  EXPECT_EQ(refusal_of("SAT", {{"Range", "0"}}),
            "net.ini:11: [conv1] QWeight: Range: expected an integer >= 1 and <= 65535, got '0'");
  EXPECT_EQ(refusal_of("SAT", {{"QuantMode", "Symmetric"}, {"Range", "1"}}),
            "net.ini:12: [conv1] QWeight: Range: expected an integer >= 2 with QuantMode=Symmetric, got '1'\n"
            "  hint: binary weights are Range=1 with QuantMode=Default");
  EXPECT_EQ(
      refusal_of("SAT", {{"QuantMode", "Even"}}),
      "net.ini:11: [conv1] QWeight: QuantMode: expected one of Default Symmetric Asymmetric FullRange, got "
      "'Even'");
  EXPECT_EQ(refusal_of("LSQ", {{"Range", "8"}}),
            "net.ini:11: [conv1] QWeight: Range: expected an odd integer >= 3 with LSQ, got '8'\n"
            "  hint: b bits are 2^b - 1 steps: 255, 15, 7 or 3");
  EXPECT_EQ(refusal_of("LSQ", {{"Range", "1"}}),
            "net.ini:11: [conv1] QWeight: Range: expected an integer >= 3 and <= 65535, got '1'");
  EXPECT_EQ(refusal_of("LSQ", {{"StepSize", "0"}}),
            "net.ini:11: [conv1] QWeight: StepSize: expected a number > 0, got '0'");
  EXPECT_EQ(refusal_of("Prune", {{"Threshold", "1"}}),
            "net.ini:11: [conv1] QWeight: Threshold: expected a number < 1, got '1'");
  EXPECT_EQ(refusal_of("Prune", {{"Delta", "0"}}),
            "net.ini:11: [conv1] QWeight: Delta: expected a number > 0, got '0'");
  EXPECT_EQ(refusal_of("Sat", {}),
            "net.ini:10: [conv1] QWeight: unknown quantizer 'Sat'; did you mean 'SAT'?");
}

}  // namespace
}  // namespace n2d2::training

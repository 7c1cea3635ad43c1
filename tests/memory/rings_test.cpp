#include "rings/rings.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "original_rings.hpp"
#include "problems.hpp"

namespace n2d2::memory {
namespace {

constexpr const char* kMaxHole = "OptimizeMaxHoleMaxLifetimeFirst";
const std::vector<std::string> kStrategies{"None", "OptimizeMaxLifetimeMinSizeFirst",
                                           "OptimizeMaxLifetimeMaxSizeFirst", kMaxHole, "OptimizeBest"};

Bytes original(const Problem& problem, const char* strategy) {
  return plan_original(problem, strategy).peaks[0];
}

Problem without_overlap(Problem problem) {
  for (Step& step : problem.steps) step.overlap = false;
  return problem;
}

Bytes aligned(Bytes channels, Bytes alignment) {
  return (channels + alignment - 1) / alignment * alignment;
}

/// The concatenation as lanes.
Problem case_1(Bytes k, Bytes alignment) {
  Net net;
  const BufferId input = net.map("env", 32, 32, 1);
  const BufferId joined = net.map("concat", 32, 32, 8 + k, aligned(8 + k, alignment));
  net.step("conv_a", {{input, rows(1)}}, net.lane("conv_a", joined, 0, 8));
  net.step("conv_b", {{input, rows(1)}}, net.lane("conv_b", joined, 8, k));
  net.problem.buffers[static_cast<size_t>(net.layer("conv_c", {{joined, rows(1)}}, 32, 32, 16))].keep = true;
  return net.done();
}

TEST(OriginalRings, ParallelConvolutionsWithACopiedConcat) {
  Net net;
  const BufferId input = net.map("env", 32, 32, 1);
  const BufferId a = net.layer("conv_a", {{input, rows(1)}}, 32, 32, 8);
  const BufferId b = net.layer("conv_b", {{input, rows(1)}}, 32, 32, 8);
  const BufferId joined = net.layer("concat", {{a, rows(1)}, {b, rows(1)}}, 32, 32, 16);
  net.layer("conv_c", {{joined, rows(1)}}, 32, 32, 16);
  EXPECT_EQ(original(without_overlap(net.done()), "None"), 32 * 32 + 32 * 32 * 16 + 32 * 32 * 16);
}

TEST(OriginalRings, ParallelConvolutionsInLanes) {
  for (const Bytes k : {8, 12})
    for (const Bytes alignment : {1, 8}) {
      const Bytes g = aligned(8 + k, alignment);
      EXPECT_EQ(original(without_overlap(case_1(k, alignment)), "None"),
                32 * 32 + (32 * 32 * g + 8) + 32 * 32 * 16);
    }
}

TEST(OriginalRings, ParallelConvolutionsInLanesWrapped) {
  const auto peak = [](Bytes g, Bytes m) { return 32 * 32 + 32 * 32 * g + 32 * 16 + m; };
  EXPECT_EQ(original(case_1(8, 1), "None"), peak(16, 0));
  EXPECT_EQ(original(case_1(8, 8), "None"), peak(16, 0));
  EXPECT_EQ(original(case_1(12, 1), "None"), peak(20, 32 * 4));
  EXPECT_EQ(original(case_1(12, 8), "None"), peak(24, 32 * 8));
}

/// ResNet-18 whose first residual block has a projection, too. The 3x3
/// convolutions are padded by layers of their own in front of them, so their base padding is 0.
Problem case_2() {
  Net net;
  BufferId at = net.layer("conv1", {{net.map("env", 224, 224, 3), rows(7, 2, 3)}}, 112, 112, 64);
  at = net.layer("pool1", {{at, rows(3, 2)}}, 55, 55, 64);
  int size = 55, channels = 64;
  for (int block = 0; block < 8; ++block) {
    const std::string name = "block" + std::to_string(block);
    const int stride = block > 0 && block % 2 == 0 ? 2 : 1;
    if (stride == 2) size = (size + 1) / 2, channels *= 2;
    const BufferId a = net.layer(name + "a", {{at, rows(3, stride)}}, size, size, channels);
    BufferId skip = at;
    if (block % 2 == 0) skip = net.layer(name + "skip", {{at, rows(1, stride)}}, size, size, channels);
    const BufferId b = net.layer(name + "b", {{a, rows(3)}}, size, size, channels);
    at = net.layer(name + "add", {{b, element()}, {skip, element()}}, size, size, channels);
  }
  at = net.layer("pool5", {{at, whole()}}, 1, 1, channels);
  net.problem.buffers[static_cast<size_t>(net.layer("fc", {{at, whole()}}, 1, 1, 1000))].keep = true;
  return net.done();
}

TEST(OriginalRings, ResNet18WithoutWrapping) {
  const Bytes peak = 224 * 224 * 3 + 112 * 112 * 64 + 55 * 55 * 64;
  EXPECT_EQ(original(without_overlap(case_2()), "None"), peak);
  EXPECT_EQ(original(without_overlap(case_2()), kMaxHole), peak);
}

TEST(OriginalRings, ResNet18Wrapped) {
  const Bytes ring = 112 * 112 * 64 + 2 * 112 * 64;
  EXPECT_EQ(original(case_2(), "None"), ring + (55 * 55 * 64 + 55 * 64) + 55 * 55 * 64);
  EXPECT_EQ(original(case_2(), kMaxHole), ring);
}

TEST(OriginalRings, AreNeverLowerThanThePlanOfSolve) {
  for (const Problem& p : {case_1(8, 1), case_1(12, 1), case_1(12, 8), without_overlap(case_1(12, 8)),
                           case_2(), without_overlap(case_2())})
    for (const std::string& strategy : kStrategies) {
      const Plan plan = solve(p, strategy);
      EXPECT_TRUE(validate(p, plan).empty()) << strategy;
      EXPECT_LE(plan.peaks[0], original(p, strategy.c_str())) << strategy;
    }
}

/// A window of 3x3, stride 2, pad 1 on 8x8x1.
TEST(OriginalRings, TruncateTheMarginWhichValidateRefuses) {
  Net net;
  const BufferId input = net.map("in", 8, 8, 1);
  net.problem.buffers[static_cast<size_t>(net.layer("out", {{input, rows(3, 2, 1)}}, 4, 4, 4))].keep = true;
  const Problem p = net.done();
  const Plan plan = plan_original(p, "None");
  EXPECT_EQ(plan.peaks[0], 80);
  ASSERT_EQ(validate(p, plan).size(), 1u);
  EXPECT_EQ(validate(p, plan)[0].text, "step 0 'out': row 1 of 'in' when it is read holds 'out' at byte 8");
  const Plan safe = plan_rings(p, "None");
  EXPECT_EQ(safe.peaks[0], 96);
  EXPECT_EQ(safe.views[1].offset, 64);
  EXPECT_EQ(safe.views[1].wrap, 32);
  EXPECT_TRUE(validate(p, safe).empty());
}

/// A layer that reads everything, behind a map that wraps: bytes 128 to 144, then 0 to 16.
Problem whole_behind_wrapped(Bytes outputs) {
  Net net;
  const BufferId input = net.map("in", 8, 4, 4);
  const BufferId small = net.layer("small", {{input, rows(1)}}, 8, 4, 1);
  net.problem.buffers[static_cast<size_t>(net.layer("fc", {{small, whole()}}, 1, 1, outputs))].keep = true;
  return net.done();
}

TEST(OriginalRings, AWholeReadFollowsWhereItFitsStraight) {
  const Problem p = whole_behind_wrapped(112);
  const Plan plan = plan_original(p, "None");
  EXPECT_EQ(plan.peaks[0], 144);
  EXPECT_EQ(plan.views[1].wrap, 16);
  EXPECT_EQ(plan.views[2].offset, 16);
  EXPECT_TRUE(validate(p, plan).empty());
  EXPECT_EQ(original(whole_behind_wrapped(129), "None"), 144 + 129);
}

TEST(OriginalRings, MissTheFirstPartOfAWrappedInputWhichValidateRefuses) {
  const Problem p = whole_behind_wrapped(113);
  const Plan plan = plan_original(p, "None");
  EXPECT_EQ(plan.peaks[0], 144);
  ASSERT_EQ(validate(p, plan).size(), 1u);
  EXPECT_EQ(validate(p, plan)[0].text,
            "step 1 'fc': row 0 of 'small' when it is read holds 'fc' at byte 128");
  EXPECT_TRUE(validate(p, plan_rings(p, "None")).empty());
}

TEST(ExactRings, ResNet18StaysBelowTheOriginal) {
  const Bytes apart = plan_rings(without_overlap(case_2()), "OptimizeBest").peaks[0];
  EXPECT_EQ(apart, 112 * 112 * 64 + 55 * 55 * 64);
  for (const char* strategy : {"None", kMaxHole, "OptimizeBest"}) {
    const Plan plan = plan_rings(case_2(), strategy);
    EXPECT_TRUE(validate(case_2(), plan).empty()) << strategy;
    EXPECT_EQ(plan.peaks[0], 112 * 112 * 64 + 112 * 64) << strategy;
    EXPECT_LT(plan.peaks[0], original(case_2(), strategy)) << strategy;
  }
}

TEST(ExactRings, AnElementStepRunsInPlaceOnEitherOperand) {
  Net net;
  const BufferId input = net.map("in", 4, 4, 2);
  const BufferId a = net.layer("a", {{input, rows(1)}}, 4, 4, 2);
  const BufferId sum = net.layer("sum", {{input, element()}, {a, element()}}, 4, 4, 2);
  net.problem.buffers[static_cast<size_t>(sum)].keep = true;
  for (const bool kept : {false, true}) {
    net.problem.buffers[static_cast<size_t>(input)].keep = kept;
    const Problem p = net.done();
    const Plan plan = plan_rings(p, "None");
    EXPECT_TRUE(validate(p, plan).empty());
    EXPECT_EQ(plan.peaks[0], 64);
    EXPECT_EQ(plan.views[2].space, plan.views[kept ? 1 : 0].space);
    EXPECT_EQ(plan.views[2].offset, 0);
  }
  net.problem.buffers[1].keep = true;  // both operands are kept
  EXPECT_EQ(plan_rings(net.done(), "None").peaks[0], 96);
}

TEST(ExactRings, LanesSideBySideAreNeverWrapped) {
  Problem p = case_1(8, 1);
  p.steps[0].overlap = p.steps[1].overlap = true;
  const Plan plan = plan_rings(p, "None");
  EXPECT_TRUE(validate(p, plan).empty());
  for (const BufferId b : {1, 2, 3}) EXPECT_EQ(plan.views[static_cast<size_t>(b)].wrap, 0);
  EXPECT_EQ(plan.views[4].wrap, 32 * 16);
  EXPECT_EQ(plan.peaks[0], 32 * 32 + 32 * 32 * 16 + 32 * 16);
}

TEST(ExactRings, RowsComputedTogetherWidenTheMargin) {
  for (const int together : {1, 2, 3, 8}) {
    Net net;
    const BufferId input = net.map("in", 8, 5, 2);
    net.layer("out", {{input, rows(1)}}, 8, 5, 2);
    net.problem.buffers.back().keep = true;
    net.problem.steps[0].rows_per_step = together;
    const Problem p = net.done();
    const Plan plan = plan_rings(p, "None");
    EXPECT_TRUE(validate(p, plan).empty());
    EXPECT_EQ(plan.peaks[0], 80 + 10 * together);
  }
}

TEST(ExactRings, WithoutStepsLivesSayEverything) {
  const Problem p = blocks({{10, 0, 2}, {30, 1, 3}, {20, 2, 4}});
  EXPECT_EQ(plan_rings(p, "None").peaks[0], 60);
  EXPECT_EQ(plan_rings(p, "OptimizeBest").peaks[0], 50);
  EXPECT_TRUE(validate(p, plan_rings(p, "None")).empty());
}

TEST(Rings, BestIsTheLowestOfTheNamed) {
  for (const auto rings : {plan_rings, plan_original}) {
    Bytes lowest = rings(case_2(), "None").peaks[0];
    for (const std::string& strategy : kStrategies)
      lowest = std::min(lowest, rings(case_2(), strategy).peaks[0]);
    EXPECT_EQ(rings(case_2(), "OptimizeBest").peaks[0], lowest);
  }
}

TEST(Rings, RefuseOtherStrategiesAndProblemsWithFaults) {
  EXPECT_THROW(plan_rings(case_2(), "OptimizeExact"), ConfigError);
  Problem p = case_1(8, 1);
  p.buffers[0].used = 2;
  EXPECT_THROW(plan_rings(p, "None"), InternalError);
}

}  // namespace
}  // namespace n2d2::memory

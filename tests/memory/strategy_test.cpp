#include "n2d2/memory/strategy.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/validate.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

Bytes peak(const Problem& problem, const std::string& strategy) {
  const Plan plan = solve(problem, {.strategy = strategy, .search_nodes = 0});
  EXPECT_TRUE(validate(problem, plan).empty());
  return plan.peaks[0];
}

Bytes offset(const Problem& problem, const std::string& strategy, size_t buffer) {
  const Plan plan = solve(problem, {.strategy = strategy, .search_nodes = 0});
  return plan.spaces[static_cast<size_t>(plan.views[buffer].space)].offset;
}

TEST(Strategy, NonePlacesInOrderOfBirth) {
  const Problem p = blocks({{10, 0, 2}, {30, 1, 3}, {20, 2, 4}});
  EXPECT_EQ(offset(p, "None", 0), 0);
  EXPECT_EQ(offset(p, "None", 1), 10);
  EXPECT_EQ(offset(p, "None", 2), 40);
  EXPECT_EQ(peak(p, "None"), 60);
}

TEST(Strategy, MaxLifetimeComesFirstThenSize) {
  const Problem p = blocks({{10, 0, 1}, {30, 0, 1}, {20, 0, 2}, {5, 1, 2}});
  for (const char* strategy : {"OptimizeMaxLifetimeMinSizeFirst", "OptimizeMaxLifetimeMaxSizeFirst"})
    EXPECT_EQ(offset(p, strategy, 2), 0);
  EXPECT_EQ(offset(p, "OptimizeMaxLifetimeMinSizeFirst", 0), 20);
  EXPECT_EQ(offset(p, "OptimizeMaxLifetimeMinSizeFirst", 1), 30);
  EXPECT_EQ(offset(p, "OptimizeMaxLifetimeMaxSizeFirst", 1), 20);
  EXPECT_EQ(offset(p, "OptimizeMaxLifetimeMaxSizeFirst", 0), 50);
}

TEST(Strategy, MaxHoleComesBeforeMaxLifetime) {
  Net net;
  const BufferId input = net.map("input", 4, 4, 8);
  const BufferId host = net.map("host", 4, 4, 4);
  const BufferId half = net.map("half", 2, 4, 4);  // the upper half of the host; the rest is a hole
  net.problem.buffers.back().inside = Inside{host, 0};
  net.step("half", {{input, rows(1)}}, half);
  net.layer("next", {{half, rows(1)}}, 4, 4, 1);
  net.problem.buffers[0].keep = true;
  const Problem p = net.done();
  EXPECT_EQ(offset(p, "OptimizeMaxHoleMaxLifetimeFirst", 1), 0);
  EXPECT_EQ(offset(p, "OptimizeMaxLifetimeMaxSizeFirst", 0), 0);
}

TEST(Strategy, BestKeepsTheLowestPeak) {
  const Problem p = blocks({{10, 0, 2}, {30, 1, 3}, {20, 2, 4}, {7, 0, 4}});
  Bytes lowest = peak(p, "None");
  for (const char* strategy : {"OptimizeMaxLifetimeMinSizeFirst", "OptimizeMaxLifetimeMaxSizeFirst",
                               "OptimizeMaxHoleMaxLifetimeFirst"})
    lowest = std::min(lowest, peak(p, strategy));
  EXPECT_EQ(peak(p, "OptimizeBest"), lowest);
}

TEST(Strategy, GapIsClosedBySearchButNotUnderNone) {
  const Problem p = blocks({{10, 0, 2}, {30, 1, 3}, {20, 2, 4}});
  EXPECT_EQ(solve(p, "None").peaks[0], 60);
  EXPECT_EQ(solve(p, kDefaultStrategy).peaks[0], 50);
  EXPECT_EQ(lower_bound(p), 50);
}

TEST(Strategy, UnknownNameSaysWhatIsKnown) {
  try {
    solve(blocks({{1, 0, 1}}), "OptimizeBset");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "MemoryManagerStrategy: unknown strategy 'OptimizeBset'; did you mean 'OptimizeBest'?");
  }
  EXPECT_EQ(strategy_names(), (std::vector<std::string>{
                                  "None", "OptimizeBest", "OptimizeExact", "OptimizeMaxHoleMaxLifetimeFirst",
                                  "OptimizeMaxLifetimeMaxSizeFirst", "OptimizeMaxLifetimeMinSizeFirst"}));
}

TEST(Strategy, RefusesAProblemWithFaults) {
  Problem p = blocks({{1, 0, 1}});
  p.buffers[0].used = 2;
  EXPECT_THROW(solve(p, "None"), InternalError);
  EXPECT_THROW(solve(blocks({{1, 0, 1}}), {.strategy = "None", .search_nodes = -1}), InternalError);
}

TEST(Strategy, AnEmptyProblemNeedsNothing) {
  for (const std::string& strategy : strategy_names()) EXPECT_EQ(peak(Problem{}, strategy), 0);
  EXPECT_EQ(lower_bound(Problem{}), 0);
}

TEST(Strategy, ScratchIsReservedForItsStep) {
  Net net;
  const BufferId input = net.map("input", 1, 1, 8);
  const BufferId a = net.layer("a", {{input, whole()}}, 1, 1, 8);
  net.layer("b", {{a, whole()}}, 1, 1, 8);
  net.problem.steps[0].scratch = 100;
  const Problem p = net.done();
  EXPECT_EQ(lower_bound(p), 116);
  EXPECT_EQ(peak(p, "None"), 116);
  const Plan plan = solve(p, "None");
  EXPECT_NE(plan.scratch_of_step[0], kNone);
  EXPECT_EQ(plan.scratch_of_step[1], kNone);
}

TEST(Strategy, AlignmentMovesEverySpace) {
  Problem p = blocks({{10, 0, 2}, {5, 0, 2}, {9, 0, 2}});
  p.alignment = 8;
  EXPECT_EQ(offset(p, "None", 1), 16);
  EXPECT_EQ(offset(p, "None", 2), 24);
  EXPECT_EQ(peak(p, "None"), 33);
  EXPECT_EQ(lower_bound(p), 16 + 8 + 16 - 7);
}

TEST(LowerBound, IsTheMostBytesAliveAtOnce) {
  EXPECT_EQ(lower_bound(blocks({{10, 0, 2}, {30, 1, 3}, {20, 2, 4}, {40, 3, 5}})), 60);
}

/// No reuse of inputs, the concatenation copies. k = 8.
}  // namespace
}  // namespace n2d2::memory

// Several memories: what goes where, and what moves on when one is full.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

/// Three maps of 100, 60 and 40 bytes, each read as a whole by the next step; the last one is kept.
Problem chain(std::vector<Memory> memories) {
  Net net;
  net.problem.memories = std::move(memories);
  const BufferId large = net.map("large", 10, 10, 1);
  const BufferId middle = net.layer("middle", {{large, whole()}}, 6, 10, 1);
  net.problem.buffers[static_cast<size_t>(net.layer("small", {{middle, whole()}}, 4, 10, 1))].keep = true;
  return net.done();
}

MemoryId memory_of(const Plan& plan, size_t buffer) {
  return plan.spaces[static_cast<size_t>(plan.views[buffer].space)].memory;
}

std::string first_text(const std::vector<Violation>& violations) {
  return violations.empty() ? "" : violations.front().text;
}

TEST(Memories, TheFirstOneTakesAllThatFits) {
  const Problem p = chain({{"fast", 0}, {"slow", 0}});
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(p, plan)), "");
  EXPECT_EQ(plan.peaks, (std::vector<Bytes>{160, 0}));
  EXPECT_EQ(lower_bounds(p, plan), plan.peaks);
}

TEST(Memories, TheCheapestBufferMovesOnWhenItIsFull) {
  // 160 bytes are live in step 0; moving `middle` costs 120 bytes of traffic for 60, `large` 100 for 60
  const Problem p = chain({{"fast", 100}, {"slow", 0}});
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(p, plan)), "");
  EXPECT_EQ(memory_of(plan, 0), 1);
  EXPECT_EQ(memory_of(plan, 1), 0);
  EXPECT_EQ(memory_of(plan, 2), 0);
  EXPECT_EQ(plan.peaks, (std::vector<Bytes>{100, 100}));
}

TEST(Memories, OfEqualBuffersTheFirstMovesOn) {
  Problem p = blocks({{100, 0, 1}, {100, 0, 1}, {100, 0, 1}});
  p.memories = {{"fast", 200}, {"slow", 0}};
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(p, plan)), "");
  EXPECT_EQ(memory_of(plan, 0), 1);
  EXPECT_EQ(memory_of(plan, 1), 0);
  EXPECT_EQ(memory_of(plan, 2), 0);
}

TEST(Memories, ABufferStaysWhereItMayLie) {
  Problem p = chain({{"fast", 0}, {"slow", 0}});
  p.buffers[1].memories = {1};
  p.buffers[2].memories = {1, 0};
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(p, plan)), "");
  EXPECT_EQ(plan.peaks, (std::vector<Bytes>{100, 100}));
}

TEST(Memories, WhatFitsNowhereIsRejected) {
  const Problem p = chain({{"fast", 50}, {"slow", 80}});
  const Plan plan = solve(p, kDefaultStrategy);
  const auto found = validate(p, plan);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, Violation::Kind::OutOfSpace);
}

TEST(Memories, ScratchLiesWhereItMay) {
  Problem p = chain({{"fast", 0}, {"slow", 0}});
  p.steps[0].scratch = 30;
  EXPECT_EQ(solve(p, kDefaultStrategy).peaks, (std::vector<Bytes>{190, 0}));
  p.steps[0].scratch_memories = {1};
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(p, plan)), "");
  EXPECT_EQ(plan.peaks, (std::vector<Bytes>{160, 30}));
  p.steps[0].scratch_memories = {0};
  EXPECT_EQ(first_text(validate(p, plan)),
            "step 'middle' has its scratch in memory number 1, where it may not lie");
  p.steps[0].scratch_memories = {2};
  ASSERT_EQ(faults(p).size(), 1U);
  EXPECT_EQ(faults(p)[0].text, "step 'middle': its scratch may lie in memory number 2, which does not exist");
}

TEST(Memories, ExcessIsWhatTheyDoNotHave) {
  Problem p = chain({{"fast", 50}, {"slow", 80}});
  EXPECT_EQ(excess_of_steps(p), (std::vector<Bytes>{160 - 130, 0})) << "100 and 60 bytes, then 60 and 40";
  p.memories[1].capacity = 0;
  EXPECT_EQ(excess_of_steps(p), (std::vector<Bytes>{0, 0}));
  p.buffers[1].memories = {0};
  EXPECT_EQ(excess_of_steps(p), (std::vector<Bytes>{10, 10}));
  p.steps[0].scratch = 7;
  p.steps[0].scratch_memories = {0};
  EXPECT_EQ(excess_of_steps(p), (std::vector<Bytes>{17, 10}));
  p.memories[1].capacity = 80;
  EXPECT_EQ(excess_of_steps(p), (std::vector<Bytes>{167 - 130, 10}));
}

TEST(Memories, NoPlanFitsWhereThereIsExcess) {
  Rng rng(61);
  int over = 0, fit = 0;
  for (int i = 0; i < 400; ++i) {
    Problem p = random_network(rng);
    const auto any_memories = [&] {
      return std::array<std::vector<MemoryId>, 4>{{{}, {0}, {1}, {1, 0}}}[rng.below(4)];
    };
    p.memories = {{"fast", 1 + static_cast<Bytes>(rng.below(400)), 1 + static_cast<Bytes>(rng.below(8))},
                  {"slow", rng.chance(0.5) ? 0 : 1 + static_cast<Bytes>(rng.below(800))}};
    for (Buffer& buffer : p.buffers)
      if (!buffer.inside) buffer.memories = any_memories();
    for (Step& step : p.steps)
      if (step.scratch > 0) step.scratch_memories = any_memories();
    ASSERT_TRUE(faults(p).empty());
    const std::vector<Bytes> excess = excess_of_steps(p);
    const bool is_over = *std::max_element(excess.begin(), excess.end()) > 0;
    const bool is_valid = validate(p, solve(p, kDefaultStrategy)).empty();
    EXPECT_FALSE(is_over && is_valid) << "problem " << i;
    over += is_over, fit += is_valid;
  }
  EXPECT_GT(over, 100);
  EXPECT_GT(fit, 50);
}

TEST(Memories, OverlapNeedsOneMemory) {
  Net net;
  net.problem.memories = {{"fast", 0}, {"slow", 0}};
  const BufferId in = net.map("in", 4, 4, 1);
  const BufferId out = net.layer("out", {{in, element()}}, 4, 4, 1);
  net.problem.buffers[static_cast<size_t>(out)].keep = true;
  Problem p = net.done();
  EXPECT_EQ(solve(p, kDefaultStrategy).peaks, (std::vector<Bytes>{16, 0}));
  p.buffers[1].memories = {1};
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks, (std::vector<Bytes>{16, 16}));
  EXPECT_EQ(plan.scan_of_step[0], Scan::Any);
}

TEST(Memories, EachHasItsAlignment) {
  Problem p = chain({{"fast", 0, 16}, {"slow", 0, 64}});
  p.alignment = 8;
  p.buffers[1].memories = {1};
  p.buffers[2].memories = {1};
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(p, plan)), "");
  EXPECT_EQ(alignment_of(p, 1), 64);
  EXPECT_EQ(plan.peaks, (std::vector<Bytes>{100, 104}));  // 60, then from byte 64 on, or the other way round
}

TEST(Memories, RandomNetworksFitOrAreRejectedForTheirCapacity) {
  int moved = 0, rejected = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed, "memories");
    Problem p = random_network(rng);
    const Bytes all = solve(p, kDefaultStrategy).peaks[0];
    p.memories = {{"fast", 1 + static_cast<Bytes>(rng.below(static_cast<uint64_t>(all)))},
                  {"slow", rng.chance(0.5) ? 0 : all}};
    SolveOptions options;
    options.search_nodes = 200;
    const Plan plan = solve(p, options);
    const bool fits = plan.peaks[0] <= p.memories[0].capacity &&
                      (p.memories[1].capacity == 0 || plan.peaks[1] <= p.memories[1].capacity);
    EXPECT_EQ(validate(p, plan).empty(), fits) << "seed " << seed << ": " << first_text(validate(p, plan));
    if (p.memories[1].capacity == 0) {
      EXPECT_TRUE(fits) << "seed " << seed;
    }
    moved += plan.peaks[1] > 0 ? 1 : 0;
    rejected += fits ? 0 : 1;
  }
  EXPECT_GT(moved, 100);
  std::printf("moved %d, rejected %d\n", moved, rejected);
}

}  // namespace
}  // namespace n2d2::memory

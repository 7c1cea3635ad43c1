#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "cases.hpp"
#include "every_plan.hpp"
#include "problems.hpp"

namespace n2d2::memory {
namespace {

std::string first_text(const std::vector<Violation>& violations) {
  return violations.empty() ? "" : violations.front().text;
}

/// One convolution from `in` to `out`, the output kept.
Problem pair(int height, Bytes in, int out_height, Bytes out, Window window) {
  Net net;
  const BufferId input = net.map("in", height, 8, in);
  net.problem.buffers[static_cast<size_t>(net.layer("out", {{input, window}}, out_height, 8, out))].keep =
      true;
  return net.done();
}

TEST(Overlap, AConvolutionFollowsItsInputAtTheMargin) {
  // 3x3, stride 1, pad 1, equal rows: two rows of margin ((m + 1) Lo with m = 1)
  const Problem p = pair(10, 4, 10, 4, rows(3, 1, 1));
  EXPECT_EQ(lower_bound(p), 10 * 32 + 2 * 32);
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], lower_bound(p));
  EXPECT_NE(plan.scan_of_step[0], Scan::Any);
  EXPECT_EQ(first_text(validate(p, plan)), "");
}

TEST(Overlap, AGrowingLayerNeedsItsOutputAndTheLastWindow) {
  // growing: T = out + the input rows from the first row of the last window on
  const Problem p = pair(10, 1, 10, 4, rows(3, 1, 1));
  EXPECT_EQ(lower_bound(p), 10 * 32 + 2 * 8);
  EXPECT_EQ(solve(p, kDefaultStrategy).peaks[0], lower_bound(p));
}

TEST(Overlap, ElementWiseIsInPlace) {
  const Problem p = pair(10, 4, 10, 4, element());
  EXPECT_EQ(lower_bound(p), 10 * 32);
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], 10 * 32);
  EXPECT_EQ(first_text(validate(p, plan)), "");
}

TEST(Overlap, ElementWiseIsInPlaceOnPixelsOfOnePitchThatItNarrows) {
  Net net;
  const BufferId in = net.map("in", 3, 1, 4);
  const BufferId out = net.map("out", 3, 1, 3, 4);
  net.step("out", {{in, element()}}, out);
  net.problem.buffers[static_cast<size_t>(out)].keep = true;
  const Problem p = net.done();
  EXPECT_EQ(lower_bound(p), 12);
  for (const char* strategy : {"None", "OptimizeBest"}) {
    const Plan plan = solve(p, strategy);
    EXPECT_EQ(first_text(validate(p, plan)), "") << strategy;
    EXPECT_EQ(plan.peaks[0], 12) << strategy;
  }
}

TEST(Overlap, AnyOrderInsideARowIsInPlaceOnEqualPixelsAlone) {
  EXPECT_EQ(solve(pair(10, 4, 10, 4, same()), kDefaultStrategy).peaks[0], 10 * 32);
  const Problem narrower = pair(10, 4, 10, 3, same());
  const Plan plan = solve(narrower, kDefaultStrategy);
  EXPECT_EQ(first_text(validate(narrower, plan)), "");
  EXPECT_EQ(plan.peaks[0], solve(pair(10, 4, 10, 3, rows(1)), kDefaultStrategy).peaks[0]);
}

TEST(Overlap, EitherOperandOfASumMayTakeTheResult) {
  for (const int survivor : {0, 1}) {
    Net net;
    const BufferId input = net.map("in", 4, 4, 2);
    const BufferId a = net.layer("a", {{input, rows(1)}}, 4, 4, 2);
    const BufferId b = net.layer("b", {{input, rows(1)}}, 4, 4, 2);
    const BufferId sum = net.layer("sum", {{a, element()}, {b, element()}}, 4, 4, 2);
    net.problem.buffers[static_cast<size_t>(sum)].keep = true;
    net.problem.buffers[static_cast<size_t>(survivor == 0 ? a : b)].keep = true;
    const Problem p = net.done();
    const Plan plan = solve(p, kDefaultStrategy);
    EXPECT_EQ(plan.peaks[0], lower_bound(p));
    EXPECT_EQ(plan.views[static_cast<size_t>(sum)].space == plan.views[static_cast<size_t>(a)].space, false);
    EXPECT_EQ(first_text(validate(p, plan)), "");
  }
}

TEST(Overlap, TheWholeInputKeepsItsBytes) {
  const Problem p = pair(10, 4, 1, 4, whole());
  EXPECT_EQ(lower_bound(p), 10 * 32 + 32);
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], lower_bound(p));
  EXPECT_EQ(plan.scan_of_step[0], Scan::Any);
}

TEST(Overlap, AStepThatForbidsItSharesNoByte) {
  Problem p = pair(10, 4, 10, 4, rows(3, 1, 1));
  p.steps[0].overlap = false;
  EXPECT_EQ(lower_bound(p), 2 * 10 * 32);
  EXPECT_EQ(solve(p, kDefaultStrategy).scan_of_step[0], Scan::Any);
}

TEST(Overlap, AKeptInputIsNotWrittenOver) {
  Problem p = pair(10, 4, 10, 4, rows(3, 1, 1));
  p.buffers[0].keep = true;
  derive_lifetimes(p);
  EXPECT_EQ(lower_bound(p), 2 * 10 * 32);
}

TEST(Overlap, AHostWithALaneFromOutsideIsNotWrittenOverItsInput) {
  Net net;
  const BufferId input = net.map("in", 4, 4, 1);
  const BufferId host = net.map("host", 4, 4, 2);
  net.lane("loaded", host, 0, 1);
  net.step("conv", {{input, rows(1)}}, net.lane("made", host, 1, 1));
  net.problem.buffers[static_cast<size_t>(host)].keep = true;
  const Problem p = net.done();
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], 16 + 32);
  EXPECT_EQ(first_text(validate(p, plan)), "");
}

TEST(Overlap, RowsThatAreComputedTogetherNeedMoreMargin) {
  Problem p = pair(10, 4, 10, 4, rows(1));
  EXPECT_EQ(lower_bound(p), 11 * 32);
  p.steps[0].rows_per_step = 3;
  EXPECT_EQ(lower_bound(p), 13 * 32);
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], 13 * 32);
  EXPECT_EQ(first_text(validate(p, plan)), "");
}

TEST(Overlap, RasterOrderNeedsPixelsOfMargin) {
  Problem p = pair(10, 4, 10, 4, rows(1));
  p.steps[0].raster_order = true;
  EXPECT_EQ(lower_bound(p), 10 * 32 + 4);
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], lower_bound(p));
  EXPECT_EQ(first_text(validate(p, plan)), "");
}

TEST(Overlap, AChainAlternatesItsScanAtStraightAddresses) {
  Net net;
  BufferId at = net.map("in", 16, 8, 8);
  for (int i = 0; i < 12; ++i) at = net.layer("layer" + std::to_string(i), {{at, rows(3, 1, 1)}}, 16, 8, 8);
  net.problem.buffers[static_cast<size_t>(at)].keep = true;
  const Problem p = net.done();
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], lower_bound(p));
  EXPECT_EQ(first_text(validate(p, plan)), "");
  for (size_t t = 1; t < p.steps.size(); ++t) EXPECT_NE(plan.scan_of_step[t], plan.scan_of_step[t - 1]);
  for (const View& view : plan.views) EXPECT_EQ(view.wrap, 0);
}

TEST(Overlap, AWishForAnyOrderIsGrantedWhereItCostsNothing) {
  Net net;
  BufferId at = net.layer("big", {{net.map("in", 16, 8, 8), rows(3, 1, 1)}}, 16, 8, 8);
  at = net.layer("small", {{at, rows(3, 4, 1)}}, 4, 4, 4);
  at = net.layer("heavy", {{at, rows(3, 1, 1)}}, 4, 4, 4);
  net.problem.buffers[static_cast<size_t>(at)].keep = true;
  for (Step& step : net.problem.steps) step.any_order = true;
  const Problem p = net.done();
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], lower_bound(p));
  EXPECT_NE(plan.scan_of_step[0], Scan::Any);  // its overlap sets the peak
  EXPECT_EQ(plan.scan_of_step[1], Scan::Any);
  EXPECT_EQ(plan.scan_of_step[2], Scan::Any);
  EXPECT_EQ(step_of_lower_bound(p), 0);
  EXPECT_EQ(step_of_lower_bound(Problem{}), kNone);
  EXPECT_EQ(first_text(validate(p, plan)), "");
}

TEST(Overlap, NoStraightPlanIsLowerThanTheExactOne) {
  constexpr uint64_t kProblems = cases(150);
  int overlapping = 0;
  for (uint64_t seed = 0; seed < kProblems; ++seed) {
    Rng rng(seed, "tiny");
    const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
    Net net;
    std::vector<BufferId> maps{net.map("in", size(4), 1, size(2))};
    for (int t = 0; t < 2 + static_cast<int>(rng.below(2)); ++t) {
      // every row of every map is read, or the replay would let a plan write over it
      const int height = net.problem.buffers[static_cast<size_t>(maps.back())].height;
      const int pad = static_cast<int>(rng.below(2)), kernel = std::min(pad + size(2), height + pad);
      const int stride = size(kernel);
      const int out_height = (height + pad - kernel + stride - 1) / stride + 1;
      std::vector<Read> reads{{maps.back(), rows(kernel, stride, pad)}};
      if (rng.chance(0.2)) reads[0].window = whole();
      if (t > 0 && rng.chance(0.4)) reads.push_back({maps[maps.size() - 2], whole()});
      maps.push_back(net.layer("l" + std::to_string(t), reads, out_height, 1, size(2)));
    }
    net.problem.buffers[static_cast<size_t>(maps.back())].keep = true;
    const Problem p = net.done();
    const Plan plan = solve(p, "OptimizeExact");
    EXPECT_EQ(first_text(validate(p, plan)), "") << "seed " << seed;
    EXPECT_FALSE(fits_below(p, plan.peaks[0])) << "seed " << seed;
    Problem apart = p;
    for (Step& step : apart.steps) step.overlap = false;
    overlapping += plan.peaks[0] < solve(apart, "OptimizeExact").peaks[0] ? 1 : 0;
  }
  EXPECT_GT(static_cast<uint64_t>(overlapping), kProblems / 5);
}

}  // namespace
}  // namespace n2d2::memory

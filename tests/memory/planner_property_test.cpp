#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "cases.hpp"
#include "problems.hpp"

namespace n2d2::memory {
namespace {

constexpr uint64_t kCases = cases(400);

std::string first_text(const std::vector<Violation>& violations) {
  return violations.empty() ? "" : violations.front().text;
}

Bytes sum_of_all(const Problem& problem) {
  Bytes sum = 0;
  const auto add = [&](Bytes size) {
    sum += (size + problem.alignment - 1) / problem.alignment * problem.alignment;
  };
  for (const Buffer& b : problem.buffers)
    if (!b.inside) add(b.size());
  for (const Step& s : problem.steps) add(s.scratch);
  return sum;
}

TEST(PlannerProperty, EveryStrategyMakesValidPlansBetweenTheBounds) {
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "planner");
    const Problem p = random_network(rng);
    ASSERT_TRUE(faults(p).empty()) << "seed " << seed << ": " << faults(p).front().text;
    const Plan optimal = solve(p, "OptimizeExact");
    EXPECT_EQ(first_text(validate(p, optimal)), "") << "seed " << seed;
    EXPECT_GE(optimal.peaks[0], lower_bound(p)) << "seed " << seed;
    for (const std::string& strategy : strategy_names()) {
      if (strategy == "OptimizeExact") continue;
      const Plan plan = solve(p, {.strategy = strategy, .search_nodes = 200});
      EXPECT_EQ(first_text(validate(p, plan)), "") << strategy << ", seed " << seed;
      EXPECT_GE(plan.peaks[0], optimal.peaks[0]) << strategy << ", seed " << seed;
      EXPECT_LE(plan.peaks[0], sum_of_all(p)) << strategy << ", seed " << seed;
    }
  }
}

/// Moves one space so that it shares exactly one byte with another that holds a value over the same two
/// steps.
TEST(PlannerProperty, AByteOfOverlapBetweenLivingBuffersIsRejected) {
  int tried = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "overlap");
    Problem p = random_network(rng);
    p.alignment = 1;
    const Plan plan = plan_apart(p);
    for (size_t a = 0; a < p.buffers.size(); ++a)
      for (size_t b = 0; b < p.buffers.size(); ++b) {
        const Buffer &x = p.buffers[a], &y = p.buffers[b];
        const bool plain = !x.inside && !y.inside && x.used == x.pixel && y.used == y.pixel;
        // y is written while x lives and is read, whole, after y has been written
        const bool together = x.life.first < y.life.first && y.life.first + 1 < x.life.end;
        const bool read_whole = x.keep;
        if (a == b || !plain || !together || !read_whole) continue;
        Plan broken = plan;
        const Space& fixed = broken.spaces[static_cast<size_t>(broken.views[a].space)];
        Space& moved = broken.spaces[static_cast<size_t>(broken.views[b].space)];
        moved.offset = fixed.offset + fixed.size - 1;
        broken.peaks = {0};
        for (const Space& s : broken.spaces) broken.peaks[0] = std::max(broken.peaks[0], s.offset + s.size);
        EXPECT_FALSE(validate(p, broken).empty()) << x.name << " " << y.name << ", seed " << seed;
        ++tried;
      }
  }
  EXPECT_GT(static_cast<uint64_t>(tried), kCases / 8);
}

TEST(PlannerProperty, AShortenedLifetimeIsRejected) {
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "lifetime");
    const Problem p = random_network(rng);
    Plan plan = plan_apart(p);
    Space& space = plan.spaces[rng.below(plan.spaces.size())];
    if (rng.chance(0.5))
      space.life.first += 1;
    else
      space.life.end -= 1;
    EXPECT_FALSE(validate(p, plan).empty()) << "seed " << seed;
  }
}

/// The margin of a straight pair from its formula, against the replay.
TEST(PlannerProperty, MarginsOfStraightPairsAreTheBoundaryOfWhatIsAccepted) {
  int overlapping = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "margin");
    const auto pick = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
    const int kernel = pick(4), stride = pick(std::min(3, kernel)),
              pad = static_cast<int>(rng.below(static_cast<uint64_t>(kernel)));
    const int height = kernel + pick(8);
    // full coverage: the last window ends in the last row, so that every row is needed to the end
    const int out_height = (height + pad - kernel) / stride + 1;
    Net net;
    const BufferId in = net.map("in", (out_height - 1) * stride - pad + kernel, pick(5), pick(4));
    if (net.problem.buffers[0].height < 1) continue;
    const BufferId out = net.layer("out", {{in, rows(kernel, stride, pad)}}, out_height, pick(5), pick(8));
    net.problem.buffers[static_cast<size_t>(out)].keep = true;
    const Problem p = net.done();
    const Buffer &x = p.buffers[0], &y = p.buffers[1];
    Bytes margin = 0;
    for (int r = 0; r < out_height; ++r) {
      const Bytes needed = std::min<Bytes>(std::max(r * stride - pad, 0), x.height) * x.row();
      margin = std::max(margin, (r + 1) * y.row() - needed);
    }
    Plan plan = plan_apart(p);
    plan.scan_of_step = {Scan::TopDown};
    const auto valid_at = [&](Bytes gap) {  // output at 0, input `gap` above
      plan.spaces[0].offset = gap;
      plan.spaces[1].offset = 0;
      plan.peaks = {std::max(gap + x.size(), y.size())};
      return validate(p, plan).empty();
    };
    EXPECT_TRUE(valid_at(margin)) << "seed " << seed;
    EXPECT_FALSE(margin > 0 && valid_at(margin - 1)) << "seed " << seed;
    overlapping += margin < y.size() ? 1 : 0;
  }
  EXPECT_GT(static_cast<uint64_t>(overlapping), kCases / 8);
}

}  // namespace
}  // namespace n2d2::memory

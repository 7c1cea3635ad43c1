// Random problems whose steps write several buffers: planned validly, judged twice.
#include <gtest/gtest.h>

#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "byte_replay.hpp"
#include "cases.hpp"
#include "every_plan.hpp"
#include "problems.hpp"
#include "rings/rings.hpp"

namespace n2d2::memory {
namespace {

constexpr uint64_t kCases = cases(1000);

std::string first_text(const std::vector<Violation>& violations) {
  return violations.empty() ? "" : violations.front().text;
}

/// Steps of which this many outputs share bytes with an input.
int sharing_steps(const Problem& p, const Plan& plan, int outputs) {
  int steps = 0;
  for (const Step& step : p.steps) {
    const auto shares = [&](BufferId written) {
      const Space& to = plan.spaces[static_cast<size_t>(plan.views[static_cast<size_t>(written)].space)];
      return std::any_of(step.reads.begin(), step.reads.end(), [&](const Read& read) {
        const Space& from =
            plan.spaces[static_cast<size_t>(plan.views[static_cast<size_t>(read.buffer)].space)];
        return to.offset < from.offset + from.size && from.offset < to.offset + to.size;
      });
    };
    steps += std::count_if(step.writes.begin(), step.writes.end(), shares) == outputs ? 1 : 0;
  }
  return steps;
}

TEST(SeveralOutputsProperty, EveryStrategyMakesValidPlansAboveTheBound) {
  int one = 0, two = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "splits");
    const Problem p = random_splits(rng);
    ASSERT_TRUE(faults(p).empty()) << "seed " << seed << ": " << faults(p).front().text;
    EXPECT_EQ(problem_from_csv(problem_to_csv(p), "p.csv"), p) << "seed " << seed;
    for (const std::string& strategy : strategy_names()) {
      if (strategy == "OptimizeExact") continue;
      const Plan plan = solve(p, {.strategy = strategy, .search_nodes = 2000});
      EXPECT_EQ(first_text(validate(p, plan)), "") << strategy << ", seed " << seed;
      EXPECT_FALSE(ByteReplay(p, plan).loses_a_byte()) << strategy << ", seed " << seed;
      EXPECT_GE(plan.peaks[0], lower_bound(p)) << strategy << ", seed " << seed;
      one += sharing_steps(p, plan, 1);
      two += sharing_steps(p, plan, 2);
    }
    const Plan rings = plan_rings(p, "OptimizeBest");
    EXPECT_EQ(first_text(validate(p, rings)), "") << "seed " << seed;
    EXPECT_FALSE(ByteReplay(p, rings).loses_a_byte()) << "seed " << seed;
  }
  EXPECT_GT(static_cast<uint64_t>(one), kCases);
  EXPECT_GT(static_cast<uint64_t>(two), kCases / 20);
  RecordProperty("one", one);
  RecordProperty("two", two);
}

struct Verdicts {
  int harmful = 0, harmless = 0;
};

/// Both judges look at the plan; they must agree.
void judge(const Problem& p, Plan plan, uint64_t seed, Verdicts& verdicts) {
  plan.peaks = {0};
  for (const Space& s : plan.spaces) {
    if (s.offset < 0) return;
    plan.peaks[0] = std::max(plan.peaks[0], s.offset + s.size);
  }
  const bool lost = ByteReplay(p, plan).loses_a_byte();
  const auto found = validate(p, plan);
  ASSERT_EQ(lost, !found.empty()) << "seed " << seed << ": " << first_text(found);
  ++(lost ? verdicts.harmful : verdicts.harmless);
}

/// Keeps what nobody reads, with what holds it: validate wants it whole at the end of its life, where the
/// replay has nobody who looks.
void keep_what_nobody_reads(Problem& p) {
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    const auto looks = [&](const Read& read) {
      return read.buffer == static_cast<BufferId>(b) ||
             (p.buffers[b].inside && p.buffers[b].inside->buffer == read.buffer) ||
             (p.buffers[static_cast<size_t>(read.buffer)].inside &&
              p.buffers[static_cast<size_t>(read.buffer)].inside->buffer == static_cast<BufferId>(b));
    };
    const bool read = std::any_of(p.steps.begin(), p.steps.end(), [&](const Step& step) {
      return std::any_of(step.reads.begin(), step.reads.end(), looks);
    });
    p.buffers[b].keep = p.buffers[b].keep || !read;
  }
  for (size_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].keep) p.buffers[static_cast<size_t>(root_of(p, static_cast<BufferId>(b)))].keep = true;
  derive_lifetimes(p);
}

TEST(SeveralOutputsProperty, MutatedPlansAreRejectedWhenTheyLoseAByteAndOnlyThen) {
  Verdicts moved, reversed;
  for (uint64_t seed = 0; seed < kCases / 4 && !testing::Test::HasFailure(); ++seed) {
    Rng rng(seed, "mutated splits");
    Problem p = random_splits(rng);
    p.alignment = 1;
    keep_what_nobody_reads(p);
    const Plan made = solve(p, {.strategy = std::string(kDefaultStrategy), .search_nodes = 2000});
    for (size_t b = 0; b < p.buffers.size(); ++b) {
      if (p.buffers[b].inside) continue;
      for (const Bytes distance : {p.buffers[b].row(), -p.buffers[b].row(), Bytes{1}, Bytes{-1}}) {
        Plan plan = made;
        plan.spaces[static_cast<size_t>(plan.views[b].space)].offset += distance;
        judge(p, plan, seed, moved);
      }
    }
    for (size_t t = 0; t < p.steps.size(); ++t) {
      if (made.scan_of_step[t] == Scan::Any) continue;
      Plan plan = made;
      plan.scan_of_step[t] = plan.scan_of_step[t] == Scan::TopDown ? Scan::BottomUp : Scan::TopDown;
      judge(p, plan, seed, reversed);
    }
  }
  for (const Verdicts& v : {moved, reversed}) {
    EXPECT_GT(static_cast<uint64_t>(v.harmful), kCases / 20);
    EXPECT_GT(static_cast<uint64_t>(v.harmless), kCases / 100);
  }
  std::printf("moved: %d rejected, %d accepted; reversed: %d rejected, %d accepted\n", moved.harmful,
              moved.harmless, reversed.harmful, reversed.harmless);
}

/// One step with two outputs of a few bytes: every straight plan below the bound is tried.
TEST(SeveralOutputsProperty, NoStraightPlanIsBelowTheBound) {
  int overlapping = 0;
  for (uint64_t seed = 0; seed < kCases / 10; ++seed) {
    Rng rng(seed, "tiny splits");
    const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
    Net net;
    const int inputs = size(2);
    std::vector<Read> reads;
    for (int i = 0; i < inputs; ++i) {
      // every row is read, or the replay would let a plan write over it
      const int height = size(4), pad = static_cast<int>(rng.below(2));
      reads.push_back({net.map("in" + std::to_string(i), height, 1, size(2)), rows(height + pad, 1, pad)});
      if (rng.chance(0.7)) reads.back().window = rows(pad + 1, 1, pad);
    }
    int rows_read = 1;
    for (const Read& read : reads)
      rows_read = std::max(rows_read, net.problem.buffers[static_cast<size_t>(read.buffer)].height);
    const BufferId first = net.map("first", rows_read, 1, size(2)), second = net.map("second", size(3), 1, 1);
    net.step("step", reads, std::vector{first, second}).rows_per_step = size(2);
    net.problem.buffers[static_cast<size_t>(first)].keep = true;
    net.problem.buffers[static_cast<size_t>(second)].keep = true;
    const Problem p = net.done();
    const Plan plan = solve(p, "OptimizeExact");
    EXPECT_EQ(first_text(validate(p, plan)), "") << "seed " << seed;
    EXPECT_EQ(plan.peaks[0], lower_bound(p)) << "seed " << seed;
    EXPECT_FALSE(fits_below(p, plan.peaks[0])) << "seed " << seed;
    Problem apart = p;
    apart.steps[0].overlap = false;
    overlapping += plan.peaks[0] < lower_bound(apart) ? 1 : 0;
  }
  EXPECT_GT(static_cast<uint64_t>(overlapping), kCases / 100);
}

}  // namespace
}  // namespace n2d2::memory

// A plan that is wrong must be rejected, and only then: every mutated plan is judged twice.
#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "byte_replay.hpp"
#include "cases.hpp"
#include "place/margin.hpp"
#include "problems.hpp"

namespace n2d2::memory {
namespace {

constexpr uint64_t kNetworks = cases(600, 5), kPairs = cases(3000);

struct Verdicts {
  int harmful = 0, harmless = 0;
};

void set_peak(Plan& plan) {
  plan.peaks = {0};
  for (const Space& s : plan.spaces) plan.peaks[0] = std::max(plan.peaks[0], s.offset + s.size);
}

/// Both judges look at the plan; they must agree.
void judge(const Problem& p, Plan plan, uint64_t seed, Verdicts& verdicts) {
  for (const Space& s : plan.spaces)
    if (s.offset < 0) return;
  set_peak(plan);
  const bool lost = ByteReplay(p, plan).loses_a_byte();
  const auto found = validate(p, plan);
  ASSERT_EQ(lost, !found.empty()) << "seed " << seed << (found.empty() ? "" : ": " + found.front().text);
  ++(lost ? verdicts.harmful : verdicts.harmless);
}

void report(const char* mutation, const Verdicts& v) {
  std::printf("%-28s %6d lose a byte and are rejected, %6d lose none and are accepted\n", mutation, v.harmful,
              v.harmless);
  EXPECT_GT(static_cast<uint64_t>(v.harmful), kNetworks / 12) << mutation;
  EXPECT_GT(static_cast<uint64_t>(v.harmless), kNetworks / 120) << mutation;
}

/// Calls use(problem, plan, rng, seed) for random networks planned with overlap, alignment 1.
template <class Use>
void for_networks(const char* name, Use use) {
  for (uint64_t seed = 0; seed < kNetworks && !testing::Test::HasFailure(); ++seed) {
    Rng rng(seed, name);
    Problem p = random_network(rng);
    p.alignment = 1;
    use(p, solve(p, {.strategy = std::string(kDefaultStrategy), .search_nodes = 2000}), rng, seed);
  }
}

TEST(Mutation, PlansAsMadeLoseNothing) {
  for_networks("as made", [](const Problem& p, const Plan& plan, Rng&, uint64_t seed) {
    EXPECT_FALSE(ByteReplay(p, plan).loses_a_byte()) << "seed " << seed;
  });
}

TEST(Mutation, APairOneByteInsideItsMarginIsAlwaysRejected) {
  int rejected = 0;
  for (uint64_t seed = 0; seed < kPairs; ++seed) {
    Rng rng(seed, "one byte less");
    const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
    const int kernel = size(5), stride = size(3),
              pad = static_cast<int>(rng.below(static_cast<uint64_t>(kernel)));
    const int height = kernel + size(8);
    Net net;
    const BufferId in = net.map("in", height, size(5), size(4));
    net.layer("out", {{in, rows(kernel, stride, pad)}}, (height + pad - kernel) / stride + 1, size(5),
              size(8));
    net.problem.buffers[1].keep = true;
    net.problem.steps[0].rows_per_step = rng.chance(0.3) ? size(3) : 1;
    const Problem p = net.done();
    const auto relations = relations_of(p);
    ASSERT_EQ(relations.size(), 1u);
    for (const bool up : {false, true}) {
      const Bytes d = up ? *relations[0].bottom_up : *relations[0].top_down;
      Plan plan = plan_apart(p);
      plan.scan_of_step = {up ? Scan::BottomUp : Scan::TopDown};
      const auto lost_at = [&](Bytes distance) {
        plan.spaces[0].offset = std::max<Bytes>(0, -distance);
        plan.spaces[1].offset = plan.spaces[0].offset + distance;
        set_peak(plan);
        EXPECT_EQ(ByteReplay(p, plan).loses_a_byte(), !validate(p, plan).empty()) << "seed " << seed;
        return !validate(p, plan).empty();
      };
      EXPECT_FALSE(lost_at(d)) << "seed " << seed << (up ? " bottom-up" : " top-down");
      const bool still_apart = up ? d - 1 >= p.buffers[0].size() : d + 1 <= -p.buffers[1].size();
      if (still_apart) continue;
      EXPECT_TRUE(lost_at(up ? d - 1 : d + 1)) << "seed " << seed << (up ? " bottom-up" : " top-down");
      ++rejected;
    }
  }
  std::printf("margin less one byte         %6d rejected, 0 accepted\n", rejected);
  EXPECT_GT(static_cast<uint64_t>(rejected), kPairs);
}

TEST(Mutation, AnOffsetMovedByARow) {
  Verdicts verdicts;
  for_networks("moved", [&](const Problem& p, const Plan& made, Rng& rng, uint64_t seed) {
    for (size_t b = 0; b < p.buffers.size(); ++b) {
      if (p.buffers[b].inside) continue;
      Plan plan = made;
      const Bytes row = p.buffers[b].row();
      plan.spaces[static_cast<size_t>(plan.views[b].space)].offset += rng.chance(0.5) ? row : -row;
      judge(p, plan, seed, verdicts);
    }
  });
  report("offset moved by a row", verdicts);
}

TEST(Mutation, ALifetimeCutByAStep) {
  Verdicts verdicts;
  for_networks("cut", [&](const Problem& p, const Plan& made, Rng&, uint64_t seed) {
    for (size_t a = 0; a < p.buffers.size(); ++a)
      for (size_t b = 0; b < p.buffers.size(); ++b) {
        const Buffer &dying = p.buffers[a], &born = p.buffers[b];
        if (a == b || dying.inside || born.inside || born.life.first != dying.life.end - 1) continue;
        Plan plan = made;  // as if the one had died a step earlier, the other takes its place
        plan.spaces[static_cast<size_t>(plan.views[b].space)].offset =
            plan.spaces[static_cast<size_t>(plan.views[a].space)].offset;
        judge(p, plan, seed, verdicts);
      }
  });
  report("lifetime cut by a step", verdicts);
}

TEST(Mutation, AScanReversed) {
  Verdicts verdicts;
  for_networks("reversed", [&](const Problem& p, const Plan& made, Rng&, uint64_t seed) {
    for (size_t t = 0; t < p.steps.size(); ++t) {
      if (made.scan_of_step[t] == Scan::Any) continue;
      Plan plan = made;
      plan.scan_of_step[t] = plan.scan_of_step[t] == Scan::TopDown ? Scan::BottomUp : Scan::TopDown;
      judge(p, plan, seed, verdicts);
    }
  });
  report("scan reversed", verdicts);
}

}  // namespace
}  // namespace n2d2::memory

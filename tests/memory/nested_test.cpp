// Lanes of a buffer that hold the first lanes of another: prefixes that are read while the rest is still to
// come.
#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "byte_replay.hpp"
#include "cases.hpp"
#include "problems.hpp"

namespace n2d2::memory {
namespace {

/// x0 beside x1 beside x2 ... in "all"; prefixes[i] holds x0 ... xi and lies in prefixes[i + 1], the last one
/// in "all".
struct Block {
  Net net;
  BufferId input, all;
  std::vector<BufferId> prefixes, lanes;

  Block(int height, int width, const std::vector<Bytes>& sizes, Bytes gap = 0)
      : input(net.map("input", height, width, 2)) {
    Bytes sum = 0;
    for (const Bytes size : sizes) sum += size;
    all = net.map("all", height, width, sum, sum + gap);
    prefixes.assign(sizes.size() - 1, kNone);
    BufferId host = all;
    for (size_t i = sizes.size() - 1; i-- > 0;) {
      sum -= sizes[i + 1];
      host = prefixes[i] = net.lane("prefix" + std::to_string(i), host, 0, sum);
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      const BufferId in = i + 1 < sizes.size() ? prefixes[i] : all;
      lanes.push_back(net.lane("x" + std::to_string(i), in, i == 0 ? 0 : sum, sizes[i]));
      sum = i == 0 ? sizes[0] : sum + sizes[i];
    }
  }
};

/// Each lane is made of the prefix before it by way of one map, or at once.
Problem block_of_three(bool at_once = false) {
  Block b(3, 2, {2, 1, 3});
  b.net.step("x0", {{b.input, rows(1)}}, b.lanes[0]);
  for (size_t i = 0; i < 2; ++i) {
    BufferId from = b.prefixes[i];
    if (!at_once) from = b.net.layer("t" + std::to_string(i), {{from, rows(1)}}, 3, 2, 4);
    b.net.step("x" + std::to_string(i + 1), {{from, rows(3, 1, 1)}}, b.lanes[i + 1]);
  }
  b.net.problem.buffers[static_cast<size_t>(b.net.layer("end", {{b.all, rows(1)}}, 3, 2, 1))].keep = true;
  return b.net.done();
}

const Buffer& named(const Problem& problem, const std::string& name) {
  return *std::find_if(problem.buffers.begin(), problem.buffers.end(),
                       [&](const Buffer& b) { return b.name == name; });
}

TEST(NestedLanes, LiveUntilTheLastReaderOfWhatHoldsThem) {
  const Problem p = block_of_three();
  EXPECT_TRUE(faults(p).empty()) << faults(p).front().text;
  EXPECT_EQ(named(p, "prefix0").inside, (Inside{3 - 1, 0}));
  EXPECT_EQ(named(p, "x0").life, (Lifetime{0, 6}));
  EXPECT_EQ(named(p, "x1").life, (Lifetime{2, 6}));
  EXPECT_EQ(named(p, "x2").life, (Lifetime{4, 6}));
  EXPECT_EQ(named(p, "prefix0").life, (Lifetime{0, 6}));
  EXPECT_EQ(named(p, "all").life, (Lifetime{0, 6}));
  EXPECT_EQ(named(p, "t0").life, (Lifetime{1, 3}));
}

TEST(NestedLanes, ThatAreReadBeforeTheyAreWrittenAreAFault) {
  Problem p = block_of_three();
  const auto index = [&](const std::string& name) {
    return static_cast<BufferId>(&named(p, name) - p.buffers.data());
  };
  p.steps[1].reads[0].buffer = index("prefix1");  // of which x1 comes later
  const auto found = faults(p);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].text, "step 't0': reads 'prefix1' before step 'x1' has written it");
}

TEST(NestedLanes, ArePlannedAtTheirBound) {
  for (const bool at_once : {false, true}) {
    const Problem p = block_of_three(at_once);
    const Plan plan = solve(p, "OptimizeExact");
    EXPECT_TRUE(validate(p, plan).empty());
    // 6 pixels of "all", and of a map of 4 bytes beside it, or a row of the last map in front of it
    EXPECT_EQ(plan.peaks[0], at_once ? 38 : 60);
    EXPECT_EQ(lower_bound(p), at_once ? 38 : 60);
  }
}

TEST(NestedLanes, AByteWrittenOverAPrefixThatIsReadLaterIsFound) {
  const Problem p = block_of_three();
  Plan plan = plan_apart(p);
  const auto t1 = static_cast<size_t>(&named(p, "t1") - p.buffers.data());
  const auto all = static_cast<size_t>(&named(p, "all") - p.buffers.data());
  const Space& block = plan.spaces[static_cast<size_t>(plan.views[all].space)];
  Space& moved = plan.spaces[static_cast<size_t>(plan.views[t1].space)];
  moved.offset = block.offset + block.size - moved.size;
  const auto found = validate(p, plan);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(ByteReplay(p, plan).loses_a_byte());
}

/// Lanes of any size, made of any prefix that is there, some of which others read; maps come and go beside
/// them.
Problem random_block(Rng& rng) {
  const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
  std::vector<Bytes> sizes;
  for (int i = 1 + size(4); i > 0; --i) sizes.push_back(size(4));
  const int height = size(5), width = size(4);
  Block b(height, width, sizes, size(3) - 1);
  const auto window = [&] {
    if (rng.chance(0.2)) return element();
    if (rng.chance(0.2)) return same();
    return rng.chance(0.1) ? whole() : rows(size(3), 1, static_cast<int>(rng.below(2)));
  };
  std::vector<BufferId> ready{b.input};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = std::to_string(i);
    const auto any = [&] { return ready[ready.size() - 1 - rng.below(std::min<size_t>(ready.size(), 3))]; };
    if (rng.chance(0.6))
      ready.push_back(b.net.layer("t" + name, {{any(), window()}}, height, width, size(6)));
    Step& step = b.net.step("x" + name, {{any(), window()}}, b.lanes[i]);
    if (rng.chance(0.2)) step.scratch = size(20);
    if (rng.chance(0.2)) step.rows_per_step = size(3);
    ready.push_back(i + 1 < sizes.size() ? b.prefixes[i] : b.all);
    if (rng.chance(0.1)) b.net.problem.buffers[static_cast<size_t>(ready.back())].keep = true;
  }
  const BufferId end = b.net.layer("end", {{ready.back(), window()}}, height, width, size(5));
  b.net.problem.buffers[static_cast<size_t>(end)].keep = true;
  return b.net.done();
}

TEST(NestedLanes, RandomOnesArePlannedWithoutLosingAByte) {
  constexpr uint64_t kBlocks = cases(400);
  int overlapping = 0;
  for (uint64_t seed = 0; seed < kBlocks; ++seed) {
    Rng rng(seed, "nested lanes");
    const Problem p = random_block(rng);
    ASSERT_TRUE(faults(p).empty()) << "seed " << seed << ": " << faults(p).front().text;
    for (const std::string& strategy : strategy_names()) {
      const Plan plan = solve(p, {.strategy = strategy, .search_nodes = 500});
      const auto found = validate(p, plan);
      ASSERT_TRUE(found.empty()) << strategy << ", seed " << seed << ": " << found.front().text;
      ASSERT_FALSE(ByteReplay(p, plan).loses_a_byte()) << strategy << ", seed " << seed;
      EXPECT_GE(plan.peaks[0], lower_bound(p)) << strategy << ", seed " << seed;
    }
    overlapping += solve(p, "OptimizeExact").peaks[0] < plan_apart(p).peaks[0] ? 1 : 0;
  }
  EXPECT_GT(static_cast<uint64_t>(overlapping), kBlocks / 4);
}

/// Plans that are broken at random.
TEST(NestedLanes, BrokenPlansAreRefusedWhereAByteIsLost) {
  constexpr uint64_t kBlocks = cases(1000);
  int lost = 0;
  for (uint64_t seed = 0; seed < kBlocks; ++seed) {
    Rng rng(seed, "broken nested lanes");
    Problem p = random_block(rng);
    p.alignment = 1;
    Plan plan = plan_apart(p);
    Space& moved = plan.spaces[rng.below(plan.spaces.size())];
    moved.offset = static_cast<Bytes>(rng.below(static_cast<uint64_t>(plan.peaks[0] - moved.size + 1)));
    plan.peaks = {0};
    for (const Space& s : plan.spaces) plan.peaks[0] = std::max(plan.peaks[0], s.offset + s.size);
    if (!ByteReplay(p, plan).loses_a_byte()) continue;
    ASSERT_FALSE(validate(p, plan).empty()) << "seed " << seed;
    ++lost;
  }
  EXPECT_GT(static_cast<uint64_t>(lost), kBlocks / 10);
}

}  // namespace
}  // namespace n2d2::memory

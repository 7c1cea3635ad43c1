// Do layers that run in slices give the bytes that they give one after the other, from the rows of each
// slice's receptive field?
#include <algorithm>

#include <gmock/gmock.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/tiling.hpp"
#include "n2d2/program/validate.hpp"

#include "grown_networks.hpp"
#include "stream/budget.hpp"

namespace n2d2::program {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<int> counts_of(const std::vector<Rows>& rows) {
  std::vector<int> out;
  for (const Rows& r : rows) out.push_back(r.count);
  return out;
}

std::vector<int> firsts_of(const std::vector<Rows>& rows) {
  std::vector<int> out;
  for (const Rows& r : rows) out.push_back(r.first);
  return out;
}

TEST(Tiles, SlicesDifferByOneRowAtMost) {
  EXPECT_THAT(counts_of(slices_of(66, 4)), ElementsAre(17, 17, 16, 16));
  EXPECT_THAT(firsts_of(slices_of(66, 4)), ElementsAre(0, 17, 34, 50));
  EXPECT_THAT(counts_of(slices_of(3, 3)), ElementsAre(1, 1, 1));
}

/// The classifier of sounds of the source: three blocks of two convolutions of 3 samples at distance 5 and
/// one of stride 3, here with windows as wide that have no holes. 2,048 samples become 66.
TEST(Tiles, ReceptiveFieldsOfTheSourcesSlices) {
  Networks n({"sp", 1, 2048, 1});
  Map map = n.maps().back();
  Map first{};
  for (int block = 0; block < 3; ++block) {
    for (const int stride : {1, 1, 3}) {
      map = n.tall(map, 1, stride == 1 ? 11 : 3, stride);
      if (first.name.empty()) first = map;
    }
  }
  ASSERT_EQ(map.h, 66);
  const Program program = n.program({map});
  std::string why_not;
  const auto stream = Streams(program).tile(0, 9, 6, why_not);
  ASSERT_TRUE(stream) << why_not;
  EXPECT_EQ(stream->region.turns, 6);
  // Rows of the input that the first convolution reads: 557 of each slice.
  std::vector<int> starts, lengths;
  for (const Rows& rows : stream->region.paces.front().tiles)
    starts.push_back(rows.first), lengths.push_back(rows.count - 1 + 11);
  EXPECT_THAT(starts, ElementsAre(0, 297, 594, 891, 1188, 1485));
  lengths.back() = std::min(lengths.back(), 557);  // the last one makes the rows that no slice reads, too
  EXPECT_THAT(lengths, Each(557));
  EXPECT_THAT(counts_of(stream->region.paces.back().tiles), Each(11));
  Program tiled = program;
  add_region(tiled, *stream);
  ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(tiled))));
}

TEST(Tiles, MapsShareBytesWhenTheyDieWithinASlice) {
  Networks n({"sp", 2, 24, 8});
  Map map = n.maps().back();
  for (int i = 0; i < 4; ++i) map = n.conv(map, 4, 3, 1, 1);
  const Program program = n.program({map});
  std::string why_not;
  const auto stream = Streams(program).tile(0, 4, 4, why_not);
  ASSERT_TRUE(stream) << why_not;
  ASSERT_EQ(stream->rings.size(), 3U);
  EXPECT_EQ(stream->rings[0].rows, 12);
  EXPECT_EQ(stream->rings[1].rows, 10);
  EXPECT_EQ(stream->rings[2].rows, 8);
  EXPECT_EQ(stream->region.rings, (12 + 10) * 8 * 4) << "the third lies where the first was";
  EXPECT_EQ(multiplications(program).again, 0);
  Program tiled = program;
  add_region(tiled, *stream);
  // Rows again: 2 * 3 of the map before the last at each of three edges, 2 and 4 more of those before.
  const auto of = multiplications(tiled);
  EXPECT_EQ(of.again, 3 * (2 + 4) * 8 * 9 * 4 * 4 + 3 * 6 * 8 * 9 * 2 * 4);
  EXPECT_EQ(of.all - of.again, multiplications(program).all);
}

TEST(Tiles, SayWhyNot) {
  Networks n({"sp", 3, 8, 8});
  const Map a = n.conv({"sp", 3, 8, 8}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 1, 1);
  const Map c = n.sum(a, b);
  const Program program = n.program({c});
  const auto why_not = [&](CallId first, CallId end, int slices) {
    std::string out;
    const bool is_made = Streams(program).tile(first, end, slices, out).has_value();
    EXPECT_EQ(is_made, out.empty());
    return out;
  };
  EXPECT_THAT(why_not(0, 3, 8), IsEmpty());
  EXPECT_EQ(why_not(0, 3, 9), fmt::format("the output of [{}] has 8 rows", c.name));
  EXPECT_EQ(why_not(0, 2, 4),
            fmt::format("the outputs of [{}] and [{}] are both needed behind it", a.name, b.name));
}

/// A concatenation in another memory is no lane of the one that reads it, which copies what it is made of: it
/// has no reader, and no slice would make a row of it.
TEST(Tiles, LeaveOutWhatNobodyReads) {
  Networks n({"sp", 3, 16, 8});
  const Map a = n.conv({"sp", 3, 16, 8}, 2, 3, 1, 1), b = n.conv({"sp", 3, 16, 8}, 1, 3, 1, 1);
  const Map inner = n.concat(n.concat(b, a), a);
  MemorySettings settings;
  settings.memories = {{"sram", 0, 1, 0, 0}, {"tcm", 0, 1, 0, 0}};
  settings.memories_of = [&](std::string_view layer) {
    return std::vector<memory::MemoryId>(layer == inner.name ? 1 : 0, 1);
  };
  const Program program = n.program({n.concat(inner, a)}, settings);
  std::string why_not;
  const auto calls = static_cast<CallId>(program.calls.size());
  EXPECT_FALSE(Streams(program).tile(0, calls, 2, why_not));
  EXPECT_EQ(why_not, "no slice reads the output of [" + inner.name + "]");
}

/// Rows of one branch go on by one, those of the other by two: turns that make each row once do not fit both.
TEST(Tiles, TakeBranchesOfUnequalStrides) {
  Networks n({"sp", 2, 19, 19});
  const Map wide = n.conv({"sp", 2, 19, 19}, 40, 1, 1, 0);
  const Map by_ones = n.conv(wide, 4, 10, 1, 0);
  const Map halves = n.conv(wide, 4, 1, 2, 0);
  ASSERT_EQ(by_ones.h, halves.h);
  const Program program = n.program({n.sum(by_ones, halves)});
  const auto calls = static_cast<CallId>(program.calls.size());
  EXPECT_FALSE(Streams(program).find(0, calls, 1));
  std::string why_not;
  const auto stream = Streams(program).tile(0, calls, 5, why_not);
  ASSERT_TRUE(stream) << why_not;
  Program tiled = program;
  add_region(tiled, *stream);
  ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(tiled))));
  // A budget finds them by itself, and fewer slices where more bytes are allowed.
  const StreamChoices choices(program);
  ASSERT_LT(choices.least(), choices.most());
  Streaming least = choices.within(0);
  ASSERT_EQ(least.program.regions.size(), 1U);
  EXPECT_TRUE(least.program.regions[0].is_tiled());
  const Streaming more = choices.within(choices.most() - 1);
  ASSERT_EQ(more.program.regions.size(), 1U);
  EXPECT_LT(more.program.regions[0].turns, least.program.regions[0].turns);
  ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(least.program))));
}

TEST(Tiles, OfNamedLayersAreRegions) {
  Networks n({"sp", 3, 12, 8});
  Map map = n.maps().back();
  for (int i = 0; i < 6; ++i) map = n.conv(map, 4, 3, 1, 1);
  const Program program = n.program({map});
  const std::vector<int> slices{1, 3, 3, 4, 4, 2};
  const auto tiles_of = [&](std::string_view layer) {
    for (size_t i = 0; i < slices.size(); ++i)
      if (n.maps()[i + 1].name == layer) return Tiling{slices[i], {"p.ini", static_cast<int>(i) + 1}};
    return Tiling{};
  };
  Diagnostics findings;
  const auto regions = regions_of_tiles(program, tiles_of, "test", findings);
  EXPECT_FALSE(findings.has_errors());
  ASSERT_EQ(findings.warnings().size(), 1U);
  EXPECT_EQ(findings.warnings()[0].where.line, 6);
  EXPECT_EQ(findings.warnings()[0].message,
            "test: [m6] Tiles=2: without effect, slices keep maps between layers small");
  ASSERT_EQ(regions.size(), 2U);  // a layer alone stays whole
  EXPECT_EQ(regions[0].region.first, 1);
  EXPECT_EQ(regions[0].region.turns, 3);
  EXPECT_EQ(regions[1].region.first, 3);
  EXPECT_EQ(regions[1].region.turns, 4);
  const auto too_many = [&](std::string_view layer) {
    const Tiling asked = tiles_of(layer);
    return Tiling{asked.slices == 1 ? 1 : asked.slices * 4, asked.where};
  };
  Diagnostics refused;
  EXPECT_EQ(regions_of_tiles(program, too_many, "test", refused).size(), 1U) << "12 slices of 12 rows";
  ASSERT_EQ(refused.errors().size(), 1U);
  EXPECT_EQ(refused.errors()[0].where.line, 4);
  EXPECT_EQ(refused.errors()[0].message, "test: [m4] to [m5] Tiles=16: the output of [m5] has 12 rows");
}

TEST(Tiles, OfAnyCallsGiveTheSameBytes) {
  Rng rng(41);
  int tiled = 0;
  for (int i = 0; i < 400; ++i) {
    const Program program = random_network(rng);
    const Streams streams(program);
    const auto calls = static_cast<CallId>(program.calls.size());
    Program with = program;
    for (CallId first = 0; first + 1 < calls; ++first) {
      const auto end = first + 2 + static_cast<CallId>(rng.below(static_cast<uint64_t>(calls - first - 1)));
      std::string why_not;
      const auto stream = streams.tile(first, end, 2 + static_cast<int>(rng.below(5)), why_not);
      if (!stream) continue;
      add_region(with, *stream);
      first = end - 1;
    }
    if (with.regions.empty()) continue;
    ++tiled;
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(with)))) << "network " << i;
  }
  EXPECT_GT(tiled, 200);
}

/// One row less in any map: a row is overwritten that is still to be read, and the checker says so.
TEST(Tiles, KeepNoRowTooMany) {
  Rng rng(43);
  int rings = 0;
  for (int i = 0; i < 100; ++i) {
    const Program program = random_network(rng);
    std::string why_not;
    const auto stream = Streams(program).tile(0, static_cast<CallId>(program.calls.size()), 2, why_not);
    if (!stream) continue;
    for (size_t r = 0; r < stream->rings.size(); ++r) {
      if (stream->rings[r].rows < 2) continue;
      Stream less = *stream;
      --less.rings[r].rows;
      Program with = program;
      add_region(with, less);
      EXPECT_FALSE(validate(with_plan(std::move(with)).program).empty()) << "network " << i << ", ring " << r;
      ++rings;
    }
  }
  EXPECT_GT(rings, 30);
}

/// What is asked for by hand stays in every choice for a budget.
TEST(Tiles, StayWhereOthersStream) {
  Rng rng(47);
  int both = 0;
  for (int i = 0; i < 120; ++i) {
    const Program program = random_network(rng);
    const Streams streams(program);
    const auto calls = static_cast<CallId>(program.calls.size());
    std::vector<Stream> fixed;
    std::string why_not;
    for (CallId first = 0; first + 1 < calls && fixed.empty(); ++first)
      if (auto stream = streams.tile(first, first + 2, 2, why_not)) fixed.push_back(std::move(*stream));
    if (fixed.empty()) continue;
    const StreamChoices choices(program, fixed);
    EXPECT_LE(choices.least(), choices.most());
    Streaming found = choices.within(0);
    const auto tiles = std::count_if(found.program.regions.begin(), found.program.regions.end(),
                                     [](const Region& region) { return region.is_tiled(); });
    ASSERT_EQ(tiles, 1) << "network " << i;
    EXPECT_EQ(memory::lower_bound(memory_problem(found.program)), found.bound) << "network " << i;
    both += found.program.regions.size() > 1 ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(found.program)))) << "network " << i;
  }
  EXPECT_GT(both, 10);
}

}  // namespace
}  // namespace n2d2::program

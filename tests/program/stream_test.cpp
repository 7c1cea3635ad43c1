// Do layers that run in turns give the bytes that they give one after the other, from as few rows as must be
// kept?
#include "n2d2/program/stream.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/validate.hpp"

#include "grown_networks.hpp"
#include "stream/budget.hpp"

namespace n2d2::program {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, int>> rows_of(const Program& program, const Stream& stream) {
  std::vector<std::pair<std::string, int>> out;
  for (const Ring& ring : stream.rings) out.emplace_back(program.view(ring.root).name, ring.rows);
  return out;
}

TEST(Stream, KeepsTheRowsOfAWindow) {
  Networks n({"sp", 3, 16, 8});
  const Map a = n.conv({"sp", 3, 16, 8}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 1, 1);
  const Program program = n.program({n.conv(b, 2, 1, 1, 0)});
  const auto stream = Streams(program).find(0, 3, 1);
  ASSERT_TRUE(stream);
  EXPECT_THAT(rows_of(program, *stream), ElementsAre(Pair(a.name, 3), Pair(b.name, 1)));
  // Row 0 of b is made of rows 0 and 1 of a, in the turn that makes the second of them.
  EXPECT_THAT(stream->region.paces, ElementsAre(Pace{1, 1, 1}, Pace{1, 1, 0}, Pace{1, 1, 0}));
  EXPECT_EQ(stream->region.turns, 16 + 1);
}

TEST(Stream, MakesAsManyRowsAsStridesTake) {
  Networks n({"sp", 3, 17, 9});
  const Map a = n.conv({"sp", 3, 17, 9}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 2, 1);
  const Program program = n.program({n.pool(b, 2, 2)});
  const auto stream = Streams(program).find(0, 3, 1);
  ASSERT_TRUE(stream);
  EXPECT_THAT(rows_of(program, *stream), ElementsAre(Pair(a.name, 3), Pair(b.name, 2)));
  EXPECT_EQ(stream->region.paces[0].every, 1);
  EXPECT_EQ(stream->region.paces[1].every, 2);
  EXPECT_EQ(stream->region.paces[2].every, 4);
}

TEST(Stream, RefusesWhatIsNotMadeOfRows) {
  Networks n({"sp", 3, 8, 8});
  const Map a = n.conv({"sp", 3, 8, 8}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 1, 1);
  const Map c = n.sum(a, b);
  const Program program = n.program({c});
  const Streams streams(program);
  EXPECT_TRUE(streams.find(0, 3, 1));
  EXPECT_FALSE(streams.find(0, 2, 1)) << "two maps are needed afterwards";
  EXPECT_FALSE(streams.find(0, 1, 1)) << "one call";
  EXPECT_FALSE(Streams(n.program({b, c})).find(0, 3, 1)) << "two outputs";
}

TEST(Stream, OfAnyCallsGivesTheSameBytes) {
  Rng rng(17);
  int streamed = 0, several = 0;
  for (int i = 0; i < 400; ++i) {
    const Program program = random_network(rng);
    const Streams streams(program);
    const auto calls = static_cast<CallId>(program.calls.size());
    Program with = program;
    for (CallId first = 0; first + 1 < calls; ++first) {
      const auto end = first + 2 + static_cast<CallId>(rng.below(static_cast<uint64_t>(calls - first - 1)));
      const auto stream = streams.find(first, end, 1 << rng.below(4));
      if (!stream || rng.chance(0.3)) continue;
      add_region(with, *stream);
      first = end - 1;
    }
    if (with.regions.empty()) continue;
    streamed += 1, several += with.regions.size() > 1 ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(with)))) << "network " << i;
  }
  EXPECT_GT(streamed, 150);
  EXPECT_GT(several, 20);
}

/// One row less in any ring: a row is overwritten that is still to be read, and the checker says so.
TEST(Stream, KeepsNoRowTooMany) {
  Rng rng(23);
  int rings = 0;
  for (int i = 0; i < 100; ++i) {
    const Program program = random_network(rng);
    const auto stream = Streams(program).find(0, static_cast<CallId>(program.calls.size()), 1);
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

/// Returns the least bytes of all ways to cut the calls into regions, by trying every one.
Bytes least_of_all(const Program& program, const Streams& streams, CallId from, Program with) {
  if (from == static_cast<CallId>(program.calls.size())) return memory::lower_bound(memory_problem(with));
  Bytes least = least_of_all(program, streams, from + 1, with);
  for (CallId end = from + 2; end <= static_cast<CallId>(program.calls.size()); ++end)
    if (const auto stream = streams.find(from, end, 1)) {
      Program more = with;
      add_region(more, *stream);
      least = std::min(least, least_of_all(program, streams, end, std::move(more)));
    }
  return least;
}

TEST(StreamChoices, FindsTheLeastThereIs) {
  Rng rng(29);
  int lower = 0;
  for (int i = 0; i < 60; ++i) {
    const Program program = random_network(rng);
    const Streaming found = StreamChoices(program).within(0);
    const Bytes least = least_of_all(program, Streams(program), 0, program);
    EXPECT_EQ(found.bound, least) << "network " << i;
    EXPECT_EQ(memory::lower_bound(memory_problem(found.program)), found.bound) << "network " << i;
    lower += found.bound < memory::lower_bound(memory_problem(program)) ? 1 : 0;
  }
  EXPECT_GT(lower, 10);
}

TEST(StreamChoices, TakesNoMoreThanTheBudgetAndFewerCallsForMore) {
  Rng rng(31);
  for (int i = 0; i < 60; ++i) {
    const Program program = random_network(rng);
    const StreamChoices choices(program);
    const Bytes most = choices.most(), least = choices.least();
    EXPECT_EQ(most, memory::lower_bound(memory_problem(program)));
    int64_t runs = std::numeric_limits<int64_t>::max();
    for (Bytes budget = least; budget <= most; budget += std::max<Bytes>(1, (most - least) / 4)) {
      const Streaming found = choices.within(budget);
      EXPECT_LE(found.bound, budget);
      EXPECT_LE(found.runs, runs) << "network " << i;
      runs = found.runs;
    }
    EXPECT_TRUE(choices.within(most).program.regions.empty());
  }
}

}  // namespace
}  // namespace n2d2::program

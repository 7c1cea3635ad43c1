// Does an average over a whole map that runs row by row give the bytes of the one that reads it whole?
#include <gmock/gmock.h>

#include "n2d2/program/loop_nest.hpp"
#include "n2d2/program/validate.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "../../program/grown_networks.hpp"
#include "stream/budget.hpp"

namespace n2d2::targets::cpp {
namespace {

using program::CallId;
using program::Map;
using program::MemorySettings;
using program::Networks;
using program::Program;
using program::Stream;
using program::StreamChoices;
using program::Streams;
using testing::ElementsAre;

Program split(Program program) {
  rewrite(program, {{program::running_sums(kernels())}, {}});
  return program;
}

TEST(RunningSums, OneOfAWholeMapIsTwoCalls) {
  Networks n({"sp", 3, 9, 7});
  const Map a = n.conv({"sp", 3, 9, 7}, 5, 3, 1, 1);
  const Program program = split(n.program({n.mean(a)}));
  EXPECT_THAT(kernels_of(program), ElementsAre("conv2d", "average_pool_sums", "requantize"));
  EXPECT_EQ(program.cells.back().calls.size(), 2U);
  const auto stream = Streams(program).find(0, 3, 1);
  ASSERT_TRUE(stream);
  for (const program::Ring& ring : stream->rings) EXPECT_EQ(ring.rows, 1) << program.view(ring.root).name;
}

TEST(RunningSums, OthersStay) {
  Networks n({"sp", 3, 8, 8});
  const Map halves = n.mean_of_two(n.conv({"sp", 3, 8, 8}, 4, 3, 1, 1));
  EXPECT_THAT(kernels_of(split(n.program({halves}))), ElementsAre("conv2d", "average_pool"));
  Networks row({"sp", 3, 1, 1});
  const Map one = row.mean(row.conv({"sp", 3, 1, 1}, 4, 1, 1, 0));
  EXPECT_THAT(kernels_of(split(row.program({one}))), ElementsAre("conv2d", "average_pool"));
}

/// Random networks that end in a mean and a layer behind it: as few bytes as can be, and all bytes of all
/// layers.
TEST(RunningSums, GiveTheSameBytesFromFewerRows) {
  Rng rng(53);
  int less = 0, streamed = 0;
  for (int i = 0; i < 150; ++i) {
    const auto pick = [&](int lo, int hi) {
      return lo + static_cast<int>(rng.below(static_cast<uint64_t>(hi - lo + 1)));
    };
    Networks n({"sp", pick(1, 3), pick(6, 20), pick(2, 7)});
    Map map = n.maps().back();
    for (int layer = pick(1, 3); layer > 0; --layer) map = n.conv(map, pick(1, 70), 3, pick(1, 2), 1);
    map = n.mean(map);
    if (rng.chance(0.5)) map = n.conv(map, pick(1, 5), 1, 1, 0);
    const Program whole = n.program({map}), by_rows = split(whole);
    if (by_rows.calls.size() == whole.calls.size()) continue;
    const StreamChoices choices(by_rows);
    ASSERT_TRUE(choices.any());
    program::Streaming found = choices.within(0);
    less += found.bound < StreamChoices(whole).least() ? 1 : 0;
    streamed += found.program.regions.empty() ? 0 : 1;
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(found.program)))) << "network " << i;
  }
  EXPECT_GT(streamed, 60);
  EXPECT_GT(less, 30);
}

/// Row y is made of row y - 1: a map that is dead whenever the sums are written or read at the end, and
/// overwrites them between two turns, is found.
TEST(RunningSums, OverwrittenSumsAreRejected) {
  Networks n({"sp", 3, 9, 8});
  const Map a = n.conv({"sp", 3, 9, 8}, 8, 1, 1, 0);
  const Map b = n.conv(a, 8, 1, 1, 0);
  const Program program = split(n.program({n.mean(b)}));
  const auto stream = Streams(program).find(0, 4, 1);
  ASSERT_TRUE(stream);
  Program with = program;
  add_region(with, *stream);
  program::Planned planned = program::with_plan(std::move(with));
  ASSERT_TRUE(validate(planned.program).empty());
  const program::View& over = planned.program.view(planned.program.calls[0].out[0]);
  const auto sums = planned.program.calls[2].out[0];
  planned.program.views[static_cast<size_t>(sums)].place = over.place;
  EXPECT_THAT(validate(planned.program), ElementsAre(testing::HasSubstr("does not hold its own bytes")));
}

}  // namespace
}  // namespace n2d2::targets::cpp

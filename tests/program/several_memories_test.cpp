// Layers that run in turns where there are several memories: rings lie where their maps may, and each memory
// has room.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/validate.hpp"

#include "grown_networks.hpp"
#include "stream/budget.hpp"

namespace n2d2::program {
namespace {

using memory::MemoryId;

constexpr MemoryId kSram = 0, kTcm = 1;

/// `memories`: of the layers by name; others lie anywhere.
MemorySettings with_memories(std::map<std::string, std::vector<MemoryId>> memories, Bytes sram = 0,
                             Bytes tcm = 0) {
  MemorySettings settings;
  settings.memories = {{"sram", sram, 1, 0, 0}, {"tcm", tcm, 8, 0, 0}};
  settings.memories_of = [memories = std::move(memories)](std::string_view layer) {
    const auto found = memories.find(std::string(layer));
    return found == memories.end() ? std::vector<MemoryId>{} : found->second;
  };
  return settings;
}

/// m1 and m2 have 16 rows of 32 bytes, m3 has 16 bytes.
struct Three {
  Networks n{{"sp", 3, 16, 8}};
  Map a = n.conv({"sp", 3, 16, 8}, 4, 3, 1, 1);
  Map b = n.conv(a, 4, 3, 1, 1);
  Map c = n.conv(b, 2, 1, 1, 0);
  Program program(const MemorySettings& settings) const { return n.program({c}, settings); }
};

TEST(SeveralMemories, RingsLieWhereTheirMapsMay) {
  Program program = Three().program(with_memories({{"m1", {kTcm}}}));
  const auto stream = Streams(program).find(0, 3, 1);
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->region.memories, std::vector<MemoryId>{kTcm});
  add_region(program, *stream);
  const Planned planned = with_plan(program);
  ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned));
  EXPECT_EQ(planned.program.regions[0].place->memory, kTcm);
  EXPECT_EQ(planned.program.memories[kTcm].peak, 3 * 32 + 32) << "three rows of m1, one of m2";
  Program elsewhere = planned.program;
  const auto m1 = std::find_if(elsewhere.views.begin(), elsewhere.views.end(),
                               [](const View& view) { return view.name == "m1"; });
  ASSERT_NE(m1, elsewhere.views.end());
  m1->place->memory = kSram;
  EXPECT_THAT(validate(elsewhere), testing::Contains("'m1' lies in memory 'sram', where it may not"));
}

TEST(SeveralMemories, MapsOfDifferentOnesHaveNoRingsBesideEachOther) {
  const auto find = [](const std::vector<MemoryId>& a, const std::vector<MemoryId>& b, CallId end) {
    const Program program = Three().program(with_memories({{"m1", a}, {"m2", b}}));
    return Streams(program).find(0, end, 1).has_value();
  };
  EXPECT_TRUE(find({kTcm, kSram}, {kTcm, kSram}, 3));
  EXPECT_TRUE(find({}, {kTcm}, 3));
  EXPECT_FALSE(find({kSram}, {kTcm}, 3));
  EXPECT_FALSE(find({kTcm}, {kTcm, kSram}, 3));
  EXPECT_TRUE(find({kSram}, {kTcm}, 2)) << "m2 is whole";
  const Program program = Three().program(with_memories({{"m1", {kSram}}, {"m2", {kTcm}}}));
  std::string why_not;
  EXPECT_FALSE(Streams(program).tile(0, 3, 2, why_not));
  EXPECT_EQ(why_not, "MemorySection gives the outputs of [m1] and [m2] different memories");
}

TEST(SeveralMemories, AMapThatDoesNotFitInItsOwnRunsInTurnsWhateverTheBudget) {
  const MemorySettings unlimited = with_memories({{"m1", {kTcm}}});
  const MemorySettings small = with_memories({{"m1", {kTcm}}}, 0, 128);
  const Program program = Three().program(unlimited), limited = Three().program(small);
  EXPECT_TRUE(StreamChoices(program).within(1 << 20).program.regions.empty());
  const Streaming found = StreamChoices(limited).within(1 << 20);
  ASSERT_EQ(found.program.regions.size(), 1U);
  const Planned planned = with_plan(found.program);
  ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned));
  EXPECT_LE(planned.program.memories[kTcm].peak, 128);
}

/// Excess and bound of the best of all ways to cut the calls into regions, those that cannot stream in
/// slices, by trying every one.
std::pair<Bytes, Bytes> least_of_all(const Program& program, const Streams& streams, CallId from,
                                     Program with) {
  if (from == static_cast<CallId>(program.calls.size())) {
    const memory::Problem problem = memory_problem(with);
    const std::vector<Bytes> excess = memory::excess_of_steps(problem);
    return {*std::max_element(excess.begin(), excess.end()), memory::lower_bound(problem)};
  }
  auto least = least_of_all(program, streams, from + 1, with);
  for (CallId end = from + 2; end <= static_cast<CallId>(program.calls.size()); ++end) {
    const auto with_region = [&](const Stream& stream) {
      Program more = with;
      add_region(more, stream);
      least = std::min(least, least_of_all(program, streams, end, std::move(more)));
    };
    std::string why_not;
    if (const auto stream = streams.find(from, end, 1)) {
      with_region(*stream);
      continue;
    }
    for (int slices = 2; slices <= 64; slices *= 2)
      if (const auto tiles = streams.tile(from, end, slices, why_not)) with_region(*tiles);
  }
  return least;
}

TEST(SeveralMemories, AChoiceFitsInThemWhereAnyDoes) {
  Rng rng(37);
  int relieved = 0, over = 0, in_turns = 0;
  for (int i = 0; i < 200; ++i) {
    std::map<std::string, std::vector<MemoryId>> memories;
    for (int layer = 0; layer < 10; ++layer)
      memories[fmt::format("m{}", layer)] =
          std::array<std::vector<MemoryId>, 4>{{{}, {kSram}, {kTcm}, {kTcm, kSram}}}[rng.below(4)];
    const auto sram = static_cast<Bytes>(rng.below(3) * 200), tcm = static_cast<Bytes>(20 + rng.below(300));
    const Program program = random_network(rng, with_memories(memories, sram, tcm));
    const auto [excess, least] = least_of_all(program, Streams(program), 0, program);
    const Streaming found = StreamChoices(program).within(0);
    const memory::Problem problem = memory_problem(found.program);
    const std::vector<Bytes> of_steps = memory::excess_of_steps(problem);
    EXPECT_EQ(*std::max_element(of_steps.begin(), of_steps.end()), excess) << "network " << i;
    EXPECT_EQ(memory::lower_bound(problem), least) << "network " << i;
    const std::vector<Bytes> whole = memory::excess_of_steps(memory_problem(program));
    relieved += *std::max_element(whole.begin(), whole.end()) > excess ? 1 : 0;
    over += excess > 0 ? 1 : 0;
    const Streaming most = StreamChoices(program).within(1 << 20);
    if (most.program.regions.empty()) continue;
    Planned planned = with_plan(most.program);
    for (Memory& memory : planned.program.memories) memory.capacity = 0;
    for (memory::Memory& memory : planned.problem.memories) memory.capacity = 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned)) << "network " << i;
    in_turns += 1;
  }
  EXPECT_GT(relieved, 15);
  EXPECT_GT(over, 10);
  EXPECT_GT(in_turns, 15);
}

}  // namespace
}  // namespace n2d2::program

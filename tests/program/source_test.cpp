// Does an input that comes row by row give the bytes of one that is there, from as few rows as layers still
// read?
#include "stream/source.hpp"

#include <gmock/gmock.h>

#include "n2d2/program/schedule.hpp"
#include "n2d2/program/stream.hpp"
#include "n2d2/program/validate.hpp"

#include "grown_networks.hpp"
#include "program/cut.hpp"
#include "stream/budget.hpp"

namespace n2d2::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MemorySettings by_rows() {
  MemorySettings settings;
  settings.stream_input = true;
  return settings;
}

/// Rows of the input in the order in which a program asks for them.
std::vector<Rows> asked_for(const Program& program) {
  std::vector<Rows> out;
  ScheduleVisitor visitor;
  visitor.run = [&](CallId call, Rows rows) {
    if (program.call(call).is_source()) out.push_back(rows);
  };
  for (const Unit& unit : units_of(program)) visit_schedule(program, unit, visitor);
  return out;
}

/// Each of them once, from the first to the last.
void expect_all_in_order(const std::vector<Rows>& asked, int height) {
  int next = 0;
  for (const Rows& rows : asked) {
    EXPECT_EQ(rows.first, next);
    EXPECT_GT(rows.count, 0);
    next += rows.count;
  }
  EXPECT_EQ(next, height);
}

TEST(Source, IsARingOfTheRowsThatAWindowReads) {
  Networks n({"sp", 3, 16, 8});
  const Map a = n.conv({"sp", 3, 16, 8}, 4, 3, 2, 1);
  const Program program = n.program({a}, by_rows());
  ASSERT_TRUE(program.streams_input());
  EXPECT_EQ(program.name_of(program.call(0)), "env");
  const Streaming found = StreamChoices(program).within(0);
  ASSERT_EQ(found.program.regions.size(), 1U);
  EXPECT_EQ(found.program.map_of(program.input()).ring, 3);
  EXPECT_EQ(found.program.regions[0].rings, 3 * 3 * 8);
  EXPECT_EQ(found.bound, 3 * 3 * 8 + 4 * 8 * 4) << "the ring and the map behind it";
  const std::vector<Rows> asked = asked_for(found.program);
  EXPECT_EQ(asked.size(), 16U) << "as late as can be";
  expect_all_in_order(asked, 16);
}

TEST(Source, IsAskedForRowsThatNobodyReads) {
  Networks n({"sp", 2, 11, 5});
  const Program program = n.program({n.conv({"sp", 2, 11, 5}, 3, 1, 4, 0)}, by_rows());
  const Planned planned = with_plan(StreamChoices(program).within(0).program);
  expect_same_bytes(planned);
  expect_all_in_order(asked_for(planned.program), 11);
}

TEST(Source, IsInARegionWhateverTheBudget) {
  Networks n({"sp", 3, 16, 8});
  const Map a = n.conv({"sp", 3, 16, 8}, 4, 3, 1, 1);
  const Program program = n.program({n.conv(a, 4, 3, 1, 1)}, by_rows());
  const StreamChoices choices(program);
  int64_t runs = std::numeric_limits<int64_t>::max();
  for (const Bytes budget : {choices.least(), choices.most(), Bytes{1} << 20}) {
    const Streaming found = choices.within(budget);
    ASSERT_FALSE(found.program.regions.empty());
    EXPECT_EQ(found.program.regions.front().first, 0);
    EXPECT_LE(found.runs, runs);
    runs = found.runs;
  }
}

/// The input comes row by row, is there as a whole, or is made by a source alone: one run of bytes.
TEST(Source, OfAnyNetworkGivesTheSameBytes) {
  int streamed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng of_whole(seed), of_rows(seed), choice(seed + 1);
    const Program whole = random_network(of_whole), program = random_network(of_rows, by_rows());
    ASSERT_EQ(program.calls.size(), whole.calls.size() + 1);
    if (!source_fault(program).reason.empty()) continue;
    const StreamChoices choices(program);
    const Bytes budget =
        choices.least() + static_cast<Bytes>(choice.below(static_cast<uint64_t>(choices.most() + 1)));
    Program with = choices.within(choice.chance(0.5) ? 0 : budget).program;
    const View& input = with.map_of(with.input());
    ASSERT_EQ(input.region, 0) << "network " << seed;
    EXPECT_GT(input.ring, 0) << "network " << seed;
    ++streamed;
    const Planned planned = with_plan(std::move(with));
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned)) << "network " << seed;
    expect_all_in_order(asked_for(planned.program), planned.program.map_of(planned.program.input()).h);
    const Tensor sample = any_sample(program);
    const auto found = run_layers(planned.program, sample),
               expected = run_layers(with_plan(whole).program, sample);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_TRUE(found[i].tensor == expected[i].tensor) << "layer " << i << " of network " << seed;
  }
  EXPECT_GT(streamed, 150);
}

TEST(Source, KeepsNoRowTooMany) {
  int rings = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Program program = random_network(rng, by_rows());
    const Streams streams(program);
    for (CallId end = 2; end <= static_cast<CallId>(program.calls.size()); ++end) {
      const auto stream = streams.find(0, end, 1);
      if (!stream) continue;
      for (size_t r = 0; r < stream->rings.size(); ++r) {
        if (stream->rings[r].root != program.maps.at(program.input()) || stream->rings[r].rows < 2) continue;
        Stream less = *stream;
        --less.rings[r].rows;
        Program with = program;
        add_region(with, less);
        EXPECT_THAT(validate(with_plan(std::move(with)).program), testing::Contains(HasSubstr("of 'env'")))
            << "network " << seed;
        ++rings;
      }
    }
  }
  EXPECT_GT(rings, 100);
}

TEST(Source, ThatLeavesRowsOutIsNoProgram) {
  Networks n({"sp", 3, 16, 8});
  const Map a = n.conv({"sp", 3, 16, 8}, 4, 3, 1, 1);
  const Program program = n.program({n.conv(a, 4, 3, 1, 1)}, by_rows());
  Planned planned = with_plan(StreamChoices(program).within(0).program);
  ASSERT_TRUE(validate(planned.program).empty());
  --planned.program.regions.at(0).paces.at(0).lead;
  EXPECT_THAT(validate(planned.program),
              testing::Contains(HasSubstr("of 'env' does not hold its own bytes")));
}

TEST(Source, IsNobodysToRewriteOrToCut) {
  Networks n({"sp", 3, 6, 4});
  const Map a = n.conv({"sp", 3, 6, 4}, 4, 3, 1, 1);
  MemorySettings settings = by_rows();
  int seen = 0;
  settings.peephole.expanders.push_back({"look", [&](Program&, const Call& call) -> Replacement {
                                           EXPECT_FALSE(call.is_source());
                                           ++seen;
                                           return std::nullopt;
                                         }});
  settings.peephole.combiners.push_back(
      {"again", 1, [&](Program&, std::span<const Call> calls) -> Replacement {
         EXPECT_FALSE(calls[0].is_source());
         if (calls[0].suffix == "_again") return std::nullopt;
         Call again = calls[0];
         again.suffix = "_again";
         return std::vector<Call>{again};
       }});
  Program program = n.program({n.conv(a, 2, 1, 1, 0)}, settings);
  EXPECT_GT(seen, 0);
  ASSERT_EQ(program.calls.size(), 3U);
  EXPECT_TRUE(program.call(0).is_source());
  for (size_t cell = 0; cell < 2; ++cell)
    EXPECT_THAT(program.cells.at(cell).calls, ElementsAre(static_cast<CallId>(cell) + 1));
  const Program whole = with_plan(program).program;
  const Program pieces = cut(whole, [](const Program&, const Call&) {
    return std::vector<Rows>{{0, 2}, {2, 4}};
  });
  ASSERT_EQ(pieces.calls.size(), 5U);
  EXPECT_TRUE(pieces.call(0).is_source());
  const Tensor sample = any_sample(program);
  EXPECT_TRUE(run_layers(pieces, sample).back().tensor == run_layers(whole, sample).back().tensor);
}

SourceFault fault_of(const std::string& nodes, const MemorySettings& settings = by_rows()) {
  std::string text = "input sp : u8 1x2x4x4 nhwc @\n" + nodes;
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, "quant(8 unsigned -1 1)");
  graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
  std::vector<Output> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back({id, 2});
  const Lowering lowering(std::move(graph), outputs, targets::cpp::kernels(),
                          [](const graph::Node& node, const std::string& reasons) {
                            ADD_FAILURE() << node.name << ": " << reasons;
                          });
  return source_fault(lowering.program(lowering.graph().schedule(), settings));
}

constexpr const char* kPool = "a : u8 1x2x4x4 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n";

TEST(SourceFault, SaysWhichLayerWantsTheWholeInput) {
  EXPECT_EQ(fault_of(std::string(kPool) + "output a\n").reason, "");
  EXPECT_EQ(
      fault_of("constant w : i8 1x32 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
               "constant b : i32 1 = 0\n"
               "f : u8 1x1x1x1 nhwc @ = Fc(sp, w, b) NbOutputs=\"1\" rescale=\"Floating-point 0 255 0 : "
               "0.1 :\"\noutput f\n")
          .reason,
      "[f] Fc reads the input as a whole");
  EXPECT_EQ(fault_of(std::string(kPool) + "output a\noutput sp\n").reason,
            "the input is an output of the network");
  EXPECT_EQ(fault_of("r : u8 1x2x2x8 nhwc @ = Reshape(sp) Dims=\"8 2 2\"\n"
                     "p : u8 1x2x2x8 nhwc @ = Pool(r) PoolDims=\"1 1\" Pooling=\"Max\"\noutput p\n")
                .reason,
            "[p] Pool reads the input in other rows");
  EXPECT_EQ(fault_of("p : u8 1x2x1x1 nhwc @ = Pool(sp) PoolDims=\"4 4\" Pooling=\"Max\"\noutput p\n").reason,
            "[p] Pool reads the input as a whole");
  EXPECT_EQ(fault_of(std::string(kPool) + "b : u8 1x2x4x4 nhwc @ = Pool(a) PoolDims=\"1 1\" Pooling=\"Max\"\n"
                                          "s : u8 1x2x4x4 nhwc @ = ElemWise(b, sp) Operation=\"Sum\" "
                                          "rescale=\"Fixed-point32 0 255 2 : : 1 1\"\noutput a\noutput s\n")
                .reason,
            "the layers from the input to [s] ElemWise, which reads it last, cannot run in turns and keep "
            "few of its rows");
}

}  // namespace
}  // namespace n2d2::program

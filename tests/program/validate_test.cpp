#include "n2d2/program/validate.hpp"

#include <gmock/gmock.h>

#include "layers.hpp"

namespace n2d2::program {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// env -> a -> b -> c, maps of 2x4 pixels; a leaves the network as well when `keeps`.
Program chain(bool keeps = false) {
  const std::string type = " : u8 1x2x2x4 nhwc quant(8 unsigned -1 0.5)";
  const std::string pool = ") PoolDims=\"1 1\" Pooling=\"Max\"\n";
  graph::Graph graph = graph::from_text("input sp" + type + "\na" + type + " = Pool(sp" + pool + "b" + type +
                                            " = Pool(a" + pool + "c" + type + " = Pool(b" + pool +
                                            "output c\n" + (keeps ? "output a\n" : ""),
                                        ops::registry(), "net.txt");
  std::vector<Output> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back({id, 2});
  return planned(std::move(graph), outputs).program;
}

View& view(Program& program, const std::string& name) {
  for (View& each : program.views)
    if (each.name == name) return each;
  ADD_FAILURE() << name;
  return program.views.front();
}

/// Straight views at these bytes, everything top-down.
Program laid_out(Program program, Bytes env, Bytes a, Bytes b, Bytes c) {
  program.memories[0].peak = 64;
  for (View& each : program.views) each.ring = each.first = 0, each.turn = 0;
  view(program, "env").place = Place{0, env};
  view(program, "a").place = Place{0, a};
  view(program, "b").place = Place{0, b};
  view(program, "c").place = Place{0, c};
  for (Call& call : program.calls) call.scan = memory::Scan::TopDown;
  return program;
}

TEST(Validate, AcceptsWhatThePlannerFinds) {
  EXPECT_THAT(validate(chain()), IsEmpty());
  EXPECT_THAT(validate(chain(true)), IsEmpty());
}

TEST(Validate, NamesTheCallThatReadsOverwrittenRows) {
  // Row 0 of a lies where row 1 of env is still to be read.
  Program program = laid_out(chain(), 0, 8, 32, 48);
  EXPECT_THAT(validate(program), ElementsAre("call 0 'a': row 1 of 'env' does not hold its own bytes"));
}

TEST(Validate, AcceptsInPlaceRowsOnlyInTheirScan) {
  Program program = laid_out(chain(), 0, 8, 32, 48);
  program.calls[0].scan = memory::Scan::BottomUp;
  EXPECT_THAT(validate(program), IsEmpty());
  program.calls[0].scan = memory::Scan::Any;
  EXPECT_THAT(validate(program), ElementsAre("call 0 'a': row 1 of 'env' does not hold its own bytes"));
}

TEST(Validate, WantsKeptValuesAtTheEnd) {
  Program program = laid_out(chain(true), 0, 16, 32, 16);
  EXPECT_THAT(validate(program), ElementsAre("at the end: row 0 of 'a' does not hold its own bytes"));
  view(program, "a").keep = false;
  EXPECT_THAT(validate(program), IsEmpty());
}

TEST(Validate, WantsEveryViewInsideItsMemory) {
  Program program = laid_out(chain(), 0, 16, 56, 48);
  EXPECT_THAT(validate(program), ElementsAre("row 1 of 'b' starts at byte 64 of 64"));
  view(program, "b").place.reset();
  EXPECT_THAT(validate(program), ElementsAre("'b' has no place"));
}

TEST(Validate, WantsRowsThatWereWritten) {
  Program program = laid_out(chain(), 0, 16, 32, 48);
  program.calls[0].rows = {0, 1};
  EXPECT_THAT(validate(program), ElementsAre("call 1 'b': row 1 of 'a' does not hold its own bytes"));
}

/// Rows of b as soon as a has made them, a in a ring of `ring` rows.
Program streamed(int ring) {
  Program program = laid_out(chain(), 0, 16, 32, 48);
  View& a = view(program, "a");
  a.ring = ring, a.turn = ring * a.row;
  const std::vector<Call> calls = program.calls;
  program.calls.clear();
  for (int y = 0; y < 2; ++y)
    for (const size_t call : {0U, 1U}) {
      program.calls.push_back(calls[call]);
      program.calls.back().rows = {y, 1};
    }
  program.calls.push_back(calls[2]);
  return program;
}

TEST(Validate, FollowsRowsThroughRings) {
  EXPECT_THAT(validate(streamed(1)), IsEmpty());
  Program late = streamed(1);
  std::swap(late.calls[1], late.calls[2]);  // both rows of a before the first of b
  EXPECT_THAT(validate(late), ElementsAre("call 2 'b': row 0 of 'a' does not hold its own bytes"));
  Program wide = streamed(2);
  std::swap(wide.calls[1], wide.calls[2]);
  EXPECT_THAT(validate(wide), IsEmpty());
}

}  // namespace
}  // namespace n2d2::program

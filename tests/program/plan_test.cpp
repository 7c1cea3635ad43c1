// Which problem does the exporter put to the planner? And does a run in any valid plan give the same bytes?
#include "n2d2/program/plan.hpp"

#include "n2d2/memory/strategy.hpp"

#include "layers.hpp"
#include "stream/budget.hpp"

namespace n2d2::program {
namespace {

/// Text of a graph over "sp", 8 bits, one scale everywhere; "@" stands for the scale.
graph::Graph parse(const std::string& input, const std::string& nodes) {
  std::string text = "input sp : u8 " + input + " nhwc @\n" + nodes;
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, "quant(8 unsigned -1 0.5)");
  return graph::from_text(text, ops::registry(), "net.txt");
}

std::string pool(const std::string& name, const std::string& input, const std::string& shape) {
  return name + " : u8 " + shape + " nhwc @ = Pool(" + input + ") PoolDims=\"1 1\" Pooling=\"Max\"\n";
}

Lowering lowering_of(const graph::Graph& graph) {
  return {graph,
          {{graph.outputs().at(0), 2}},
          targets::cpp::kernels(),
          [](const graph::Node& node, const std::string& reasons) { ADD_FAILURE() << node.name << reasons; }};
}

Program program_of(const graph::Graph& graph, const MemorySettings& settings = {}) {
  return lowering_of(graph).program(graph.schedule(), settings);
}

memory::Problem map_of(const graph::Graph& graph, const MemorySettings& settings = {}) {
  return memory_problem(program_of(graph, settings));
}

/// "name used/pixel width x height [in host+offset]" of each buffer.
std::vector<std::string> buffers(const memory::Problem& map) {
  std::vector<std::string> out;
  for (const memory::Buffer& b : map.buffers) {
    out.push_back(fmt::format("{} {}/{} {}x{}", b.name, b.used, b.pixel, b.width, b.height));
    if (b.inside)
      out.back() +=
          fmt::format(" in {}+{}", map.buffers[static_cast<size_t>(b.inside->buffer)].name, b.inside->offset);
  }
  return out;
}

/// "step: output <- inputs" of each step.
std::vector<std::string> steps(const memory::Problem& map) {
  std::vector<std::string> out;
  for (const memory::Step& s : map.steps) {
    out.push_back(s.name + ": " + map.buffers[static_cast<size_t>(s.writes.front())].name + " <-");
    for (const memory::Read& r : s.reads) out.back() += " " + map.buffers[static_cast<size_t>(r.buffer)].name;
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(MemoryProblem, LayersWriteTheirChannelsOfAConcat) {
  const auto map = map_of(parse("1x3x2x4", pool("a", "sp", "1x3x2x4") + pool("b", "a", "1x3x2x4") +
                                               "c : u8 1x6x2x4 nhwc @ = Concat(a, b)\n" +
                                               pool("d", "c", "1x6x2x4") + "output d\n"));
  EXPECT_EQ(buffers(map),
            (Lines{"env 3/3 4x2", "c 6/6 4x2", "a 3/6 4x2 in c+0", "b 3/6 4x2 in c+3", "d 6/6 4x2"}));
  EXPECT_EQ(steps(map), (Lines{"a: a <- env", "b: b <- a", "d: d <- c"}));
}

TEST(MemoryProblem, NestedConcatsAreOneBuffer) {
  const auto map = map_of(parse(
      "1x2x2x2", pool("a", "sp", "1x2x2x2") + pool("b", "sp", "1x2x2x2") +
                     "c : u8 1x4x2x2 nhwc @ = Concat(a, b)\n" + pool("d", "c", "1x4x2x2") +
                     "e : u8 1x8x2x2 nhwc @ = Concat(d, c)\n" + pool("f", "e", "1x8x2x2") + "output f\n"));
  EXPECT_EQ(buffers(map), (Lines{"env 2/2 2x2", "e 8/8 2x2", "c 4/8 2x2 in e+4", "a 2/8 2x2 in c+0",
                                 "b 2/8 2x2 in c+2", "d 4/8 2x2 in e+0", "f 8/8 2x2"}));
  EXPECT_EQ(steps(map), (Lines{"a: a <- env", "b: b <- env", "d: d <- c", "f: f <- e"}));
}

TEST(MemoryProblem, WhatCannotBeALaneIsCopiedByAStep) {
  const auto map = map_of(parse("1x2x2x2", pool("a", "sp", "1x2x2x2") +
                                               "r : u8 1x2x2x2 nhwc @ = Reshape(a) Dims=\"2 2 2\"\n"
                                               "c : u8 1x8x2x2 nhwc @ = Concat(sp, a, a, r)\noutput c\n"));
  EXPECT_EQ(buffers(map), (Lines{"env 2/2 2x2", "c 8/8 2x2", "a 2/8 2x2 in c+2", "r 2/8 2x2 in a+0",
                                 "c.0 2/8 2x2 in c+0", "c.2 2/8 2x2 in c+4", "c.3 2/8 2x2 in c+6"}));
  EXPECT_EQ(steps(map), (Lines{"a: a <- env", "c: c.0 <- env", "c: c.2 <- a", "c: c.3 <- r"}));
}

TEST(MemoryProblem, CopiesEveryInputWhenLanesAreSwitchedOff) {
  MemorySettings parameters;
  parameters.lanes = false;
  const auto map = map_of(parse("1x3x2x2", pool("a", "sp", "1x3x2x2") + pool("b", "a", "1x3x2x2") +
                                               "c : u8 1x6x2x2 nhwc @ = Concat(a, b)\noutput c\n"),
                          parameters);
  EXPECT_EQ(steps(map), (Lines{"a: a <- env", "b: b <- a", "c: c.0 <- a", "c: c.1 <- b"}));
  EXPECT_EQ(map.buffers[1].inside, std::nullopt);
}

// A thin early input and a wide late one: as a lane, the early one would hold the room of both all along the
// way.
TEST(MemoryPlan, CopiesALaneThatWouldHoldTheConcatTooEarly) {
  std::string text = pool("s", "sp", "1x1x4x4") + pool("a", "s", "1x1x4x4") +
                     "w0 : u8 1x10x4x4 nhwc @ = Concat(a, a, a, a, a, a, a, a, a, a)\n";
  for (int i = 1; i <= 2; ++i) text += pool(fmt::format("w{}", i), fmt::format("w{}", i - 1), "1x10x4x4");
  text += pool("b", "w2", "1x10x4x4") + "c : u8 1x11x4x4 nhwc @ = Concat(s, b)\n" +
          pool("d", "c", "1x11x4x4") + "output d\n";
  const graph::Graph graph = parse("1x1x4x4", text);
  MemorySettings parameters;
  parameters.overlap = false;
  const Program all = program_of(graph, parameters);
  const Planned found = plan(lowering_of(graph), parameters, "test");
  EXPECT_LT(found.plan.peaks[0], memory::lower_bound(memory_problem(all)));
  EXPECT_EQ(lanes_of(found.program).size(), lanes_of(all).size() - 1);
}

// One of two early parts alone as a copy leaves the other one, and the room of all with it.
TEST(MemoryPlan, CopiesAllLanesOfAConcatWhereOneAloneLowersNothing) {
  std::string text = pool("s", "sp", "1x1x4x4") + pool("t", "s", "1x1x4x4") + pool("a", "t", "1x1x4x4") +
                     "w0 : u8 1x10x4x4 nhwc @ = Concat(a, a, a, a, a, a, a, a, a, a)\n";
  for (int i = 1; i <= 2; ++i) text += pool(fmt::format("w{}", i), fmt::format("w{}", i - 1), "1x10x4x4");
  text += pool("b", "w2", "1x10x4x4") + "c : u8 1x12x4x4 nhwc @ = Concat(s, t, b)\n" +
          pool("d", "c", "1x12x4x4") + "output d\n";
  const graph::Graph graph = parse("1x1x4x4", text);
  MemorySettings parameters;
  parameters.overlap = false;
  const Program all = program_of(graph, parameters);
  const Planned found = plan(lowering_of(graph), parameters, "test");
  EXPECT_LT(found.plan.peaks[0], memory::lower_bound(memory_problem(all)));
}

// An early part of a concatenation keeps all of its rows as a lane; beside a copy, the late layers keep some.
TEST(MemoryPlan, StreamsLayersAroundACopyOfAnEarlyPart) {
  const auto wide = [](const std::string& name, const std::string& input, int channels) {
    return pool(name, input, fmt::format("1x{}x16x4", channels));
  };
  const std::string text =
      wide("s", "sp", 2) + "p : u8 1x2x1x1 nhwc @ = Pool(s) PoolDims=\"4 16\" Pooling=\"Max\"\n" +
      "u : u8 1x2x16x4 nhwc @ = Resize(p) OutputWidth=\"4\" OutputHeight=\"16\" Mode=\"NearestNeighbor\"\n" +
      wide("b", "u", 2) + "c : u8 1x4x16x4 nhwc @ = Concat(s, b)\n" + wide("d", "c", 4) +
      "e : u8 1x4x1x1 nhwc @ = Pool(d) PoolDims=\"4 16\" Pooling=\"Max\"\noutput e\n";
  const graph::Graph graph = parse("1x2x16x4", text);
  MemorySettings parameters;
  const Program with_lanes = program_of(graph, parameters);
  parameters.budget = MemoryBudget::least();
  const Planned found = plan(lowering_of(graph), parameters, "test");
  EXPECT_LT(found.plan.peaks[0], StreamChoices(with_lanes).least());
}

TEST(MemoryProblem, ALayerWithOtherMemoriesIsNoLane) {
  MemorySettings parameters;
  parameters.memories = {{"fast", 0, 1, 0, 0}, {"slow", 0, 1, 0, 0}};
  parameters.memories_of = [](std::string_view cell) {
    return cell == "b" ? std::vector<memory::MemoryId>{1} : std::vector<memory::MemoryId>{};
  };
  const auto map = map_of(parse("1x3x2x2", pool("a", "sp", "1x3x2x2") + pool("b", "a", "1x3x2x2") +
                                               "c : u8 1x6x2x2 nhwc @ = Concat(a, b)\noutput c\n"),
                          parameters);
  EXPECT_EQ(steps(map), (Lines{"a: a <- env", "b: b <- a", "c: c.1 <- b"}));
  EXPECT_EQ(map.buffers[3].memories, std::vector<memory::MemoryId>{1});
}

TEST(MemoryProblem, AReshapeIsAnAliasWherePitchesAllowIt) {
  const std::string first = pool("a", "sp", "1x2x2x4");
  const std::string same = "r : u8 1x2x1x8 nhwc @ = Reshape(a) Dims=\"8 1 2\"\n";
  EXPECT_EQ(buffers(map_of(parse("1x2x2x4", first + same + "output r\n"))),
            (Lines{"env 2/2 4x2", "a 2/2 4x2", "r 2/2 1x8 in a+0"}));
  MemorySettings aligned;
  aligned.alignment = 4;  // pixels keep their channels, so the gaps stay where they are
  EXPECT_EQ(buffers(map_of(parse("1x2x2x4", first + same + "output r\n"), aligned)),
            (Lines{"env 2/4 4x2", "a 2/4 4x2", "r 2/4 1x8 in a+0"}));
  const std::string flat = pool("b", "sp", "1x1x2x4") + "r : u8 1x8x1x1 nhwc @ = Reshape(b) Dims=\"1 1 8\"\n";
  EXPECT_EQ(buffers(map_of(parse("1x1x2x4", flat + "output r\n"), aligned)),
            (Lines{"env 1/1 4x2", "b 1/1 4x2", "r 8/8 1x1 in b+0"}));
}

TEST(MemoryProblem, AReshapeOfALaneWithOtherChannelsIsCopied) {
  const auto map =
      map_of(parse("1x1x2x2", pool("a", "sp", "1x1x2x2") + pool("b", "sp", "1x1x2x2") +
                                  "c : u8 1x2x2x2 nhwc @ = Concat(a, b)\n"
                                  "r : u8 1x4x1x1 nhwc @ = Reshape(a) Dims=\"1 1 4\"\n"
                                  "s : u8 1x2x1x4 nhwc @ = Reshape(c) Dims=\"4 1 2\"\noutput s\noutput r\n"));
  EXPECT_EQ(steps(map), (Lines{"a: a <- env", "b: b <- env", "r: r <- a"}));
  EXPECT_EQ(buffers(map).back(), "s 2/2 1x4 in c+0");
}

TEST(MemoryProblem, AlignsThePitchOfAMapNotThatOfItsLanes) {
  MemorySettings parameters;
  parameters.alignment = 4;
  const auto graph = parse("1x3x2x2", pool("a", "sp", "1x3x2x2") + pool("b", "a", "1x3x2x2") +
                                          "c : u8 1x6x2x2 nhwc @ = Concat(a, b)\noutput c\n");
  EXPECT_EQ(buffers(map_of(graph, parameters)),
            (Lines{"env 3/4 2x2", "c 6/8 2x2", "a 3/8 2x2 in c+0", "b 3/8 2x2 in c+3"}));
  EXPECT_EQ(map_of(graph, parameters).alignment, 4);
}

TEST(MemoryProblem, CountsTheAlignmentInElementsOrBytes) {
  const auto pitch = [](bool bytes) {
    MemorySettings parameters;
    parameters.alignment = 4;
    parameters.counts_bytes = bytes;
    const auto map = map_of(
        graph::from_text("input sp : f32 1x3x2x2 nhwc\n"
                         "a : f32 1x3x2x2 nhwc = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\noutput a\n",
                         ops::registry(), "net.txt"),
        parameters);
    return std::pair(map.buffers[1].pixel, map.alignment);
  };
  EXPECT_EQ(pitch(false), std::pair(memory::Bytes{16}, memory::Bytes{16}));
  EXPECT_EQ(pitch(true), std::pair(memory::Bytes{12}, memory::Bytes{4}));
}

TEST(MemoryProblem, SwitchesOverlapOffForAllOrForOneLayer) {
  const auto graph = parse("1x2x2x2", pool("a", "sp", "1x2x2x2") + pool("b", "a", "1x2x2x2") + "output b\n");
  const auto overlaps = [&](const MemorySettings& p) {
    const auto map = map_of(graph, p);
    return std::pair(map.steps[0].overlap, map.steps[1].overlap);
  };
  MemorySettings none, one;
  none.overlap = false;
  one.no_overlap = [](std::string_view cell) { return cell == "b"; };
  EXPECT_EQ(overlaps({}), std::pair(true, true));
  EXPECT_EQ(overlaps(none), std::pair(false, false));
  EXPECT_EQ(overlaps(one), std::pair(true, false));
}

/// The window of the first step's first input.
Window window_of(const std::string& input, const std::string& node) {
  return map_of(parse(input, node + "output a\n")).steps.at(0).reads.at(0).window;
}

TEST(Contracts, AreInRowsOfTheBuffers) {
  const Window rows{Window::Kind::Rows, 2, 1, 3}, whole{};
  const std::string keys = "PoolDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 1\" Pooling=\"Max\"\n";
  EXPECT_EQ(window_of("1x2x5x5", "a : u8 1x2x3x3 nhwc @ = Pool(sp) " + keys), rows);
  // One row in, one row out: columns.
  EXPECT_EQ(window_of("1x2x1x5",
                      "a : u8 1x2x1x3 nhwc @ = Pool(sp) PoolDims=\"3 1\" Stride=\"2 1\" "
                      "Padding=\"1 0 1 0\" Pooling=\"Max\"\n"),
            rows);
  // Several rows in, a single one out: a pixel of the output reads from all rows.
  EXPECT_EQ(window_of("1x2x3x5",
                      "a : u8 1x2x1x3 nhwc @ = Pool(sp) PoolDims=\"3 3\" Stride=\"1 1\" "
                      "Pooling=\"Average\" rescale=\"Floating-point 0 255 0 : 0.1 :\"\n"),
            whole);
}

TEST(Rows, OfOneRowMapsArePixels) {
  const Program program = program_of(parse("1x2x1x5",
                                           "a : u8 1x2x1x3 nhwc @ = Pool(sp) PoolDims=\"3 1\" Stride=\"2 1\" "
                                           "Padding=\"1 0 1 0\" Pooling=\"Max\"\noutput a\n"));
  EXPECT_TRUE(program.calls.at(0).turned);
  EXPECT_EQ(program.map_of(program.input()).h, 5);
  EXPECT_EQ(program.map_of(program.input()).w, 1);
}

TEST(Rows, OfACallWithOtherMapsAreSeenThroughASecondView) {
  const Program program =
      program_of(parse("1x2x3x5",
                       "a : u8 1x2x1x3 nhwc @ = Pool(sp) PoolDims=\"3 3\" Pooling=\"Average\" "
                       "rescale=\"Floating-point 0 255 0 : 0.1 :\"\noutput a\n"));
  const Call& call = program.calls.at(0);
  EXPECT_FALSE(call.turned);
  const View& out = program.view(call.out.at(0));
  EXPECT_EQ(std::pair(out.h, out.w), std::pair(1, 3));
  EXPECT_EQ(out.host, program.cells.at(0).outputs.at(0));
}

}  // namespace
}  // namespace n2d2::program

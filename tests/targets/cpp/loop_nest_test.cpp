// Does the loop nest of a convolution, a depthwise one and one of 1 x 1 give the bytes of the three?
#include "n2d2/program/loop_nest.hpp"

#include <gmock/gmock.h>

#include "n2d2/program/schedule.hpp"
#include "n2d2/program/tiling.hpp"
#include "n2d2/program/validate.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "../../program/kernel_cases.hpp"
#include "planned_network.hpp"
#include "stream/budget.hpp"

namespace n2d2::targets::cpp {
namespace {

using program::expect_bytes_of;
using program::kernels_of;
using program::Map;
using program::nested;
using program::Networks;
using program::Program;
using program::StreamChoices;
using program::Streams;
using testing::ElementsAre;

std::vector<std::string> steps_of(const program::Call& call) {
  std::vector<std::string> out;
  for (const program::Call& step : call.steps) out.emplace_back(step.kernel->name());
  return out;
}

/// A convolution to `channels` maps, a depthwise one, one of 1 x 1 to `outputs`.
struct Chain {
  Map expand, depthwise, project;
};
Chain chain(Networks& n, const Map& in, int channels, int outputs, int kernel = 1, int stride = 1) {
  Chain out;
  out.expand = n.conv(in, channels, kernel, 1, kernel / 2);
  out.depthwise = n.conv(out.expand, channels, 3, stride, 1, channels);
  out.project = n.conv(out.depthwise, outputs, 1, 1, 0);
  return out;
}

TEST(LoopNest, ThreeCallsAreOne) {
  Networks n({"sp", 3, 9, 7});
  const Map in = n.conv({"sp", 3, 9, 7}, 5, 3, 1, 1);
  const Chain of = chain(n, in, 12, 4);
  const Program whole = n.program({of.project}), program = nested(whole, 5);
  EXPECT_THAT(kernels_of(program), ElementsAre("conv2d", "loop_nest"));
  ASSERT_EQ(program.cells.size(), 2U);
  EXPECT_EQ(program.cells.back().name, of.project.name);
  EXPECT_EQ(program.calls.back().slices, 3) << "5 do not divide 12, 4 do";
  EXPECT_THAT(steps_of(program.calls.back()),
              ElementsAre("conv2d", "conv2d_depthwise", "conv2d_sums", "requantize"));
  EXPECT_EQ(program.constants.size(), 3U + 9U) << "those of the three are gone";
  EXPECT_THAT(exporter::program_text(program), testing::HasSubstr("for each row and each of 3 slices"));
  EXPECT_THAT(exporter::program_json(program), testing::HasSubstr("conv2d_sums"));
  expect_bytes_of(program, whole);
}

Program chain_and_one_more() {
  Networks n({"sp", 3, 9, 7});
  return n.program({n.conv(chain(n, {"sp", 3, 9, 7}, 12, 4, 1, 2).project, 3, 1, 1, 0)});
}

TEST(LoopNest, SaysWhatIsDoneAgain) {
  Networks n({"sp", 3, 9, 7});
  const Chain of = chain(n, {"sp", 3, 9, 7}, 12, 4);
  const Program whole = n.program({of.project}), program = nested(whole, 4);
  const program::Multiplications once = multiplications(whole), more = multiplications(program);
  // Nine windows of three rows, of which the first and the last reach over an edge, instead of nine rows.
  const int64_t again = (9 * 3 - 2 - 9) * 7 * 12 * 3;
  EXPECT_EQ(once.again, 0);
  EXPECT_EQ(more.again, again);
  EXPECT_EQ(more.all, once.all + again);
  Program in_turns = nested(chain_and_one_more(), 4);
  const auto stream = Streams(in_turns).find(0, 2, 1);
  ASSERT_TRUE(stream);
  const program::Multiplications apart = multiplications(in_turns);
  add_region(in_turns, *stream);
  EXPECT_EQ(multiplications(in_turns).all, apart.all);
  EXPECT_EQ(multiplications(in_turns).again, apart.again);
  Networks other({"sp", 3, 9, 7});
  const Chain halved = chain(other, {"sp", 3, 9, 7}, 12, 4, 3, 2);
  // Five windows.
  EXPECT_EQ(multiplications(nested(other.program({halved.project}), 4)).again,
            (5 * 3 - 2 - 9) * 7 * 12 * 3 * 9);
}

TEST(LoopNest, TakesThoseItIsAskedFor) {
  Networks n({"sp", 3, 9, 7});
  const Chain first = chain(n, {"sp", 3, 9, 7}, 8, 4);
  const Chain second = chain(n, first.project, 8, 4);
  Program program = n.program({second.project});
  const auto all = program::chains_of(program);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(program.graph.node(all[0].back()).name, first.project.name);
  rewrite(program, {{}, {program::loop_nest(all[1], 16, kernels())}});
  EXPECT_THAT(kernels_of(program), ElementsAre("conv2d", "conv2d_depthwise", "conv2d", "loop_nest"));
  EXPECT_FALSE(rewrite(program, {{}, {program::loop_nest(all[1], 16, kernels())}}))
      << "nothing is left to do";
}

TEST(LoopNest, OthersStay) {
  const auto stays = [](const std::function<std::vector<Map>(Networks&)>& outputs) {
    Networks n({"sp", 4, 8, 8});
    const Program program = n.program(outputs(n));
    return program::chains_of(program).empty();
  };
  const Map sp{"sp", 4, 8, 8};
  EXPECT_FALSE(stays([&](Networks& n) { return std::vector{chain(n, sp, 8, 4).project}; }));
  EXPECT_TRUE(stays([&](Networks& n) {
    const Chain of = chain(n, sp, 8, 4);
    return std::vector{of.project, of.depthwise};
  })) << "a map between is an output";
  EXPECT_TRUE(stays([&](Networks& n) {
    const Chain of = chain(n, sp, 8, 8);
    return std::vector{n.sum(of.project, of.expand)};
  })) << "another layer reads a map between";
  EXPECT_TRUE(stays([&](Networks& n) {
    const Map a = n.conv(sp, 8, 1, 1, 0), b = n.conv(a, 8, 3, 1, 1, 8);
    return std::vector{n.conv(b, 4, 3, 1, 1)};
  })) << "the last one has windows";
  EXPECT_TRUE(stays([&](Networks& n) {
    const Map a = n.conv(sp, 8, 1, 1, 0), b = n.conv(a, 16, 3, 1, 1, 8);
    return std::vector{n.conv(b, 4, 1, 1, 0)};
  })) << "two outputs of each channel";
  EXPECT_TRUE(stays([&](Networks& n) {
    const Map a = n.conv(sp, 8, 1, 1, 0, 2), b = n.conv(a, 8, 3, 1, 1, 8);
    return std::vector{n.conv(b, 4, 1, 1, 0)};
  })) << "the first one has groups";
  EXPECT_TRUE(stays([&](Networks& n) {
    const Map a = n.conv(sp, 8, 1, 1, 0);
    return std::vector{n.pool(n.conv(a, 8, 3, 1, 1, 8), 2, 2)};
  })) << "the last one is no convolution";
  Networks n({"sp", 4, 2, 2});
  EXPECT_TRUE(program::chains_of(n.program({chain(n, {"sp", 4, 2, 2}, 8, 4, 1, 2).project})).empty())
      << "a map of several rows becomes one row, which nobody knows the window of";
}

/// The validator replays the steps: a map between that keeps too few rows, or lies elsewhere, is found.
TEST(LoopNest, BrokenStepsAreRejected) {
  Networks n({"sp", 3, 9, 7});
  const program::Planned planned =
      program::with_plan(nested(n.program({chain(n, {"sp", 3, 9, 7}, 12, 4).project}), 4));
  const program::Program& good = planned.program;
  ASSERT_THAT(validate(good), testing::IsEmpty());
  const program::Call& nest = good.calls.back();
  const auto rejected = [&](program::ViewId id, const std::function<void(program::View&)>& change) {
    Program broken = good;
    change(broken.views[static_cast<size_t>(id)]);
    return validate(broken);
  };
  const program::ViewId rows = nest.steps[0].out[0], row = nest.steps[1].out[0], sums = nest.steps[2].out[0];
  ASSERT_EQ(good.view(rows).ring, 3);
  EXPECT_THAT(rejected(rows, [](program::View& view) { view.ring = 2, view.turn = 2 * view.row; }),
              testing::Contains(testing::HasSubstr("does not hold its own bytes")));
  EXPECT_THAT(rejected(row, [&](program::View& view) { view.place = good.view(rows).place; }),
              testing::Contains(testing::HasSubstr("does not hold its own bytes")));
  EXPECT_THAT(rejected(row, [&](program::View& view) { view.place = good.view(sums).place; }),
              testing::Contains(testing::HasSubstr("does not hold its own bytes")));
  EXPECT_THAT(rejected(row, [&](program::View& view) { view.place->offset += 1000; }),
              testing::Contains(testing::HasSubstr("starts at byte")));
  EXPECT_THAT(rejected(row, [&](program::View& view) { view.place->offset += view.row; }),
              testing::ElementsAre(testing::HasSubstr("leaves")));
}

/// A step between is any layer that is channel by channel.
TEST(LoopNest, HasPoolsToo) {
  Networks n({"sp", 3, 11, 7});
  const Map a = n.conv({"sp", 3, 11, 7}, 12, 3, 1, 1), b = n.conv(n.pool(a, 2, 2), 12, 3, 1, 1, 12);
  const Program whole = n.program({n.conv(b, 5, 1, 1, 0)}), program = nested(whole, 5);
  ASSERT_THAT(kernels_of(program), ElementsAre("loop_nest"));
  EXPECT_THAT(steps_of(program.calls.back()),
              ElementsAre("conv2d", "max_pool", "conv2d_depthwise", "conv2d_sums", "requantize"));
  expect_bytes_of(program, whole);
  Networks mean({"sp", 3, 8, 8});
  const Map halves = mean.mean_of_two(mean.conv({"sp", 3, 8, 8}, 6, 3, 1, 1));
  const Program of_means = mean.program({mean.conv(halves, 5, 1, 1, 0)});
  ASSERT_THAT(kernels_of(nested(of_means, 4)), ElementsAre("loop_nest"));
  expect_bytes_of(nested(of_means, 4), of_means);
}

TEST(LoopNest, AreTriedForABudgetAlone) {
  Networks n({"sp", 3, 9, 7});
  const Chain of = chain(n, chain(n, {"sp", 3, 9, 7}, 8, 4).project, 8, 4);
  const Program program = n.program({of.project});
  Parameters parameters;
  const auto ways = [&] { return memory_settings(parameters, kernels()).for_streams(program).size(); };
  EXPECT_EQ(ways(), 1U) << "an average that adds rows up";
  parameters.memory_budget = {MemoryBudget::Kind::Least, 0};
  EXPECT_EQ(ways(), 1U + 3U * 2U) << "the first, or both, in slices of three sizes";
  LayerSection section{of.depthwise.name, {}, {}};
  section.values.kernel.name = "pixels";
  parameters.layers.push_back(section);
  EXPECT_EQ(ways(), 1U + 3U) << "nobody asks for a form of the first one's layers";
  parameters.layers.back().mask = "*";
  EXPECT_EQ(ways(), 1U);
  parameters.layers.back().values.kernel.name = "auto";
  EXPECT_EQ(ways(), 1U + 3U * 2U);
  parameters.layers.back().values.tiles = 2;
  EXPECT_EQ(ways(), 1U) << "slices of rows are asked for";
}

TEST(LoopNest, ThatABudgetDoesWithoutAreLeftOut) {
  Networks n({"sp", 3, 24, 20});
  const Chain narrow = chain(n, n.conv({"sp", 3, 24, 20}, 4, 3, 1, 1), 8, 4);
  const Chain wide = chain(n, narrow.project, 96, 4, 1, 2);
  const Program program = n.program({n.conv(wide.project, 4, 3, 1, 1)});
  const auto all = program::chains_of(program);
  ASSERT_EQ(all.size(), 2U);
  Program with_wide = program;
  rewrite(with_wide, {{}, {program::loop_nest(all[1], 16, kernels())}});
  Options options;
  options.parameters.memory_budget = {MemoryBudget::Kind::Bytes, StreamChoices(with_wide).least()};
  ASSERT_GT(StreamChoices(program).least(), options.parameters.memory_budget.bytes);
  const PlannedNetwork network = plan_network(program.graph, program.outputs, options);
  EXPECT_LE(network.program().memories[0].peak, options.parameters.memory_budget.bytes);
  std::vector<std::string> within;
  for (const auto& call : network.program().calls)
    if (call.is_loop_nest()) within.push_back(network.program().node(call).name);
  EXPECT_THAT(within, ElementsAre(wide.project.name));
  EXPECT_EQ(network.why.at(all[1].back()), "MemoryBudget");
}

/// A plan that computes more is no better than one that calls kernels more often.
TEST(LoopNest, AreOneEndOfTheCurve) {
  Networks n({"sp", 3, 24, 20});
  const Chain of = chain(n, n.conv({"sp", 3, 24, 20}, 4, 3, 1, 1), 48, 4, 1, 2);
  const Program program = n.program({n.conv(of.project, 4, 3, 1, 1)});
  Options options;
  options.memory_curve = true;
  const PlannedNetwork network = plan_network(program.graph, program.outputs, options);
  ASSERT_GE(network.curve.size(), 3U);
  bool has_turns = false;
  for (size_t i = 1; i < network.curve.size(); ++i) {
    const Program &before = network.curve[i - 1].program, &next = network.curve[i].program;
    EXPECT_LT(next.memories[0].peak, before.memories[0].peak);
    EXPECT_TRUE(program::runs_of(next) > program::runs_of(before) ||
                multiplications(next).all > multiplications(before).all);
    has_turns = has_turns || (!next.regions.empty() && multiplications(next).again == 0);
  }
  EXPECT_TRUE(has_turns);
  EXPECT_GT(multiplications(network.curve.back().program).again, 0);
}

/// Random chains between other layers: every layer that is left has its bytes, whole and row by row, from
/// fewer bytes.
TEST(LoopNest, GiveTheSameBytesFromFewerRows) {
  Rng rng(59);
  int less = 0, chains = 0;
  for (int i = 0; i < 120; ++i) {
    SCOPED_TRACE("network " + std::to_string(i));
    const auto pick = [&](int lo, int hi) {
      return lo + static_cast<int>(rng.below(static_cast<uint64_t>(hi - lo + 1)));
    };
    Networks n({"sp", pick(1, 5), pick(4, 18), pick(2, 13)});
    Map map = n.maps().back();
    if (rng.chance(0.5)) map = n.conv(map, pick(1, 5), 3, 1, 1);
    for (int layer = pick(1, 3); layer > 0; --layer) {
      const Map before = map;
      map = chain(n, map, 2 * pick(1, 20), rng.chance(0.4) ? before.c : pick(1, 40), rng.chance(0.3) ? 3 : 1,
                  pick(1, 2))
                .project;
      if (map.c == before.c && map.h == before.h && before.name != "sp") map = n.sum(map, before);
    }
    const Program whole = n.program({map}), program = nested(whole, pick(1, 20));
    chains += static_cast<int>(program::chains_of(whole).size());
    ASSERT_LT(program.calls.size(), whole.calls.size());
    ASSERT_NO_FATAL_FAILURE(expect_bytes_of(program, whole));
    const StreamChoices choices(program);
    if (!choices.any()) continue;
    program::Streaming found = choices.within(0);
    less += found.bound < StreamChoices(whole).least() ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(expect_bytes_of(found.program, whole));
  }
  EXPECT_GT(chains, 200);
  EXPECT_GT(less, 20);
}

/// Both kinds of rescaling.
TEST(LoopNest, GiveTheSameBytesOfAllTypes) {
  for (const char* input :
       {"u8 1x5x9x11 nhwc quant(8 unsigned -1 1)", "i8 1x5x9x11 nhwc quant(8 signed -1 1)"})
    for (const char* output : {"u8", "i8"})
      for (const char* rescale : {"Floating-point", "Fixed-point32"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", input, output, rescale));
        Rng rng(61);
        const bool is_fixed = std::string_view(rescale) == "Fixed-point32",
                   is_signed = std::string_view(output) == "i8";
        const auto constants = [&](const char* w, const char* b, const Shape& shape) {
          std::string out = fmt::format("constant {} : i8 {} nhwc =", w, shape.text());
          for (int64_t k = 0; k < shape.elements(); ++k)
            out += fmt::format(" {}", static_cast<int>(rng.below(255)) - 127);
          out += fmt::format("\nconstant {} : i32 {} =", b, shape[0]);
          for (int64_t k = 0; k < shape[0]; ++k)
            out += fmt::format(" {}", static_cast<int>(rng.below(2000)) - 1000);
          return out + "\n";
        };
        const auto rescaled = [&](int lo, int hi) {
          return is_fixed ? fmt::format("rescale=\"Fixed-point32 {} {} 16 : : 500\"", lo, hi)
                          : fmt::format("rescale=\"Floating-point {} {} 0 : 0.0076 :\"", lo, hi);
        };
        std::string text = fmt::format("input sp : {}\n", input);
        text += constants("wa", "ba", Shape{24, 5, 1, 1}) + constants("wb", "bb", Shape{24, 1, 3, 3}) +
                constants("wc", "bc", Shape{19, 24, 1, 1});
        text +=
            "a : u8 1x24x9x11 nhwc quant(8 unsigned -1 1) = Conv(sp, wa, ba) NbOutputs=\"24\" KernelDims=\"1 "
            "1\" " +
            rescaled(0, 255) + "\n";
        text +=
            "b : u8 1x24x5x6 nhwc quant(8 unsigned -1 1) = Conv(a, wb, bb) NbOutputs=\"24\" KernelDims=\"3 "
            "3\" "
            "Stride=\"2 2\" Padding=\"1 1 1 1\" Groups=\"24\" " +
            rescaled(0, 255) + "\n";
        text += fmt::format(
            "c : {} 1x19x5x6 nhwc quant(8 {} -1 1) = Conv(b, wc, bc) NbOutputs=\"19\" KernelDims=\"1 1\" "
            "{}\n",
            output, is_signed ? "signed" : "unsigned", is_signed ? rescaled(-128, 127) : rescaled(0, 255));
        text += "output c\n";
        graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
        const auto last = graph.outputs().at(0);
        Program whole = program::planned(std::move(graph), {{last, 2}}).program;
        const program::Planned of = program::with_plan(nested(std::move(whole), 8));
        const Program& program = of.program;
        ASSERT_THAT(kernels_of(program), ElementsAre("loop_nest"));
        expect_bytes_of(
            program,
            program::planned(graph::from_text(text, ops::registry(), "net.txt"), {{last, 2}}).program);
      }
}

}  // namespace
}  // namespace n2d2::targets::cpp

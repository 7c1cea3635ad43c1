// Does the loop nest of two fully connected layers give the bytes of both, from fewer bytes?
#include <functional>

#include <gmock/gmock.h>

#include "n2d2/program/loop_nest.hpp"
#include "n2d2/program/tiling.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "../../program/kernel_cases.hpp"
#include "planned_network.hpp"

namespace n2d2::targets::cpp {
namespace {

using program::expect_bytes_of;
using program::kernels_of;
using program::Map;
using program::nested;
using program::Networks;
using program::Program;
using testing::ElementsAre;

program::Bytes scratch_of(const Program& program) {
  return program.calls.back().contract.scratch;
}

TEST(LoopNestOfVectors, TwoCallsAreOne) {
  Networks n({"sp", 3, 4, 5});
  const Map between = n.fc({"sp", 3, 4, 5}, 30), last = n.fc(between, 7);
  const Program whole = n.program({last}), program = nested(whole, 16);
  EXPECT_THAT(kernels_of(program), ElementsAre("loop_nest"));
  ASSERT_EQ(program.cells.size(), 1U);
  EXPECT_EQ(program.cells.back().name, last.name);
  EXPECT_EQ(scratch_of(program), 3 + 7 * 4 + 15) << "the most of 16 that divide 30";
  EXPECT_EQ(program.constants.size(), 6U) << "those of the two are gone";
  EXPECT_EQ(multiplications(program).again, 0);
  expect_bytes_of(program, whole);
}

TEST(LoopNestOfVectors, OfThreeLayersTheLongerMapIsTakenAway) {
  const auto kernels = [](int first, int second) {
    Networks n({"sp", 4, 3, 3});
    const Program whole = n.program({n.fc(n.fc(n.fc({"sp", 4, 3, 3}, first), second), 5)}),
                  program = nested(whole, 16);
    expect_bytes_of(program, whole);
    return kernels_of(program);
  };
  EXPECT_THAT(kernels(20, 60), ElementsAre("fc", "loop_nest"));
  EXPECT_THAT(kernels(60, 20), ElementsAre("loop_nest", "fc"));
  EXPECT_THAT(kernels(20, 20), ElementsAre("loop_nest", "fc"));
}

TEST(LoopNestOfVectors, OthersStay) {
  const Map sp{"sp", 4, 3, 3};
  const auto stays = [&](const std::function<std::vector<Map>(Networks&)>& outputs) {
    Networks n(sp);
    return program::chains_of(n.program(outputs(n))).empty();
  };
  EXPECT_FALSE(stays([&](Networks& n) { return std::vector{n.fc(n.fc(sp, 8), 4)}; }));
  EXPECT_TRUE(stays([&](Networks& n) {
    const Map a = n.fc(sp, 8);
    return std::vector{n.fc(a, 4), a};
  })) << "the map between is an output";
  EXPECT_TRUE(stays([&](Networks& n) {
    const Map a = n.fc(sp, 8), b = n.fc(a, 8);
    return std::vector{n.sum(a, b)};
  })) << "another layer reads the map between";
  EXPECT_TRUE(stays([&](Networks& n) { return std::vector{n.fc(n.conv(sp, 8, 3, 1, 1), 4)}; }))
      << "the Fc reads a map of several pixels";
}

TEST(LoopNestOfVectors, AlsoOfConvolutionsAndOfSignedMaps) {
  const Map sp{"sp", 4, 3, 3};
  const auto expect_loop_nest = [&](const std::function<Map(Networks&)>& output) {
    Networks n(sp);
    const Program whole = n.program({output(n)}), program = nested(whole, 4);
    EXPECT_THAT(kernels_of(program), ElementsAre("loop_nest"));
    expect_bytes_of(program, whole);
  };
  expect_loop_nest(
      [&](Networks& n) { return n.fc(n.fc(sp, 8, "i8", "Floating-point -128 127 0 : 0.02 :"), 4); });
  expect_loop_nest([&](Networks& n) { return n.conv(n.fc(sp, 8), 4, 1, 1, 0); });
  expect_loop_nest([&](Networks& n) { return n.fc(n.conv(sp, 8, 3, 1, 0), 4); });
}

TEST(LoopNestOfVectors, GiveTheSameBytesOfAllTypes) {
  const std::string floats = "Floating-point 0 255 0 : 0.02 :", fixed = "Fixed-point32 0 255 16 : : 1300";
  const std::pair<const char*, std::string> outputs[] = {
      {"u8", floats},
      {"u8", fixed},
      {"i8", "Floating-point -128 127 0 : 0.002 :"},
      {"i16", "Fixed-point32 -32768 32767 16 : : 9000"},
      {"i32", "Fixed-point32 -2147483647 2147483647 4 : : 77"}};
  for (const std::string& first : {floats, fixed})
    for (const auto& [type, second] : outputs)
      for (const int channels : {1, 7, 16, 100}) {
        SCOPED_TRACE(fmt::format("{}, then {} {}, {} channels", first, type, second, channels));
        Networks n({"sp", 5, 3, 4});
        const Program whole = n.program({n.fc(n.fc({"sp", 5, 3, 4}, 56, "u8", first), 19, type, second)});
        const Program program = nested(whole, channels);
        ASSERT_THAT(kernels_of(program), ElementsAre("loop_nest"));
        ASSERT_NO_FATAL_FAILURE(expect_bytes_of(program, whole));
      }
}

/// The input, the outputs, their sums and a slice of 16.
TEST(LoopNestOfVectors, ABudgetThatIsOutOfReachOtherwiseHasThem) {
  Networks n({"sp", 1, 8, 8});
  const Program program = n.program({n.fc(n.fc({"sp", 1, 8, 8}, 320), 10)});
  Options options;
  const auto planned = [&](program::Bytes bytes) {
    options.parameters.memory_budget = {MemoryBudget::Kind::Bytes, bytes};
    return plan_network(program.graph, program.outputs, options);
  };
  constexpr program::Bytes kWhole = 64 + 320, kFused = 64 + 10 + 3 + 10 * 4 + 16;
  EXPECT_THAT(kernels_of(planned(kWhole).program()), ElementsAre("fc", "fc"));
  const PlannedNetwork least = planned(kWhole - 1);
  EXPECT_THAT(kernels_of(least.program()), ElementsAre("loop_nest"));
  EXPECT_EQ(least.program().memories[0].peak, kFused);
  EXPECT_EQ(least.why.at(least.program().calls[0].node), "MemoryBudget");
  EXPECT_NO_THROW(planned(kFused));
  EXPECT_THROW(planned(kFused - 1), ExportError);
  LayerSection section{least.program().node(least.program().calls[0]).name, {}, {}};
  section.values.kernel.name = "dot";
  options.parameters.layers.push_back(section);
  EXPECT_THROW(planned(kWhole - 1), ExportError) << "a form of the last layer is asked for";
}

}  // namespace
}  // namespace n2d2::targets::cpp

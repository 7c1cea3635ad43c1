// A dense block, whose layers read everything before them: rescaled once, concatenated in place, the same bytes.
#include <algorithm>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/program/lower.hpp"

#include "e2e/networks.hpp"
#include "e2e/pipeline.hpp"

namespace n2d2::e2e {
namespace {

/// Four concatenations, each with the parts of the one before and one more, each but the first read by two layers. x0
/// has no sign, what is made of it has: it is brought to the scale of the block.
constexpr NamedIni kDense{"dense", R"(
[sp]
SizeX=16
SizeY=16
BatchSize=8
[bottleneck] he
Type=Conv
KernelDims=1 1
NbOutputs=6
ActivationFunction=Rectifier
[grow] he
Type=Conv
KernelDims=3 3
Padding=1
NbOutputs=4
[x0] grow
Input=sp
Stride=2
NbOutputs=8
ActivationFunction=Rectifier
[g1] bottleneck
Input=x0
[x1] grow
Input=g1
[g2] bottleneck
Input=x0,x1
[side2] bottleneck
Input=x0,x1
[x2] grow
Input=g2
[g3] bottleneck
Input=x0,x1,x2
[side3] bottleneck
Input=x0,x1,x2
[x3] grow
Input=g3
[end] bottleneck
Input=x0,x1,x2,x3
[last] bottleneck
Input=x0,x1,x2,x3
[merge] bottleneck
Input=end,last,side2,side3
[fc] he
Input=merge
Type=Fc
NbOutputs=10
[fc.Target]
)"};

int64_t count(const graph::Graph& graph, std::string_view type) {
  const auto nodes = graph.nodes();
  return std::count_if(nodes.begin(), nodes.end(),
                       [&](graph::NodeId id) { return graph.op(id).type() == type; });
}

Exported dense() {
  Settings settings;
  settings.parameters.reference_stimuli = 100;
  settings.parameters.check_memory = true;
  return run_pipeline(ini_of(kDense), settings);
}

TEST(DenseBlock, IsRescaledOnceAndConcatenatedInPlace) {
  const log::Capture quiet;
  const Exported net = dense();
  EXPECT_EQ(count(net.quantized, "Concat"), 7);
  EXPECT_EQ(count(net.quantized, "Scaling"), 1);
  EXPECT_TRUE(net.quantized.find_node("x0_rescale"));
  const program::Program& program = net.project->program();
  EXPECT_TRUE(std::none_of(program.calls.begin(), program.calls.end(), [](const program::Call& call) {
    return call.kernel->placement() == program::Placement::Parts;
  }));
  // The block has one buffer: its maps begin in it where the channels before them end.
  const auto view = [&](const char* name) { return program.map_of(*net.quantized.find_value(name)); };
  for (const auto& [name, channels] : {std::pair("x0_rescale", 0), std::pair("x1", 8), std::pair("x3", 16)}) {
    EXPECT_EQ(view(name).place->offset - view("x0_rescale").place->offset, channels) << name;
    EXPECT_EQ(view(name).pixel, 20) << name;
  }
}

TEST(DenseBlock, NeedsTheMemoryOfItsBound) {
  const log::Capture quiet;
  const targets::cpp::MemorySummary memory = dense().project->memory();
  EXPECT_EQ(memory.peak, memory.lower_bound);
  EXPECT_EQ(memory.peak, 64 * (20 + 24));  // pixels of the block, and of what the last concatenation holds
}

TEST(DenseBlock, HasTheBytesOfTheInterpreterAndOfTheProgram) {
  const log::Capture quiet;
  const Exported net = dense();
  const compute::IntegerExecutor judge(net.quantized);
  for (const exporter::Stimulus& stimulus : net.stimuli) {
    const auto layers = net.project->host_run_layers(stimulus.input);
    const auto values = judge.run(to_layout(layers.at(0).tensor, Layout::Nchw));
    for (const targets::cpp::LayerOutput& layer : layers)
      EXPECT_TRUE(to_layout(layer.tensor, Layout::Nchw) == values.at(*net.quantized.find_value(layer.value)))
          << layer.value;
  }
  const TemporaryFolder folder;
  net.project->write(folder.path() / "export", net.stimuli, {});
  const CommandResult make = run_command(folder.path() / "export", std::string("make -s ") + kMakeSanitized);
  ASSERT_EQ(make.status, 0) << make.output;
  const CommandResult run = run_command(folder.path() / "export", "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace n2d2::e2e

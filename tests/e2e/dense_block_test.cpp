// A dense block, whose layers read everything before them: rescaled once, concatenated in place, the same
// bytes.
#include <algorithm>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/program/lower.hpp"

#include "e2e/exported.hpp"
#include "e2e/special_networks.hpp"

namespace n2d2::e2e {
namespace {

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
  net.project->write(folder.path() / "export", samples_of(net), {});
  const CommandResult make = run_command(folder.path() / "export", std::string("make -s ") + kMakeSanitized);
  ASSERT_EQ(make.status, 0) << make.output;
  const CommandResult run = run_command(folder.path() / "export", "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace n2d2::e2e

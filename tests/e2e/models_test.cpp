// Every model of models/ learns a step, and its integers are the same in the interpreter and in the kernels
// that ship.
#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/training/trainer.hpp"

#include "e2e/exported.hpp"
#include "left_to_release.hpp"
#include "loader/model_text.hpp"
#include "working_folder.hpp"

namespace n2d2::e2e {
namespace {

/// Models keep statistics of their samples where they run.
class Models : public testing::TestWithParam<std::filesystem::path> {
  WorkingFolder folder_;
};

/// Sum of the absolute values of all constants that are learnt.
double magnitude(const loader::Network& net) {
  double sum = 0;
  for (const loader::Parameter& parameter : net.parameters)
    if (parameter.solver)
      for (const float w : net.graph.value(parameter.constant).constant->span()) sum += std::abs(w);
  return sum;
}

/// Variances as if they had been measured: those of a network that never learnt are 0, and a chain of
/// divisions by almost nothing is infinite.
void measured(loader::Network& net) {
  for (const graph::NodeId id : net.graph.nodes()) {
    const graph::Node& node = net.graph.node(id);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      if (node.op->input_role(slot) == "variances") net.graph.mutable_constant(node.inputs[slot]).fill(1);
  }
}

TEST_P(Models, LearnsAStep) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  config::IniDocument ini = loader::small_model(GetParam());
  loader::Network net = loader::network(ini, {1, false, {}});
  loader::fill(net);
  const double before = magnitude(net);
  std::vector<training::LearntConstant> learnt;
  for (loader::Parameter& parameter : net.parameters)
    if (parameter.solver) learnt.push_back({parameter.constant, parameter.solver->clone()});
  std::vector<training::TrainingTarget> targets;
  for (size_t i = 0; i < net.targets.size(); ++i)
    targets.push_back(training::training_target(net.graph, net.graph.outputs().at(i), net.targets[i].target));
  training::TrainerOptions options;
  options.seed = 1;
  options.batch_size = 4;
  training::Trainer trainer(net.graph, std::move(learnt), std::move(targets), options);
  Tensor batch;
  std::vector<int> labels;
  net.data->read(data::Partition::Learn, std::vector<int64_t>{0, 1, 2, 3}, 0, batch, labels);
  double after = before;
  // With Solvers.IterationSize weights change once in so many steps.
  for (uint64_t step = 0; step < 16 && after == before; ++step) {
    EXPECT_TRUE(std::isfinite(trainer.step(batch, labels, step)));
    after = magnitude(net);
  }
  EXPECT_TRUE(std::isfinite(after));
  EXPECT_NE(after, before);
}

TEST_P(Models, HasTheSameIntegersEverywhere) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  if (loader::text_of(GetParam()).find("Type=Deconv") != std::string::npos)
    GTEST_SKIP() << "a Deconv has no integers";
  Settings settings;
  settings.stimuli = 1;
  settings.prepare = measured;
  const Exported net = run_pipeline(loader::small_model(GetParam()), settings);
  const compute::IntegerExecutor judge(net.quantized);
  const auto layers = net.project->host_run_layers(net.stimuli.at(0).input);
  const auto values = judge.run(to_layout(layers.at(0).tensor, Layout::Nchw));
  EXPECT_EQ(layers.size(), values.size());
  for (const targets::cpp::LayerOutput& layer : layers) {
    const auto id = net.quantized.find_value(layer.value);
    ASSERT_TRUE(id) << layer.value;
    EXPECT_TRUE(to_layout(layer.tensor, Layout::Nchw) == values.at(*id)) << layer.value;
  }
  net.project->check_memory(net.stimuli.at(0).input);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Models, testing::ValuesIn(loader::shipped_models()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace n2d2::e2e

#include "check_gradients.hpp"

#include <algorithm>
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/data/batch_loader.hpp"
#include "n2d2/training/first_steps.hpp"
#include "n2d2/training/trainer.hpp"

#include "files.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

std::string deviation_text(const training::CheckedGradient& one) {
  return one.checked > 0 ? fmt::format("{:.2g}", one.deviation) : "-";
}

}  // namespace

std::string gradients_text(const training::GradientCheck& check, int64_t samples) {
  std::string out = fmt::format("{:<40} {:<10} {:>8} {:>9} {:>10}\n", "layer", "gradient", "values",
                                "left out", "deviation");
  std::set<std::string> layers;
  const training::CheckedGradient* worst = nullptr;
  for (const training::CheckedGradient& one : check.gradients) {
    layers.insert(one.layer);
    out += fmt::format("{:<40} {:<10} {:>8} {:>9} {:>10}\n", presentable(one.layer), one.of, one.checked,
                       one.left_out, deviation_text(one));
    if (one.checked > 0 && (worst == nullptr || one.deviation > worst->deviation)) worst = &one;
  }
  out += fmt::format("Gradients of {} layers checked on {} samples", layers.size(), samples);
  if (worst != nullptr)
    out += fmt::format(": the largest deviation is {:.2g} ({}, {}), {:g} is allowed", worst->deviation,
                       presentable(worst->layer), worst->of, training::kGradientTolerance);
  return out + "\n";
}

void refuse_wrong(const training::GradientCheck& check) {
  Diagnostics findings;
  for (const training::CheckedGradient& one : check.gradients)
    if (one.is_wrong())
      findings.error(
          one.where,
          fmt::format(
              "{}: gradient of its {}: expected {:.4g}, by differences of what it computes, got {:.4g}: "
              "{:.2g} of the largest, {:g} is allowed",
              one.layer, one.of, one.difference, one.gradient, one.deviation, training::kGradientTolerance),
          "backward() of the operator is wrong, or its values are extreme; one that no module brought is "
          "ours to correct");
  findings.finish<ModelError>();
}

void check_gradients(const loader::Network& net) {
  const training::ProviderSource source(*net.data);
  const int64_t size = training::require_learn_samples(source);
  std::vector<int64_t> order = data::shuffled_order(size, net.seed, 0);
  order.resize(static_cast<size_t>(std::min(size, training::kGradientSamples)));
  Tensor batch;
  std::vector<int> labels;
  net.data->read(data::Partition::Learn, order, 0, batch, labels);
  const progress::Task task("Checking gradients");
  graph::Graph graph = net.graph;
  loader::quantize(net, graph);
  if (training::lacks_first_steps(graph))
    training::measure_first_steps(graph, batch, 0, compute::Backend::Reference, net.seed);
  const training::GradientCheck check =
      training::check_gradients(graph, training_targets(net), batch, labels, net.seed);
  print(gradients_text(check, batch.shape().n()));
  for (const std::string& exception : check.exceptions) log::notice("-check: not compared: {}", exception);
  for (const training::CheckedGradient& one : check.gradients)
    if (one.checked == 0)
      log::notice(
          "-check: {}: gradient of its {}: nothing could be compared, its function bends at every value",
          one.layer, one.of);
  refuse_wrong(check);
}

}  // namespace n2d2::app

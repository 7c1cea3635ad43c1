#include "export_steps.hpp"

#include <algorithm>

#include "score.hpp"

namespace n2d2::app {

std::vector<exporter::ProjectTarget> project_targets(const loader::Network& net) {
  std::vector<exporter::ProjectTarget> targets;
  for (size_t i = 0; i < net.targets.size(); ++i)
    targets.push_back({net.graph.outputs().at(i), net.targets[i].target.classes()});
  return targets;
}

std::vector<exporter::Stimulus> export_stimuli(const loader::Network& net, const Options& o) {
  using data::Partition;
  const int64_t available = net.data->size(Partition::Test);
  const int64_t count = o.db_export < 0 ? available : std::min(o.db_export, available);
  std::vector<exporter::Stimulus> stimuli;
  for (int64_t i = 0; i < count; ++i) {
    exporter::Stimulus stimulus;
    std::vector<int> labels;
    net.data->read(Partition::Test, std::span(&i, 1), 0, stimulus.input, labels);
    for (size_t t = 0; t < net.targets.size(); ++t) {
      const Shape& shape = net.graph.value(net.graph.outputs()[t]).type.shape;
      stimulus.expected.emplace_back(static_cast<size_t>(shape.h() * shape.w()),
                                     net.targets[t].target.class_of(labels.front()));
    }
    stimulus.name = net.database->name(net.database->id(Partition::Test, i));
    stimuli.push_back(std::move(stimulus));
  }
  return stimuli;
}

void score_project(const loader::Network& net, const exporter::Project& project, const Options& o) {
  score_export(net,
               {[&](const Tensor& batch) { return project.host_run(batch); },
                [&](size_t target) { return project.target_scale(target); }},
               o);
}

void score_export(const loader::Network& net, const ScoredRun& run, const Options& o) {
  const std::vector<int64_t> positions = test_positions(net, o);
  if (positions.empty()) return;
  std::vector<data::Score> scores;
  for (const loader::TargetPlace& place : net.targets) scores.emplace_back(place.target);
  const training::ProviderSource source(*net.data);
  const auto stream = source.open(data::Partition::Test, positions, inference_batch(net), 0);
  TestProgress progress(o);
  int64_t done = 0;
  for (data::Batch batch; stream->next(batch);) {
    const std::vector<Tensor> outputs = run.outputs(batch.data);
    for (size_t i = 0; i < scores.size(); ++i) scores[i].add(outputs.at(i), batch.labels, run.scale(i));
    done += batch.data.shape().n();
    progress(done, scores.front());
  }
  report_scores(net, scores, "export");
}

}  // namespace n2d2::app

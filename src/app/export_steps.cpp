#include "export_steps.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"

#include "files.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

/// Whether the input is what is wanted of it.
bool is_data(const loader::TargetPlace& place) {
  return place.target.options().data_as_target;
}

}  // namespace

std::vector<targets::Output> outputs_of(const loader::Network& net) {
  std::vector<targets::Output> outputs;
  for (size_t i = 0; i < net.targets.size(); ++i)
    outputs.push_back({net.graph.outputs().at(i), net.targets[i].target.classes(), net.targets[i].section,
                       is_data(net.targets[i])});
  return outputs;
}

namespace {

std::vector<exporter::Stimulus> export_stimuli(const loader::Network& net, const Options& o) {
  using data::Partition;
  const int64_t available = net.data->size(Partition::Test);
  const int64_t count = o.db_export < 0 ? available : std::min(o.db_export, available);
  if (count < available && o.db_export == Options().db_export)
    log::notice("{} of {} Test samples are written with the project; '-db-export n' says how many, -1: all",
                count, available);
  std::vector<exporter::Stimulus> stimuli;
  progress::Task task("Reading stimuli", count, "samples");
  for (int64_t i = 0; i < count; ++i) {
    task.at(i);
    exporter::Stimulus stimulus;
    std::vector<int> labels;
    net.data->read(Partition::Test, std::span(&i, 1), 0, stimulus.input, labels);
    for (size_t t = 0; t < net.targets.size(); ++t) {
      if (is_data(net.targets[t])) {
        stimulus.expected.emplace_back();
        continue;
      }
      const Shape& shape = net.graph.value(net.graph.outputs()[t]).type.shape;
      stimulus.expected.push_back(net.targets[t].target.classes_of(labels, 1, shape.h(), shape.w()));
    }
    stimulus.name = net.database->name(net.database->id(Partition::Test, i));
    stimuli.push_back(std::move(stimulus));
  }
  return stimuli;
}

/// The classes of an output with other extents (Request::outputs_may_reshape) have numbers for names.
std::vector<std::string> names_of_classes(const loader::Network& net, size_t target) {
  if (is_data(net.targets[target])) return {};
  std::vector<std::string> names = net.targets[target].target.class_names();
  const int64_t channels = net.graph.value(net.graph.outputs().at(target)).type.shape.c();
  const auto classes = static_cast<size_t>(std::max<int64_t>(2, channels));
  if (names.size() == classes) return names;
  names.clear();
  for (size_t cls = 0; cls < classes; ++cls) names.push_back(std::to_string(cls));
  return names;
}

/// Adds samples of a batch that was added last to both scores.
void add_differing(const loader::Network& net, const data::Batch& batch,
                   const std::vector<data::Score>& floats, const std::vector<data::Score>& integers,
                   std::vector<std::vector<DifferingSample>>& differing) {
  for (size_t t = 0; t < differing.size(); ++t) {
    const std::vector<int>&of_floats = floats[t].decisions(), &of_integers = integers[t].decisions();
    if (is_data(net.targets[t]) || of_floats.size() != batch.indices.size()) continue;
    for (size_t i = 0; i < of_floats.size(); ++i) {
      if (of_floats[i] == of_integers[i]) continue;
      const int64_t id = net.database->id(data::Partition::Test, batch.indices[i]);
      differing[t].push_back({net.database->name(id), net.targets[t].target.class_of(net.database->label(id)),
                              of_floats[i], of_integers[i]});
    }
  }
}

/// A row of the table of an export for each target.
std::vector<std::pair<std::string, std::string>> score_rows(const loader::Network& net,
                                                            std::span<const data::Score> scores,
                                                            size_t samples) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (size_t i = 0; i < scores.size(); ++i) {
    const std::string of = fmt::format("of {} test samples ({})", samples, net.targets[i].section);
    if (is_data(net.targets[i]))
      rows.emplace_back("mean squared error " + of + ", outputs against inputs",
                        fmt::format("{:.6g}", scores[i].mean_squared_error()));
    else
      rows.emplace_back("recognised " + of, fmt::format("{:.2f} %", 100 * scores[i].recognition_rate()));
  }
  return rows;
}

}  // namespace

PixelTable table_of_pictures(const loader::Network& net) {
  PixelTable table;
  try {
    table = net.data->pixel_table(data::Partition::Test);
  } catch (const ConfigError& error) {  // an export without stimuli needs no picture
    table.reason = error.findings().front().message;
  }
  table.inputs = net.inputs;
  for (JoinedInput& input : table.inputs)
    for (size_t t = 0; t < net.targets.size(); ++t)
      if (net.targets[t].layer == input.state_of) input.target = static_cast<int>(t);
  return table;
}

exporter::Samples export_samples(const loader::Network& net, const Options& o) {
  exporter::Samples samples(export_stimuli(net, o));
  samples.pixels = table_of_pictures(net);
  if (samples.stimuli.empty()) samples.pixels.picture.clear();  // no data was asked for
  for (size_t t = 0; t < net.targets.size(); ++t) samples.labels.push_back(names_of_classes(net, t));
  return samples;
}

std::vector<data::Score> scores_of(const loader::Network& net, const targets::Build& build,
                                   const std::vector<int64_t>& positions, const ScoredBatch& scored) {
  std::vector<data::Score> scores;
  for (const loader::TargetPlace& place : net.targets) scores.emplace_back(place.target);
  progress::Task task("Testing the export", static_cast<int64_t>(positions.size()), "samples");
  const training::ProviderSource source(*net.data);
  const auto stream = source.open(data::Partition::Test, positions, inference_batch(net), 0);
  const bool any_data = std::any_of(net.targets.begin(), net.targets.end(), is_data);
  for (data::Batch batch; stream->next(batch);) {
    const std::vector<Tensor> outputs = build.run(batch.data);
    const Tensor seen = any_data ? build.seen(batch.data) : Tensor();
    for (size_t i = 0; i < scores.size(); ++i)
      scores[i].add(outputs.at(i), batch.labels, seen, build.step(i));
    scored(batch, outputs, scores);
    task.at(task.done() + batch.data.shape().n(), [&] { return right_text(scores.front()); });
  }
  return scores;
}

ScoredExport score_export(const loader::Network& net, const targets::Build& build, const Options& o,
                          FloatsBeside* beside) {
  if (!build.runs()) {
    log::notice("-export {}: does not run in process, no score", o.export_type);
    return {};
  }
  const std::vector<int64_t> positions = test_positions(net, o);
  if (positions.empty()) return {};
  Misclassified misclassified(net);
  std::vector<std::vector<DifferingSample>> differing(net.targets.size());
  std::vector<data::Score> scores =
      scores_of(net, build, positions,
                [&](const data::Batch& batch, const std::vector<Tensor>& outputs,
                    const std::vector<data::Score>& so_far) {
                  if (beside != nullptr) {
                    beside->add(batch, beside->run(batch.data), build, outputs, so_far);
                    add_differing(net, batch, beside->scores(), so_far, differing);
                  }
                  if (o.log_files) misclassified.add(batch.indices, so_far);
                });
  report_scores(net, scores, "export", o);
  if (o.log_files) misclassified.write("export");
  ScoredExport out{score_rows(net, scores, positions.size()), std::move(scores), std::move(differing)};
  if (beside == nullptr) return out;
  beside->finish(out.scores);
  print(beside->text());
  for (auto& row : beside->rows()) out.rows.push_back(std::move(row));
  return out;
}

}  // namespace n2d2::app

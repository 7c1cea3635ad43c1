#include "export_network.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/calibration_files.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "calibration.hpp"
#include "files.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

quantize::Options quantize_options(const Options& o) {
  quantize::Options q;
  q.bits = static_cast<int>(o.nb_bits);
  q.weight_clipping = o.weight_clipping;
  q.activation_clipping = o.activation_clipping;
  q.rescaling = quantize::rescale_mode(o.rescaling);
  q.per_output = o.rescale_per_output != 0;
  q.allow_unsigned = !o.no_unsigned;
  return q;
}

/// Scales from calibration samples, then integers in the graph (spec quantization 2). Returns what is written
/// about it below statistics/.
exporter::ExtraFiles quantize_network(build::Network& net, const Options& o, GraphDump& dump) {
  compute::Executor executor(net.graph,
                             {.backend = compute::Backend::OneDnn, .training = false, .seed = net.seed});
  CalibrationSamples samples(net, o.calib);
  log::info("Calibration: {}", samples.text());
  const quantize::Ranges ranges = quantize::calibrate(
      net.graph, executor, [&](int64_t index, Tensor& batch) { return samples.read(index, batch); },
      quantize_options(o));
  const auto report = quantize::quantize_graph(net.graph, ranges, quantize_options(o));
  dump.stage("quantize_graph", net.graph);
  exporter::ExtraFiles files{{"statistics/quantization.json", quantize::to_json(report)}};
  for (auto& [path, content] : quantize::calibration_files(ranges))
    files.emplace_back("statistics/calibration/" + path, std::move(content));
  return files;
}

std::vector<exporter::ProjectTarget> project_targets(const build::Network& net) {
  std::vector<exporter::ProjectTarget> targets;
  for (size_t i = 0; i < net.targets.size(); ++i)
    targets.push_back({net.graph.outputs().at(i), net.targets[i].target.classes()});
  return targets;
}

void print_memory(const exporter::Project& project, int bits) {
  const auto kib = [](int64_t bytes) { return fmt::format("{:.2f} KiB", static_cast<double>(bytes) / 1024); };
  const exporter::MemorySummary& memory = project.memory();
  print(fmt::format("RAM: {} for intermediate results ({}; lower bound {}; planned in {:.1f} ms)\n",
                    kib(memory.peak), memory.strategy, kib(memory.lower_bound), memory.milliseconds));
  for (size_t m = 0; m < memory.memories.size() && memory.memories.size() > 1; ++m) {
    const exporter::MemoryUse& use = memory.memories[m];
    print(fmt::format("  {}: {}{} (lower bound {})\n", use.name, kib(use.peak),
                      use.size > 0 ? " of " + kib(use.size) : "", kib(use.lower_bound)));
  }
  print(fmt::format("Weights: {} as {}, biases and factors: {}\n", kib(project.weights_bytes()),
                    bits > 0 ? fmt::format("int{}", bits) : fmt::format("float{}", -bits),
                    kib(project.constants_bytes())));
}

void write_project(const build::Network& net, const exporter::Project& project, const Options& o,
                   const exporter::Options& settings, exporter::ExtraFiles statistics) {
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
  statistics.emplace_back("statistics/transformations/transformations.dot", net.data->describe());
  const std::string folder = exporter::folder_name(settings.type, settings.bits);
  project.write(folder, stimuli, statistics);
  print(fmt::format("Exported to '{}' with {} stimuli\n", folder, stimuli.size()));
}

void score_project(const build::Network& net, const exporter::Project& project, const Options& o) {
  const std::vector<int64_t> positions = test_positions(net, o);
  if (positions.empty()) return;
  std::vector<data::Score> scores;
  for (const build::TargetPlace& place : net.targets) scores.emplace_back(place.target);
  const training::ProviderSource source(*net.data);
  const auto stream = source.open(data::Partition::Test, positions, inference_batch(net), 0);
  TestProgress progress(o);
  int64_t done = 0;
  for (data::Batch batch; stream->next(batch);) {
    const std::vector<Tensor> outputs = project.host_run(batch.data);
    for (size_t i = 0; i < scores.size(); ++i)
      scores[i].add(outputs.at(i), batch.labels, project.target_scale(i));
    done += batch.data.shape().n();
    progress(done, scores.front());
  }
  report_scores(net, scores, "export");
}

}  // namespace

exporter::ExportParameters read_export_parameters(const std::string& path, bool strict) {
  if (path.empty()) return {};
  const config::IniDocument ini = config::read_ini(path);
  Diagnostics diagnostics(strict);
  exporter::ParameterSections sections;
  for (const std::string& name : ini.section_names()) {
    ini.mark_used(name);
    sections.emplace_back(name, ini.source(name));
  }
  exporter::ExportParameters parameters = exporter::read_export_parameters(sections, diagnostics);
  for (const auto& key : ini.unread()) {
    const auto text = fmt::format("unknown export parameter '{}'{}", key.key,
                                  did_you_mean(key.key, exporter::known_parameters(key.section)));
    if (parameters.strict_keys)
      diagnostics.error(key.where, text);
    else
      diagnostics.warn_key(key.where, text);
  }
  diagnostics.finish<ConfigError>();
  return parameters;
}

/// Everything about the export that can be judged before any work is done.
exporter::Options export_options(const Options& o) {
  exporter::check_type(o.export_type);
  if (o.is_integer()) quantize::check(quantize_options(o));
  if (!o.is_integer() && o.calib != 0) log::notice("-calib: a float export is not calibrated");
  return {o.export_type, static_cast<int>(o.nb_bits), read_export_parameters(o.export_parameters, o.strict)};
}

void export_network(build::Network& net, const Options& o, const exporter::Options& settings,
                    GraphDump& dump) {
  const passes::PassContext context = dump.context();
  passes::run(net.graph, passes::float_pipeline({.equalize = o.is_integer() && !o.no_cle}), context);
  exporter::ExtraFiles statistics;
  if (o.is_integer()) statistics = quantize_network(net, o, dump);
  passes::run(net.graph, passes::export_pipeline(), context);
  const exporter::Project project = exporter::prepare(net.graph, project_targets(net), settings);
  print_memory(project, settings.bits);
  if (o.test || o.learns()) score_project(net, project, o);
  write_project(net, project, o, settings, std::move(statistics));
}

}  // namespace n2d2::app

#include "run.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/stop_signal.hpp"
#include "n2d2/config/ini_document.hpp"
#include "n2d2/loader/graph_file.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/loader/weights_file.hpp"
#include "n2d2/modules/load.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/passes/pipelines.hpp"

#include "command_line/help.hpp"
#include "console/summary.hpp"
#include "explore/explore.hpp"
#include "export_network.hpp"
#include "export_type.hpp"
#include "files.hpp"
#include "learn/check_gradients.hpp"
#include "learn/find_rate.hpp"
#include "learn/learn.hpp"
#include "learn/learnt_folders.hpp"
#include "learn/reestimate.hpp"
#include "learn/run_description.hpp"
#include "learn/run_files.hpp"
#include "learnt_quantizers.hpp"
#include "lone_onnx/onnx_document.hpp"
#include "lone_onnx/onnx_samples.hpp"
#include "look/analyze.hpp"
#include "look/check_memory.hpp"
#include "look/compare_reports.hpp"
#include "look/dump.hpp"
#include "look/log_kernels.hpp"
#include "look/log_outputs.hpp"
#include "look/pre_samples.hpp"
#include "look/save_test_set.hpp"
#include "look/statistics.hpp"
#include "ranks.hpp"
#include "score.hpp"
#include "seed.hpp"
#include "test_quantized.hpp"
#include "warning_log.hpp"
#include "weights.hpp"

namespace n2d2::app {

namespace {

void print_sizes(const loader::Network& net) {
  using data::Partition;
  log::info("Learning database size: {} images", net.data->size(Partition::Learn));
  log::info("Validation database size: {} images", net.data->size(Partition::Validation));
  log::info("Testing database size: {} images", net.data->size(Partition::Test));
}

/// What the network file says: a document, and where it is a graph file the graph.
struct Model {
  config::IniDocument ini;
  std::optional<graph::Graph> graph;
  Seed seed;
};

Model read_model(const Options& o) {
  const progress::Task task("Reading the network file");
  if (o.reads_graph()) {
    loader::GraphFile file = loader::read_graph_file(o.model);
    return {std::move(file.ini), std::move(file.graph), seed_of_graph(o, file.seed)};
  }
  return {o.reads_onnx() ? document_for_onnx(o) : config::read_ini(o.model), std::nullopt, {}};
}

/// Whether the constants have values that are no initial ones: those of a file, or those that -w or -l names.
bool knows_weights(const loader::Network& net, const Options& o) {
  return !o.weights.empty() || !o.state.empty() || brings_weights(net);
}

/// Initial values, then the weights that are there; those of an ONNX file stay as they are where the network
/// is only built.
/// Before learning, missing files are no error; otherwise they are, unless -w-ignore.
void load_weights(loader::Network& net, const Options& o) {
  if (o.only_builds() && o.weights.empty() && o.state.empty()) return;
  loader::fill(net);
  if (o.weights == "/dev/null" || !o.state.empty()) return;
  if (o.weights.empty() && o.begins_learning()) return;
  const std::string folder = o.begins_learning() ? o.weights : weights_folder(net, o);
  if (folder.empty()) return log::info("Weights: those of the ONNX file");
  const auto report = loader::load_weights(net, folder, o.ignore_missing_weights || o.begins_learning());
  log::info("Weights: '{}'", folder);
  if (report.missing > 0)
    log::notice("{}: {} of {} weight files are missing, the initial values are kept", folder, report.missing,
                report.missing + report.loaded);
}

/// What no run can do without, and what the environment says that only some runs read.
void check_surroundings() {
  std::error_code error;
  static_cast<void>(std::filesystem::current_path(error));
  if (error)
    throw ConfigError("the working folder cannot be used: " + error.message(), {},
                      "it was removed, perhaps: 'cd' into another one");
  static const std::vector<std::string> kHostSets{"baseline", "avx2", "avx512"};
  const char* asked = std::getenv("N2D2_HOST_ISA");
  if (asked == nullptr || *asked == '\0') return;
  if (std::find(kHostSets.begin(), kHostSets.end(), asked) == kHostSets.end())
    throw ConfigError(fmt::format("N2D2_HOST_ISA: expected one of {}, got '{}'{}", join(kHostSets, ", "),
                                  asked, did_you_mean(asked, kHostSets)));
}

/// Files of N2D2_MODULES, then those of the command line.
void load_modules(const Options& o) {
  const char* listed = std::getenv("N2D2_MODULES");
  for (const std::string& file : split(listed == nullptr ? "" : listed, ':'))
    if (!file.empty()) modules::load(file);
  for (const std::string& file : o.modules) modules::load(file);
}

/// Where a run goes on from.
std::optional<training::LearningState> read_state(const Options& o) {
  if (o.state.empty()) return {};
  if (o.reads_graph())
    throw ConfigError("option -l: a graph file has its weights, and does not learn", {},
                      "continue with the INI file");
  if (!o.weights.empty() || o.ignore_missing_weights)
    throw ConfigError("option -l cannot stand beside -w or -w-ignore: a state has all weights");
  return training::load_state(o.state);
}

/// What is known before any weight is.
void look_at_samples(const loader::Network& net, const Options& o) {
  print_sizes(net);
  if (!o.save_test_set.empty()) save_test_set(net, o.in_output(o.save_test_set));
  if (o.pre_samples >= 0) write_pre_samples(net, o.pre_samples, o.output);
  write_statistics(net, o.in_output("stats/stats.log"));
  if (o.log_files)
    write_network_files(net, std::filesystem::path(o.model).filename().string(), o.in_output("."));
}

/// What -dump graph writes with values: the network has some.
bool dumps_weights(const loader::Network& net, const Options& o, const GraphDump& dump) {
  if (!dump.takes_graphs()) return false;
  const bool knows = knows_weights(net, o);
  if (!knows && !o.uses_network())
    log::notice("-dump graph: no .graph file without weights; '-w <folder>' loads them");
  return knows;
}

/// Exports, quantizes or scores the network, whose weights are there.
/// `masters`: the graph with the weights that learn, where quantizers make others of them.
void use_network(loader::Network& net, const graph::Graph& masters, const Options& o,
                 const targets::Export* target, const WarningLog& warnings, GraphDump& dump,
                 const cluster::Cluster& cluster, Summary& summary) {
  warn_of_variances(net.graph);
  if (o.pareto) {
    explore(net, o);
    if (o.pareto_part.empty()) summary.wrote_report(o.in_output("pareto") / "report.html");
    return;
  }
  if (o.exports()) return export_network(net, o, *target, warnings, dump, summary, cluster);
  if (o.calib_only) return calibrate_network(net, o, *target, warnings, dump, summary, cluster);
  if (o.fuse) passes::run(net.graph, passes::inference_pipeline(), dump.context(net));
  if (o.log_outputs > 0) log_outputs(net, o.log_outputs, o.in_output("outputs_test").string());
  score_network(net, o, cluster);
  if (o.test_qat || o.qat_sat) test_quantized(net, masters, o);
  for (const loader::TargetPlace& place : net.targets)
    if (std::filesystem::exists(place.folder)) summary.wrote(fmt::format("Scores in '{}'", place.folder));
}

/// What the other ranks of a cluster do: their part of what is shared out, without a word or a file.
void share_work(loader::Network& net, const Options& o, const targets::Export* target,
                const cluster::Cluster& cluster) {
  if (!o.uses_network()) return;
  quantize_network(net, o);
  if (o.prepares_export()) return share_calibration(net, o, *target, cluster);
  if (o.fuse) passes::run(net.graph, passes::inference_pipeline());
  score_network(net, o, cluster);
}

/// The seed of a run: that of a graph file, of the state it goes on from, or of the options.
Seed seed_of_run(const Options& o, const Model& model, const std::optional<training::LearningState>& state) {
  if (model.graph) return model.seed;
  return state ? seed_of_state(o, seed_of(state->run)) : find_seed(o);
}

loader::Network build_network(const Options& o, Model& model, const Seed& seed) {
  const progress::Task task("Building the network");
  const loader::Options options{seed.value, o.strict, {}, false, o.no_exif, o.output};
  loader::Network net = model.graph ? loader::network(std::move(*model.graph), model.ini, options)
                                    : loader::network(model.ini, options);
  for (loader::TargetPlace& place : net.targets) place.folder = o.in_output(place.folder).string();
  settle_seed(seed, model.ini);
  warn_of_labels(net, o);
  check_calibration(net, o);
  return net;
}

/// The last lines of a run, and its exit code. `signal`: what ended learning; 0: nothing did.
int conclude(const loader::Network& net, const Options& o, Summary& summary, int signal) {
  if (!o.pareto) suggest_runs(net, o, summary, signal == 0 ? "" : o.in_output(kLatestState).string());
  summary.print(o.quiet);
  return signal == 0 ? 0 : exit_code_after(signal);
}

/// Exit code: 0, or what stands for the signal that ended learning.
int run_model(const Options& o, const WarningLog& warnings, Model model, const cluster::Cluster& cluster) {
  std::optional<training::LearningState> state = read_state(o);
  const std::unique_ptr<const targets::Export> target = o.prepares_export() ? configure_export(o) : nullptr;
  Seed seed = seed_of_run(o, model, state);
  cluster.broadcast(std::as_writable_bytes(std::span(&seed.value, 1)), 0);  // it may have been drawn
  loader::Network net = build_network(o, model, seed);
  GraphDump dump(cluster.is_first() ? o.dump : "", model.ini, o.output);
  dump.stage("build", net.graph);
  if (cluster.is_first()) look_at_samples(net, o);
  const bool dumps = cluster.broadcast(dumps_weights(net, o, dump), 0);
  Summary summary;
  if (o.only_builds() && !dumps) return conclude(net, o, summary, 0);

  if (!model.graph) load_weights(net, o);
  if (state && (!o.learns() || o.check)) take_weights(net, o, *state);
  check_ranks(cluster, net);
  if (o.check) check_gradients(net);
  if (o.finds_rate()) find_rate(net, o);
  if (o.learns()) {
    if (const int signal = learn(net, o, seed, warnings, std::move(state), cluster); signal != 0)
      return conclude(net, o, summary, signal);
    summary.wrote(fmt::format("Learnt weights in '{}'", weights_folder(net, o)));
    summary.wrote_report(o.in_output("report.html"));
  }
  if (!cluster.is_first()) {
    share_work(net, o, target.get(), cluster);
    return 0;
  }
  if (o.bn_reestimate > 0) reestimate_batchnorms(net, o);
  const graph::Graph masters = net.graph;
  if (o.uses_network() || dumps || o.log_kernels) quantize_network(net, o);
  if (o.log_kernels) log_kernels(net.graph, o.in_output("kernels"));
  if (o.uses_network() || dumps) dump.loaded(net);
  if (o.uses_network()) use_network(net, masters, o, target.get(), warnings, dump, cluster, summary);
  return conclude(net, o, summary, 0);
}

/// What needs no network that runs; whether that was asked for.
bool run_without_network(const Options& o) {
  if (print_help(o)) return true;
  if (!o.check_memory.empty())
    check_memory(o.check_memory);
  else if (!o.compare.empty())
    compare_reports(o);
  else if (!o.init.empty())
    write_ini(o);
  else
    return false;
  return true;
}

int run_on(const cluster::Cluster& cluster, const Options& o, const WarningLog& warnings) {
  Model model = read_model(o);
  if (o.print_ini || o.analyzes()) {
    if (!cluster.is_first()) return 0;
    if (o.print_ini)
      print(config::print(model.ini));
    else
      analyze(o, std::move(model.ini), std::move(model.graph));
    return 0;
  }
  const Options settled = model.graph ? options_for(*model.graph, o) : o;
  if (!o.reads_onnx()) return run_model(settled, warnings, std::move(model), cluster);
  try {
    return run_model(settled, warnings, std::move(model), cluster);
  } catch (const ConfigError& error) {
    throw in_words_of_options(error, o);
  }
}

}  // namespace

int run(const Options& o) {
  const WarningLog warnings;
  load_modules(o);
  if (run_without_network(o)) return 0;
  check_surroundings();
  return on_rank(o, [&](const cluster::Cluster& cluster) { return run_on(cluster, o, warnings); });
}

}  // namespace n2d2::app

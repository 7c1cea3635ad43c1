#include "run.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"
#include "n2d2/loader/graph_file.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/loader/weights_file.hpp"
#include "n2d2/modules/load.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/passes/pipelines.hpp"

#include "check_memory.hpp"
#include "dump.hpp"
#include "export_network.hpp"
#include "export_type.hpp"
#include "files.hpp"
#include "help.hpp"
#include "learn.hpp"
#include "log_outputs.hpp"
#include "onnx_document.hpp"
#include "save_test_set.hpp"
#include "score.hpp"
#include "seed.hpp"
#include "statistics.hpp"

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
  if (o.reads_graph()) {
    loader::GraphFile file = loader::read_graph_file(o.model);
    return {std::move(file.ini), std::move(file.graph), seed_of_graph(o, file.seed)};
  }
  return {o.reads_onnx() ? document_for_onnx(o) : config::read_ini(o.model), std::nullopt, {}};
}

/// Whether every constant came with its values, from ONNX files: none has a filler to start from.
bool brings_weights(const loader::Network& net) {
  const auto& all = net.parameters;
  return std::none_of(all.begin(), all.end(),
                      [](const auto& parameter) { return parameter.filler != nullptr; });
}

/// Whether the constants have values that are no initial ones: those of a file, or those that -w names.
bool knows_weights(const loader::Network& net, const Options& o) {
  return !o.weights.empty() || brings_weights(net);
}

/// The folder that a learning run of this network left, or would have.
std::string learnt_folder(const loader::Network& net) {
  // A run with -log-epoch 0 validates nothing and leaves only `weights`.
  const bool validated =
      net.data->size(data::Partition::Validation) > 0 &&
      (std::filesystem::exists("weights_validation") || !std::filesystem::exists("weights"));
  return validated ? "weights_validation" : "weights";
}

/// Initial values, then the weights that are there (spec cli 2.3). Before learning, missing files are no
/// error; otherwise they are, unless -w-ignore. A network that brings its weights needs no folder: a lone ONNX file has
/// learnt nothing here, an INI may have.
void load_weights(loader::Network& net, const Options& o) {
  loader::fill(net);
  if (o.weights == "/dev/null") return;
  if (o.weights.empty() && o.learns()) return;
  const std::string folder = !o.weights.empty() ? o.weights : learnt_folder(net);
  if (o.weights.empty() && brings_weights(net) && (o.reads_onnx() || !std::filesystem::exists(folder)))
    return log::info("Weights: those of the ONNX file");
  const auto report = loader::load_weights(net.graph, folder, o.ignore_missing_weights || o.learns());
  log::info("Weights: '{}'", folder);
  if (report.missing > 0)
    log::notice("{}: {} of {} weight files are missing, the initial values are kept", folder, report.missing,
                report.missing + report.loaded);
}

/// Files of N2D2_MODULES, then those of the command line.
void load_modules(const Options& o) {
  const char* listed = std::getenv("N2D2_MODULES");
  for (const std::string& file : split(listed == nullptr ? "" : listed, ':'))
    if (!file.empty()) modules::load(file);
  for (const std::string& file : o.modules) modules::load(file);
}

void run_model(const Options& o, Model model) {
  const std::unique_ptr<const targets::Export> target = o.exports() ? configure_export(o) : nullptr;
  const bool is_graph = model.graph.has_value();
  const Seed seed = is_graph ? model.seed : find_seed(o);
  const loader::Options options{seed.value, o.strict, {}};
  loader::Network net = is_graph ? loader::network(std::move(*model.graph), model.ini, options)
                                 : loader::network(model.ini, options);
  settle_seed(seed, model.ini);
  warn_of_labels(net, o);
  check_calibration(net, o);
  GraphDump dump(o.dump, model.ini);
  dump.stage("build", net.graph);
  print_sizes(net);
  if (!o.save_test_set.empty()) save_test_set(net, o.save_test_set);
  write_statistics(net, "stats/stats.log");
  const bool only_builds = !o.learns() && !o.test && !o.exports();
  if (only_builds && dump.takes_graphs() && !knows_weights(net, o))
    log::notice("-dump graph: no .graph file without weights; '-w <folder>' loads them");
  if (only_builds && !(dump.takes_graphs() && knows_weights(net, o))) return;

  if (!is_graph && !(only_builds && o.weights.empty())) load_weights(net, o);
  if (o.learns()) learn(net, o);
  dump.loaded(net);
  if (o.exports()) return export_network(net, o, *target, dump);
  if (only_builds) return;
  if (o.fuse) passes::run(net.graph, passes::inference_pipeline(), dump.context());
  if (o.log_outputs > 0) log_outputs(net, o.log_outputs, "outputs_test");
  score_network(net, o);
}

}  // namespace

void run(const Options& o) {
  load_modules(o);
  if (print_help(o)) return;
  if (!o.check_memory.empty()) return check_memory(o.check_memory);
  if (!o.init.empty()) return write_ini(o);
  Model model = read_model(o);
  if (o.print_ini) return print(config::print(model.ini));
  const Options settled = model.graph ? options_for(*model.graph, o) : o;
  run_model(settled, std::move(model));
}

}  // namespace n2d2::app

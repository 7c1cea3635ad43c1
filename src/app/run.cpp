#include "run.hpp"

#include <cstdlib>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"
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
#include "onnx_document.hpp"
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

/// Initial values, then the weights that are there (spec cli 2.3). Before learning, missing files are no
/// error; otherwise they are, unless -w-ignore.
void load_weights(loader::Network& net, const Options& o) {
  loader::fill(net);
  if (o.weights == "/dev/null") return;
  if (o.weights.empty() && o.learns()) return;
  // A run with -log-epoch 0 validates nothing and leaves only `weights`.
  const bool validated =
      net.data->size(data::Partition::Validation) > 0 &&
      (std::filesystem::exists("weights_validation") || !std::filesystem::exists("weights"));
  const std::string folder = !o.weights.empty() ? o.weights : validated ? "weights_validation" : "weights";
  const auto report = loader::load_weights(net.graph, folder, o.ignore_missing_weights || o.learns());
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

}  // namespace

void run(const Options& o) {
  load_modules(o);
  if (print_help(o)) return;
  if (!o.check_memory.empty()) return check_memory(o.check_memory);
  config::IniDocument ini =
      is_onnx(o.model) ? config::parse_ini(ini_for_onnx(o.model), o.model) : config::read_ini(o.model);
  if (o.print_ini) return print(config::print(ini));
  const std::unique_ptr<const targets::Export> target = o.exports() ? configure_export(o) : nullptr;
  if (o.device != 0 || !o.devices.empty())
    log::notice("-dev, -multidev: there is no CUDA device, the CPU is used");
  const Seed seed = find_seed(o);
  loader::Network net = loader::network(ini, {seed.value, o.strict, {}});
  settle_seed(seed, ini);
  check_calibration(net, o);
  GraphDump dump(o.dump);
  dump.stage("build", net.graph);
  print_sizes(net);
  write_statistics(net, "stats/stats.log");
  if (!o.learns() && !o.test && !o.exports()) return;

  load_weights(net, o);
  if (o.learns()) learn(net, o);
  if (o.exports()) return export_network(net, o, *target, dump);
  if (o.fuse) passes::run(net.graph, passes::inference_pipeline(), dump.context());
  score_network(net, o);
}

}  // namespace n2d2::app

#include "run_description.hpp"

#include <algorithm>
#include <map>

#include "n2d2/base/random.hpp"
#include "n2d2/graph/text.hpp"

#include "provenance.hpp"

namespace n2d2::app {

namespace {

using training::RunDescription;

constexpr std::string_view kLayer = "layer ";
constexpr const char* kSeed = "seed";

/// A line of graph text without what learning changes and without the line of the INI file: the hash of float
/// constants (" # ..."), the place (" @ ...").
void add_layer(RunDescription& run, std::string_view line) {
  const bool is_constant = line.starts_with("constant ");
  const bool is_float = line.find(" : f32 ") != std::string_view::npos;
  const size_t end = is_constant ? (is_float ? line.rfind(" # ") : line.size()) : line.rfind(" @ ");
  line = line.substr(0, std::min(end, line.size()));
  const size_t colon = std::min(line.find(" : "), line.size());
  run.emplace_back(std::string(kLayer) + std::string(line.substr(0, colon)),
                   colon < line.size() ? std::string(line.substr(colon + 3)) : "yes");
}

void add_layers(RunDescription& run, const graph::Graph& graph) {
  for (const std::string& line : split(graph::to_text_without_folders(graph), '\n'))
    if (!trim(line).empty()) add_layer(run, trim(line));
}

void add_samples(RunDescription& run, const loader::Network& net, data::Partition partition) {
  run.emplace_back(
      fmt::format("{} samples", data::to_string(partition)),
      fmt::format("{}, {:.16}", net.database->size(partition), hash_of_samples(*net.database, partition)));
}

}  // namespace

int64_t batches_of_run(const loader::Network& net, const Options& o) {
  const int64_t batch = net.batch_size;
  if (o.learn_epoch <= 0) return (o.learn + batch - 1) / batch;
  return training::batches_of_epochs(net.data->size(data::Partition::Learn), batch, o.learn_epoch);
}

std::unique_ptr<training::Solver> settled(const training::Solver& solver, int64_t batches,
                                          int64_t batch_size) {
  auto out = solver.clone();
  out->settle(batches, batch_size);
  return out;
}

std::string solver_text(const training::Solver& solver) {
  std::string text(solver.type());
  for (const auto& [key, value] : solver.fields_text()) text += fmt::format(" {}={}", key, value);
  return text;
}

namespace {

void add_quantizer(RunDescription& run, const loader::Network& net, const loader::Parameter& parameter,
                   int64_t batches) {
  const std::string& name = net.graph.value(parameter.constant).name;
  std::string text(parameter.quantizer->type());
  for (const auto& [key, value] : parameter.quantizer->fields_text())
    text += fmt::format(" {}={}", key, value);
  run.emplace_back("quantizer of " + name, text);
  if (parameter.step_solver)
    run.emplace_back("solver of the steps of " + name,
                     solver_text(*settled(*parameter.step_solver, batches, net.batch_size)));
}

}  // namespace

RunDescription describe_run(const loader::Network& net, const Options& o) {
  const bool by_epoch = o.learn_epoch > 0;
  RunDescription run{{kSeed, std::to_string(net.seed)},
                     {"BatchSize", std::to_string(net.batch_size)},
                     {"learning", by_epoch ? "-learn-epoch" : fmt::format("-learn {}", o.learn)},
                     {by_epoch ? "-log-epoch" : "-log", std::to_string(by_epoch ? o.log_epoch : o.log)},
                     {"-valid-metric", ValueText<data::Metric>::print(o.valid_metric)},
                     {"-stop-valid", std::to_string(o.stop_valid)}};
  add_samples(run, net, data::Partition::Learn);
  add_samples(run, net, data::Partition::Validation);
  run.emplace_back("transformations", fmt::format("{:016x}", hash_bytes(net.data->describe())));
  for (const loader::TargetPlace& place : net.targets) {
    const data::TargetOptions& target = place.target.options();
    run.emplace_back("target " + place.section,
                     fmt::format("{:016x} {} {}", hash_bytes(place.target.mapping_text()),
                                 target.target_value, target.default_value));
  }
  for (const graph::NodeId stop : net.gradient_stops)
    run.emplace_back("BackPropagate=0 " + net.graph.node(stop).name, "yes");
  add_layers(run, net.graph);
  for (const loader::Parameter& parameter : net.parameters)
    if (parameter.quantizer) add_quantizer(run, net, parameter, batches_of_run(net, o));
  for (const loader::Parameter& parameter : net.parameters)
    if (parameter.solver)
      run.emplace_back("solver of " + net.graph.value(parameter.constant).name,
                       solver_text(*settled(*parameter.solver, batches_of_run(net, o), net.batch_size)));
  return run;
}

void require_same_run(const training::LearningState& state, const RunDescription& now,
                      const std::string& folder, bool only_layers) {
  constexpr size_t kMost = 10;
  // One line for all names that differ alike, such as the solvers of a network.
  std::vector<training::Difference> all;
  std::map<std::pair<std::string, std::string>, std::pair<size_t, size_t>> alike;  // index and count
  for (training::Difference& difference : training::differences(state.run, now)) {
    if (only_layers && !difference.name.starts_with(kLayer)) continue;
    const auto [at, is_new] = alike.try_emplace({difference.before, difference.now}, all.size(), 0);
    ++at->second.second;
    if (is_new) all.push_back(std::move(difference));
  }
  Diagnostics findings;
  for (size_t i = 0; i < std::min(kMost, all.size()); ++i) {
    const auto& [name, before, text] = all[i];
    const size_t count = alike.at({before, text}).second;
    const std::string names = count > 1 ? fmt::format("{} and {} more", name, count - 1) : name;
    findings.error({folder, 0},
                   text.empty() ? fmt::format("{}: the state has '{}', this run has none", names, before)
                   : before.empty()
                       ? fmt::format("{}: the state has none, this run '{}'", names, text)
                       : fmt::format("{}: the state has '{}', this run '{}'", names, before, text),
                   i == 0 ? "a state continues the run that wrote it; '-w' takes weights alone" : "");
  }
  if (all.size() > kMost)
    findings.error({folder, 0}, fmt::format("and {} more differences", all.size() - kMost));
  findings.finish<ConfigError>();
}

uint64_t seed_of(const RunDescription& run) {
  for (const auto& [name, text] : run)
    if (name == kSeed) return static_cast<uint64_t>(parse_integer(text).value_or(0));
  return 0;
}

}  // namespace n2d2::app

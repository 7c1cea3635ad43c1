#include "n2d2/export/project.hpp"

#include <algorithm>

#include "n2d2/base/parallel.hpp"
#include "n2d2/memory/strategy.hpp"

#include "host_run.hpp"
#include "memory_check.hpp"
#include "project_writer.hpp"

namespace n2d2::exporter {

struct Project::Impl {
  PlannedNetwork network;
  MemorySummary memory;
};

namespace {

/// Names of spec cli 2.4 that this program does not offer.
constexpr std::array kKnownTypes{"CPP_STM32",    "C",       "C_HLS",    "CPP_cuDNN",
                                 "CPP_TensorRT", "CPP_HLS", "CPP_ASMP", "CPP_Quantization",
                                 "ONNX"};

/// Keys of spec export-parameters that exist but that this program does not read.
constexpr std::array kKnownKeys{"DilatedWeights", "SafeMargin",  "MemoryBudget",
                                "PackedWeights",  "CheckMemory", "StrictKeys"};

bool is_identifier(const std::string& text) {
  return !text.empty() && c_identifier(text) == text;
}

int64_t parameter_bytes(const PlannedNetwork& network, bool weights) {
  int64_t bytes = 0;
  for (const Cell& cell : network.cells)
    for (const ExportParameter& parameter : cell.code.parameters)
      if ((parameter.role == "weights") == weights) bytes += parameter.data.bytes();
  return bytes;
}

}  // namespace

ExportParameters read_export_parameters(const KeySource& keys, Diagnostics& diagnostics) {
  ExportParameters out;
  read_fields(out, keys, diagnostics);
  for (const char* key : kKnownKeys)
    if (const auto found = keys.find(key))
      diagnostics.error(found->where, fmt::format("{} {}: not supported yet", keys.subject(), key));
  const auto strategies = memory::strategy_names();
  if (std::find(strategies.begin(), strategies.end(), out.memory_manager_strategy) == strategies.end())
    diagnostics.error(keys.find("MemoryManagerStrategy")->where,
                      fmt::format("{} MemoryManagerStrategy: expected one of {}, got '{}'", keys.subject(),
                                  join(strategies, " "), out.memory_manager_strategy));
  if (!is_identifier(out.namespace_name))
    diagnostics.error(
        keys.find("Namespace")->where,
        fmt::format("{} Namespace: expected a C++ identifier, got '{}'", keys.subject(), out.namespace_name));
  return out;
}

std::vector<std::string> available_types() {
  return {"CPP"};
}

void check_type(const std::string& type) {
  const auto available = available_types();
  if (std::find(available.begin(), available.end(), type) != available.end()) return;
  const bool known = std::find(kKnownTypes.begin(), kKnownTypes.end(), type) != kKnownTypes.end();
  throw ConfigError(fmt::format("\"{}\" export is not available{}; available: {}", type,
                                known ? " in this release" : "", join(available, ", ")));
}

std::string folder_name(const std::string& type, int bits) {
  return fmt::format("export_{}_{}{}", type, bits > 0 ? "int" : "float", std::abs(bits));
}

Project prepare(graph::Graph graph, std::vector<ProjectTarget> targets, const Options& options) {
  check_type(options.type);
  N2D2_CHECK(!targets.empty() && graph.inputs().size() == 1,
             "a project has one input and at least one target");
  auto impl = std::make_unique<Project::Impl>();
  impl->network = plan_network(std::move(graph), std::move(targets), options);
  impl->memory = {impl->network.memory.plan.peaks[0], impl->network.memory.lower_bound,
                  options.parameters.memory_manager_strategy};
  return Project(std::move(impl));
}

Project::Project(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Project::Project(Project&&) noexcept = default;
Project& Project::operator=(Project&&) noexcept = default;
Project::~Project() = default;

std::vector<Tensor> Project::host_run(const Tensor& batch) const {
  const PlannedNetwork& network = impl_->network;
  const Tensor values = input_values(network, batch);
  const int64_t samples = batch.shape().n();
  std::vector<Tensor> out;
  for (const ProjectTarget& target : network.targets) {
    const TensorType& type = network.graph.value(target.value).type;
    out.emplace_back(type.shape.with_batch(samples), type.dtype);
  }
  std::vector<std::unique_ptr<HostArena>> arenas(static_cast<size_t>(max_threads()));
  parallel_for(samples, [&](int64_t n, int thread) {
    auto& arena = arenas[static_cast<size_t>(thread)];
    if (!arena) arena = std::make_unique<HostArena>(network);
    run_sample(network, values, n, *arena);
    for (size_t t = 0; t < out.size(); ++t) {
      const Tensor result = to_layout(read_value(network, network.targets[t].value, *arena), Layout::Nchw);
      std::memcpy(static_cast<std::byte*>(out[t].raw()) + n * result.bytes(), result.raw(),
                  static_cast<size_t>(result.bytes()));
    }
  });
  return out;
}

std::vector<LayerOutput> Project::host_run_layers(const Tensor& sample) const {
  return run_layers(impl_->network, sample);
}

void Project::check_memory(const Tensor& sample) const {
  exporter::check_memory(impl_->network, sample);
}

const MemorySummary& Project::memory() const {
  return impl_->memory;
}
int64_t Project::weights_bytes() const {
  return parameter_bytes(impl_->network, true);
}
int64_t Project::constants_bytes() const {
  return parameter_bytes(impl_->network, false);
}

double Project::target_scale(size_t target) const {
  const auto& quant = impl_->network.graph.value(impl_->network.targets.at(target).value).type.quant;
  return quant ? quant->scale.at(0) : 1.0;
}

void Project::write(const std::filesystem::path& folder, std::span<const Stimulus> stimuli,
                    const ExtraFiles& extra) const {
  write_project(impl_->network, folder, stimuli, extra);
}

}  // namespace n2d2::exporter

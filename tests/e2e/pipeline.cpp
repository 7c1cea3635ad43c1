#include "e2e/pipeline.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "n2d2/compute/judge.hpp"
#include "n2d2/config/ini_document.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/quantize/equalize_channels.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/targets/cpp/output_bits.hpp"

namespace n2d2::e2e {

namespace {

Tensor read_samples(const loader::Network& net, data::Partition partition, int64_t count,
                    std::vector<int>& labels) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  Tensor batch;
  net.data->read(partition, indices, 0, batch, labels);
  return batch;
}

Tensor slice(const Tensor& batch, int64_t n) {
  Tensor out(batch.shape().with_batch(1));
  std::memcpy(out.raw(), static_cast<const std::byte*>(batch.raw()) + n * out.bytes(),
              static_cast<size_t>(out.bytes()));
  return out;
}

targets::cpp::Options options_of(const Settings& settings) {
  targets::cpp::Options options;
  options.bits = settings.bits;
  options.parameters = settings.parameters;
  return options;
}

void quantize_network(loader::Network& net, const Tensor& samples, const Settings& settings) {
  graph::Graph& graph = net.graph;
  quantize::Options options;
  options.bits = settings.bits;
  options.rescaling = settings.rescaling;
  options.per_output = settings.per_output;
  options.zero_points = settings.parameters.input_zero_point;
  options.bytes = quantize::byte_grid(net.data->pixel_table(data::Partition::Test));
  const compute::ExecutorOptions reference{compute::Backend::Reference, false, 0};
  const auto source = [&](int64_t index, Tensor& batch) {
    if (index > 0) return false;
    batch = samples;
    return true;
  };
  if (settings.equalize) {
    compute::Executor executor(graph, reference);
    quantize::equalize_channels(graph, quantize::measure(graph, executor, source), options);
  }
  compute::Executor executor(graph, reference);
  std::vector<targets::Output> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back({id, 0, {}});
  options.output_bits = targets::cpp::output_bits(graph, outputs, options_of(settings));
  const quantize::Ranges ranges = quantize::calibrate(graph, executor, source, options);
  quantize::quantize_graph(graph, ranges, options);
}

}  // namespace

exporter::Samples samples_of(const Exported& net) {
  const auto judge = std::make_shared<const compute::Judge>(net.quantized);
  return exporter::Samples(net.stimuli, [judge](const Tensor& sample) { return judge->run(sample); });
}

Exported run_pipeline(const std::string& ini, const Settings& settings) {
  return run_pipeline(config::parse_ini(ini, "net.ini"), settings);
}

Exported run_pipeline(config::IniDocument document, const Settings& settings) {
  loader::Options build_options;
  build_options.seed = 1;
  loader::Network net = loader::network(document, build_options);
  loader::fill(net);
  if (settings.prepare) settings.prepare(net);
  passes::PipelineOptions pipeline;
  pipeline.equalize = settings.equalize && settings.bits > 0;
  passes::run(net.graph, passes::float_pipeline(pipeline));
  std::vector<int> labels;
  if (settings.bits > 0)
    quantize_network(
        net, read_samples(net, data::Partition::Learn, net.data->size(data::Partition::Learn), labels),
        settings);
  Exported out;
  out.quantized = net.graph;
  passes::run(net.graph, passes::export_pipeline());
  std::vector<program::Output> targets;
  for (size_t t = 0; t < net.targets.size(); ++t)
    targets.push_back({net.graph.outputs().at(t), net.targets[t].target.classes()});
  const targets::cpp::Options options = options_of(settings);
  const Tensor batch = read_samples(net, data::Partition::Test, settings.stimuli, labels);
  for (int64_t n = 0; n < settings.stimuli; ++n) {
    exporter::Stimulus stimulus{slice(batch, n), {}, "glyph" + std::to_string(n)};
    for (size_t t = 0; t < targets.size(); ++t) {
      const Shape& shape = net.graph.value(targets[t].value).type.shape;
      stimulus.expected.emplace_back(static_cast<size_t>(shape.h() * shape.w()),
                                     net.targets[t].target.class_of(labels[static_cast<size_t>(n)]));
    }
    out.stimuli.push_back(std::move(stimulus));
  }
  out.project =
      std::make_unique<targets::cpp::Project>(targets::cpp::prepare(std::move(net.graph), targets, options));
  return out;
}

std::map<std::string, Tensor> outputs_by_cell(const targets::cpp::Project& project, const Tensor& sample) {
  std::map<std::string, Tensor> out;
  for (targets::cpp::LayerOutput& layer : project.host_run_layers(sample))
    out.emplace(layer.cell, std::move(layer.tensor));
  return out;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "n2d2_e2e_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

namespace {

/// Exports share their driver, and a test may compile what another has compiled: in any folder, once.
constexpr const char* kCompilerCache = "export CCACHE_NOHASHDIR=1 PATH=/usr/lib/ccache:$PATH && ";

}  // namespace

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

CommandResult run_command(const std::filesystem::path& folder, const std::string& command) {
  FILE* pipe =
      popen(("cd '" + folder.string() + "' && " + kCompilerCache + "(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  CommandResult result;
  std::array<char, 4096> buffer{};
  for (size_t n = fread(buffer.data(), 1, buffer.size(), pipe); n > 0;
       n = fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace n2d2::e2e

#include "e2e/exported.hpp"

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
#include "n2d2/loader/freeze.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/zero_points.hpp"

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

/// Ranges of the Learn samples by the reference backend, then integers.
void make_integers(loader::Network& net, const pipeline::Prepared& prepared, const Settings& settings) {
  std::vector<int> labels;
  const Tensor samples =
      read_samples(net, data::Partition::Learn, net.data->size(data::Partition::Learn), labels);
  const auto source = [&](int64_t index, Tensor& batch) {
    if (index > 0) return false;
    batch = samples;
    return true;
  };
  const pipeline::Calibration found =
      pipeline::calibrate(net.graph, source, {compute::Backend::Reference, false, 0}, prepared.options,
                          settings.equalize ? pipeline::Equalization::On : pipeline::Equalization::Off);
  quantize::Options options = prepared.options;
  options.bytes = quantize::byte_grid(net.data->pixel_table(data::Partition::Test));
  pipeline::quantize(net.graph, found.ranges, options);
}

pipeline::Request request_of(const loader::Network& net, const Settings& settings) {
  pipeline::Request request;
  request.quantize.bits = settings.bits;
  request.quantize.rescaling = settings.rescaling;
  request.quantize.per_output = settings.per_output;
  for (const loader::TargetPlace& place : net.targets)
    request.outputs.push_back({{}, place.target.classes(), place.section});
  return request;
}

std::vector<exporter::Stimulus> stimuli_of(const loader::Network& net, int64_t count) {
  std::vector<int> labels;
  const Tensor batch = read_samples(net, data::Partition::Test, count, labels);
  std::vector<exporter::Stimulus> out;
  for (int64_t n = 0; n < count; ++n) {
    exporter::Stimulus stimulus{slice(batch, n), {}, "glyph" + std::to_string(n)};
    for (size_t t = 0; t < net.targets.size(); ++t) {
      const Shape& shape = net.graph.value(net.graph.outputs().at(t)).type.shape;
      stimulus.expected.emplace_back(static_cast<size_t>(shape.h() * shape.w()),
                                     net.targets[t].target.class_of(labels[static_cast<size_t>(n)]));
    }
    out.push_back(std::move(stimulus));
  }
  return out;
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
  const graph::Graph masters = net.graph;
  loader::freeze(net, masters, net.graph);
  const auto target = targets::cpp::export_of({settings.bits, settings.rescaling, settings.equalize, false},
                                              settings.parameters);
  const pipeline::Request request = request_of(net, settings);
  const pipeline::Prepared prepared = pipeline::prepare(net.graph, request, *target);
  if (settings.bits > 0) make_integers(net, prepared, settings);
  Exported out;
  out.quantized = net.graph;
  out.build = pipeline::plan(net.graph, request, *target);
  out.project = targets::cpp::project_of(*out.build);
  out.stimuli = stimuli_of(net, settings.stimuli);
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

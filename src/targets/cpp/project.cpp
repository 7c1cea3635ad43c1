#include "n2d2/targets/cpp/project.hpp"

#include <algorithm>
#include <cstring>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/ops/part.hpp"
#include "n2d2/program/memory_check.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/targets/footprint.hpp"

#include "memory_curve.hpp"
#include "planned_network.hpp"
#include "text/describe.hpp"
#include "text/project_writer.hpp"
#include "text/readme.hpp"

namespace n2d2::targets::cpp {

struct Project::Impl {
  PlannedNetwork network;
  std::unique_ptr<program::Runner> runner;  ///< of the network's program
  MemorySummary memory;
  std::vector<CurvePoint> curve;
  std::string curve_table;
};

namespace {

MemorySummary summary_of(const program::Planned& planned, const std::string& strategy) {
  MemorySummary out;
  out.strategy = strategy;
  out.milliseconds = planned.milliseconds;
  for (const program::Memory& memory : planned.program.memories) {
    out.memories.push_back({memory.name, memory.capacity, memory.peak, memory.lower_bound});
    out.peak += memory.peak;
    out.lower_bound += memory.lower_bound;
  }
  return out;
}

/// Sections of the export parameters that no layer looks into.
void report_unused_sections(const PlannedNetwork& network) {
  std::vector<std::string> names{"env"};
  for (const program::Cell& cell : network.program().cells) names.push_back(cell.name);
  for (const LayerSection& section : network.options.parameters.layers) {
    const bool is_used = section.mask.empty() || section.mask == "default" ||
                         std::any_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return is_for(section.mask, name); });
    if (!is_used)
      log::notice("{}:{}: [{}]: unused section{}", section.where.file, section.where.line, section.mask,
                  did_you_mean(section.mask, names));
  }
}

/// An output of a cell; null: the network input.
LayerOutput named(const program::Program& program, const program::Cell* cell, size_t output, Tensor tensor) {
  if (cell == nullptr) return {"env", std::move(tensor), name_in_network(program, program.input())};
  const graph::ValueId value = program.graph.node(cell->node).outputs.at(output);
  return {cell->output_identifiers.at(output), std::move(tensor), name_in_network(program, value)};
}

}  // namespace

std::string name_in_network(const program::Program& program, graph::ValueId value) {
  const graph::Value& found = program.graph.value(value);
  if (!found.producer) return found.name;
  const graph::Node& node = program.graph.node(found.producer);
  const auto* part = graph::as<ops::Part>(node);
  if (part == nullptr) return found.name;
  const auto output = std::find(node.outputs.begin(), node.outputs.end(), value) - node.outputs.begin();
  return part->graph.value(part->graph.outputs().at(static_cast<size_t>(output))).name;
}

Tensor any_sample(const PlannedNetwork& network) {
  const TensorType& type = network.input_type();
  Tensor out(type.shape);
  Rng rng(0, "check memory");
  for (int64_t i = 0; i < out.elements(); ++i) {
    const auto real = [&](int64_t q) {
      return (static_cast<double>(q) - type.quant->zero_point) * static_cast<double>(type.quant->scale.at(0));
    };
    const double value = type.quant ? rng.uniform(real(type.quant->lowest()), real(type.quant->highest()))
                                    : rng.uniform(-1, 1);
    out.data<float>()[i] = static_cast<float>(value);
  }
  return out;
}

Project prepare(graph::Graph graph, std::vector<Output> targets, const Options& options) {
  N2D2_CHECK(!targets.empty() && graph.inputs().size() == 1,
             "a project has one input and at least one target");
  auto impl = std::make_unique<Project::Impl>();
  impl->network = plan_network(std::move(graph), std::move(targets), options);
  impl->memory = summary_of(impl->network.planned, options.parameters.memory_manager_strategy);
  if (!impl->network.curve.empty()) {
    impl->curve = memory_curve(impl->network.curve, input_values(impl->network, any_sample(impl->network)));
    impl->curve_table = curve_table(impl->curve);
    impl->network.curve.clear();
  }
  impl->runner = std::make_unique<program::Runner>(impl->network.program());
  report_unused_sections(impl->network);
  return Project(std::move(impl));
}

Project::Project(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Project::Project(Project&&) noexcept = default;
Project& Project::operator=(Project&&) noexcept = default;
Project::~Project() = default;

Tensor input_values(const PlannedNetwork& network, const Tensor& batch) {
  const TensorType& type = network.input_type();
  N2D2_CHECK(batch.shape().with_batch(1) == type.shape, "samples are {}, the network takes {}",
             batch.shape().text(), type.shape.text());
  if (type.dtype == DataType::F32) return batch;
  N2D2_CHECK(type.quant.has_value(), "the network input has no scale");
  return quantize::quantize_input(batch, *type.quant);
}

std::vector<LayerOutput> run_layers(const PlannedNetwork& network, const Tensor& sample) {
  N2D2_CHECK(sample.shape().n() == 1, "one sample at a time, not {}", sample.shape().n());
  const program::Program& program = network.program();
  std::vector<LayerOutput> out;
  for (program::LayerValues& layer : program::run_layers(program, input_values(network, sample)))
    out.push_back(named(program, layer.cell, layer.output, std::move(layer.tensor)));
  return out;
}

std::vector<LayerOutput> judged_layers(const PlannedNetwork& network, const exporter::Judge& judge,
                                       const Tensor& sample) {
  N2D2_CHECK(judge != nullptr, "there is no judge for references");
  const program::Program& program = network.program();
  std::vector<LayerOutput> out{named(program, nullptr, 0, {})};
  for (const program::Cell& cell : program.cells)
    for (size_t i = 0; i < cell.outputs.size(); ++i) out.push_back(named(program, &cell, i, {}));
  std::map<std::string, Tensor> values = judge(input_values(network, sample));
  for (LayerOutput& layer : out) layer.tensor = std::move(values.at(layer.value));
  return out;
}

std::vector<Tensor> Project::host_run(const Tensor& batch) const {
  const program::Program& program = impl_->network.program();
  const Tensor values = input_values(impl_->network, batch);
  const int64_t samples = batch.shape().n();
  std::vector<Tensor> out;
  for (const Output& target : program.outputs) {
    const TensorType& type = program.graph.value(target.value).type;
    out.emplace_back(type.shape.with_batch(samples), type.dtype);
  }
  std::vector<std::unique_ptr<program::Arena>> arenas(static_cast<size_t>(max_threads()));
  parallel_for(samples, [&](int64_t n, int thread) {
    auto& arena = arenas[static_cast<size_t>(thread)];
    if (!arena) arena = std::make_unique<program::Arena>(program);
    impl_->runner->run(values, n, *arena);
    for (size_t t = 0; t < out.size(); ++t) {
      const Tensor result =
          to_layout(program::read_value(program, program.outputs[t].value, *arena), Layout::Nchw);
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
  program::check_memory(impl_->network.planned, input_values(impl_->network, sample),
                        impl_->network.options.platform.subject());
}

const MemorySummary& Project::memory() const {
  return impl_->memory;
}
std::string Project::portable_layers() const {
  std::string out;
  for (const PortableLayer& layer : impl_->network.portable)
    out += fmt::format("Portable kernel: {} ({})\n", layer.layer, layer.why);
  return out;
}
const std::string& Project::memory_curve() const {
  return impl_->curve_table;
}
const program::Program& Project::program() const {
  return impl_->network.program();
}
std::optional<Footprint> Project::footprint() const {
  const auto& of_platform = impl_->network.options.platform.footprint;
  return of_platform ? std::optional(of_platform(program())) : std::nullopt;
}
void Project::describe(report::Report& report) const {
  cpp::describe(impl_->network, report);
}
int64_t Project::weights_bytes() const {
  return parameter_bytes(impl_->network, true);
}
int64_t Project::constants_bytes() const {
  return parameter_bytes(impl_->network, false);
}

double Project::target_scale(size_t target) const {
  const auto& quant =
      impl_->network.graph().value(impl_->network.program().outputs.at(target).value).type.quant;
  return quant ? quant->scale.at(0) : 1.0;
}

namespace {

/// Rounded to float once, as the exported program does it.
template <class I>
Tensor reals_of(const Tensor& integers, const QuantParams& quant) {
  const auto step = static_cast<double>(quant.scale.at(0));
  const auto zero = static_cast<double>(static_cast<float>(quant.zero_point));
  Tensor out(integers.shape());
  const std::span<const I> from = integers.span<I>();
  std::transform(from.begin(), from.end(), out.data<float>(),
                 [&](I q) { return static_cast<float>(step * (static_cast<double>(q) - zero)); });
  return out;
}

}  // namespace

Tensor Project::seen(const Tensor& batch) const {
  const Tensor values = input_values(impl_->network, batch);
  const auto& quant = impl_->network.input_type().quant;
  switch (values.dtype()) {
    case DataType::U8:
      return reals_of<uint8_t>(values, *quant);
    case DataType::I8:
      return reals_of<int8_t>(values, *quant);
    case DataType::U16:
      return reals_of<uint16_t>(values, *quant);
    case DataType::I16:
      return reals_of<int16_t>(values, *quant);
    default:
      return values;
  }
}

void Project::write(const Samples& samples, exporter::FileTree& tree) const {
  if (impl_->network.options.parameters.check_memory)
    check_memory(samples.stimuli.empty() ? any_sample(impl_->network) : samples.stimuli.front().input);
  write_project(impl_->network, samples, tree);
  if (!impl_->curve.empty()) write_memory_curve(impl_->curve, tree);
}

void Project::write(const std::filesystem::path& folder, const Samples& samples,
                    const ExtraFiles& extra) const {
  exporter::FileTree tree(folder);
  write(samples, tree);
  for (const auto& [path, content] : extra) tree.write(path, content);
  tree.commit();
}

}  // namespace n2d2::targets::cpp

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/program/tiling.hpp"
#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/project.hpp"
#include "n2d2/targets/footprint.hpp"

#include "choose/choose_forms.hpp"
#include "choose/output_bits.hpp"
#include "text/memory_text.hpp"

namespace n2d2::targets::cpp {

namespace {

std::string kib(int64_t bytes) {
  return fmt::format("{:.2f} KiB", static_cast<double>(bytes) / 1024);
}

class ProjectBuild final : public Build {
 public:
  ProjectBuild(Project project, int bits, StackText stack)
      : project_(std::move(project)), bits_(bits), stack_(std::move(stack)) {}

  std::string summary() const override {
    const MemorySummary& memory = project_.memory();
    std::string out =
        fmt::format("RAM: {} for intermediate results ({}; lower bound {}; planned in {:.1f} ms)\n",
                    kib(memory.peak), memory.strategy, kib(memory.lower_bound), memory.milliseconds);
    for (size_t m = 0; m < memory.memories.size() && memory.memories.size() > 1; ++m) {
      const MemoryUse& use = memory.memories[m];
      out += fmt::format("  {}: {}{} (lower bound {})\n", use.name, kib(use.peak),
                         use.size > 0 ? " of " + kib(use.size) : "", kib(use.lower_bound));
    }
    for (const program::Region& region : project_.program().regions) out += text_of(region);
    for (const program::Call& call : project_.program().calls)
      if (call.is_loop_nest()) out += text_of_loop_nest(call);
    if (project_.program().streams_input()) {
      const program::View& input = project_.program().map_of(project_.program().input());
      out += fmt::format("  the input row by row: {} of {} rows at a time\n",
                         input.ring > 0 ? input.ring : input.h, input.h);
    }
    for (const WideMap& map : wide_maps(project_.program(), bits_))
      out += fmt::format("  {} of it: output '{}' in {} bits (OutputNbBits={}: {})\n", kib(map.bytes),
                         map.name, map.bits, bits_of_layers(), kib(map.bytes_of_layers));
    out += fmt::format("Stack: {} ({}g++ -Os, -O2 or -O3)\n", stack_.bound,
                       stack_.of.empty() ? "" : stack_.of + ", ");
    return out + project_.portable_layers() +
           fmt::format("Weights: {} as {}, biases and factors: {}\n", kib(project_.weights_bytes()),
                       bits_ > 0 ? fmt::format("int{}", bits_) : fmt::format("float{}", -bits_),
                       kib(project_.constants_bytes())) +
           of_footprint() + project_.memory_curve();
  }
  bool runs() const override { return true; }
  std::vector<Tensor> run(const Tensor& batch) const override { return project_.host_run(batch); }
  double step(size_t output) const override { return project_.target_scale(output); }
  std::vector<LayerOutput> layers(const Tensor& sample) const override {
    return project_.host_run_layers(sample);
  }
  Tensor seen(const Tensor& batch) const override { return project_.seen(batch); }
  const program::Program* program() const override { return &project_.program(); }
  std::optional<Footprint> footprint() const override { return project_.footprint(); }
  void describe(report::Report& report) const override { project_.describe(report); }
  void write(const Samples& samples, exporter::FileTree& tree) const override {
    project_.write(samples, tree);
  }
  const Project& project() const { return project_; }

 private:
  std::string of_footprint() const {
    const std::optional<Footprint> footprint = project_.footprint();
    return footprint ? summary_of(*footprint) : "";
  }
  std::string text_of(const program::Region& region) const {
    const std::string who =
        fmt::format("  {} to {} in {}", layer_of(region.first), layer_of(region.end() - 1), region.turns);
    if (!region.is_tiled()) return who + fmt::format(" turns, rings of {}\n", kib(region.rings));
    const program::Multiplications of = multiplications(project_.program(), region);
    return who + fmt::format(" slices, {} of maps between them; ", kib(region.rings)) + text_of(of);
  }
  std::string text_of_loop_nest(const program::Call& call) const {
    const program::Program& program = project_.program();
    std::vector<std::string> names;
    for (const program::Call& step : call.steps)
      if (step.node != call.node) names.push_back(program.node(step).name);
    const int channels = program.view(call.steps.front().out.at(0)).c;
    const std::string text = fmt::format("  {} within {}, {} channels at a time", join(names, " and "),
                                         program.node(call).name, channels);
    return call.contract.macs_again == 0 ? text + "\n"
                                         : text + "; " + text_of(multiplications(program, call));
  }
  static std::string text_of(const program::Multiplications& of) {
    return fmt::format(
        "{} multiplications are done again (+{:.1f} %)\n", with_thousands(of.again),
        100.0 * static_cast<double>(of.again) / static_cast<double>(std::max<int64_t>(1, of.all - of.again)));
  }
  const std::string& layer_of(program::CallId call) const {
    return project_.program().name_of(project_.program().call(call));
  }
  /// What OutputNbBits takes for them.
  int bits_of_layers() const { return bits_ <= 8 ? 8 : 16; }

  Project project_;
  int bits_;
  StackText stack_;
};

/// C++11 has no type of 16 bits: as in N2D2, programs of `-nbbits -16` hold and compute floats of 32.
constexpr int kBitsOfFloats = -32;

class ProjectExport final : public Export {
 public:
  ProjectExport(const Request& request, Parameters parameters, Platform platform)
      : Export(request),
        options_{request.is_integer() ? request.bits : kBitsOfFloats, std::move(parameters),
                 request.memory_curve, std::move(platform), request.packages} {}

  std::vector<std::string_view> pipeline(Stage stage) const override {
    if (stage == Stage::Layout) return passes::export_pipeline();
    std::vector<std::string_view> names = Export::pipeline(stage);
    names.push_back("elide_transpose");
    return names;
  }
  bool refuses(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) const override {
    const auto& delegates = options_.parameters.delegates;
    const bool is_ours = std::none_of(delegates.begin(), delegates.end(),
                                      [&](const auto& delegate) { return delegate->may_take(graph, node); });
    return is_ours && (find_without_kernel(graph, node, options_.platform, findings) ||
                       find_wrong_form(graph, node, options_, findings));
  }
  std::vector<int> output_bits(const graph::Graph& graph,
                               std::span<const targets::Output> outputs) const override {
    return cpp::output_bits(graph, outputs, options_);
  }
  std::optional<SourceLocation> place_of_widths(std::string_view layer) const override {
    return options_.parameters.place_of_widths(layer);
  }
  bool takes_mixed_widths() const override { return true; }
  LayerWidths widths_of(std::string_view layer) const override {
    return options_.parameters.widths_of(layer);
  }
  int judge_samples() const override { return options_.parameters.judge_samples; }
  RescaleMode rescaling() const override {
    return request().own_rescaling ? options_.platform.rescaling : request().rescaling;
  }
  int most_shift() const override { return options_.platform.most_shift; }
  bool takes_zero_points() const override { return options_.parameters.input_zero_point; }
  std::unique_ptr<const Build> build(graph::Graph graph,
                                     std::vector<targets::Output> outputs) const override {
    return std::make_unique<ProjectBuild>(prepare(std::move(graph), of_program(outputs), options_),
                                          options_.bits, stack_text(options_.platform));
  }

 private:
  static std::vector<Output> of_program(const std::vector<targets::Output>& outputs) {
    std::vector<Output> out;
    for (const targets::Output& output : outputs)
      out.push_back({output.value, output.classes, output.is_data});
    return out;
  }

  Options options_;
};

class Cpp final : public Target {
 public:
  std::string_view summary() const override { return "a standalone C++11 project"; }
  std::vector<ParameterTable> parameters() const override { return parameter_tables(); }
  std::vector<std::pair<std::string_view, std::string_view>> deleted_parameters() const override {
    return {{"CombineSums", "a sum is always a call of its own"},
            {"Reproducible", "generated files never have a date"},
            {"SafeMargin", "an output always keeps the distance that the windows of its layer ask for"}};
  }
  program::KernelLibrary* kernels() const override { return &open_kernels(); }
  std::unique_ptr<const Export> configure(const ParameterSections& sections, const Request& request,
                                          Diagnostics& findings) const override {
    Parameters parameters = configured_parameters(sections, request, cpp::kernels(), findings);
    return export_of(request, std::move(parameters));
  }
};

}  // namespace

Parameters configured_parameters(const ParameterSections& sections, const Request& request,
                                 const program::KernelLibrary& library, Diagnostics& findings) {
  Parameters parameters = read_parameters(sections, library, findings);
  if (request.is_integer() && parameters.output_bits != 0 && parameters.output_bits < request.bits)
    findings.error(
        {}, fmt::format("OutputNbBits={}: the layers have {} bits", parameters.output_bits, request.bits),
        fmt::format("-nbbits {}", parameters.output_bits));
  if (!request.packages.formats.empty() && !parameters.delegates.empty())
    findings.error({}, "option -export-package: a package has no libraries of delegates",
                   "without Backend.<name>=1 all code is the export's own");
  for (const LayerSection& section : parameters.layers) {
    const LayerWidths widths = n2d2::widths_of(section.values);
    if (widths == LayerWidths{}) continue;
    if (!request.is_integer())
      findings.warn_key(section.where,
                        fmt::format("{}: bits of layers are without effect, -nbbits {} has no integers",
                                    section.subject(), request.bits),
                        "-nbbits 8");
  }
  if (!request.is_integer() && parameters.output_bits != 0)
    findings.error(
        {}, fmt::format("OutputNbBits={}: -nbbits {} has no integers", parameters.output_bits, request.bits),
        "-nbbits 8");
  if (!request.is_integer() && request.bits != kBitsOfFloats && !findings.has_errors())
    log::notice("option -nbbits: C++11 has no floats of {} bits, the program stores and computes {}",
                -request.bits, -kBitsOfFloats);
  return parameters;
}

std::unique_ptr<const Export> export_of(const Request& request, Parameters parameters, Platform platform) {
  return std::make_unique<ProjectExport>(request, std::move(parameters), std::move(platform));
}

const Project* project_of(const Build& build) {
  const auto* ours = dynamic_cast<const ProjectBuild*>(&build);
  return ours == nullptr ? nullptr : &ours->project();
}

}  // namespace n2d2::targets::cpp

namespace n2d2::targets {

void register_cpp(Targets& registry);
void register_cpp(Targets& registry) {
  registry.add("CPP", std::make_shared<cpp::Cpp>());
}

}  // namespace n2d2::targets

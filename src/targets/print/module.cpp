// A listing for people: the calls that the kernels of `-export CPP` would make, and where their maps lie.
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/export/graph_files.hpp"
#include "n2d2/export/program_text.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/program/plan.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::targets {

namespace {

constexpr const char* kSubject = "export PRINT";

/// Its own are none: those of the CPP target, where that one is there.
const program::KernelLibrary& kernels() {
  static const program::KernelLibrary library = [] {
    program::KernelLibrary out;
    const auto* cpp = registry().find("CPP");
    if (cpp != nullptr) out.fall_back_on((*cpp)->kernels());
    return out;
  }();
  return library;
}

void refuse(const graph::Node& node, const std::string& reasons, Diagnostics& findings) {
  findings.error(node.origin, fmt::format("{}: {}: {}", kSubject, graph::subject(node), reasons));
}

/// Kernels that another target lends are named once.
void name_lent_kernels(const program::Lowering& lowering) {
  std::set<std::string> lent;
  for (const graph::NodeId id : lowering.graph().nodes()) lent.emplace(lowering.kernel(id).name());
  log::info("{}: kernels of -export CPP: {}", kSubject, fmt::join(lent, ", "));
}

class Listing final : public Build {
 public:
  explicit Listing(program::Planned planned) : planned_(std::move(planned)) {}
  const program::Program* program() const override { return &planned_.program; }
  void write(const exporter::Samples&, exporter::FileTree& tree) const override {
    tree.write("program.txt", exporter::program_text(planned_.program));
    tree.write("program.json", exporter::program_json(planned_.program));
    for (const auto& [path, content] : exporter::graph_files(planned_.program.graph))
      tree.write(path, content);
  }

 private:
  program::Planned planned_;
};

class PrintExport final : public Export {
 public:
  using Export::Export;
  std::vector<std::string_view> pipeline(Stage stage) const override {
    return stage == Stage::Layout ? passes::export_pipeline() : Export::pipeline(stage);
  }
  bool refuses(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) const override {
    std::string reasons;
    if (kernels().choose(graph, node, reasons) != nullptr) return false;
    refuse(node, reasons, findings);
    return true;
  }
  /// Returns the bits that `-export CPP` without parameters gives the outputs; empty where there is no such
  /// export.
  std::vector<int> output_bits(const graph::Graph& graph, std::span<const Output> outputs) const override {
    const auto cpp = without_parameters();
    return cpp == nullptr ? std::vector<int>{} : cpp->output_bits(graph, outputs);
  }
  bool takes_mixed_widths() const override { return true; }
  bool takes_zero_points() const override {
    const auto cpp = without_parameters();
    return cpp != nullptr && cpp->takes_zero_points();
  }
  std::unique_ptr<const Build> build(graph::Graph graph, std::vector<Output> outputs) const override {
    std::vector<program::Output> of_program;
    for (const Output& output : outputs) of_program.push_back({output.value, output.classes, output.is_data});
    Diagnostics findings;
    const program::Lowering lowering(
        std::move(graph), std::move(of_program), kernels(),
        [&](const graph::Node& node, const std::string& reasons) { refuse(node, reasons, findings); });
    findings.finish<ExportError>();
    name_lent_kernels(lowering);
    return std::make_unique<Listing>(program::plan(lowering, {}, kSubject));
  }

 private:
  /// `-export CPP`; null: it is not there.
  std::unique_ptr<const Export> without_parameters() const {
    const auto* cpp = registry().find("CPP");
    Diagnostics findings;
    return cpp == nullptr ? nullptr : (*cpp)->configure({}, request(), findings);
  }
};

class Print final : public Target {
 public:
  std::string_view summary() const override { return "a listing of the program and its memory, for people"; }
  std::unique_ptr<const Export> configure(const ParameterSections& sections, const Request& request,
                                          Diagnostics& findings) const override {
    SharedParameters shared;
    for (const auto& [name, keys] : sections) read_fields(shared, *keys, findings);
    return std::make_unique<PrintExport>(request);
  }
};

}  // namespace

void register_print(Targets& registry);
void register_print(Targets& registry) {
  registry.add("PRINT", std::make_shared<Print>());
}

}  // namespace n2d2::targets

// What can a network be exported to, and what does each of these targets do with it?
//
// A Target is a type of export as `-export` names it. configure() reads its parameters and gives an Export,
// which says how a network is rewritten and what it refuses; build() makes of the finished graph what is
// scored and written.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/base/registry.hpp"
#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/packages.hpp"
#include "n2d2/export/stimulus.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/passes/recipe.hpp"
#include "n2d2/program/kernel.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::report {
struct Report;  // n2d2/report/report.hpp
}

namespace n2d2::targets {

/// What the command line asks of an export of any type.
struct Request {
  int bits = 8;  ///< > 0 integer; -32 float32; -16 what the target has for it, or an error
  RescaleMode rescaling = RescaleMode::FloatingPoint;
  bool equalize = true;        ///< weights may be scaled from layer to layer
  bool memory_curve = false;   ///< also plans for less and less memory, and what they cost
  bool own_rescaling = false;  ///< nobody asked for `rescaling`: the target chooses (Export::rescaling)
  exporter::PackageRequest packages = {};  ///< forms for other build systems, written with a project

  bool is_integer() const { return bits > 0; }
};

/// Keys that targets share. A target's parameters derive from it and begin their fields() with these.
struct SharedParameters {
  int reference_stimuli = 1;
  int judge_samples = 3;
  bool strict_keys = true;

  template <class V>
  static void fields(V&& v) {
    using P = SharedParameters;
    v("ReferenceStimuli", &P::reference_stimuli, at_least(0), help("stimuli with dumps of every layer"));
    v("JudgeSamples", &P::judge_samples, at_least(0),
      help("samples that an independent interpreter computes beside the kernels; 0: none"));
    v("StrictKeys", &P::strict_keys, help("0: unknown keys are warnings"));
  }
};

/// A section of the -export-parameters file: its name, "" for the keys before any section, and its keys.
using ParameterSections = std::vector<std::pair<std::string, std::unique_ptr<KeySource>>>;

/// Keys that a target reads in some of the sections.
struct ParameterTable {
  /// For people: "in [memory.<name>]"; empty: before any section.
  std::string place;
  bool (*takes)(std::string_view section);
  std::vector<FieldHelp> fields;
};

/// "", the keys before any section.
bool is_global_section(std::string_view section);

/// An output of the network: its value, what is counted there, and where the network file asked for it.
struct Output {
  graph::ValueId value;
  int classes = 0;
  std::string section;   ///< "fc.Target"
  bool is_data = false;  ///< what is wanted of it is the input of the network (DataAsTarget)
};

/// A layer's output of one run: logical N,C,H,W, in any layout.
struct LayerOutput {
  std::string cell;  ///< the C identifier of the layer, "env" for the network input
  Tensor tensor;
  std::string value;  ///< as the graph names it
};

struct Footprint;  // n2d2/targets/footprint.hpp

/// A network in the form of a target, complete in memory.
class Build {
 public:
  virtual ~Build() = default;
  /// What the console says about it, in whole lines.
  virtual std::string summary() const { return {}; }
  /// Whether run() is there.
  virtual bool runs() const { return false; }
  /// Runs N samples (N,C,H,W f32) in process. One tensor an output: N,C,H,W in its element type
  /// (Layout::Nchw).
  virtual std::vector<Tensor> run(const Tensor& batch) const;
  /// Real value of one step of an output of run(); 1 for floats.
  virtual double step(size_t) const { return 1; }
  /// Every layer's output of one sample (1,C,H,W f32) as run() computes it, the network input first, each by
  /// the name of its value in the graph; empty where run() is not there, or is the judge's own.
  virtual std::vector<LayerOutput> layers(const Tensor&) const { return {}; }
  /// The reals (N,C,H,W f32) that its input stands for when it reads this batch, which outputs are compared
  /// with where the input is what is wanted. The batch itself where stimuli are written as floats.
  virtual Tensor seen(const Tensor& batch) const { return batch; }
  /// The calls that it consists of, where it is a program; null: it is none.
  virtual const program::Program* program() const { return nullptr; }
  /// What it takes of a microcontroller, where the target is one.
  virtual std::optional<Footprint> footprint() const;
  /// Adds to a report whose layers are there what became of them, the memory map, and figures of the whole.
  virtual void describe(report::Report&) const {}
  /// Whether write() takes samples to try it on.
  virtual bool takes_stimuli() const { return runs(); }
  /// Writes everything into the tree; the caller commits it. ExportError.
  virtual void write(const exporter::Samples& samples, exporter::FileTree& tree) const = 0;
};

enum class Stage {
  Float,  ///< before calibration
  Layout  ///< after quantization, right before build()
};

/// One export: a target, its parameters read. The defaults are those of a target without wishes of its own.
class Export {
 public:
  explicit Export(const Request& request) : request_(request) {}
  virtual ~Export() = default;
  const Request& request() const { return request_; }

  /// Names of passes. Float: passes::float_pipeline.
  virtual std::vector<std::string_view> pipeline(Stage stage) const;
  /// Chains of layers that this target takes as one, fused after the passes of Stage::Float.
  virtual std::vector<passes::Recipe> recipes() const { return {}; }
  /// Adds why the node cannot be exported, with place and hint; false when it can. Asked before anything is
  /// calibrated, of nodes that have an integer form when the export is one of integers.
  virtual bool refuses(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) const = 0;
  /// quantize::Options::output_bits of the graph, which has no integers yet and has been through
  /// Stage::Float. Says which output cannot be what was asked for, and what it is instead.
  virtual std::vector<int> output_bits(const graph::Graph&, std::span<const Output>) const { return {}; }
  /// Bits of a layer that its parameters ask for.
  virtual LayerWidths widths_of(std::string_view) const { return {}; }
  /// Where its parameters ask for bits of this layer by its name; none where they do not.
  virtual std::optional<SourceLocation> place_of_widths(std::string_view) const { return std::nullopt; }
  /// Whether values of a network of bytes may have 16 bits.
  virtual bool takes_mixed_widths() const { return false; }
  /// JudgeSamples of its parameters.
  virtual int judge_samples() const { return SharedParameters().judge_samples; }
  /// Whether values may have a zero point (QuantParams), and biases of a Conv, therefore, several rows.
  virtual bool takes_zero_points() const { return false; }
  /// Whether those are integers, and layers stay what they are (quantize::Options::plain_zero_points).
  virtual bool has_plain_zero_points() const { return false; }
  /// How sums become integers: as asked for, or what the target has by itself.
  virtual RescaleMode rescaling() const { return request().rescaling; }
  /// Largest number of fractional bits that multipliers have (quantize::Options::most_shift).
  virtual int most_shift() const { return kMostShift; }
  /// The graph has gone through both stages. ExportError.
  virtual std::unique_ptr<const Build> build(graph::Graph graph, std::vector<Output> outputs) const = 0;

 private:
  Request request_;
};

class Target {
 public:
  virtual ~Target() = default;
  /// One line of help.
  virtual std::string_view summary() const = 0;
  /// Keys of its -export-parameters file, for help and for messages about others.
  virtual std::vector<ParameterTable> parameters() const;
  /// Keys before any section that earlier releases read, each with what became of it. They change nothing.
  virtual std::vector<std::pair<std::string_view, std::string_view>> deleted_parameters() const { return {}; }
  /// The kernels that it chooses from, which modules may add to; null for a target without kernels.
  virtual program::KernelLibrary* kernels() const { return nullptr; }
  /// Reads the parameters and judges, with the request, what can be judged before any work is done. Every
  /// finding goes to `findings`; null only when there are errors among them.
  virtual std::unique_ptr<const Export> configure(const ParameterSections& sections, const Request& request,
                                                  Diagnostics& findings) const = 0;
};

using Targets = Registry<std::shared_ptr<const Target>>;

/// The targets of src/targets/CMakeLists.txt, and those that modules added (in n2d2_targets_all).
Targets& registry();
/// Recipes that modules gave a target, fused behind its own.
std::vector<passes::Recipe>& recipes_of_modules(const std::string& target);

/// "export_CPP_int8", "export_CPP_float32".
std::string folder_name(const std::string& type, int bits);

}  // namespace n2d2::targets

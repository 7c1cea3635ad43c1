// What do the section builders share? The document, the network that grows, and the findings of the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/loader/network.hpp"

namespace n2d2::loader {

/// A layer section in the order it is built.
struct LayerSection {
  std::string name;
  SourceLocation where;
  /// Items of Input=, trimmed.
  std::vector<std::string> inputs;
  bool is_onnx = false;
};

/// What a layer gives to its children; without value when the layer could not be built.
struct BuiltLayer {
  std::optional<graph::ValueId> value;
};

struct Builder {
  config::IniDocument& ini;
  const Options& options;
  Diagnostics diagnostics;
  Network net;

  /// Samples of CalibrationPath, until the provider is there.
  std::shared_ptr<const data::Database> calibration;
  /// "sp", "env" or "cenv".
  std::string provider;
  std::optional<graph::ValueId> input;
  std::vector<LayerSection> order;
  /// Layers of cycles and behind them, which are not built; that is a finding.
  std::set<std::string, std::less<>> unplaced;
  std::map<std::string, BuiltLayer, std::less<>> layers;
  /// Tensors and nodes that an ONNX section brought, in their order; each is in `layers` as well.
  std::map<std::string, std::vector<std::string>, std::less<>> tensors;
  /// Outputs of ONNX files that are constants, and those beside them that are none.
  std::map<std::string, std::vector<std::string>, std::less<>> constants;
  /// Layers that get a target of their own when the INI has no target for them: an imported Softmax
  /// that ends the network.
  std::vector<std::string> scored;
  /// Layer type of a layer, for near misses of its keys.
  std::map<std::string, std::string, std::less<>> types;
  /// Config sections of a layer or of the provider.
  std::map<std::string, std::vector<std::string>, std::less<>> configs;
  /// Sections read as targets, transformations and statistics.
  std::set<std::string, std::less<>> target_sections;
  /// Keys of the global section, settled.
  std::string default_model = "Frame";
  /// Models of which it was said that they run as another one.
  std::set<std::string, std::less<>> told_models;
  /// Files of labels of which it was said that they are not there.
  std::set<std::string, std::less<>> told_mappings;
  /// Places of NoBias keys of which it was said that an ONNX file decides, and of Clamping keys that were a
  /// switch.
  std::set<std::pair<std::string, int>> told_biases, told_switches;
  /// It was said that NbChannels of a layer is NbOutputs.
  bool told_former_name = false;
  bool insert_batchnorm = false;
  /// Layers that a BatchNorm layer reads.
  std::set<std::string, std::less<>> followed_by_batchnorm;

  Builder(config::IniDocument& document, const Options& o)
      : ini(document), options(o), diagnostics(o.strict) {}

  /// Without them an epoch has size 0.
  bool has_samples_to_learn() const {
    return net.data == nullptr || net.data->size(data::Partition::Learn) > 0;
  }
  /// An ONNX section could not be built: names that nothing has may be those of its tensors.
  bool lacks_tensors() const;
  bool is_provider(std::string_view name) const { return name == "sp" || name == "env" || name == "cenv"; }
  /// A name for a constant or a helper node that no layer has.
  std::string fresh_name(const std::string& base) const;
  /// Items of ConfigSection, remembered in `configs`. `model`: ConfigSection(<model>)
  /// wins.
  std::vector<std::string> config_sections(const std::string& section, const std::string& model = {});
};

/// Runs a piece of reading; a ConfigError or ModelError of it joins the findings. False when there was one.
template <class F>
bool attempt(Builder& builder, F&& piece) {
  try {
    piece();
    return true;
  } catch (const ConfigError& error) {
    builder.diagnostics.add(error);
  } catch (const ModelError& error) {
    builder.diagnostics.add(error);
  }
  return false;
}

/// What every network begins with: its name and seed, the global section, [database] and the provider.
void build_data(Builder& builder);
/// Global keys.
void read_globals(Builder& builder);
/// [database]: net.database, never null after it (an empty database when there is none or it failed).
void build_database(Builder& builder);
/// [sp]/[env]/[cenv], its transformations and statistics: net.data and the graph's input.
void build_stimuli(Builder& builder);
/// Layers by level, then in file order. Cycles and unreachable layers are findings.
std::vector<LayerSection> order_layers(Builder& builder);
/// Items of Input= without the names of ONNX sections that only fix the order.
std::vector<std::string> parents_of(const Builder& builder, const LayerSection& layer);
/// "names in the ONNX file, the last first: 'a', 'b' and 12 others"; "" where no section has one.
std::string names_of_tensors(const Builder& builder);
/// An error: Input names something that is not there.
void unknown_parent(Builder& builder, const std::string& layer, const std::string& input);
/// What ActivationFunction of a section asks for; null for none. `is_layer`: the section is an Activation
/// layer.
std::unique_ptr<graph::Operator> read_activation(Builder& builder, const std::string& section, bool is_layer);
/// A section with Type=ONNX: every tensor of the file becomes a layer by its name. Returns the file's first
/// output.
std::optional<graph::ValueId> build_onnx(Builder& builder, const LayerSection& section);
/// Keys of a section with Type=ONNX.
std::vector<FieldHelp> onnx_fields();
/// One layer: its nodes, parameters and computed properties.
void build_layer(Builder& builder, const LayerSection& layer);
/// What hangs on a layer that could not be built fails without a word: neither its geometry is known, nor who
/// reads the sections with its parameters.
void give_up(Builder& builder, const std::string& layer);
/// A target on a value of the graph; nothing after an error.
std::optional<data::Target> target_of(Builder& builder, graph::ValueId value,
                                      const data::TargetOptions& options, const KeySource& keys);
/// Gives every target a folder of its own.
void name_folders(Builder& builder);
/// [<layer>.Target*] of every layer, in the order of the layers.
void build_targets(Builder& builder);
/// NbBits, WeightNbBits and ActivationNbBits of a layer: of the node with its weights, and of the node that
/// makes its values.
void read_widths(Builder& builder, const KeySource& section, graph::NodeId with_weights, graph::NodeId last);
/// Averages of quantized values are rounded to the grid of these values, as integers are: a network learns
/// what it ships. Those with a QAct of their own are on that grid.
void round_average_pools(graph::Graph& graph);
/// Findings about keys and sections that nobody read.
void report_unread(Builder& builder);
/// Throws every finding of the run, one for each fact.
void finish(const Builder& builder);

}  // namespace n2d2::loader

// What network does an INI describe? Sections become data, a graph, targets, fillers and solvers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/data/stimuli_provider.hpp"
#include "n2d2/data/target.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/joined_input.hpp"
#include "n2d2/tensor/widths.hpp"
#include "n2d2/training/filler.hpp"
#include "n2d2/training/solver.hpp"
#include "n2d2/training/weight_quantizer.hpp"

namespace n2d2::loader {

struct Options {
  /// Decides random partitions, fillers and everything random in the data.
  uint64_t seed = 0;
  /// `-strict`: warnings about INI keys are errors.
  bool strict = false;
  /// Replaces data::data_root() when not empty.
  std::string data_root;
  /// The network is only looked at: samples that are not there are a notice, not an error.
  bool without_data = false;
  /// `-no-exif`: pictures stay as their rows are stored.
  bool no_exif = false;
  /// Folder of what the network writes while it is built; empty: the working directory.
  std::string output = {};
};

/// A [<layer>.Target*] section. The value it looks at is graph.outputs()[i] for target i, also after passes.
struct TargetPlace {
  std::string section, layer;
  /// Section of the document that holds its keys; empty: it has none.
  std::string keys;
  /// Folder of its files: the section's name as a file name, of no other target.
  std::string folder;
  data::Target target;
  SourceLocation where;
};

/// A constant of a layer: what it starts with and how it learns.
struct Parameter {
  graph::ValueId constant;
  /// Extents along axis 1 that come from different inputs of the layer (training::fill_constant); empty: one.
  std::vector<int64_t> parts;
  /// Null for constants that have their values already, from an ONNX file.
  std::unique_ptr<training::Filler> filler;
  /// Null for means and variances, which are measured, not learnt.
  std::unique_ptr<training::Solver> solver;
  /// Not null: the constant is the master of the weights that the layer computes with, until quantize().
  std::unique_ptr<training::WeightQuantizer> quantizer = nullptr;
  /// How the steps of the quantizer learn; null: it learns none.
  std::unique_ptr<training::Solver> step_solver = nullptr;
};

struct Network {
  /// Stem of the INI file.
  std::string name;
  graph::Graph graph;
  std::shared_ptr<const data::Database> database;
  std::unique_ptr<data::StimuliProvider> data;
  /// Samples of CalibrationPath, as `data` gives its Test samples; null: there is no such key.
  std::unique_ptr<data::StimuliProvider> calibration;
  /// Where the input of the network is that of a file of several inputs (JoinedInputs): these.
  std::vector<JoinedInput> inputs = {};
  /// In order of the layers, then of the file; those of an ONNX section in that of the file.
  std::vector<TargetPlace> targets;
  std::vector<Parameter> parameters;
  /// By the names of nodes: bits that NbBits and the like of a layer ask for.
  std::map<std::string, LayerWidths, std::less<>> widths;
  /// Nodes of layers with BackPropagate=0.
  std::vector<graph::NodeId> gradient_stops;
  int batch_size = 1;
  uint64_t seed = 0;
};

/// Builds everything an INI asks for. Weights are not filled:
/// learnt constants are zero until fill() or load_weights(). Nodes are named like their layer; a node that a
/// layer needs besides is `<layer>_concat` (several inputs) or `<layer>_act` (activation). Every finding of
/// the run comes in one ConfigError, in file order; keys that no section reads are listed by name.
/// Computed properties (`_EpochSize`, `_NbOutputs` ...) are defined in `ini` on the way.
Network network(config::IniDocument& ini, const Options& options);

/// What quantizers of weights learnt, by the names of their constants.
using QuantizerStates = std::vector<std::pair<std::string, training::QuantizerState>>;
QuantizerStates quantizer_states(const Network& network);
/// Takes the states of those that it names.
void set_quantizer_states(Network& network, const QuantizerStates& states);

/// Gives every parameter its initial values, which depend on (seed, name of the constant) alone.
void fill(Network& network);
/// Replaces the masters by the weights that the layers compute with, in `graph`, which is that of the network
/// or a copy.
void quantize(const Network& network, graph::Graph& graph);
/// Whether something of the network is quantized by what was learnt: weights, or activations.
bool has_learnt_quantizers(const Network& network);

/// A layer type for the operator of that name: one data input (several are concatenated), no parameters that
/// are learnt.
/// The name lives as long as the program. InternalError for one that is there.
void add_layer_type(std::string_view name);
/// Layer types that `Type=` accepts, sorted.
std::vector<std::string> layer_types();
/// Keys of a layer type, those of its ConfigSection included, for help and near misses. ConfigError for an
/// unknown type.
std::vector<FieldHelp> layer_fields(const std::string& type);

}  // namespace n2d2::loader

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/onnx/importer.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/softmax.hpp"

#include "builder.hpp"
#include "joined_inputs.hpp"
#include "layer_parameters.hpp"
#include "layer_types.hpp"
#include "section_keys.hpp"
#include "section_quantizers.hpp"

namespace n2d2::loader {

namespace {

/// Keys of a section with Type=ONNX.
struct OnnxKeys {
  std::string file, ignore, inputs, outputs, constants, states;
  std::vector<double> input_factors;
  bool ignore_input_size = false, onnx_init = true, transpose = false, cntk = false, joined_inputs = false;

  template <class V>
  static void fields(V&& v) {
    using K = OnnxKeys;
    v("File", &K::file, required, help("the ONNX file, relative to the working directory"));
    v("Ignore", &K::ignore, help("first outputs of nodes to leave out, blank-separated"));
    v("Inputs", &K::inputs, help("tensors that the network begins with instead of the file's inputs"));
    v("Outputs", &K::outputs, help("tensors that the network ends with instead of the file's outputs"));
    v("Constants", &K::constants,
      help("input=number between commas: inputs of one number that are constants"));
    v("JoinedInputs", &K::joined_inputs,
      help("1: the parent has all inputs of the file one behind the other, as channels of one pixel"));
    v("InputFactors", &K::input_factors, help("JoinedInputs: one for each input, which multiplies it"));
    v("States", &K::states,
      help("JoinedInputs: output=input between commas: what the input is in the next run"));
    v("IgnoreInputSize", &K::ignore_input_size, help("the input may have another size than the file says"));
    v("ONNX_init", &K::onnx_init, help("0: weights start from fillers instead of the file's values"));
    v("Transpose", &K::transpose, help("height and width are exchanged in every map"));
    v("CNTK", &K::cntk, help("accepted; constant sums always become biases where they can"));
  }
};

/// Layer type of an operator, by whose name parameter sections and keys go; null when it has none.
const LayerType* layer_type_of(const graph::Node& node) {
  const std::string_view type = node.op->type();
  static const LayerType prelu{"PRelu", false, {"WeightsSolver"}, {}, false};  // no type of an INI section
  if (type == prelu.name) return &prelu;
  const bool activates = type == "Relu" || type == "Saturation" || type == "Nonlinearity";
  return find_layer_type(activates ? "Activation" : type);
}

/// Builds one ONNX section.
class OnnxBuilder {
 public:
  OnnxBuilder(Builder& builder, const LayerSection& section)
      : b_(builder), section_(section), name_(section.name) {}
  std::optional<graph::ValueId> build();

 private:
  bool read_keys();
  std::optional<std::vector<graph::ValueId>> find_inputs(const onnx::Model& model);
  std::vector<std::string> ignored_of(const onnx::Model& model);
  void publish();
  void publish(const std::string& name, graph::ValueId value);
  bool names_are_free(const onnx::Model& model);
  /// The section with the parameters of a layer: its own, else `[<section>:<kind>_def]`, else "".
  std::string parameter_section(const std::string& output, std::string_view kind) const;
  void read_parameters(const onnx::Layer& layer);
  void add_parameter(const graph::Node& node, size_t slot, const std::string& section,
                     const std::vector<std::string>& configs);
  void check_no_bias(const graph::Node& node, const std::string& section,
                     const std::vector<std::string>& configs);
  std::string where_it_may_be() const;
  void replace_activation(const onnx::Layer& layer, const std::string& section,
                          const std::vector<std::string>& configs);
  void quantize_behind(const onnx::Layer& layer, const std::string& section,
                       const std::vector<std::string>& configs);
  void add_behind(graph::ValueId value, std::unique_ptr<graph::Operator> op, const std::string& name,
                  std::vector<graph::ValueId> parameters);
  void read_operator_keys(graph::NodeId node, const std::string& section,
                          const std::vector<std::string>& configs);
  void rename_values(graph::ValueId from, graph::ValueId to);

  Builder& b_;
  const LayerSection& section_;
  const std::string& name_;
  OnnxKeys keys_;
  onnx::Imported imported_;
};

bool OnnxBuilder::read_keys() {
  const size_t errors = b_.diagnostics.errors().size();
  const auto source = b_.ini.source(name_);
  read_fields(keys_, *source, b_.diagnostics);
  for (const char* key : {"Type", "Input", "Model", "DataType"})
    if (b_.ini.has_key(name_, key)) b_.ini.mark_read(name_, key);
  std::vector<std::string> known{"Input", "Type"};
  for (const FieldHelp& field : describe_fields<OnnxKeys>()) known.emplace_back(field.info.name);
  for (const std::string& key : b_.ini.keys(name_))
    if (std::find(known.begin(), known.end(), key) == known.end() && key != "Model" && key != "DataType") {
      b_.ini.mark_read(name_, key);
      const SourceLocation where = b_.ini.find(name_, key)->where;
      const std::string subject = fmt::format("[{}] {}", name_, key);
      const auto of_layers = describe_fields<WidthKeys>();
      const bool is_of_layers = std::any_of(of_layers.begin(), of_layers.end(),
                                            [&](const FieldHelp& field) { return field.info.name == key; });
      if (is_of_layers)
        b_.diagnostics.error(where, subject + ": a key of layers, not of an ONNX section",
                             fmt::format("[{}:Conv_def] has it for all Conv of the file", name_));
      else
        b_.diagnostics.warn_key(where, fmt::format("{}: unknown key of an ONNX section, ignored{}", subject,
                                                   did_you_mean(key, known)));
    }
  return b_.diagnostics.errors().size() == errors;
}

std::optional<std::vector<graph::ValueId>> OnnxBuilder::find_inputs(const onnx::Model& model) {
  std::vector<graph::ValueId> values;
  bool broken = false;
  for (const std::string& input : parents_of(b_, section_)) {
    if (b_.is_provider(input)) {
      if (b_.input) values.push_back(*b_.input);
      broken = broken || !b_.input;
    } else if (const auto layer = b_.layers.find(input); layer == b_.layers.end()) {
      unknown_parent(b_, name_, input);
      broken = true;
    } else if (layer->second.value) {
      values.push_back(*layer->second.value);
    } else {
      broken = true;
    }
  }
  if (broken) return std::nullopt;
  if (keys_.joined_inputs && values.size() == 1)
    return cut_inputs(b_, section_, model, values[0], keys_.input_factors);
  if (values.size() == model.inputs().size()) return values;
  std::vector<std::string> names;
  for (const onnx::GraphInput& input : model.inputs()) names.push_back("'" + input.name + "'");
  b_.diagnostics.error(section_.where, fmt::format("[{}] Input: {} parents, the file has {} inputs: {}",
                                                   name_, values.size(), names.size(), join(names, ", ")));
  return std::nullopt;
}

/// A tensor and a layer of one name could not be told apart.
bool OnnxBuilder::names_are_free(const onnx::Model& model) {
  bool free = true;
  for (const std::string& name : model.tensors()) {
    const bool is_section = std::any_of(b_.order.begin(), b_.order.end(),
                                        [&](const LayerSection& other) { return other.name == name; });
    if (!is_section && !b_.layers.contains(name)) continue;
    free = false;
    b_.diagnostics.error(
        section_.where,
        fmt::format("[{}]: the file has a tensor '{}', which a layer is called, too", name_, name),
        is_section ? "rename the layer" : "rename the tensors of one of the files");
  }
  return free;
}

void OnnxBuilder::publish(const std::string& name, graph::ValueId value) {
  const bool is_section = std::any_of(b_.order.begin(), b_.order.end(),
                                      [&](const LayerSection& other) { return other.name == name; });
  if (name.empty() || is_section || b_.is_provider(name) || b_.layers.contains(name)) return;
  b_.layers[name] = {value};
  b_.tensors[name_].push_back(name);
  const Shape& shape = b_.net.graph.value(value).type.shape;
  b_.ini.define(name, "_NbOutputs", std::to_string(shape.c()));
  b_.ini.define(name, "_OutputsWidth", std::to_string(shape.w()));
  b_.ini.define(name, "_OutputsHeight", std::to_string(shape.h()));
}

/// Tensors in the order of their nodes, by their own names; then nodes by theirs where no tensor has it.
void OnnxBuilder::publish() {
  for (const onnx::Layer& layer : imported_.layers)
    if (const auto value = imported_.values.find(layer.output); value != imported_.values.end())
      publish(layer.output, value->second);
  for (const auto& [name, value] : imported_.values)
    if (!b_.layers.contains(name)) publish(name, value);
  for (const onnx::Layer& layer : imported_.layers)
    if (!b_.layers.contains(layer.node_name))
      if (const auto value = imported_.values.find(layer.output); value != imported_.values.end())
        publish(layer.node_name, value->second);
  // Outputs last: they are what a target or a layer is likely to name.
  std::set<std::string_view> outputs;
  for (const onnx::Layer& layer : imported_.layers) outputs.insert(layer.output);
  std::vector<std::string>& names = b_.tensors[name_];
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string& name) { return !outputs.contains(name); });
}

std::string OnnxBuilder::parameter_section(const std::string& output, std::string_view kind) const {
  if (b_.ini.has_section(output) && !b_.ini.has_key(output, "Input")) return output;
  const std::string defaults = fmt::format("{}:{}_def", name_, kind);
  return b_.ini.has_section(defaults) ? defaults : "";
}

void OnnxBuilder::add_parameter(const graph::Node& node, size_t slot, const std::string& section,
                                const std::vector<std::string>& configs) {
  const std::string_view role = node.op->input_role(slot);
  if (role.empty() || !b_.net.graph.value(node.inputs[slot]).is_constant()) return;
  Parameter parameter{node.inputs[slot], {}, nullptr, nullptr};
  const ParameterKeys keys{b_, section, configs};
  const bool norm = graph::as<ops::BatchNorm>(node) != nullptr;
  if (!norm && !graph::is_learnt(role)) return;
  if (!keys_.onnx_init && role != "slopes") {
    if (norm)
      parameter.filler = constant_filler(role == "scales" ? "1" : "0");
    else
      parameter.filler = read_filler(keys, role == "weights" ? "WeightsFiller" : "BiasFiller");
  }
  if (graph::is_learnt(role))
    parameter.solver = read_solver(keys, role == "weights" || role == "slopes" ? "WeightsSolver"
                                         : role == "scales"                    ? "ScaleSolver"
                                                                               : "BiasSolver");
  if (role == "weights" && !section.empty() && has_quantized_weights(node.op->type()))
    read_weight_quantizer(keys, parameter);
  b_.net.parameters.push_back(std::move(parameter));
}

/// BatchNorm, Dropout and LRN have fields that a ConfigSection may set.
void OnnxBuilder::read_operator_keys(graph::NodeId id, const std::string& section,
                                     const std::vector<std::string>& configs) {
  const graph::Node& node = b_.net.graph.node(id);
  if (!graph::as<ops::BatchNorm>(node) && !graph::as<ops::Dropout>(node) && !graph::as<ops::Lrn>(node))
    return;
  std::unique_ptr<graph::Operator> op = node.op->clone();
  op->read(*b_.ini.source(section), *b_.ini.config_source(section, configs), b_.diagnostics);
  if (!op->equals(*node.op)) b_.net.graph.replace(id, std::move(op), node.inputs);
}

/// Whether there are biases the file says; one warning a place where that is not what NoBias says.
void OnnxBuilder::check_no_bias(const graph::Node& node, const std::string& section,
                                const std::vector<std::string>& configs) {
  const bool can_have = node.op->input_role(2) == "biases", has = node.inputs.size() > 2;
  const auto keys = b_.ini.config_source(section, configs);
  bool no_bias = !has;
  if (!can_have || !read_field(field_info("NoBias"), no_bias, *keys, b_.diagnostics) || no_bias == !has)
    return;
  const auto found = keys->find("NoBias");
  if (b_.told_biases.emplace(found->where.file, found->where.line).second)
    b_.diagnostics.warn_key(found->where,
                            fmt::format("[{}] NoBias: '{}' changes nothing, the ONNX file says "
                                        "which layers have biases ('{}' has {})",
                                        section, found->text, node.name, has ? "some" : "none"));
}

void OnnxBuilder::rename_values(graph::ValueId from, graph::ValueId to) {
  for (auto& [name, value] : imported_.values)
    if (value == from) value = to;
}

/// A node that reads the value, which everything else that read it reads instead.
void OnnxBuilder::add_behind(graph::ValueId value, std::unique_ptr<graph::Operator> op,
                             const std::string& name, std::vector<graph::ValueId> parameters) {
  graph::Graph& graph = b_.net.graph;
  parameters.insert(parameters.begin(), value);
  auto again = op->clone();
  const graph::NodeId node = graph.add(std::move(op), b_.fresh_name(name), parameters, section_.where);
  const graph::ValueId out = graph.node(node).outputs.at(0);
  graph.replace_uses(value, out);
  graph.replace(node, std::move(again), std::move(parameters));  // its own input is not its output
  rename_values(value, out);
}

/// QAct in the section of a layer that is no activation: behind what ActivationFunction says.
void OnnxBuilder::quantize_behind(const onnx::Layer& layer, const std::string& section,
                                  const std::vector<std::string>& configs) {
  const bool is_activated = b_.ini.has_key(section, "ActivationFunction");
  auto quantizer = read_activation_quantizer({b_, section, configs}, is_activated);
  if (!quantizer) return;
  graph::ValueId value = b_.net.graph.node(layer.node).outputs.at(0);
  if (auto activation = read_activation(b_, section, false)) {
    add_behind(value, std::move(activation), layer.output + "_act", {});
    value = b_.net.graph.node(*b_.net.graph.find_node(layer.output + "_act")).outputs.at(0);
  }
  const graph::ValueId learnt = add_learnt_step(b_, *quantizer, layer.output);
  add_behind(value, quantizer->op.clone(), layer.output + "_QAct", {learnt});
}

/// The section of an activation says which activation takes its place; none when it says nothing.
void OnnxBuilder::replace_activation(const onnx::Layer& layer, const std::string& section,
                                     const std::vector<std::string>& configs) {
  std::unique_ptr<graph::Operator> op = read_activation(b_, section, false);
  const graph::Node& node = b_.net.graph.node(layer.node);
  const bool is_activated = b_.ini.has_key(section, "ActivationFunction");
  if (auto quantizer = read_activation_quantizer({b_, section, configs}, is_activated)) {
    const graph::ValueId learnt = add_learnt_step(b_, *quantizer, layer.output);
    b_.net.graph.set_clamp(layer.node, std::nullopt);
    if (op) {
      b_.net.graph.replace(layer.node, std::move(op), node.inputs);
      return add_behind(node.outputs.at(0), quantizer->op.clone(), layer.output + "_QAct", {learnt});
    }
    b_.net.graph.replace(layer.node, quantizer->op.clone(), {node.inputs.at(0), learnt});
    return b_.net.graph.rename(layer.node, b_.fresh_name(layer.output + "_QAct"));
  }
  if (op) {
    b_.net.graph.replace(layer.node, std::move(op), node.inputs);
    return b_.net.graph.set_clamp(layer.node, std::nullopt);
  }
  const graph::ValueId from = node.outputs.at(0), to = node.inputs.at(0);
  b_.net.graph.bypass(layer.node);
  rename_values(from, to);
}

void OnnxBuilder::read_parameters(const onnx::Layer& layer) {
  const graph::Node& node = b_.net.graph.node(layer.node);
  const LayerType* type = layer_type_of(node);
  if (type == nullptr) return;
  const bool is_activation = type->name == "Activation" || layer.operator_type == "Clip";
  const std::string section = parameter_section(layer.output, type->name);
  std::vector<std::string> configs;
  if (!section.empty()) {
    b_.ini.mark_used(section);
    b_.types[section] = type->name;
    configs = b_.config_sections(section, b_.default_model);
    refuse_unsupported(b_, section, configs, unsupported_onnx_keys(type->name));
    claim_quantizer_keys({b_, section, configs}, type->name);
  }
  if (is_activation) {
    if (section == layer.output) replace_activation(layer, section, configs);
    return;
  }
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) add_parameter(node, slot, section, configs);
  if (section.empty()) return;
  check_no_bias(node, section, configs);
  read_widths(b_, *b_.ini.source(section), layer.node, layer.node);
  bool back_propagate = true;
  if (!type->solvers.empty())
    read_field(field_info("BackPropagate"), back_propagate, *b_.ini.config_source(section, configs),
               b_.diagnostics);
  if (!back_propagate) b_.net.gradient_stops.push_back(layer.node);
  read_operator_keys(layer.node, section, configs);
  quantize_behind(layer, section, configs);
}

/// Names of Ignore that the file has. One that it has not leaves nothing out: perhaps it did in another
/// version of the file.
std::vector<std::string> OnnxBuilder::ignored_of(const onnx::Model& model) {
  std::vector<std::string> kept;
  const std::vector<std::string> known = model.tensors();
  for (const std::string& name : words(keys_.ignore))
    if (std::find(known.begin(), known.end(), name) != known.end())
      kept.push_back(name);
    else
      b_.diagnostics.warn_key(b_.ini.find(name_, "Ignore")->where,
                              fmt::format("[{}] Ignore: the file has no tensor '{}', nothing is left out{}",
                                          name_, name, did_you_mean(name, known)));
  return kept;
}

/// Paths are relative to the working directory, as N2D2 has it; a file beside the network file is easily
/// meant.
std::string OnnxBuilder::where_it_may_be() const {
  const std::filesystem::path path(keys_.file);
  const std::filesystem::path beside = std::filesystem::path(b_.ini.path()).parent_path() / path;
  std::error_code ignored;
  if (path.is_relative() && std::filesystem::is_regular_file(beside, ignored))
    return fmt::format("it is relative to the working directory; there is '{}'",
                       presentable(beside.string()));
  return path.is_relative() ? "it is relative to the working directory" : "";
}

std::optional<graph::ValueId> OnnxBuilder::build() {
  b_.ini.mark_used(name_);
  if (!read_keys()) return std::nullopt;
  const SourceLocation where = b_.ini.find(name_, "File")->where;
  if (!std::filesystem::is_regular_file(keys_.file)) {
    b_.diagnostics.error(where, fmt::format("[{}] File: no file '{}'", name_, keys_.file), where_it_may_be());
    return std::nullopt;
  }
  onnx::ImportOptions options;
  options.ignore_input_size = keys_.ignore_input_size;
  options.transpose = keys_.transpose;
  options.keeps_channels_last = true;
  const char* compatible = std::getenv("N2D2_COMPAT");
  options.copies_momentum = compatible != nullptr && std::string_view(compatible) == "1";
  options.origin = where;
  const onnx::Model file = onnx::read_model(keys_.file);
  const onnx::Model model = onnx::part_of(
      file, {words(keys_.inputs), words(keys_.outputs), onnx::constants_of(file, keys_.constants)});
  options.ignore = ignored_of(model);
  for (const auto& pair : onnx::state_pairs(model, keys_.states)) options.as_in_file.insert(pair.first);
  const auto inputs = find_inputs(model);
  if (!inputs || !names_are_free(model)) return std::nullopt;
  imported_ = onnx::import_model(b_.net.graph, model, *inputs, options);
  keep_states(b_, section_, model, imported_, keys_.states);
  std::set<graph::NodeId> done;
  for (const onnx::Layer& layer : imported_.layers)
    if (layer.node && done.insert(layer.node).second) read_parameters(layer);
  publish();
  for (const onnx::Layer& layer : imported_.layers)
    if (layer.operator_type == "Softmax") b_.scored.push_back(layer.output);
  for (const std::string& output : model.outputs())
    if (imported_.constants.contains(output)) {
      std::vector<std::string>& others = b_.constants[output];
      for (const std::string& other : model.outputs())
        if (imported_.values.contains(other)) others.push_back(other);
    }
  for (const std::string& output : model.outputs())
    if (const auto value = imported_.values.find(output); value != imported_.values.end())
      return value->second;
  b_.diagnostics.error(where, fmt::format("[{}] File: no output of the file depends on its inputs", name_));
  return std::nullopt;
}

}  // namespace

std::optional<graph::ValueId> build_onnx(Builder& builder, const LayerSection& section) {
  return OnnxBuilder(builder, section).build();
}

std::vector<FieldHelp> onnx_fields() {
  return describe_fields<OnnxKeys>();
}

}  // namespace n2d2::loader

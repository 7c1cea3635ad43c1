#include <algorithm>
#include <iterator>
#include <sstream>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/resize.hpp"

#include "foreign_words.hpp"
#include "layer_builder.hpp"
#include "layer_parameters.hpp"
#include "section_keys.hpp"
#include "section_quantizers.hpp"

namespace n2d2::loader {

bool LayerBuilder::read_type() {
  const auto found = section_->find("Type");
  if (!found) {
    b_.diagnostics.error(section_->where(), fmt::format("[{}] Type: missing, expected a layer type", name_),
                         "known: " + join(layer_types(), ", "));
    return false;
  }
  b_.types[name_] = found->text;
  type_ = find_layer_type(found->text);
  if (type_ != nullptr) return true;
  const auto unsupported = unsupported_layer_types();
  const auto known = std::find_if(unsupported.begin(), unsupported.end(),
                                  [&](const UnsupportedType& type) { return type.name == found->text; });
  if (known != unsupported.end())
    error_at("Type", fmt::format("layer type {} (section [{}]) is not supported", found->text, name_),
             fmt::format("known to N2D2, not supported; {}", known->hint));
  else
    error_at(
        "Type",
        fmt::format("unknown layer type '{}'{}", found->text,
                    meant(WordKind::LayerType, found->text, layer_types())),
        our_word_for(WordKind::LayerType, found->text).empty() ? "known: " + join(layer_types(), ", ") : "");
  return false;
}

void LayerBuilder::read_general() {
  const auto model = section_->find("Model");
  const std::string written = model ? model->text : b_.default_model;
  if (model) check_model(b_, model->text, model->where, name_);
  if (const auto data_type = section_->find("DataType"))
    check_data_type(b_, *data_type, "[" + name_ + "] DataType");
  configs_ = b_.config_sections(name_, written);
  config_ = b_.ini.config_source(name_, configs_);
  const size_t errors = b_.diagnostics.errors().size();
  refuse_unsupported(b_, name_, configs_, unsupported_keys(type_->name));
  refuse_fixed_kernels(b_, name_);
  claim_quantizer_keys({b_, name_, configs_}, type_->name);
  // The shapes are right without them: what comes behind is looked at, too.
  errors_ += b_.diagnostics.errors().size() - errors;
  if (!type_->fillers.empty()) read_field(field_info("NoBias"), no_bias_, *config_, b_.diagnostics);
  if (type_->solvers.empty()) return;
  read_field(field_info("BackPropagate"), back_propagate_, *config_, b_.diagnostics);
  const ParameterKeys keys{b_, name_, configs_};
  if (!type_->fillers.empty()) {
    weights_filler_ = read_filler(keys, "WeightsFiller");
    bias_filler_ = read_filler(keys, "BiasFiller");
  }
  weights_solver_ = read_solver(keys, std::string(type_->solvers.front()));
  bias_solver_ = read_solver(keys, std::string(type_->solvers.back()));
}

bool LayerBuilder::is_flat() {
  if (!type_->mapped) return true;
  std::set<std::string_view> bases;
  for (const FieldHelp& field : ops::registry().find(type_->name)->fields) bases.insert(field.info.geometry);
  bases.erase("");
  for (const std::string_view base : bases)
    for (const char* suffix : {"Dims", "Depth", "Z"}) {
      const std::string key = std::string(base) + suffix;
      const auto found = section_->find(key);
      if (!found) continue;
      std::istringstream words(found->text);
      const auto axes = std::distance(std::istream_iterator<std::string>(words), {});
      if (std::string_view(suffix) == "Dims" && axes < 3) continue;
      error_at(key, fmt::format("'{}': three dimensions are known to N2D2, not supported", found->text),
               "maps have a width and a height");
      return false;
    }
  return true;
}

/// An operator that has NbOutputs among its fields has judged the key itself.
void LayerBuilder::read_nb_outputs() {
  const graph::OperatorEntry* entry = ops::registry().find(type_->name);
  const bool is_judged =
      entry != nullptr && std::any_of(entry->fields.begin(), entry->fields.end(),
                                      [](const FieldHelp& field) { return field.info.name == "NbOutputs"; });
  Diagnostics told;
  read_field(field_info("NbOutputs", required, at_least(1)), nb_outputs_, *section_,
             is_judged ? told : b_.diagnostics);
}

void LayerBuilder::add_node(std::unique_ptr<graph::Operator> op, const std::string& node,
                            std::vector<graph::ValueId> inputs) {
  try {
    const graph::NodeId id = b_.net.graph.add(std::move(op), node, std::move(inputs), section_->where());
    value_ = b_.net.graph.node(id).outputs.at(0);
    node_ = id;
  } catch (const ModelError& error) {
    std::vector<Diagnostic> findings = error.findings();
    for (Diagnostic& finding : findings) finding = in_words_of_the_file(finding);
    throw ModelError(std::move(findings));
  }
}

/// A node that the section does not name is its layer to the user, and its inputs are the parents: a finding
/// that speaks of inputs says which they are.
Diagnostic LayerBuilder::in_words_of_the_file(Diagnostic finding) const {
  std::string said = finding.message;
  const size_t end = finding.message.find("] ");
  if (finding.message.starts_with('[') && end != std::string::npos) {
    said = finding.message.substr(end + 2);
    if (finding.message.substr(1, end - 1) != name_) said = "Input" + said.substr(said.find(':'));
    finding.message = fmt::format("[{}] {}", name_, said);
  }
  const bool speaks_of_inputs =
      said.find("input") != std::string::npos || said.find("Input") != std::string::npos;
  if (!finding.hint.empty() || !speaks_of_inputs) return finding;
  for (size_t i = 0; i < inputs_.size() && i < names_.size(); ++i)
    finding.hint += fmt::format("{}{} is '{}', {}", i == 0 ? "" : "; ",
                                inputs_.size() == 1 ? std::string("the input") : fmt::format("input {}", i),
                                names_[i], b_.net.graph.value(inputs_[i]).type.shape.text());
  return finding;
}

graph::ValueId LayerBuilder::parameter(const std::string& node, const std::string& role, Shape shape,
                                       std::vector<int64_t> parts, std::unique_ptr<training::Filler> filler,
                                       std::unique_ptr<training::Solver> solver) {
  const graph::ValueId id =
      b_.net.graph.add_constant(b_.fresh_name(node + "_" + role), Tensor(std::move(shape)));
  b_.net.parameters.push_back({id, std::move(parts), std::move(filler), std::move(solver)});
  return id;
}

/// Before tables and weights of that shape are allocated.
bool LayerBuilder::fits(const Shape& weights) {
  constexpr int64_t kMost = int64_t{1} << 29;  // 2 GiB of float32
  double elements = 1;
  for (const int64_t extent : weights.dims()) elements *= static_cast<double>(extent);
  if (elements > kMost) {
    const std::string message = fmt::format("expected at most {} weights or connections, got {}",
                                            with_thousands(kMost), weights.text());
    if (*std::max_element(weights.dims().begin(), weights.dims().end()) == weights[0])
      error_at("NbOutputs", message);
    else
      b_.diagnostics.error(section_->where(), fmt::format("[{}] {}", name_, message));
  }
  return elements <= kMost;
}

void LayerBuilder::add_weights(Shape weights, std::vector<int64_t> parts,
                               std::vector<graph::ValueId>& inputs) {
  const int64_t outputs = weights[0];
  inputs.push_back(parameter(name_, "weights", std::move(weights), std::move(parts),
                             std::move(weights_filler_), std::move(weights_solver_)));
  if (!no_bias_)
    inputs.push_back(
        parameter(name_, "biases", {outputs}, {}, std::move(bias_filler_), std::move(bias_solver_)));
}

void LayerBuilder::add_batchnorm(std::unique_ptr<graph::Operator> op, const std::string& node,
                                 const std::string& scale_key) {
  const ParameterKeys keys{b_, name_, configs_};
  const int64_t channels = shape().c();
  std::vector<graph::ValueId> inputs{*value_};
  inputs.push_back(
      parameter(node, "scales", {channels}, {}, constant_filler("1"), read_solver(keys, scale_key)));
  inputs.push_back(
      parameter(node, "biases", {channels}, {}, constant_filler("0"), read_solver(keys, "BiasSolver")));
  inputs.push_back(parameter(node, "means", {channels}, {}, constant_filler("0"), nullptr));
  inputs.push_back(parameter(node, "variances", {channels}, {}, constant_filler("0"), nullptr));
  add_node(std::move(op), node, std::move(inputs));
}

/// Groups or the connection table of a Conv or Deconv, and weights of that shape.
template <class Op>
void LayerBuilder::add_mapped_weights(Op& op, std::vector<graph::ValueId>& inputs) {
  if (!fits({nb_outputs_, shape().c(), op.kernel.y, op.kernel.x})) return;
  map_channels();
  if (!mapping_.valid) return;
  op.groups = std::max(1, block_groups(mapping_.table));
  if (block_groups(mapping_.table) == 0) op.connections = mapping_.table.cells;
  add_weights({nb_outputs_, shape().c() / op.groups, op.kernel.y, op.kernel.x},
              op.groups > 1 ? std::vector<int64_t>{} : input_parts(false), inputs);
}

/// Where pixels of the result lie; the nearest pixel is that of o in / out whatever AlignCorners says.
void LayerBuilder::read_align_corners(ops::Resize& resize) {
  bool aligns = true;
  const bool given = read_field(field_info("AlignCorners"), aligns, *config_, b_.diagnostics);
  if (resize.mode == ops::ResizeMode::BilinearTF) {
    if (aligns) resize.positions = ops::ResizePositions::AlignCorners;
  } else if (given) {
    const KeyText found = *config_->find("AlignCorners");
    b_.diagnostics.warn(found.where,
                        fmt::format("[{}] AlignCorners: means nothing to Mode=NearestNeighbor", name_));
  }
}

void LayerBuilder::add_weighted(std::vector<graph::ValueId>& inputs) {
  if (auto* conv = dynamic_cast<ops::Conv*>(op_.get())) return add_mapped_weights(*conv, inputs);
  if (auto* deconv = dynamic_cast<ops::Deconv*>(op_.get())) return add_mapped_weights(*deconv, inputs);
  const Shape weights{nb_outputs_, shape().c() * shape().h() * shape().w()};
  if (fits(weights)) add_weights(weights, input_parts(true), inputs);
}

/// Classes of a batch, which the trainer sets; -1: of no class.
graph::ValueId LayerBuilder::add_classes() {
  Tensor classes(Shape{b_.net.batch_size});
  classes.fill(-1);
  return b_.net.graph.add_constant(b_.fresh_name(name_ + "_classes"), std::move(classes));
}

void LayerBuilder::add_layer() {
  std::vector<graph::ValueId> inputs{*value_};
  if (!type_->fillers.empty()) {
    add_weighted(inputs);
    if (failed()) return;
  } else if (type_->name == "Pool") {
    return add_pool(std::move(op_));
  } else if (type_->name == "Unpool") {
    return add_unpool(std::move(op_));
  } else if (transformation_) {
    return add_transformation();
  } else if (type_->name == "TargetBias") {
    inputs.push_back(add_classes());
  } else if (type_->name == "ElemWise") {
    inputs = inputs_;
  } else if (type_->name == "BatchNorm") {
    return add_batchnorm(std::move(op_), name_, "ScaleSolver");
  }
  if (op_) add_node(std::move(op_), name_, std::move(inputs));
  quantize_weights();
  if (type_->name == "ElemWise") note_repeated_operands();
  if (sub_sample_ != Dims{1, 1}) add_sub_sample();
  if (type_->name == "Conv" && b_.insert_batchnorm && !b_.followed_by_batchnorm.contains(name_)) {
    const graph::NodeId conv = node_;
    add_batchnorm(std::make_unique<ops::BatchNorm>(), b_.fresh_name(name_ + "_bn"), "ScaleSolver");
    node_ = conv;
  }
}

void LayerBuilder::add_activation() {
  if (!activation_) return;
  const graph::NodeId node = node_;
  const bool is_layer = type_->name == "Activation";
  add_node(std::move(activation_), is_layer ? name_ : b_.fresh_name(name_ + "_act"), {*value_});
  node_ = node;
}

void LayerBuilder::quantize_weights() {
  if (!has_quantized_weights(type_->name)) return;
  const size_t errors = b_.diagnostics.errors().size();
  const graph::ValueId weights = b_.net.graph.node(node_).inputs.at(1);
  for (Parameter& parameter : b_.net.parameters)
    if (parameter.constant == weights) read_weight_quantizer({b_, name_, configs_}, parameter);
  // The shapes are right without it: what comes behind is looked at, too.
  errors_ += b_.diagnostics.errors().size() - errors;
}

void LayerBuilder::quantize_activation() {
  const bool is_activated = type_->name == "Activation" || b_.ini.has_key(name_, "ActivationFunction");
  const size_t errors = b_.diagnostics.errors().size();
  auto quantizer = read_activation_quantizer({b_, name_, configs_}, is_activated);
  errors_ += b_.diagnostics.errors().size() - errors;
  if (quantizer) value_ = add_quantizer(b_, std::move(*quantizer), name_, *value_, section_->where());
}

void LayerBuilder::check_outputs() {
  if (shape().c() != nb_outputs_)
    error_at("NbOutputs", fmt::format("expected {}, the channels this layer produces, got '{}'", shape().c(),
                                      nb_outputs_));
}

/// NbOutputs was NbChannels in the first releases of N2D2.
void LayerBuilder::accept_former_names() {
  if (b_.ini.has_key(name_, "NbOutputs") || !b_.ini.has_key(name_, "NbChannels")) return;
  section_ = rename_key(std::move(section_), "NbOutputs", "NbChannels");
  if (std::exchange(b_.told_former_name, true)) return;
  b_.diagnostics.warn(
      b_.ini.find(name_, "NbChannels")->where,
      fmt::format("[{}] NbChannels: is called NbOutputs today, read as that in all layers", name_));
}

std::optional<graph::ValueId> LayerBuilder::build() {
  errors_ = b_.diagnostics.errors().size();
  section_ =
      hide_keys(b_.ini.source(name_), {"Groups", "Connections", "ConstantsFrom", "CountZeros", "Kernel",
                                       "OutputPadding", "Positions", "Rounding", "ScaleX", "ScaleY"});
  accept_former_names();
  b_.ini.mark_used(name_);
  if (!read_type()) {
    mark_all_read(b_.ini, name_);
    return std::nullopt;
  }
  read_general();
  activation_ = read_activation(b_, name_, type_->name == "Activation");
  if (!is_flat()) {
    mark_all_read(b_.ini, name_);
    return std::nullopt;
  }
  if (type_->name == "Conv")
    read_field(field_info("SubSample", geometry("SubSample"), at_least(1)), sub_sample_, *section_,
               b_.diagnostics);
  if (type_->name == "Transformation") {
    transformation_ = read_transformation();
  } else if (type_->name != "Activation") {
    op_ = ops::registry().find(type_->name)->make();
    op_->read(*section_, *config_, b_.diagnostics);
    if (auto* resize = dynamic_cast<ops::Resize*>(op_.get())) read_align_corners(*resize);
  }
  read_nb_outputs();
  find_inputs();
  if (failed() || broken_input_ || inputs_.empty()) {
    if (type_->mapped) mark_prefix_read(b_.ini, name_, "Map");
    return std::nullopt;
  }
  if (!match_sizes()) {
    mark_prefix_read(b_.ini, name_, "Map");
    return std::nullopt;
  }
  connect();
  check_window();
  b_.ini.define(name_, "_NbChannels", std::to_string(shape().c()));
  b_.ini.define(name_, "_ChannelsWidth", std::to_string(shape().w()));
  b_.ini.define(name_, "_ChannelsHeight", std::to_string(shape().h()));
  add_layer();
  if (failed()) {
    if (type_->mapped) mark_prefix_read(b_.ini, name_, "Map");
    return std::nullopt;
  }
  if (!back_propagate_) b_.net.gradient_stops.push_back(node_);
  add_activation();
  read_widths(b_, *section_, node_, b_.net.graph.value(*value_).producer);
  quantize_activation();
  check_outputs();
  if (failed()) return std::nullopt;
  return value_;
}

std::vector<std::string> parents_of(const Builder& builder, const LayerSection& layer) {
  std::vector<std::string> parents = layer.inputs;
  const auto brings_tensors = [&](const std::string& name) { return builder.tensors.contains(name); };
  // With nothing else left, the name stands for the first output of the file.
  if (!std::all_of(parents.begin(), parents.end(), brings_tensors)) std::erase_if(parents, brings_tensors);
  return parents;
}

bool Builder::lacks_tensors() const {
  return std::any_of(order.begin(), order.end(), [&](const LayerSection& section) {
    const auto built = layers.find(section.name);
    return section.is_onnx && built != layers.end() && !built->second.value;
  });
}

void unknown_parent(Builder& builder, const std::string& layer, const std::string& input) {
  if (builder.lacks_tensors()) return;
  std::vector<std::string> names{"sp"};
  for (const LayerSection& other : builder.order) names.push_back(other.name);
  for (const auto& [section, tensors] : builder.tensors)
    names.insert(names.end(), tensors.begin(), tensors.end());
  const auto found = builder.ini.find(layer, "Input");
  builder.diagnostics.error(
      found ? found->where : builder.ini.section_where(layer),
      fmt::format("[{}] Input: layer '{}' does not exist{}", layer, input, did_you_mean(input, names)),
      names_of_tensors(builder));
}

void give_up(Builder& builder, const std::string& layer) {
  builder.ini.poison(layer);
  Builder unheard(builder.ini, builder.options);
  attempt(unheard, [&] {
    const std::vector<std::string> configs = unheard.config_sections(layer, builder.default_model);
    const std::vector<std::string> names = builder.ini.section_names();
    for (const std::string& config : configs)
      builder.ini.mark_used(builder.ini.has_section(config) ? config
                                                            : nearest(config, names).value_or(config));
  });
}

void build_layer(Builder& builder, const LayerSection& layer) {
  std::optional<graph::ValueId> value;
  // A layer whose reading broke off has said what is wrong; its other keys are not known to be unread.
  const auto build = [&] {
    const auto type = builder.ini.find(layer.name, "Type");
    value = type && type->text == "ONNX" ? build_onnx(builder, layer) : LayerBuilder(builder, layer).build();
  };
  if (!attempt(builder, build)) {
    mark_all_read(builder.ini, layer.name);
    for (const std::string& config : builder.configs[layer.name])
      mark_all_read(builder.ini, config, layer.name);
  }
  builder.layers[layer.name] = {value};
  if (!value) return give_up(builder, layer.name);
  const Shape& shape = builder.net.graph.value(*value).type.shape;
  builder.ini.define(layer.name, "_NbOutputs", std::to_string(shape.c()));
  builder.ini.define(layer.name, "_OutputsWidth", std::to_string(shape.w()));
  builder.ini.define(layer.name, "_OutputsHeight", std::to_string(shape.h()));
}

}  // namespace n2d2::loader

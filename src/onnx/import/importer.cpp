#include "importer.hpp"

#include <algorithm>

#include <onnx/defs/schema.h>

#include "n2d2/base/progress.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/ops/reshape.hpp"

#include "channels_last.hpp"
#include "import_swapped.hpp"
#include "read/composed.hpp"

namespace n2d2::onnx {

namespace {

constexpr std::string_view kAfterwards = "do this in the program that calls the network";

/// What helps with an operator that many files have and nothing here imports, or only of constants; empty for
/// others.
std::string_view advice_for(std::string_view type) {
  static constexpr std::string_view kWrittenOut =
      "export the model with its loops written out (torch.onnx.export of a traced model, onnxsim)";
  static constexpr std::string_view kStatic =
      "quantize with scales that are constants, in the QDQ format (ONNX Runtime: quantize_static with "
      "QuantFormat.QDQ)";
  static const std::map<std::string_view, std::string_view> kAdvice{
      {"ConvInteger", kStatic},   {"DynamicQuantizeLinear", kStatic}, {"Loop", kWrittenOut},
      {"MatMulInteger", kStatic}, {"NonMaxSuppression", kAfterwards}, {"Scan", kWrittenOut},
  };
  static const std::map<std::string_view, std::string_view> kOfConstants{
      {"ArgMax", kAfterwards},
      {"ArgMin", kAfterwards},
      {"TopK", kAfterwards},
  };
  if (const auto found = kOfConstants.find(type); found != kOfConstants.end()) return found->second;
  if (type.starts_with("QLinear")) return kStatic;  // those of com.microsoft
  const auto found = kAdvice.find(type);
  return found == kAdvice.end() ? std::string_view{} : found->second;
}

/// A name of ONNX's own, or of another domain, is meant as it stands.
bool is_misspelt(const FileNode& node) {
  return node.domain.empty() && ::onnx::OpSchemaRegistry::Schema(node.type) == nullptr;
}

const Rule* rule_of(const FileNode& node) {
  const Rule* rule = rules().find(node.type);
  if (rule == nullptr) return nullptr;
  const bool is_meant = rule->is_of_qonnx ? is_domain_of_qonnx(node.domain) : node.domain.empty();
  return is_meant ? rule : nullptr;
}

}  // namespace

Importer::Importer(graph::Graph& graph, const File& file, const ImportOptions& options)
    : graph_(graph), file_(file), options_(options), origin_(options.origin) {
  if (origin_.file.empty()) origin_ = {file.path, 0};
  ignored_.insert(options.ignore.begin(), options.ignore.end());
  count_reads(file.nodes);
  for (const std::string& output : file.outputs) ++reads_[output];
  for (const auto& [name, array] : file.initializers) folding_room_ += 2 * array->bytes();
  for (const auto& [name, array] : file.initializers) set(name, {array->dims, {}, array});
}

void Importer::count_reads(const std::vector<FileNode>& nodes) {
  for (const FileNode& node : nodes)
    for (const std::string& name : node.read()) ++reads_[name];
}

void Importer::set(const std::string& name, Operand operand) {
  if (operand.is_constant()) {
    // Values of initializers are only copied when they leave the file's graph.
    if (std::find(file_.outputs.begin(), file_.outputs.end(), name) != file_.outputs.end())
      imported_.constants[name] = operand.array->tensor();
  } else {
    imported_.values[name] = operand.value;
    imported_.dims[name] = operand.dims;
    if (operand.grid) imported_.grids[name] = *operand.grid;
    ++names_[operand.value];
  }
  operands_[name] = std::move(operand);
}

void Importer::set_grid(const std::string& name, const Grid& grid) {
  operands_.at(name).grid = grid;
  imported_.grids[name] = grid;
}

/// The grid of data that are integers in the file; nothing when they are reals. Refused where the rule knows
/// nothing of integers, or would mix them.
std::optional<Grid> Importer::grid_of_inputs(const FileNode& node, Integers handling) const {
  std::optional<Grid> grid;
  bool reals = false;
  for (const std::string& name : node.inputs) {
    if (name.empty() || operands_.find(name)->second.is_constant()) continue;
    const std::optional<Grid>& own = operands_.find(name)->second.grid;
    if (own && handling == Integers::Refused)
      refuse(fmt::format("reads '{}', whose elements are integers, expected float32", name),
             "put a DequantizeLinear in between");
    if (own && handling == Integers::Moved && (reals || (grid && !(*grid == *own))))
      refuse("joins integers of several scales", "dequantize the tensors first");
    reals = reals || !own;
    if (own) grid = own;
  }
  if (grid && reals && handling == Integers::Moved)
    refuse("joins integers and real numbers", "dequantize the tensors first");
  return grid;
}

/// What the file says of an output, or, of operators that keep extents, of their input.
std::optional<Extents> Importer::likely_extents(const FileNode& node, size_t output) const {
  static const std::set<std::string_view> kKeeping{"Abs",
                                                   "BatchNormalization",
                                                   "Celu",
                                                   "Clip",
                                                   "Dropout",
                                                   "Elu",
                                                   "Erf",
                                                   "Exp",
                                                   "Floor",
                                                   "Gelu",
                                                   "HardSigmoid",
                                                   "HardSwish",
                                                   "Hardmax",
                                                   "Identity",
                                                   "LRN",
                                                   "LeakyRelu",
                                                   "Log",
                                                   "LogSoftmax",
                                                   "Mish",
                                                   "PRelu",
                                                   "Relu",
                                                   "Round",
                                                   "Selu",
                                                   "Sigmoid",
                                                   "Sign",
                                                   "Softmax",
                                                   "Softplus",
                                                   "Softsign",
                                                   "Sqrt",
                                                   "Tanh",
                                                   "ThresholdedRelu",
                                                   "InstanceNormalization"};
  std::optional<Extents> dims;
  if (const auto found = file_.declared.find(node.outputs[output]); found != file_.declared.end())
    dims = found->second.dims;
  else if (output == 0 && kKeeping.contains(node.type) && !node.inputs.empty())
    if (const auto input = operands_.find(node.inputs[0]); input != operands_.end())
      dims = input->second.dims;
  if (!dims || dims->size() < 2) return std::nullopt;
  if (dims->front() == -1) dims->front() = 1;
  const bool known = std::all_of(dims->begin(), dims->end(), [](int64_t extent) { return extent >= 1; });
  return known ? dims : std::nullopt;
}

/// What follows is read on with a stand-in of likely extents, for its own findings; else it is skipped.
void Importer::lose_outputs(const FileNode& node) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const std::string& output = node.outputs[i];
    if (output.empty()) continue;
    broken_.insert(output);
    const auto dims = likely_extents(node, i);
    if (!dims || !findings_.has_errors()) continue;
    try {
      elements_of(*dims);
    } catch (const ModelError&) {
      continue;
    }
    set(output, {*dims,
                 graph_.add_input(graph_.unique_name(output + "_lost"),
                                  {map_shape(*dims), DataType::F32, Layout::Nchw, {}}),
                 nullptr});
    if (const auto input = operands_.find(node.inputs.empty() ? "" : node.inputs[0]);
        input != operands_.end() && input->second.grid)
      set_grid(output, *input->second.grid);  // or what follows would miss them
    broken_.erase(output);
  }
}

void Importer::add_input(const GraphInput& input, graph::ValueId value) {
  const std::string subject = fmt::format("input '{}'", input.name);
  const size_t errors = findings_.errors().size();
  Extents dims = input.dims;
  if (dims.size() < 2)
    error(fmt::format("{}: rank {}, expected a batch axis and others", subject, dims.size()));
  for (size_t axis = 1; axis < dims.size(); ++axis)
    if (dims[axis] < 1)
      error(fmt::format("{}: axis {} is {}, only the batch may be", subject, axis,
                        dims[axis] == -1 ? "open (dynamic)" : std::to_string(dims[axis])),
            "export the model with fixed extents, or fix them (onnxruntime.tools.make_dynamic_shape_fixed)");
  if (!dims.empty() && dims[0] != -1 && dims[0] < 1)
    error(fmt::format("{}: batch extent {}", subject, dims[0]));
  if (findings_.errors().size() > errors) {
    broken_.insert(input.name);
    return;
  }
  dims[0] = std::max<int64_t>(1, dims[0]);
  elements_of(dims);

  const Shape wanted = map_shape(dims), given = graph_.value(value).type.shape;
  const bool may_lie = options_.keeps_channels_last && can_be_channels_last(dims);
  if (may_lie && input.channels_last && add_lying(input, dims, value)) return;
  const bool flattens = dims.size() == 2 || (dims.size() == 3 && wanted.c() == given.c());
  if (wanted == given) return set(input.name, {dims, value, nullptr});
  if (flattens && wanted.elements() == given.elements())
    return set(input.name, {dims, as_input_map(input, value, wanted), nullptr});
  if (may_lie && add_lying(input, dims, value)) return;
  if (options_.ignore_input_size && dims.size() == 4)
    return set(input.name, {{dims[0], given.c(), given.h(), given.w()}, value, nullptr});
  refuse_input(input, dims, given);
}

/// A given map whose channels are the last axis of the file's tensor.
bool Importer::add_lying(const GraphInput& input, const Extents& dims, graph::ValueId value) {
  const Shape wanted = map_shape(channels_first(dims)), given = graph_.value(value).type.shape;
  Operand operand{dims, value, nullptr, {}, true};
  if (wanted != given) {
    const bool has_pixels = wanted.c() == given.c() && wanted.elements() == given.elements();
    if (dims.size() == 3 && has_pixels)
      operand.value = as_input_map(input, value, wanted);
    else if (options_.ignore_input_size && dims.size() == 4 && wanted.c() == given.c())
      operand.dims = {dims[0], given.h(), given.w(), given.c()};
    else
      return false;
  }
  set(input.name, std::move(operand));
  return true;
}

graph::ValueId Importer::as_input_map(const GraphInput& input, graph::ValueId value, const Shape& wanted) {
  auto reshape = std::make_unique<ops::Reshape>();
  reshape->dims = {static_cast<int>(wanted.w()), static_cast<int>(wanted.h()), static_cast<int>(wanted.c())};
  const graph::NodeId node =
      graph_.add(std::move(reshape), graph_.unique_name(input.name + "_map"), {value}, origin_);
  return graph_.node(node).outputs.at(0);
}

void Importer::refuse_input(const GraphInput& input, const Extents& dims, const Shape& given) {
  const Shape wanted = map_shape(dims);
  const bool is_turned = dims.size() == 4 && dims[3] == given.c() && dims[1] == given.h();
  const bool lies = wanted == graph::turned(given);
  const Shape size = input.channels_last ? map_shape(channels_first(dims)) : wanted;
  error(fmt::format("input '{}': the file expects {}, it is given {} (channels x height x width{})",
                    input.name, text_of(Extents(dims.begin() + 1, dims.end())),
                    Shape{given.c(), given.h(), given.w()}.text(),
                    options_.transpose ? ", exchanged by Transpose=1" : ""),
        is_turned          ? "export the model with channels first (tf2onnx --inputs-as-nchw)"
        : lies             ? fmt::format("they agree with Transpose={}", options_.transpose ? 0 : 1)
        : dims.size() == 4 ? "IgnoreInputSize=1 imports the graph with the given size"
                           : fmt::format("[sp] of the file's size has NbChannels={}, SizeY={}, SizeX={}",
                                         size.c(), size.h(), size.w()));
  broken_.insert(input.name);
}

void Importer::add_inputs(const std::vector<graph::ValueId>& inputs) {
  N2D2_CHECK(inputs.size() == file_.inputs.size(), "{} values for {} inputs", inputs.size(),
             file_.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    try {
      add_input(file_.inputs[i], inputs[i]);
      if (file_.inputs[i].batch != 0 && operands_.contains(file_.inputs[i].name))
        move_batch(file_.inputs[i].name, file_.inputs[i].batch);
      if (file_.inputs[i].grid && operands_.contains(file_.inputs[i].name))
        set_grid(file_.inputs[i].name, *file_.inputs[i].grid);
    } catch (const ModelError& e) {
      error(fmt::format("input '{}': {}", file_.inputs[i].name, e.findings().front().message));
      broken_.insert(file_.inputs[i].name);
    }
  }
}

/// A node that hangs on nothing but tensors that were left out goes with them.
bool Importer::hangs_on_dropped(const FileNode& node) {
  std::string lost;
  bool reads_data = false;
  for (const std::string& input : node.inputs) {
    if (input.empty()) continue;
    if (dropped_.contains(input))
      lost = input;
    else if (broken_.contains(input) || !operands_.find(input)->second.is_constant())
      reads_data = true;
  }
  if (lost.empty()) return false;
  if (reads_data) {
    error(fmt::format("{}: reads '{}', which is left out and has no single input to take its place",
                      node.subject(), lost),
          "add this node's output to Ignore, too");
    lose_outputs(node);
  } else {
    dropped_.insert(node.outputs.begin(), node.outputs.end());
  }
  return true;
}

/// Ignored nodes become a wire from their data input.
bool Importer::leave_out(const FileNode& node) {
  if (!ignored_.contains(node.outputs.at(0))) return false;
  std::vector<const Operand*> data;
  for (const std::string& input : node.inputs) {
    if (input.empty()) continue;
    if (broken_.contains(input)) {
      lose_outputs(node);
      return true;
    }
    const Operand& operand = operands_.find(input)->second;
    if (!operand.is_constant()) data.push_back(&operand);
  }
  if (data.size() == 1 && data[0]->channels_last && node.type == "Transpose") return false;  // a wire, too
  if (data.size() == 1) {
    set(node.outputs[0], *data[0]);
    dropped_.insert(node.outputs.begin() + 1, node.outputs.end());
  } else {
    dropped_.insert(node.outputs.begin(), node.outputs.end());
  }
  return true;
}

void Importer::convert(Node& node, const Rule& rule, bool is_over_channels) {
  const bool constant = node.all_constant();
  const std::optional<Grid> grid = grid_of_inputs(node.file(), rule.integers);
  const bool is_old = show_old_operand(node);
  const std::shared_ptr<const Split> bytes = constant || is_old ? nullptr : show_bytes(node);
  const bool turned = !constant && !is_old && !bytes && show_channels_first(node, is_over_channels);
  if (constant && rule.fold)
    rule.fold(node);
  else if (rule.convert)
    rule.convert(node);
  else
    refuse("depends on the network's input, and is only understood on constants", hint_for(node.file()));
  const auto unread = node.unread_attributes();
  if (!unread.empty())
    refuse(fmt::format("attribute '{}' is not known for this operator (operator set {})",
                       join(unread, "', '"), node.opset()));
  const auto inputs = node.unread_inputs();
  if (!inputs.empty())
    refuse(fmt::format("input '{}' is one too many for this operator", join(inputs, "', '")));
  for (size_t i = 0; i < node.file().outputs.size(); ++i)
    if (node.wants_output(i) && !operands_.contains(node.file().outputs[i])) {
      if (broken_.contains(node.file().outputs[i])) continue;  // by a finding inside a branch
      if (reads_[node.file().outputs[i]] > 0)
        refuse(fmt::format("output {} ('{}') is used, which is not imported", i, node.file().outputs[i]));
    }
  if (turned) turn_outputs(node.file());
  if (bytes) set_bytes(node.file(), *bytes);
  if (grid && rule.integers == Integers::Moved)
    for (const std::string& output : node.file().outputs)
      if (operands_.contains(output)) set_grid(output, *grid);
  if (!constant)
    imported_.layers.push_back({node.file().outputs.at(0), node.file().name, node.file().type, node.layer});
}

/// What the If read is read by the nodes that take its place; their outputs are its own.
void Importer::add_branch(const FileNode& node, const Branch& branch) {
  for (const std::string& name : node.captured) --reads_[name];
  count_reads(branch.nodes);
  for (const auto& [name, array] : branch.initializers) set(name, {array->dims, {}, array});
  for (const FileNode& each : branch.nodes) add_node(each);
}

std::string Importer::cut_hint(const FileNode& node) const {
  std::vector<std::string> names;
  for (const std::string& input : node.inputs) {
    const auto found = operands_.find(input);
    const bool is_input = std::any_of(file_.inputs.begin(), file_.inputs.end(),
                                      [&](const GraphInput& given) { return given.name == input; });
    if (input.empty() || broken_.contains(input) || is_input || found == operands_.end()) continue;
    if (!found->second.is_constant() && std::find(names.begin(), names.end(), input) == names.end())
      names.push_back(input);
  }
  if (names.empty()) return "";
  return fmt::format("'-outputs {}' (Outputs={} of an INI section) ends the network in front of it",
                     join(names, ","), join(names, " "));
}

std::string Importer::hint_for(const FileNode& node) const {
  const std::string_view advice = advice_for(node.type);
  const std::string cut = cut_hint(node);
  if (advice.empty()) return cut;
  return advice == kAfterwards && !cut.empty() ? fmt::format("{}: {}", advice, cut) : std::string(advice);
}

/// The first of an operator is told, the others are counted.
void Importer::refuse_operator(const FileNode& node) {
  const std::string key = node.domain.empty() ? node.type : node.domain + "." + node.type;
  const auto [known, is_first] = unknown_.try_emplace(key, node.subject(), 1);
  if (!is_first) {
    ++known->second.second;
    return;
  }
  const auto types = operator_types();
  std::string hint = hint_for(node);
  if (advice_for(node.type).empty())
    hint = hint.empty() ? "rewrite it with operators of docs/use/onnx.md"
                        : "rewrite it with operators of docs/use/onnx.md; " + hint;
  error(fmt::format("{}: this operator is not imported{}", node.subject(),
                    is_misspelt(node) ? did_you_mean(node.type, types) : ""),
        hint);
}

void Importer::add_by(const Rule& rule, const FileNode& file) {
  const std::optional<FileNode> turned = over_channels(file);
  Node node(*this, turned ? *turned : file);
  convert(node, rule, turned.has_value());
}

void Importer::add_node(const FileNode& file) {
  if (const FileNode* ordered = with_order(file)) return add_node(*ordered);
  if (hangs_on_dropped(file) || leave_out(file)) return;
  const Rule* rule = rule_of(file);
  const bool broken = std::any_of(file.inputs.begin(), file.inputs.end(),
                                  [&](const std::string& name) { return broken_.contains(name); });
  if (rule == nullptr) {
    refuse_operator(file);
    return lose_outputs(file);
  }
  if (broken) return lose_outputs(file);
  try {
    see_stack(file);
    see_sequence(file);
    if (reads_moved_batch(file))
      add_batch_first(file, *rule);
    else
      add_by(*rule, file);
  } catch (const ModelError& e) {
    error(fmt::format("{}: {}", file.subject(), e.findings().front().message), e.findings().front().hint);
    for (const std::string& output : file.outputs) operands_.erase(output);
    lose_outputs(file);
  }
}

void Importer::add_nodes() {
  for (const std::string& name : options_.ignore) {
    std::vector<std::string> known;
    for (const FileNode& node : file_.nodes) known.push_back(node.outputs.at(0));
    if (std::find(known.begin(), known.end(), name) == known.end())
      error(fmt::format("Ignore: no node has '{}' as its first output{}", name, did_you_mean(name, known)));
  }
  progress::Task task("Importing the ONNX file", static_cast<int64_t>(file_.nodes.size()), "nodes");
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    task.at(static_cast<int64_t>(i));
    add_node(file_.nodes[i]);
  }
}

void Importer::finish_output(const std::string& name) {
  try {
    straight(name);
  } catch (const ModelError& e) {
    error(fmt::format("output '{}': {}", name, e.findings().front().message), e.findings().front().hint);
  }
}

Imported Importer::finish() {
  for (const auto& [type, nodes] : unknown_)
    if (nodes.second > 1)
      error(fmt::format("{} nodes in all have the operator '{}' of {}", nodes.second, type, nodes.first));
  findings_.finish<ModelError>();
  for (const std::string& output : file_.outputs)
    if (const auto found = operands_.find(output); found != operands_.end())
      if (found->second.split || !options_.keeps_channels_last || options_.as_in_file.contains(output))
        finish_output(output);
  findings_.finish<ModelError>();
  // What stayed a view has no value of its own.
  for (const auto& [name, operand] : operands_)
    if (operand.split) imported_.values.erase(name);
  return std::move(imported_);
}

Imported import_as_it_is(graph::Graph& graph, const Model& model, const std::vector<graph::ValueId>& inputs,
                         const ImportOptions& options) {
  File file = model.file();
  compose(file, {options.ignore.begin(), options.ignore.end()});
  Importer importer(graph, file, options);
  importer.add_inputs(inputs);
  importer.add_nodes();
  return importer.finish();
}

}  // namespace n2d2::onnx

#include "node_reader.hpp"

#include <algorithm>

#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include "n2d2/graph/size_limit.hpp"

#include "clean_names.hpp"
#include "external_data.hpp"
#include "tensor_proto.hpp"

namespace n2d2::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

/// Functions that call functions, and branches in branches.
constexpr size_t kDeepest = 64;

/// Before this operator set nodes said which inputs they overwrite, which changes no value.
constexpr int64_t kNoMoreConsumed = 6;

// Fields of IR versions that the installed ONNX library may be too old to know.
constexpr int kOverloadOfNode = 8, kOverloadOfFunction = 13, kDefaultsOfFunction = 11;

std::vector<std::string> unknown_texts(const google::protobuf::Message& message, int field) {
  std::vector<std::string> out;
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() == field &&
        unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      out.push_back(unknown.field(i).length_delimited());
  return out;
}

std::string overload_of(const google::protobuf::Message& message, int field) {
  const std::vector<std::string> texts = unknown_texts(message, field);
  return texts.empty() ? "" : texts.back();
}

std::string domain_of(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

FileNode identity(const std::string& from, const std::string& to, int64_t opset) {
  FileNode node;
  node.type = "Identity";
  node.opset = opset;
  node.inputs = {from};
  node.outputs = {to};
  return node;
}

/// What the nodes of a branch read from outside becomes its inputs, and what the node captures; its outputs
/// are the node's.
void find_captured(File& branch, FileNode& node) {
  std::set<std::string, std::less<>> own;
  for (const auto& [name, array] : branch.initializers) own.insert(name);
  for (const FileNode& each : branch.nodes) own.insert(each.outputs.begin(), each.outputs.end());
  for (const FileNode& each : branch.nodes)
    for (const std::string& name : each.read())
      if (own.insert(name).second) {
        branch.inputs.push_back({name, {}});
        node.captured.insert(name);
      }
  std::copy_if(node.outputs.begin(), node.outputs.end(), std::back_inserter(branch.outputs),
               [](const std::string& name) { return !name.empty(); });
}

bool has_output(const FileNode& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [](const std::string& name) { return !name.empty(); });
}

}  // namespace

/// A function and the values of attributes that a call leaves out.
struct NodeReader::Function {
  const ::onnx::FunctionProto& proto;
  std::vector<AttributeProto> defaults;
};

/// What names mean at one place of the file: outside, in a call of a function, in a branch.
struct NodeReader::Scope {
  /// Enclosing scope of a branch, in which names that the branch does not define are resolved.
  const Scope* outer = nullptr;
  bool is_function = false;
  std::string prefix;
  std::map<std::string, std::string, std::less<>> names;
  /// What the call of the function says.
  std::map<std::string, const AttributeProto*, std::less<>> attributes;
  int64_t opset = 0;

  std::string resolved(const std::string& name) const {
    if (name.empty()) return name;
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
      if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
      if (scope->is_function) return scope->prefix + name;  // nothing makes it
    }
    return name;
  }
  /// The attribute itself, or what the call says in its place; null where that says nothing.
  const AttributeProto* resolved(const AttributeProto& attribute) const {
    if (attribute.ref_attr_name().empty()) return &attribute;
    const auto found = attributes.find(attribute.ref_attr_name());
    return found == attributes.end() ? nullptr : found->second;
  }
};

NodeReader::NodeReader(const ::onnx::ModelProto& model, int64_t opset, ExternalData& files,
                       SourceLocation where, Diagnostics& findings)
    : model_(model), opset_(opset), files_(files), where_(std::move(where)), findings_(findings) {
  for (const auto& proto : model.functions()) {
    auto function = std::make_unique<Function>(Function{proto, {}});
    for (const std::string& bytes : unknown_texts(proto, kDefaultsOfFunction))
      if (AttributeProto attribute; attribute.ParseFromString(bytes)) function->defaults.push_back(attribute);
    functions_.emplace(
        std::tuple(domain_of(proto.domain()), proto.name(), overload_of(proto, kOverloadOfFunction)),
        std::move(function));
  }
  for (const auto& input : model.graph().input()) taken_.insert(input.name());
  for (const auto& tensor : model.graph().initializer()) taken_.insert(tensor.name());
  for (const auto& node : model.graph().node()) taken_.insert(node.output().begin(), node.output().end());
}

NodeReader::~NodeReader() = default;

std::vector<FileNode> NodeReader::read() {
  Scope scope;
  scope.opset = opset_;
  std::vector<FileNode> out;
  for (const NodeProto& node : model_.graph().node()) read_node(node, scope, out);
  return out;
}

const NodeReader::Function* NodeReader::function_of(const NodeProto& proto) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(
      std::tuple(domain_of(proto.domain()), proto.op_type(), overload_of(proto, kOverloadOfNode)));
  return found == functions_.end() ? nullptr : found->second.get();
}

std::string NodeReader::fresh(const Scope& scope, const std::string& name) {
  const std::string base = cleaned_name(scope.prefix + name);
  std::string out = base;
  int64_t& number = next_.try_emplace(base, 2).first->second;
  while (!taken_.insert(out).second) out = fmt::format("{}_{}", base, number++);
  return out;
}

/// Names for what the nodes make and nobody outside knows.
template <class Nodes>
void NodeReader::declare(const Nodes& nodes, Scope& scope) {
  for (const NodeProto& node : nodes)
    for (const std::string& output : node.output())
      if (!output.empty() && !scope.names.contains(output)) scope.names[output] = fresh(scope, output);
}

ArrayPtr NodeReader::tensor_of(const ::onnx::TensorProto& tensor) {
  if (depth_ == 0) return std::make_shared<Array>(read_tensor(tensor, files_));
  ArrayPtr& known = tensors_[&tensor];
  if (!known) known = std::make_shared<Array>(read_tensor(tensor, files_));
  return known;
}

Attribute NodeReader::read_attribute(const AttributeProto& proto) {
  Attribute out;
  switch (proto.type()) {
    case AttributeProto::INT:
      out.kind = Attribute::Kind::Int;
      out.integer = proto.i();
      break;
    case AttributeProto::FLOAT:
      out.kind = Attribute::Kind::Real;
      out.real = proto.f();
      break;
    case AttributeProto::STRING:
      out.kind = Attribute::Kind::Text;
      out.text = proto.s();
      break;
    case AttributeProto::INTS:
      out.kind = Attribute::Kind::Ints;
      out.integers.assign(proto.ints().begin(), proto.ints().end());
      break;
    case AttributeProto::FLOATS:
      out.kind = Attribute::Kind::Reals;
      out.reals.assign(proto.floats().begin(), proto.floats().end());
      break;
    case AttributeProto::STRINGS:
      out.kind = Attribute::Kind::Texts;
      out.texts.assign(proto.strings().begin(), proto.strings().end());
      break;
    case AttributeProto::TENSOR:
      out.kind = Attribute::Kind::Tensor;
      out.tensor = tensor_of(proto.t());
      break;
    default:
      break;
  }
  return out;
}

/// A small file is not worth all the memory there is.
void NodeReader::count(const NodeProto& proto) {
  if (++nodes_ > graph::kMostNodes)
    throw ModelError(
        fmt::format("the graph has more than {} nodes when its functions are written out", graph::kMostNodes),
        where_);
  if (depth_ == 0) return;
  room_ -= static_cast<int64_t>(proto.ByteSizeLong());
  for (const AttributeProto& attribute : proto.attribute())
    room_ += static_cast<int64_t>(attribute.t().ByteSizeLong());  // read once
  if (room_ < 0)
    throw ModelError("the functions of the file take more than 256 MiB when they are written out", where_);
}

void NodeReader::read_node(const NodeProto& proto, const Scope& scope, std::vector<FileNode>& out) {
  count(proto);
  if (const Function* function = function_of(proto)) return call(*function, proto, scope, out);
  FileNode node;
  if (!proto.name().empty()) node.name = cleaned_name(scope.prefix + proto.name());
  node.type = proto.op_type();
  node.domain = domain_of(proto.domain());
  node.opset = scope.opset;
  for (const std::string& input : proto.input()) node.inputs.push_back(scope.resolved(input));
  for (const std::string& output : proto.output()) node.outputs.push_back(scope.resolved(output));
  if (!has_output(node)) return error(fmt::format("node '{}' ({}) has no output", node.name, node.type));
  read_attributes(proto, scope, node);
  if (node.type == "If" && node.domain.empty()) read_branches(proto, scope, node);
  out.push_back(std::move(node));
}

void NodeReader::read_attributes(const NodeProto& proto, const Scope& scope, FileNode& node) {
  for (const AttributeProto& attribute : proto.attribute()) {
    const AttributeProto* said = scope.resolved(attribute);
    if (said == nullptr) continue;
    if (scope.opset < kNoMoreConsumed && attribute.name() == "consumed_inputs") continue;
    try {
      if (!node.attributes.emplace(attribute.name(), read_attribute(*said)).second)
        error(node.subject() + fmt::format(": attribute '{}' is there twice", attribute.name()));
    } catch (const ModelError& e) {
      const Diagnostic& finding = e.findings().front();
      error(node.subject() + fmt::format(": attribute '{}': ", attribute.name()) + finding.message,
            finding.hint);
    }
  }
}

// ---- functions
// ---------------------------------------------------------------------------------------------

void NodeReader::pass_attributes(const Function& function, const NodeProto& proto, const Scope& scope,
                                 Scope& inner) {
  for (const AttributeProto& attribute : function.defaults) inner.attributes[attribute.name()] = &attribute;
  for (const AttributeProto& attribute : proto.attribute()) {
    const auto& known = function.proto.attribute();
    const bool has_default = inner.attributes.contains(attribute.name());
    if (!has_default && std::find(known.begin(), known.end(), attribute.name()) == known.end())
      error(fmt::format("node '{}': attribute '{}' is none of the file's function '{}'",
                        proto.name().empty() ? proto.op_type() : proto.name(), attribute.name(),
                        function.proto.name()));
    if (const AttributeProto* said = scope.resolved(attribute)) inner.attributes[attribute.name()] = said;
  }
}

void NodeReader::call(const Function& function, const NodeProto& proto, const Scope& scope,
                      std::vector<FileNode>& out) {
  if (depth_ >= kDeepest)
    throw ModelError(fmt::format("the file's function '{}' calls itself, or lies deeper than {} calls",
                                 function.proto.name(), kDeepest),
                     where_);
  FileNode label;
  label.name = cleaned_name(proto.name());
  label.type = proto.op_type();
  for (const std::string& output : proto.output()) label.outputs.push_back(scope.resolved(output));
  Scope inner;
  inner.is_function = true;
  inner.prefix = label.label() + "/";
  inner.opset = default_opset(function.proto.opset_import()).value_or(scope.opset);
  const auto& inputs = function.proto.input();
  const auto& outputs = function.proto.output();
  if (proto.input_size() > inputs.size() || proto.output_size() > outputs.size())
    return error(fmt::format("node '{}' has {} inputs and {} outputs, the file's function '{}' {} and {}",
                             label.label(), proto.input_size(), proto.output_size(), function.proto.name(),
                             inputs.size(), outputs.size()));
  for (int i = 0; i < inputs.size(); ++i)
    inner.names[inputs[i]] = i < proto.input_size() ? scope.resolved(proto.input(i)) : "";
  std::vector<std::pair<std::string, std::string>> passed;  // outputs that are inputs, or the same twice
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& to = label.outputs[static_cast<size_t>(i)];
    if (to.empty()) continue;
    if (inner.names.contains(outputs[i]))
      passed.emplace_back(outputs[i], to);
    else
      inner.names[outputs[i]] = to;
  }
  pass_attributes(function, proto, scope, inner);
  declare(function.proto.node(), inner);
  ++depth_;
  for (const NodeProto& node : function.proto.node()) read_node(node, inner, out);
  --depth_;
  for (const auto& [from, to] : passed) out.push_back(identity(inner.resolved(from), to, inner.opset));
}

// ---- branches
// ----------------------------------------------------------------------------------------------

void NodeReader::read_branches(const NodeProto& proto, const Scope& scope, FileNode& node) {
  for (const char* name : {"then_branch", "else_branch"}) {
    node.attributes.erase(name);
    const auto& attributes = proto.attribute();
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const AttributeProto& a) { return a.name() == name && a.has_g(); });
    if (found == attributes.end()) return error(fmt::format("{}: no '{}'", node.subject(), name));
    if (found->g().output_size() != proto.output_size())
      return error(fmt::format("{}: '{}' has {} outputs, expected {}", node.subject(), name,
                               found->g().output_size(), proto.output_size()));
    if (depth_ >= kDeepest) throw ModelError(fmt::format("branches lie deeper than {}", kDeepest), where_);
    ++depth_;
    node.branches.push_back(read_branch(found->g(), scope, node));
    --depth_;
  }
}

void NodeReader::read_initializers(const ::onnx::GraphProto& graph, Scope& scope, Branch& branch) {
  for (const auto& tensor : graph.initializer()) {
    const std::string name = scope.names[tensor.name()] = fresh(scope, tensor.name());
    try {
      branch.initializers[name] = tensor_of(tensor);
    } catch (const ModelError& e) {
      branch.initializers[name] = nullptr;
      error(e.findings().front().message, e.findings().front().hint);
    }
  }
}

std::shared_ptr<const Branch> NodeReader::read_branch(const ::onnx::GraphProto& graph, const Scope& outer,
                                                      FileNode& node) {
  auto branch = std::make_shared<Branch>();
  Scope inner;
  inner.outer = &outer;
  inner.prefix = node.label() + "/";
  inner.attributes = outer.attributes;
  inner.opset = outer.opset;
  read_initializers(graph, inner, *branch);
  std::set<std::string, std::less<>> made;
  for (const NodeProto& each : graph.node()) made.insert(each.output().begin(), each.output().end());
  std::vector<std::pair<std::string, std::string>>
      passed;  // outputs that no node of the branch makes, or twice
  for (int i = 0; i < graph.output_size(); ++i) {
    const std::string& name = graph.output(i).name();
    const std::string& to = node.outputs[static_cast<size_t>(i)];
    if (to.empty()) continue;
    if (made.contains(name) && !inner.names.contains(name))
      inner.names[name] = to;
    else
      passed.emplace_back(name, to);
  }
  declare(graph.node(), inner);

  File file;
  file.path = where_.file;
  for (const NodeProto& each : graph.node()) read_node(each, inner, file.nodes);
  for (const auto& [from, to] : passed) file.nodes.push_back(identity(inner.resolved(from), to, inner.opset));
  file.initializers = branch->initializers;
  find_captured(file, node);
  order_nodes(file, findings_);
  branch->nodes = std::move(file.nodes);
  return branch;
}

}  // namespace n2d2::onnx

#include <algorithm>
#include <set>

#include <google/protobuf/io/coded_stream.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/graph/size_limit.hpp"

#include "clean_names.hpp"
#include "file.hpp"
#include "tensor_proto.hpp"

namespace n2d2::onnx {

namespace {

using ::onnx::AttributeProto;

constexpr int kOldestOpset = 7;
constexpr int64_t kLargestFile = int64_t{1} << 30;

bool is_default_domain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// The integers of an element type as what they are; nothing for other types.
std::optional<Grid> integers_of(int32_t element_type) {
  switch (element_type) {
    case ::onnx::TensorProto::INT8:
      return Grid{{1}, {0}, -128, 127};
    case ::onnx::TensorProto::UINT8:
      return Grid{{1}, {0}, 0, 255};
    case ::onnx::TensorProto::INT16:
      return Grid{{1}, {0}, -32768, 32767};
    case ::onnx::TensorProto::UINT16:
      return Grid{{1}, {0}, 0, 65535};
    default:
      return std::nullopt;
  }
}

/// Reads one file's message, finding by finding.
class Reader {
 public:
  Reader(const ::onnx::ModelProto& model, std::string path) : model_(model) { file_->path = std::move(path); }

  std::shared_ptr<const File> read() {
    read_opset();
    if (model_.functions_size() > 0)
      error("the file defines functions of its own, which are not read", "inline them before exporting");
    if (!model_.has_graph() || model_.graph().node_size() == 0)
      error("the file holds no graph with nodes", "is it an ONNX model?");
    read_initializers();
    read_inputs();
    for (const auto& value : model_.graph().value_info()) read_declared(value);
    for (const auto& output : model_.graph().output()) file_->outputs.push_back(output.name());
    if (file_->outputs.empty() && model_.graph().node_size() > 0) error("the graph has no output");
    for (const auto& node : model_.graph().node()) read_node(node);
    if (!findings_.has_errors()) order_nodes(*file_, findings_);
    findings_.finish<ModelError>();
    return file_;
  }

 private:
  void error(std::string message, std::string hint = {}) {
    findings_.error({file_->path, 0}, std::move(message), std::move(hint));
  }
  void error(const std::string& subject, const ModelError& error) {
    const Diagnostic& finding = error.findings().front();
    findings_.error({file_->path, 0}, subject + finding.message, finding.hint);
  }

  void read_opset() {
    std::optional<int64_t> opset;
    for (const auto& import : model_.opset_import())
      if (is_default_domain(import.domain())) opset = import.version();
    if (!opset) return error("the file does not say its operator set (opset_import)");
    file_->opset = *opset;
    if (*opset < kOldestOpset || *opset > newest_opset())
      error(
          fmt::format("operator set {} is not read, expected {} to {}", *opset, kOldestOpset, newest_opset()),
          fmt::format("convert the model to operator set {} (onnx.version_converter)",
                      std::min(13, newest_opset())));
  }

  void read_initializers() {
    if (model_.graph().sparse_initializer_size() > 0)
      error("sparse initializers are not read", "store them dense");
    for (const auto& tensor : model_.graph().initializer()) {
      try {
        const bool fresh =
            file_->initializers.emplace(tensor.name(), std::make_shared<Array>(read_tensor(tensor))).second;
        if (!fresh) error(fmt::format("initializer '{}' is there twice", tensor.name()));
      } catch (const ModelError& e) {
        file_->initializers.emplace(tensor.name(), nullptr);
        error("", e);
      }
    }
  }

  void read_inputs() {
    for (const auto& input : model_.graph().input()) {
      if (file_->initializers.contains(input.name())) continue;
      GraphInput read{input.name(), {}};
      if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) {
        error(fmt::format("input '{}' has no declared extents", input.name()),
              "give every input its extents");
        continue;
      }
      for (const auto& dim : input.type().tensor_type().shape().dim())
        read.dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
      read.grid = integers_of(input.type().tensor_type().elem_type());
      file_->inputs.push_back(std::move(read));
    }
  }

  void read_declared(const ::onnx::ValueInfoProto& value) {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    Extents& dims = file_->declared[value.name()];
    for (const auto& dim : value.type().tensor_type().shape().dim())
      dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  }

  void read_node(const ::onnx::NodeProto& proto) {
    FileNode node;
    node.name = proto.name();
    node.type = proto.op_type();
    node.domain = is_default_domain(proto.domain()) ? "" : proto.domain();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    if (node.outputs.empty() || std::all_of(node.outputs.begin(), node.outputs.end(),
                                            [](const std::string& name) { return name.empty(); }))
      return error(fmt::format("node '{}' ({}) has no output", node.name, node.type));
    for (const auto& attribute : proto.attribute()) {
      try {
        if (!node.attributes.emplace(attribute.name(), read_attribute(attribute)).second)
          error(node.subject() + fmt::format(": attribute '{}' is there twice", attribute.name()));
      } catch (const ModelError& e) {
        error(node.subject() + fmt::format(": attribute '{}': ", attribute.name()), e);
      }
    }
    file_->nodes.push_back(std::move(node));
  }

  static Attribute read_attribute(const AttributeProto& proto) {
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
        break;
      case AttributeProto::TENSOR:
        out.kind = Attribute::Kind::Tensor;
        out.tensor = std::make_shared<Array>(read_tensor(proto.t()));
        break;
      default:
        break;
    }
    return out;
  }

  const ::onnx::ModelProto& model_;
  std::shared_ptr<File> file_ = std::make_shared<File>();
  Diagnostics findings_;
};

/// Everything that the outputs depend on, by index.
std::vector<bool> needed_nodes(const File& file, const std::map<std::string, size_t>& producers) {
  std::vector<bool> needed(file.nodes.size(), false);
  std::vector<std::string> open = file.outputs;
  while (!open.empty()) {
    const auto producer = producers.find(open.back());
    open.pop_back();
    if (producer == producers.end() || needed[producer->second]) continue;
    needed[producer->second] = true;
    const auto& inputs = file.nodes[producer->second].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return needed;
}

}  // namespace

const std::string& FileNode::label() const {
  if (!name.empty()) return name;
  for (const std::string& output : outputs)
    if (!output.empty()) return output;
  return type;
}

std::string FileNode::subject() const {
  return fmt::format("node '{}' ({})", label(), domain.empty() ? type : domain + "." + type);
}

void order_nodes(File& file, Diagnostics& findings) {
  const SourceLocation where{file.path, 0};
  std::set<std::string> given;
  for (const GraphInput& input : file.inputs) given.insert(input.name);
  for (const auto& [name, array] : file.initializers) given.insert(name);
  std::map<std::string, size_t> producers;
  for (size_t i = 0; i < file.nodes.size(); ++i)
    for (const std::string& output : file.nodes[i].outputs)
      if (!output.empty() && (given.contains(output) || !producers.emplace(output, i).second))
        findings.error(where,
                       fmt::format("{}: tensor '{}' has two producers", file.nodes[i].subject(), output));
  const std::vector<bool> needed = needed_nodes(file, producers);
  for (const std::string& output : file.outputs)
    if (!producers.contains(output) && !given.contains(output))
      findings.error(where, fmt::format("output '{}': no node makes it", output));

  std::vector<size_t> waiting(file.nodes.size(), 0), ready;
  std::map<std::string, std::vector<size_t>> users;
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    if (!needed[i]) continue;
    for (const std::string& input : file.nodes[i].inputs) {
      if (input.empty() || given.contains(input)) continue;
      if (!producers.contains(input))
        findings.error(where,
                       fmt::format("{}: input '{}': no node makes it", file.nodes[i].subject(), input));
      users[input].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push_back(i);
  }
  if (findings.has_errors()) return;

  // A heap keeps the order of the file among the nodes that are ready.
  std::make_heap(ready.begin(), ready.end(), std::greater<>());
  std::vector<size_t> order;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), std::greater<>());
    const size_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (const std::string& output : file.nodes[node].outputs) {
      if (output.empty()) continue;
      for (const size_t user : users[output]) {
        if (--waiting[user] > 0) continue;
        ready.push_back(user);
        std::push_heap(ready.begin(), ready.end(), std::greater<>());
      }
    }
  }
  if (order.size() != static_cast<size_t>(std::count(needed.begin(), needed.end(), true))) {
    std::vector<std::string> stuck;
    for (size_t i = 0; i < file.nodes.size(); ++i)
      if (needed[i] && waiting[i] > 0) stuck.push_back("'" + file.nodes[i].label() + "'");
    findings.error(where, "the graph has a cycle; nodes in it or behind it: " + join(stuck, ", "));
    return;
  }
  std::vector<FileNode> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.push_back(std::move(file.nodes[i]));
  file.nodes = std::move(sorted);
}

const std::vector<GraphInput>& Model::inputs() const {
  return file_->inputs;
}

const std::vector<std::string>& Model::outputs() const {
  return file_->outputs;
}

std::vector<std::string> Model::tensors() const {
  std::vector<std::string> names;
  for (const FileNode& node : file_->nodes)
    std::copy_if(node.outputs.begin(), node.outputs.end(), std::back_inserter(names),
                 [](const std::string& name) { return !name.empty(); });
  return names;
}

int newest_opset() {
  const auto& domains = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  return domains.at(::onnx::ONNX_DOMAIN).second;
}

Model parse_model(std::string_view bytes, const std::string& path) {
  if (static_cast<int64_t>(bytes.size()) > kLargestFile)
    throw ModelError("the file is larger than 1 GiB", {path, 0});
  ::onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    throw ModelError("not an ONNX file, or a truncated or corrupt one (it is no Protobuf message)", {path, 0},
                     "was it fetched with Git LFS, or cut off while it was copied?");
  if (const auto nodes = static_cast<size_t>(model.graph().node_size()); nodes > graph::kMostNodes)
    throw ModelError(fmt::format("the graph has {} nodes, at most {} are read", nodes, graph::kMostNodes),
                     {path, 0},
                     "fold its constants (onnxsim), or cut out the part that is to run on the target");
  if (const int64_t changed = clean_names(*model.mutable_graph()); changed > 0)
    log::notice("{}: {} names with control characters or of more than 200 bytes are changed", path, changed);
  return Model(Reader(model, path).read());
}

Model read_model(const std::string& path) {
  std::string bytes;
  try {
    bytes = read_regular_file(path, kLargestFile);
  } catch (const FileError& error) {
    throw ModelError(error.reason, {path, 0});
  }
  return parse_model(bytes, path);
}

}  // namespace n2d2::onnx

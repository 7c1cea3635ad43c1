// What do the nodes of a file say, when its own functions and the branches of its conditions are written out?
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "file.hpp"

namespace onnx {
class AttributeProto;
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace n2d2::onnx {

class ExternalData;

/// The version of ONNX's own operators among the imported operator sets, if it is there. `Imports` is a
/// repeated field.
template <class Imports>
std::optional<int64_t> default_opset(const Imports& imports) {
  std::optional<int64_t> opset;
  for (const auto& import : imports)
    if (import.domain().empty() || import.domain() == "ai.onnx") opset = import.version();
  return opset;
}

/// Reads the nodes of one model. Tensors inside functions and branches get names that nothing else has: the
/// label of the node that calls or decides, '/', their own. Findings: nodes without outputs, attributes that
/// are there twice or are not read, calls that do not fit their function. ModelError: more nodes than are
/// read, functions that call themselves.
class NodeReader {
 public:
  /// All are kept as references. `opset` is that of nodes outside of functions.
  NodeReader(const ::onnx::ModelProto& model, int64_t opset, ExternalData& files, SourceLocation where,
             Diagnostics& findings);
  ~NodeReader();
  NodeReader(const NodeReader&) = delete;
  NodeReader& operator=(const NodeReader&) = delete;

  std::vector<FileNode> read();

 private:
  struct Scope;
  struct Function;

  const Function* function_of(const ::onnx::NodeProto& proto) const;
  std::string fresh(const Scope& scope, const std::string& name);
  template <class Nodes>
  void declare(const Nodes& nodes, Scope& scope);
  void read_node(const ::onnx::NodeProto& proto, const Scope& scope, std::vector<FileNode>& out);
  void read_attributes(const ::onnx::NodeProto& proto, const Scope& scope, FileNode& node);
  void call(const Function& function, const ::onnx::NodeProto& proto, const Scope& scope,
            std::vector<FileNode>& out);
  void pass_attributes(const Function& function, const ::onnx::NodeProto& proto, const Scope& scope,
                       Scope& inner);
  void read_branches(const ::onnx::NodeProto& proto, const Scope& scope, FileNode& node);
  std::shared_ptr<const Branch> read_branch(const ::onnx::GraphProto& graph, const Scope& outer,
                                            FileNode& node);
  void read_initializers(const ::onnx::GraphProto& graph, Scope& scope, Branch& branch);
  ArrayPtr tensor_of(const ::onnx::TensorProto& tensor);
  Attribute read_attribute(const ::onnx::AttributeProto& proto);
  void count(const ::onnx::NodeProto& proto);
  void error(std::string message, std::string hint = {}) {
    findings_.error(where_, std::move(message), std::move(hint));
  }

  const ::onnx::ModelProto& model_;
  int64_t opset_;
  ExternalData& files_;
  SourceLocation where_;
  Diagnostics& findings_;
  /// By domain, name and overload.
  std::map<std::tuple<std::string, std::string, std::string>, std::unique_ptr<Function>> functions_;
  std::set<std::string, std::less<>> taken_;
  /// The number that the next name with this beginning tries.
  std::map<std::string, int64_t> next_;
  /// Tensors inside functions and branches, each read once: a function may be called several times.
  std::map<const ::onnx::TensorProto*, ArrayPtr> tensors_;
  size_t nodes_ = 0, depth_ = 0;
  /// What nodes that are written out may still take, in bytes of the file.
  int64_t room_ = int64_t{1} << 28;
};

}  // namespace n2d2::onnx

// What does an ONNX file say, without Protobuf? Nodes, attributes and initializers as plain values.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "n2d2/onnx/importer.hpp"

#include "array.hpp"

namespace n2d2::onnx {

/// The integers of an element type as what they are; nothing for types of more than 16 bits and for floats.
/// `type` as in TensorProto.DataType.
std::optional<Grid> grid_of_type(int64_t type);

/// Domains in which QONNX and Brevitas write the operators of QONNX.
bool is_domain_of_qonnx(std::string_view domain);

struct Attribute {
  enum class Kind { Int, Real, Text, Ints, Reals, Texts, Tensor, Other };
  Kind kind = Kind::Other;
  int64_t integer = 0;
  float real = 0;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<float> reals;
  std::vector<std::string> texts;
  ArrayPtr tensor;
};

struct Branch;

struct FileNode {
  std::string name, type, domain;
  /// The operator set that says what the node means.
  int64_t opset = 0;
  /// An optional input or output that is left out is "".
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
  /// Branches of an If: the one for a true condition, then the one for a false condition. Empty for other
  /// operators.
  std::vector<std::shared_ptr<const Branch>> branches;
  /// Tensors from outside of the branches that they read.
  std::set<std::string, std::less<>> captured;

  /// The node's name, or its first output.
  const std::string& label() const;
  /// "node 'Conv__240' (Conv)"
  std::string subject() const;
  /// Tensors that the node or its branches read.
  std::vector<std::string> read() const;
};

/// Nodes that make the outputs of an If. Their names occur nowhere else, but for the outputs, which have
/// those of the If.
struct Branch {
  std::map<std::string, ArrayPtr, std::less<>> initializers;
  /// In order, as those of a File.
  std::vector<FileNode> nodes;
};

/// Extents, -1 where open; set when the elements are integers of at most 16 bits.
struct Declared {
  Extents dims;
  std::optional<Grid> grid;
};

struct File {
  std::string path;
  int64_t opset = 0;
  std::vector<GraphInput> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, ArrayPtr, std::less<>> initializers;
  /// What the file says of tensors between the nodes.
  std::map<std::string, Declared, std::less<>> declared;
  /// Only those that an output depends on; producers come before their users. The file's own functions are
  /// written out:
  /// a call is the nodes of its function.
  std::vector<FileNode> nodes;
  /// Outputs that are the scores in front of an ArgMax, ArgMin or TopK, which the file ends with.
  std::vector<std::string> scores;
};

/// Sorts the nodes so that producers come first and drops what no output depends on. Findings: two producers
/// of one tensor, tensors that nobody makes, cycles.
void order_nodes(File& file, Diagnostics& findings);

/// Inputs of one axis get a batch of 1 in front of it, and so do tensors behind them up to a Reshape or
/// Unsqueeze that has a first axis of 1. Nothing changes where a node does something else with such a tensor
/// than is known.
void give_rows_a_batch(File& file);

/// Puts the scores in the place of the classes that an ArgMax, ArgMin or TopK at the end of the network
/// chooses for each sample, also in front of what moves or casts an index. A notice says so. Where another
/// output has the chosen scores, the first one stands for both.
void end_at_scores(File& file);

/// Sets GraphInput::batch and channels_last of the inputs, and moves the batch to the front of their extents.
void find_layouts(File& file);

}  // namespace n2d2::onnx

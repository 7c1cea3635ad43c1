// What does an ONNX file say, without Protobuf? Nodes, attributes and initializers as plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/onnx/importer.hpp"

#include "array.hpp"

namespace n2d2::onnx {

struct Attribute {
  enum class Kind { Int, Real, Text, Ints, Reals, Texts, Tensor, Other };
  Kind kind = Kind::Other;
  int64_t integer = 0;
  float real = 0;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<float> reals;
  ArrayPtr tensor;
};

struct FileNode {
  std::string name, type, domain;
  /// An optional input or output that is left out is "".
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute, std::less<>> attributes;

  /// The node's name, or its first output.
  const std::string& label() const;
  /// "node 'Conv__240' (Conv)"
  std::string subject() const;
};

struct File {
  std::string path;
  int64_t opset = 0;
  std::vector<GraphInput> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, ArrayPtr, std::less<>> initializers;
  /// Extents of tensors between the nodes, where the file gives them; -1 where open.
  std::map<std::string, Extents, std::less<>> declared;
  /// Only those that an output depends on; producers come before their users.
  std::vector<FileNode> nodes;
};

/// Sorts the nodes so that producers come first and drops what no output depends on. Findings: two producers of
/// one tensor, tensors that nobody makes, cycles.
void order_nodes(File& file, Diagnostics& findings);

}  // namespace n2d2::onnx

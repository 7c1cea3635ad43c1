// Which nodes and constants does the file hold so far?
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "n2d2/onnx/writer.hpp"
#include "n2d2/tensor/tensor.hpp"

#include "read/array.hpp"

namespace onnx {
class GraphProto;
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace n2d2::onnx {

using WrittenAttribute = std::variant<int64_t, float, std::string, std::vector<int64_t>>;
using WrittenAttributes = std::vector<std::pair<std::string, WrittenAttribute>>;

/// A ModelProto while it grows. Tensors have unique names; constants are initializers.
class ModelBuilder {
 public:
  explicit ModelBuilder(const std::string& version, int opset = kWrittenOpset);
  ~ModelBuilder();
  ModelBuilder(const ModelBuilder&) = delete;
  ModelBuilder& operator=(const ModelBuilder&) = delete;

  int opset() const { return opset_; }
  /// Keeps a name for a value of the graph.
  void reserve(const std::string& name) { names_.insert(name); }
  /// "name", else "name_2", "name_3", ...: the first that is free; it is taken then.
  std::string unique(const std::string& name);

  /// Float tensors whose axis 0 is the batch.
  void add_input(const std::string& name, const Extents& dims);
  void add_output(const std::string& name, const Extents& dims);

  // ---- constants under a unique name like the one wanted, which is returned -------------------------------
  std::string reals(const std::string& name, const Extents& dims, const std::vector<float>& values);
  std::string integers(const std::string& name, const std::vector<int64_t>& values);
  std::string byte(const std::string& name, uint8_t value);
  /// INT4, two a byte, the first in the low bits.
  std::string nibbles(const std::string& name, const Extents& dims, const std::vector<int8_t>& values);
  /// Zeros of integers of up to 32 bits.
  std::string zeros(const std::string& name, const Extents& dims, DataType type);
  /// F32 and integers of up to 32 bits.
  std::string tensor(const std::string& name, const Tensor& tensor);
  /// Integers as floats of the same values.
  std::string as_reals(const std::string& name, const Tensor& tensor);

  /// A node with one output, of this number, under a unique name like the one wanted, which is returned. An
  /// input "" is left out.
  std::string add(const std::string& type, const std::vector<std::string>& inputs,
                  const WrittenAttributes& attributes, const std::string& output, int number = 0);
  /// Gives the output of the last node, which nobody reads yet, a reserved name; an Identity does when the
  /// tensor is not that output.
  void name_last(const std::string& tensor, const std::string& name);

  /// The bytes, when the ONNX library's checker and shape inference have accepted them. ExportError when the
  /// file passes 2 GiB.
  std::string finish();

 private:
  ::onnx::TensorProto& add_initializer(const std::string& name, const Extents& dims, int type);

  std::unique_ptr<::onnx::ModelProto> model_;
  ::onnx::GraphProto& graph_;
  int opset_;
  std::set<std::string> names_;
};

}  // namespace n2d2::onnx

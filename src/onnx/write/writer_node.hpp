// What does the writing of one operator see? Its node, the tensors it reads, and the file that grows.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/registry.hpp"
#include "n2d2/onnx/writer.hpp"

#include "writer_model.hpp"

namespace n2d2::onnx {

/// What the operators of the file compute with, for a value of the graph: floats of its real values, in
/// FakeQuantization whole numbers. A map N,C,H,W or flat N,C*H*W; the other one is "" until somebody asks for
/// it.
struct WrittenValue {
  std::string map, flat;
};

/// Rewritten values and constants so far.
struct WrittenModel {
  const graph::Graph& graph;
  Form form;
  ModelBuilder model;
  std::map<graph::ValueId, WrittenValue> values;
  /// Constants as operators read them: behind their DequantizeLinear in Qdq.
  std::map<graph::ValueId, std::string> constants;
};

/// One node on its way into the file.
class NodeWriter {
 public:
  NodeWriter(WrittenModel& written, const graph::Node& node) : written_(written), node_(node) {}

  const graph::Node& node() const { return node_; }
  /// The operator as its type.
  template <class Op>
  const Op& op() const {
    const Op* found = graph::as<Op>(node_);
    N2D2_CHECK(found != nullptr, "'{}' is a {}", node_.name, node_.op->type());
    return *found;
  }
  Form form() const { return written_.form; }
  /// Logical N,C,H,W.
  const Shape& in(size_t slot = 0) const;
  const Shape& out() const;

  // ---- what the node reads
  // -----------------------------------------------------------------------------------
  std::string map(size_t slot = 0);
  std::string flat(size_t slot = 0);
  /// As it was made: all data inputs flat when all of them are, else all as maps.
  std::string any(size_t slot = 0);
  bool is_flat() const;
  bool has_input(size_t slot) const { return slot < node_.inputs.size(); }
  /// Weights, biases and the like.
  std::string parameter(size_t slot);
  bool is_constant(size_t slot) const;
  const Tensor& constant(size_t slot) const;
  /// The grid of input 0, in a graph of integers.
  const QuantParams& quant_of_input() const;

  // ---- what it writes
  // ----------------------------------------------------------------------------------------
  std::string add(const std::string& type, const std::vector<std::string>& inputs,
                  const WrittenAttributes& attributes = {}, int number = 0);
  /// A constant of one value, or one a channel that spreads over a flat tensor or a map, as is_flat() says.
  std::string channels(std::string_view role, const std::vector<float>& values, bool flat);
  std::string channels(std::string_view role, const std::vector<float>& values) {
    return channels(role, values, is_flat());
  }
  std::string reals(std::string_view role, const std::vector<float>& values);
  std::string tensor(std::string_view role, const Tensor& tensor);
  std::string integers(std::string_view role, const std::vector<int64_t>& values);
  /// Returns a tensor with the values of `tensor`, quantized and dequantized with the scale of input 0 in
  /// form Qdq, where integers are written between operators. In all other forms returns `tensor` itself.
  std::string keep_scale(const std::string& tensor);
  /// A Relu or Clip.
  std::string add_clamp(const std::string& tensor, const Clamp& clamp);

  /// The node's result before its clamp and rescaling; `unit` multiplies the factor of the rescaling in
  /// FakeQuantization (a mean is a sum divided by it).
  void result(const std::string& tensor, bool flat, double unit = 1);
  /// Writes the node's result from a tensor that is already multiplied by the factors of the rescaling. Adds
  /// the rounding and the bounds of the rescaling.
  void scaled_result(const std::string& tensor, bool flat);
  /// What a step of input `slot` is in output steps, for the sums of FakeQuantization.
  double multiplier(size_t slot) const;

 private:
  std::string make(const std::string& from, bool flat, graph::ValueId value);
  std::string view(size_t slot, bool flat);
  std::string bound_steps(const std::string& tensor);
  std::string rescale(const std::string& tensor, bool flat, double unit);
  void finish(const std::string& tensor, bool flat);

  WrittenModel& written_;
  const graph::Node& node_;
};

/// Puts the node into the file; throws ModelError (reason and hint) when it has no ONNX form.
using WriteRule = std::function<void(NodeWriter&)>;
using WriteRegistry = Registry<WriteRule>;

/// Filled once from the sorted list of src/onnx/CMakeLists.txt.
const WriteRegistry& write_rules();

/// QuantizeLinear and DequantizeLinear of a value; `base` names the tensors. Returns the real values.
std::string quantize_pair(WrittenModel& written, const std::string& tensor, const QuantParams& quant,
                          const std::string& base, const std::string& real_name);
/// Real values clamped to the integers from lo to hi, where QuantizeLinear would not do that by itself.
/// `rectifies`:
/// a Relu stands there even if the type implies it.
std::string bound_reals(WrittenModel& written, const std::string& tensor, const QuantParams& quant,
                        int64_t lo, int64_t hi, bool rectifies, const std::string& base);
/// A Clip or Relu; the tensor itself when nothing bounds it.
std::string add_clamp(ModelBuilder& model, const std::string& tensor, const Clamp& clamp,
                      const std::string& base);

/// No ONNX form in integer graphs: such an operator stays float or disappears before.
void expect_float(const NodeWriter& node);

// Attributes in ONNX's order: height before width.
std::vector<int64_t> rows_columns(Dims dims);
std::vector<int64_t> begins_ends(const Pads& pads);

}  // namespace n2d2::onnx

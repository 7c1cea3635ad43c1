// How does a graph become an ONNX file?
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::onnx {

/// The operator set of the files: the lowest with scales along an axis.
constexpr int kWrittenOpset = 13;
/// The lowest with integers of 4 and 16 bits.
constexpr int kWrittenOpsetOfFewBits = 21;

/// How numbers are written.
enum class Form {
  Float,            ///< a float graph in float operators
  Qdq,              ///< an integer graph: QuantizeLinear and DequantizeLinear around float operators
  FakeQuantization  ///< an integer graph in float operators, all of whose numbers are whole
};

struct WriteOptions {
  Form form = Form::Float;
  /// Version of the program. It is written as the producer version of the file.
  std::string version;
  /// kWrittenOpset or kWrittenOpsetOfFewBits.
  int opset = kWrittenOpset;
};

/// The uint8 of real 0 in Qdq: the zero point, and 128 more where the integers are signed, so that they are
/// those of the graph and 128 more.
/// With one type everywhere a runtime finds integer kernels for all layers.
uint8_t zero_point(const QuantParams& quant);

/// The bytes of an ONNX file (ModelProto, IR version 7, with operator set 21 version 10) of a graph before
/// adapt_layout, whose constants are complete.
/// The batch axis is open. Inputs and outputs are float: real values in every form. Tensors are named like
/// the values of the graph; the integers of a value v are the tensor "v_quantized" (uint8 in Qdq, float in
/// FakeQuantization). The ONNX library's checker and its shape inference have accepted the file.
///   Float             a clamp is a Relu or Clip behind its operator
///   Qdq               weights int8 and biases int32 behind DequantizeLinear, an activation is QuantizeLinear
///                     to uint8, then DequantizeLinear, with zero_point(); bounds beyond the integer type
///                     are a Relu or Clip in front. With operator set 21, weights of 4 bits and less are
///                     int4; values of 16 bits are int16 or uint16 with zero point 0
///   FakeQuantization  a rescaling is Mul, Clip, Round (Mul, Add of 0.5, Floor, Clip where it is a
///                     fixed-point one)
/// ExportError with every node that has no ONNX form, and for values of more bits in Qdq than the operator
/// set has.
std::string write_model(const graph::Graph& graph, const WriteOptions& options);

/// Adds why a node of a float graph has no ONNX form, with its place; false when it has one: the node is
/// written, into no file.
bool find_without_form(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings);

/// Operator types that have an ONNX form, sorted.
std::vector<std::string> written_operators();

}  // namespace n2d2::onnx

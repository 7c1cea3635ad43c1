// ONNX models from a few lines of Protobuf text, for tests.
#pragma once

#include <string>

#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

#include "n2d2/onnx/importer.hpp"

namespace n2d2::onnx {

inline ::onnx::ModelProto proto_of(const std::string& graph, int opset = 13) {
  ::onnx::ModelProto model;
  const std::string text =
      "ir_version: 7 opset_import { version: " + std::to_string(opset) + " } graph { " + graph + " }";
  if (!google::protobuf::TextFormat::ParseFromString(text, &model))
    throw ModelError("test: not a model: " + text);
  return model;
}

inline Model model_of(const std::string& graph, int opset = 13) {
  return parse_model(proto_of(graph, opset).SerializeAsString(), "net.onnx");
}

/// `input { ... }` of float32 with these extents; 0 leaves one open.
inline std::string tensor_of(const std::string& kind, const std::string& name, const std::vector<int>& dims) {
  std::string text = kind + " { name: '" + name + "' type { tensor_type { elem_type: 1 shape {";
  for (const int extent : dims)
    text += extent > 0 ? " dim { dim_value: " + std::to_string(extent) + " }"
                       : std::string(" dim { dim_param: 'N' }");
  return text + " } } } } ";
}

inline std::string input(const std::string& name, const std::vector<int>& dims) {
  return tensor_of("input", name, dims);
}

inline std::string output(const std::string& name) {
  return tensor_of("output", name, {});
}

inline std::string reals(const std::string& name, const std::vector<int>& dims,
                         const std::vector<float>& values) {
  std::string text = "initializer { name: '" + name + "' data_type: 1";
  for (const int extent : dims) text += " dims: " + std::to_string(extent);
  for (const float value : values) text += " float_data: " + std::to_string(value);
  return text + " } ";
}

inline std::string integers(const std::string& name, const std::vector<int>& values) {
  std::string text = "initializer { name: '" + name + "' data_type: 7 dims: " + std::to_string(values.size());
  for (const int value : values) text += " int64_data: " + std::to_string(value);
  return text + " } ";
}

/// An initializer of integers; `type` is that of TensorProto: 2 uint8, 3 int8, 6 int32.
inline std::string integers_of_type(int type, const std::string& name, const std::vector<int>& dims,
                                    const std::vector<int>& values) {
  std::string text = "initializer { name: '" + name + "' data_type: " + std::to_string(type);
  for (const int extent : dims) text += " dims: " + std::to_string(extent);
  for (const int value : values) text += " int32_data: " + std::to_string(value);
  return text + " } ";
}
inline std::string u8(const std::string& name, int value) {
  return integers_of_type(2, name, {}, {value});
}
inline std::string s8(const std::string& name, int value) {
  return integers_of_type(3, name, {}, {value});
}

/// `more` are attributes as text.
inline std::string node(const std::string& type, const std::vector<std::string>& inputs,
                        const std::string& output, const std::string& more = "",
                        const std::string& name = "") {
  std::string text = "node { op_type: '" + type + "' output: '" + output + "'";
  if (!name.empty()) text += " name: '" + name + "'";
  for (const std::string& input : inputs) text += " input: '" + input + "'";
  return text + " " + more + " } ";
}

inline std::string attribute(const std::string& name, int64_t value) {
  return "attribute { name: '" + name + "' type: INT i: " + std::to_string(value) + " } ";
}

inline std::string attribute(const std::string& name, const std::vector<int64_t>& values) {
  std::string text = "attribute { name: '" + name + "' type: INTS";
  for (const int64_t value : values) text += " ints: " + std::to_string(value);
  return text + " } ";
}

/// Operators that move and resample values on 2x6x6: MatMul over the last axis, Transpose, ConvTranspose,
/// LRN, Resize, DepthToSpace, Softmax over the last axis.
inline std::string small_decoder() {
  const auto mode = [](const std::string& value) {
    return "attribute { name: 'mode' type: STRING s: '" + value + "' } ";
  };
  return input("x", {0, 2, 6, 6}) + output("y") + reals("m", {6, 4}, std::vector<float>(24, 0.5F)) +
         reals("w", {4, 2, 3, 3}, std::vector<float>(72, 0.25F)) + integers("sizes", {1, 4, 10, 8}) +
         node("MatMul", {"x", "m"}, "p") + node("Transpose", {"p"}, "t", attribute("perm", {0, 3, 2, 1})) +
         node("ConvTranspose", {"t", "w"}, "d",
              attribute("group", 2) + attribute("strides", {2, 3}) + attribute("pads", {1, 0, 1, 1}) +
                  attribute("output_padding", {1, 0}) + attribute("dilations", {1, 2})) +
         node("LRN", {"d"}, "l", attribute("size", 3)) +
         node("Resize", {"l", "", "", "sizes"}, "r", mode("linear")) +
         node("DepthToSpace", {"r"}, "s", attribute("blocksize", 2) + mode("CRD")) +
         node("Softmax", {"s"}, "y");
}

/// Quantized 2x6x6: INT4 weights of a Conv, Quant of data, weights and biases, BipolarQuant, Trunc.
inline std::string small_few_bits() {
  const std::string domain = " domain: 'qonnx.custom_op.general' ";
  const auto quant = [&](const std::string& in, const std::string& bits, const std::string& out,
                         int is_signed) {
    return node("Quant", {in, "s", "zero", bits}, out,
                domain + attribute("signed", is_signed) + attribute("narrow", 0) +
                    "attribute { name: 'rounding_mode' type: STRING s: 'ROUND' } ");
  };
  return input("x", {0, 2, 6, 6}) + output("y") +
         integers_of_type(22, "w", {3, 2, 1, 1}, {0x87, 0x21, 0x0F}) + reals("ws", {3}, {0.5F, 0.25F, 1}) +
         reals("s", {}, {0.5F}) + reals("zero", {}, {0}) + reals("four", {}, {4}) + reals("wide", {}, {32}) +
         reals("b", {3}, {1, 2, 3}) + reals("m", {108, 4}, std::vector<float>(432, -0.25F)) +
         integers_of_type(21, "z", {}, {8}) + quant("x", "four", "q", 1) +
         node("DequantizeLinear", {"w", "ws"}, "wr", attribute("axis", 0)) + quant("b", "wide", "bq", 1) +
         node("Conv", {"q", "wr", "bq"}, "c") + node("Relu", {"c"}, "r") + quant("r", "four", "rq", 0) +
         node("Trunc", {"rq", "s", "zero", "four", "four"}, "t",
              domain + "attribute { name: 'rounding_mode' type: STRING s: 'FLOOR' } ") +
         node("Flatten", {"t"}, "f") + node("BipolarQuant", {"m", "s"}, "mq", domain) +
         node("MatMul", {"f", "mq"}, "p") + node("QuantizeLinear", {"p", "s", "z"}, "pq") +
         node("DequantizeLinear", {"pq", "s", "z"}, "y");
}

/// Chains of integers in float tensors behind a Conv, a sum and an average, and a RequantShift, on 2x6x6.
inline std::string small_integer_chains() {
  const auto rounded = [](const std::string& in, const std::string& out) {
    return node("Mul", {in, "k"}, out + "m") + node("Add", {out + "m", "l"}, out + "a") +
           node("Div", {out + "a", "d"}, out + "d") + node("Floor", {out + "d"}, out + "f") +
           node("Clip", {out + "f", "lo", "hi"}, out);
  };
  return input("x", {0, 2, 6, 6}) + output("y") + reals("w", {2, 2, 1, 1}, {3, -2, 127, -127}) +
         reals("k", {1}, {7}) + reals("l", {}, {90}) + reals("d", {}, {64}) + reals("lo", {}, {0}) +
         reals("hi", {}, {255}) + integers_of_type(6, "mul", {2}, {5, 3}) +
         integers_of_type(6, "add", {2, 1, 1}, {70, -9}) + node("Conv", {"x", "w"}, "c") + rounded("c", "p") +
         node("Mul", {"x", "k"}, "xk") + node("Add", {"p", "xk"}, "s") + rounded("s", "q") +
         node("AveragePool", {"q"}, "v", attribute("kernel_shape", {2, 2}) + attribute("strides", {2, 2})) +
         rounded("v", "r") + node("Conv", {"r", "w"}, "e") +
         node("RequantShift", {"e", "mul", "add"}, "t",
              attribute("div", 32) + attribute("n_levels", 16) + attribute("signed", 1)) +
         node("Flatten", {"t"}, "y");
}

/// Conv 3x3 with padding, BatchNormalization, Relu, MaxPool, Flatten, Gemm, Softmax on 2x6x6, with a Shape
/// chain that folds.
inline std::string small_cnn() {
  const std::vector<float> four(4, 0.5F);
  return input("x", {0, 2, 6, 6}) + output("y") + reals("w", {4, 2, 3, 3}, std::vector<float>(72, 0.25F)) +
         reals("s", {4}, four) + reals("b", {4}, four) + reals("m", {4}, four) + reals("v", {4}, four) +
         reals("fw", {3, 36}, std::vector<float>(108, 0.125F)) + reals("fb", {3}, {1, 2, 3}) +
         integers("minus", {-1}) + integers("zero", {0}) +
         node("Conv", {"x", "w"}, "c", attribute("pads", {1, 1, 1, 1}) + attribute("kernel_shape", {3, 3}),
              "Conv_0") +
         node("BatchNormalization", {"c", "s", "b", "m", "v"}, "n") + node("Relu", {"n"}, "r") +
         node("MaxPool", {"r"}, "p", attribute("kernel_shape", {2, 2}) + attribute("strides", {2, 2})) +
         node("Shape", {"p"}, "shape") + node("Gather", {"shape", "zero"}, "batch") +
         node("Concat", {"batch", "minus"}, "flat", attribute("axis", 0)) +
         node("Reshape", {"p", "flat"}, "f") + node("Gemm", {"f", "fw", "fb"}, "g", attribute("transB", 1)) +
         node("Softmax", {"g"}, "y");
}

}  // namespace n2d2::onnx

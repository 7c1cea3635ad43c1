// Written models of operator set 21: weights of 4 bits, values of 16.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/onnx/writer.hpp"
#include "n2d2/ops/all.hpp"

#include "onnx_text.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string written(const std::string& text, int opset = kWrittenOpsetOfFewBits) {
  return write_model(graph::from_text(text, ops::registry(), "net.txt"), {Form::Qdq, "1", opset});
}

::onnx::ModelProto proto(const std::string& bytes) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

const ::onnx::TensorProto& constant(const ::onnx::ModelProto& model, const std::string& name) {
  for (const auto& tensor : model.graph().initializer())
    if (tensor.name() == name) return tensor;
  throw ModelError("no constant " + name);
}

/// An Fc of 3 inputs and 1 output with these weights.
std::string fc(const std::string& weights, const std::string& quant = "quant(8 signed -1 0.5)") {
  return "input x : u8 1x3x1x1 quant(8 unsigned -1 0.5)\nconstant w : i8 1x3 " + quant + " = " + weights +
         "\ny : i8 1x1x1x1 quant(8 signed -1 0.5) = Fc(x, w) NbOutputs=\"1\" "
         "rescale=\"Floating-point -128 127 0 : 0.5 :\"\noutput y\n";
}

TEST(WriteFewBits, LeftAlignedWeightsAreFourBits) {
  const std::string bytes = written(fc("16 -128 112"));
  const ::onnx::ModelProto model = proto(bytes);
  EXPECT_EQ(model.opset_import(0).version(), 21);
  EXPECT_EQ(model.ir_version(), 10);
  const auto& weights = constant(model, "w_quantized");
  EXPECT_EQ(weights.data_type(), 22);
  EXPECT_EQ(weights.raw_data(), std::string("\x81\x07", 2));  // 1, -8; 7 and an empty half
  EXPECT_EQ(constant(model, "w_zero_point").data_type(), 22);
  EXPECT_EQ(constant(model, "w_zero_point").raw_data().size(), 1U);
  float scale = 0;
  std::memcpy(&scale, constant(model, "w_scale").raw_data().data(), sizeof scale);
  EXPECT_EQ(scale, 8);
  EXPECT_GT(model.graph().value_info_size(), 0);
  for (const auto& info : model.graph().value_info())
    EXPECT_EQ(info.type().tensor_type().elem_type(), ::onnx::TensorProto::FLOAT) << info.name();

  graph::Graph graph;
  const auto x = graph.add_input("sp", {Shape{1, 3, 1, 1}, DataType::F32, Layout::Nchw, {}});
  const Imported imported = import_model(graph, parse_model(bytes, "net.onnx"), {x});
  for (const graph::NodeId id : graph.nodes())
    if (graph.node(id).inputs.size() > 1) {
      const graph::Value& read = graph.value(graph.node(id).inputs[1]);
      EXPECT_EQ(read.type.quant, (QuantParams{4, true, -1, {8}}));
      EXPECT_THAT(read.constant->span<float>(), ElementsAre(8, -64, 56));
    }
}

TEST(WriteFewBits, OtherWeightsStayBytes) {
  EXPECT_EQ(constant(proto(written(fc("16 -128 113"))), "w_quantized").data_type(),
            ::onnx::TensorProto::INT8);
  EXPECT_EQ(constant(proto(written(fc("1 2 3"))), "w_quantized").data_type(), ::onnx::TensorProto::INT8);
  EXPECT_EQ(constant(proto(written(fc("16 -128 112"), kWrittenOpset)), "w_quantized").data_type(),
            ::onnx::TensorProto::INT8);
  // In an export of four bits integers are those of four bits.
  const ::onnx::ModelProto four = proto(written(fc("1 -8 7", "quant(4 signed -1 0.5)")));
  EXPECT_EQ(constant(four, "w_quantized").raw_data(), std::string("\x81\x07", 2));
}

TEST(WriteFewBits, ValuesOfSixteenBitsHaveTheirOwnTypes) {
  const std::string pool = " = Pool(x) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Max\"\noutput y\n";
  const auto of = [&](const std::string& type, const std::string& quant) {
    return written("input x : " + type + " 1x2x5x6 " + quant + "\ny : " + type + " 1x2x2x3 " + quant + pool);
  };
  const auto grid = [](const std::string& bytes) { return parse_model(bytes, "net.onnx"); };
  EXPECT_EQ(constant(proto(of("u16", "quant(16 unsigned -1 0.5)")), "x_zero_point").data_type(),
            ::onnx::TensorProto::UINT16);
  const std::string words = of("i16", "quant(16 signed -1 0.5)");
  EXPECT_EQ(constant(proto(words), "x_zero_point").data_type(), ::onnx::TensorProto::INT16);
  graph::Graph graph;
  const auto x = graph.add_input("sp", {Shape{1, 2, 5, 6}, DataType::F32, Layout::Nchw, {}});
  const Imported imported = import_model(graph, grid(words), {x});
  EXPECT_EQ(imported.grids.at("x_quantized"), (Grid{{0.5F}, {0}, -32768, 32767}));
  try {
    of("i32", "quant(32 signed -1 0.5)");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("32 bits: QuantizeLinear of operator set 21 has 16"));
  }
}

}  // namespace
}  // namespace n2d2::onnx

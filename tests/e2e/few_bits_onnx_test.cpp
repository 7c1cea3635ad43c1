// One network of 4-bit weights and 2-bit values in three forms of ONNX files: one program, whose integers are
// known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/onnx/importer.hpp"

#include "e2e/graph_export.hpp"
#include "onnx/onnx_text.hpp"

namespace n2d2::e2e {
namespace {

using onnx::attribute;
using onnx::integers_of_type;
using onnx::node;
using onnx::reals;
using ::testing::ElementsAre;

constexpr int kUint4 = 21, kInt4 = 22;

/// x in 0 .. 15 of step 1, W of step 0.5, Relu, y in 0 .. 3 of step 1; factor 0.5 and bias 0.25 in between.
std::string network(const std::string& input, const std::string& weights, const std::string& output) {
  return onnx::input("x", {1, 2}) + onnx::output("y") + reals("one", {}, {1}) + reals("half", {}, {0.5F}) +
         reals("b", {2}, {0.25F, 0.25F}) + input + weights +
         node("Gemm", {"xr", "wr"}, "g", attribute("transB", 1)) + node("Mul", {"g", "half"}, "m") +
         node("Add", {"m", "b"}, "a") + node("Relu", {"a"}, "r") + output;
}

std::string as_qonnx() {
  const auto quant = [](const std::string& in, const std::string& scale, const std::string& bits,
                        const std::string& out, int is_signed) {
    return node("Quant", {in, scale, "zero", bits}, out,
                " domain: 'qonnx.custom_op.general' " + attribute("signed", is_signed) +
                    attribute("narrow", 0) + "attribute { name: 'rounding_mode' type: STRING s: 'ROUND' } ");
  };
  return network(reals("zero", {}, {0}) + reals("four", {}, {4}) + reals("two", {}, {2}) +
                     quant("x", "one", "four", "xr", 0),
                 reals("w", {2, 2}, {0.6F, -1.7F, 3.4F, -9}) + quant("w", "half", "four", "wr", 1),
                 quant("r", "one", "two", "y", 0));
}

std::string as_qdq() {
  return network(
      integers_of_type(kUint4, "z", {}, {0}) + node("QuantizeLinear", {"x", "one", "z"}, "xq") +
          node("DequantizeLinear", {"xq", "one", "z"}, "xr"),
      integers_of_type(kInt4, "w", {2, 2}, {0xD1, 0x87}) + node("DequantizeLinear", {"w", "half"}, "wr"),
      integers_of_type(25, "yz", {}, {0}) + node("QuantizeLinear", {"r", "one", "yz"}, "yq") +
          node("DequantizeLinear", {"yq", "one", "yz"}, "y"));
}

std::string as_qcdq() {
  const auto pair = [](const std::string& in, const std::string& most, const std::string& out) {
    return node("QuantizeLinear", {in, "one", "z"}, out + "q") +
           node("Clip", {out + "q", "z", most}, out + "c") +
           node("DequantizeLinear", {out + "c", "one", "z"}, out);
  };
  return network(
      onnx::u8("z", 0) + onnx::u8("three", 3) + onnx::u8("fifteen", 15) + pair("x", "fifteen", "xr"),
      integers_of_type(3, "w", {2, 2}, {1, -3, 7, -8}) + onnx::s8("lo", -8) + onnx::s8("hi", 7) +
          node("Clip", {"w", "lo", "hi"}, "wc") + node("DequantizeLinear", {"wc", "half"}, "wr"),
      pair("r", "three", "y"));
}

GraphExport exported(const std::string& text) {
  const onnx::Model model = onnx::model_of(text, 25);
  graph::Graph graph;
  const auto x = graph.add_input("sp", {Shape{1, 2, 1, 1}, DataType::F32, Layout::Nchw, {}});
  const onnx::Imported imported = onnx::import_model(graph, model, {x});
  graph.set_outputs({imported.values.at("y")});
  targets::cpp::Parameters parameters;
  parameters.output_bits = 8;
  return export_graph(std::move(graph), Tensor(Shape{1, 2, 1, 1}), {}, parameters);
}

struct Written {
  const char* name;
  std::string (*text)();
};

class FewBitsOnnx : public testing::TestWithParam<Written> {};

TEST_P(FewBitsOnnx, IsTheSameProgramOfKnownIntegers) {
  const log::Capture quiet;
  const GraphExport net = exported(GetParam().text());
  const auto run = [&](float a, float b) {
    const Tensor out = net.project().host_run(Tensor::from(Shape{1, 2, 1, 1}, {a, b})).at(0);
    return std::vector<int>(out.span<uint8_t>().begin(), out.span<uint8_t>().end());
  };
  // W is (1, -3; 7, -8) of 0.5, and half of it: sums of x W / 4 and 0.25.
  EXPECT_THAT(run(5.2F, 1.4F), ElementsAre(1, 3));  // 5 and 1: 0.75; 7
  EXPECT_THAT(run(9, 2), ElementsAre(1, 3));        // 1; 12
  EXPECT_THAT(run(100, -7), ElementsAre(3, 3));     // 15 and 0: 4; 26.5
  EXPECT_THAT(run(1, 0.6F), ElementsAre(0, 0));     // 1 and 1: -0.25; 0, 1/4 - 1/4
  EXPECT_THAT(run(3, 2), ElementsAre(0, 2));        // -0.5; 1.5, a tie to even
  for (const graph::NodeId id : net.logical.schedule()) {
    const graph::Node& layer = net.logical.node(id);
    if (layer.inputs.size() < 2) continue;
    const graph::Value& weights = net.logical.value(layer.inputs[1]);
    EXPECT_THAT(weights.constant->span<int8_t>(), ElementsAre(16, -48, 112, -128)) << "left-aligned";
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, FewBitsOnnx,
                         testing::Values(Written{"qonnx", as_qonnx}, Written{"qdq", as_qdq},
                                         Written{"qcdq", as_qcdq}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace n2d2::e2e

// Files whose tensors are integers: QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/fake_quantize.hpp"

#include "onnx_text.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x -> QuantizeLinear (scale 0.5, uint8, zero point 0) -> "q" -> `more`, with initializers "s", "z".
std::string quantized_input(const std::vector<int>& dims, const std::string& more) {
  return input("x", dims) + reals("s", {}, {0.5}) + u8("z", 0) +
         node("QuantizeLinear", {"x", "s", "z"}, "q") + more;
}

struct Net {
  graph::Graph graph;
  Imported imported;

  explicit Net(const std::string& text, const Shape& shape = {1, 2, 1, 1}, int opset = 13) {
    const Model model = model_of(text, opset);
    const auto x = graph.add_input("sp", {shape, DataType::F32, Layout::Nchw, {}});
    imported = import_model(graph, model, {x});
    graph.set_outputs({imported.values.at(model.outputs().at(0))});
    graph::verify(graph);
  }
  std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const graph::NodeId id : graph.schedule()) out.emplace_back(graph.op(id).type());
    return out;
  }
  std::vector<float> run(const std::vector<float>& in) const {
    compute::Executor executor(graph, {.backend = compute::Backend::Reference});
    executor.forward(Tensor::from(graph.value(graph.inputs().at(0)).type.shape, in));
    const Tensor out = executor.read(graph.outputs().at(0));
    return {out.span().begin(), out.span().end()};
  }
  const graph::Value& weights() const {
    for (const graph::NodeId id : graph.schedule())
      if (graph.node(id).inputs.size() > 1) return graph.value(graph.node(id).inputs[1]);
    throw ModelError("no layer has weights");
  }
};

std::string findings(const std::string& text, const Shape& shape = {1, 2, 1, 1}) {
  try {
    Net(text, shape);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Quantized, APairRoundsToTheGrid) {
  const Net net(quantized_input({1, 4}, node("DequantizeLinear", {"q", "s", "z"}, "y") + output("y")),
                {1, 4, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("FakeQuantize"));
  EXPECT_THAT(net.run({0.7F, -3, 1.25F, 500}), ElementsAre(0.5F, 0, 1, 127.5F));
  EXPECT_EQ(net.imported.grids.at("q"), (Grid{{0.5}, {0}, 0, 255}));
}

/// Scales of axis 1, the outputs, are those of the rows that a Deconv has.
TEST(Quantized, WeightsOfAConvTransposeKeepTheirScales) {
  const Net net(input("x", {1, 2, 2, 2}) + integers_of_type(3, "w", {2, 2, 1, 1}, {1, -2, 3, 4}) +
                    reals("ws", {2}, {0.5, 0.25}) + integers_of_type(3, "wz", {2}, {0, 0}) +
                    node("DequantizeLinear", {"w", "ws", "wz"}, "rw", attribute("axis", 1)) +
                    node("ConvTranspose", {"x", "rw"}, "y") + output("y"),
                {1, 2, 2, 2});
  const graph::Value& weights = net.weights();
  EXPECT_EQ(weights.type.quant->scale, (std::vector<float>{0.5F, 0.25F}));
  EXPECT_THAT(weights.constant->span<float>(), ElementsAre(0.5F, 1.5F, -0.5F, 1.0F));
}

TEST(Quantized, LayersThatMoveValuesPassIntegersOn) {
  const Net net(
      quantized_input({1, 1, 2, 2}, node("MaxPool", {"q"}, "pooled", attribute("kernel_shape", {2, 2})) +
                                        node("Flatten", {"pooled"}, "flat") +
                                        node("Concat", {"flat", "flat"}, "both", attribute("axis", 1)) +
                                        node("DequantizeLinear", {"both", "s", "z"}, "y") + output("y")),
      {1, 1, 2, 2});
  EXPECT_THAT(net.run({0.7F, 3.1F, 1.25F, 2}), ElementsAre(3, 3));
  EXPECT_TRUE(net.imported.grids.contains("both"));
}

TEST(Quantized, WeightsCarryTheScalesOfTheirRows) {
  const std::string layer = integers_of_type(3, "w", {2, 2}, {100, -128, 3, 4}) +
                            reals("ws", {2}, {0.5, 0.25}) + integers_of_type(3, "wz", {2}, {0, 0}) +
                            integers_of_type(6, "b", {2}, {40, -8}) + reals("bs", {2}, {0.25, 0.125}) +
                            integers_of_type(6, "bz", {2}, {0, 0}) +
                            node("DequantizeLinear", {"q", "s", "z"}, "xr") +
                            node("DequantizeLinear", {"w", "ws", "wz"}, "wr", attribute("axis", 0)) +
                            node("DequantizeLinear", {"b", "bs", "bz"}, "br", attribute("axis", 0));
  const Net net(quantized_input(
      {1, 2}, layer + node("Gemm", {"xr", "wr", "br"}, "y", attribute("transB", 1)) + output("y")));
  EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Fc"));
  EXPECT_THAT(net.run({1, 2}), ElementsAre(50 - 128 + 10, 0.75F + 2 - 1));
  EXPECT_EQ(net.weights().type.quant, (QuantParams{8, true, 0, {0.5, 0.25}}));

  // Integers go through a Transpose, and columns whose scales differ.
  const std::string columns = integers_of_type(3, "w", {2, 2}, {100, -128, 3, 4}) +
                              reals("ws", {2}, {0.5, 0.25}) + integers_of_type(3, "wz", {2}, {0, 0}) +
                              node("DequantizeLinear", {"q", "s", "z"}, "xr") +
                              node("DequantizeLinear", {"w", "ws", "wz"}, "wr", attribute("axis", 1));
  const Net product(quantized_input({1, 2}, columns + node("MatMul", {"xr", "wr"}, "y") + output("y")));
  EXPECT_EQ(product.weights().type.quant, (QuantParams{8, true, 0, {0.5, 0.25}}));
  const Net turned(quantized_input(
      {1, 2}, columns + node("Transpose", {"wr"}, "wt") + node("MatMul", {"xr", "wt"}, "y") + output("y")));
  EXPECT_FALSE(turned.weights().type.quant) << "two scales in a row are no scale";
}

TEST(Quantized, WeightsAroundAnotherZeroAreStillExactWhereTheyFit) {
  const auto quant_of = [](int zero) {
    const std::string layer = integers_of_type(2, "w", {2, 2}, {255, 0, 3, 128}) + reals("ws", {}, {0.5}) +
                              u8("wz", zero) + node("DequantizeLinear", {"q", "s", "z"}, "xr") +
                              node("DequantizeLinear", {"w", "ws", "wz"}, "wr");
    return Net(quantized_input({1, 2}, layer + node("MatMul", {"xr", "wr"}, "y") + output("y")))
        .weights()
        .type.quant;
  };
  EXPECT_EQ(quant_of(128), (QuantParams{8, true, -1, {0.5}}));
  EXPECT_EQ(quant_of(100), std::nullopt) << "155 steps are more than int8 has";
}

TEST(Quantized, ArithmeticOnWeightsLosesTheirScale) {
  const std::string layer =
      integers_of_type(3, "w", {2, 2}, {1, 2, 3, 4}) + reals("ws", {}, {0.5}) + s8("wz", 0) +
      reals("two", {}, {2}) + node("DequantizeLinear", {"q", "s", "z"}, "xr") +
      node("DequantizeLinear", {"w", "ws", "wz"}, "wr") + node("Mul", {"wr", "two"}, "w2") +
      node("MatMul", {"xr", "w2"}, "y") + output("y");
  EXPECT_FALSE(Net(quantized_input({1, 2}, layer)).weights().type.quant);
}

TEST(Quantized, FactorsOfAGemmGoIntoTheSteps) {
  const auto quant_of = [](const std::string& alpha) {
    const std::string layer =
        integers_of_type(3, "w", {2, 2}, {1, 2, 3, 4}) + reals("ws", {}, {0.5}) + s8("wz", 0) +
        node("DequantizeLinear", {"q", "s", "z"}, "xr") + node("DequantizeLinear", {"w", "ws", "wz"}, "wr") +
        node("Cast", {"wr"}, "wc", attribute("to", 1)) +
        node("Gemm", {"xr", "wc"}, "y", "attribute { name: 'alpha' type: FLOAT f: " + alpha + " }");
    return Net(quantized_input({1, 2}, layer + output("y"))).weights().type.quant;
  };
  EXPECT_EQ(quant_of("0.25"), (QuantParams{8, true, -1, {0.125}}));
  EXPECT_EQ(quant_of("-2"), (QuantParams{8, true, -1, {1}}));
}

TEST(Quantized, QLinearOperatorsAreALayerAndARounding) {
  const std::string matmul = integers_of_type(3, "w", {2, 2}, {1, -2, 3, 4}) + reals("ws", {}, {0.25}) +
                             s8("wz", 0) + reals("ys", {}, {0.5}) + u8("yz", 10) +
                             node("QLinearMatMul", {"q", "s", "z", "w", "ws", "wz", "ys", "yz"}, "p") +
                             node("DequantizeLinear", {"p", "ys", "yz"}, "y") + output("y");
  const Net net(quantized_input({1, 2}, matmul));
  EXPECT_THAT(net.types(), ElementsAre("FakeQuantize", "Fc", "FakeQuantize"));
  EXPECT_THAT(net.run({1, 2}), ElementsAre(2, 1.5F));   // 1.75 and 1.5
  EXPECT_THAT(net.run({100, 0}), ElementsAre(25, -5));  // the integers end at zero point 10

  const std::string conv = integers_of_type(3, "w", {1, 2, 1, 1}, {2, 3}) + reals("ws", {1}, {0.25}) +
                           integers_of_type(3, "wz", {1}, {0}) + reals("ys", {}, {0.5}) + s8("yz", 0) +
                           integers_of_type(6, "b", {1}, {16}) +
                           node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "ys", "yz", "b"}, "p") +
                           node("DequantizeLinear", {"p", "ys", "yz"}, "y") + output("y");
  const Net convolution(quantized_input({1, 2, 1, 1}, conv));
  EXPECT_THAT(convolution.types(), ElementsAre("FakeQuantize", "Conv", "FakeQuantize"));
  EXPECT_THAT(convolution.run({1, 1}), ElementsAre(3));  // 1.25 + 16 / 8 = 3.25, a tie, to even steps
  EXPECT_EQ(convolution.weights().type.quant, (QuantParams{8, true, -1, {0.25}}));
}

TEST(Quantized, AnInputOfIntegersIsFedAsItIs) {
  const std::string bytes =
      "input { name: 'x' type { tensor_type { elem_type: 2 shape { dim { dim_value: 1 } dim { "
      "dim_value: 2 } } } } } " +
      reals("s", {}, {0.5}) + u8("z", 3) + node("DequantizeLinear", {"x", "s", "z"}, "y") + output("y");
  EXPECT_THAT(Net(bytes).run({3, 13}), ElementsAre(0, 5));
}

TEST(Quantized, RefusesWhatWouldMixIntegersAndReals) {
  EXPECT_THAT(findings(quantized_input({1, 2}, node("Relu", {"q"}, "y") + output("y"))),
              HasSubstr("node 'y' (Relu): reads 'q', whose elements are integers, expected float32\n"
                        "  hint: put a DequantizeLinear in between"));
  const std::string axis = attribute("axis", 1);
  EXPECT_THAT(findings(quantized_input({1, 2}, node("Concat", {"q", "x"}, "y", axis) + output("y"))),
              HasSubstr("node 'y' (Concat): joins integers and real numbers"));
  EXPECT_THAT(findings(quantized_input({1, 2}, reals("s2", {}, {0.25}) +
                                                   node("QuantizeLinear", {"x", "s2", "z"}, "r") +
                                                   node("Concat", {"q", "r"}, "y", axis) + output("y"))),
              HasSubstr("node 'y' (Concat): joins integers of several scales"));
  EXPECT_THAT(findings(input("x", {1, 2}) + reals("s", {}, {0.5}) + u8("z", 0) +
                       node("DequantizeLinear", {"x", "s", "z"}, "y") + output("y")),
              HasSubstr("dequantizes data that are no integers of 16 bits or less"));
}

TEST(Quantized, RefusesScalesThatMeanNothing) {
  const auto of = [](const std::string& constants) {
    return findings(input("x", {1, 2}) + constants + node("QuantizeLinear", {"x", "s", "z"}, "y") +
                    output("y"));
  };
  EXPECT_THAT(of(reals("s", {}, {-1}) + u8("z", 0)), HasSubstr("scale -1, expected a positive number"));
  EXPECT_THAT(of(reals("s", {2}, {1, 1}) + u8("z", 0)), HasSubstr("1 zero points for 2 scales"));
  EXPECT_THAT(of(reals("s", {}, {1}) + reals("z", {}, {0})),
              HasSubstr("the zero point is not of an integer type of 2, 4, 8, 16 or 32 bits"));
  EXPECT_THAT(of(reals("s", {3}, {1, 1, 1}) + integers_of_type(2, "z", {3}, {0, 0, 0})),
              HasSubstr("3 scales for axis 1 of 1x2"));
  EXPECT_THAT(of(reals("s", {}, {1}) + integers_of_type(6, "z", {}, {0})),
              HasSubstr("32 bit integers between layers"));
}

TEST(Quantized, ConstantsFold) {
  const std::string text = input("x", {1, 2}) + reals("c", {1, 2}, {0.8F, -9}) + reals("s", {}, {0.5}) +
                           u8("z", 1) + node("QuantizeLinear", {"c", "s", "z"}, "q") +
                           node("DequantizeLinear", {"q", "s", "z"}, "d") + node("Add", {"x", "d"}, "y") +
                           output("y");
  EXPECT_THAT(Net(text).run({10, 20}), ElementsAre(11, 19.5F));
}

/// x rounded to 0.5 as in quantized_input(), clipped to integers of these bounds, and made reals.
std::string clipped(int least, int most, const std::string& between = "") {
  return quantized_input({1, 4}, u8("lo", least) + u8("hi", most) + between +
                                     node("Clip", {between.empty() ? "q" : "moved", "lo", "hi"}, "c") +
                                     node("DequantizeLinear", {"c", "s", "z"}, "y") + output("y"));
}

TEST(Quantized, AClipOfIntegersBoundsTheRounding) {
  const std::vector<float> in{0.7F, -3, 1.25F, 500};
  const Net all(clipped(0, 255), {1, 4, 1, 1});
  EXPECT_THAT(all.types(), ElementsAre("FakeQuantize"));
  EXPECT_THAT(all.run(in), ElementsAre(0.5F, 0, 1, 127.5F));
  const Net few(clipped(1, 15), {1, 4, 1, 1});
  EXPECT_THAT(few.types(), ElementsAre("FakeQuantize"));
  EXPECT_THAT(few.run(in), ElementsAre(0.5F, 0.5F, 1, 7.5F));
  const Net behind(clipped(1, 15, node("Identity", {"q"}, "moved")), {1, 4, 1, 1});
  EXPECT_THAT(behind.run(in), ElementsAre(0.5F, 0.5F, 1, 7.5F));
  EXPECT_THAT(findings(clipped(15, 1), {1, 4, 1, 1}),
              HasSubstr("node 'c' (Clip): min 15 is larger than max 1"));
}

TEST(Quantized, WeightsBehindAClipKeepTheirScales) {
  const std::string layer =
      integers_of_type(3, "w", {2, 2}, {100, -128, 3, 4}) + reals("ws", {}, {0.5}) + s8("wz", 0) +
      s8("lo", -127) + s8("hi", 127) + node("Clip", {"w", "lo", "hi"}, "wc") +
      node("DequantizeLinear", {"q", "s", "z"}, "xr") + node("DequantizeLinear", {"wc", "ws", "wz"}, "wr") +
      node("MatMul", {"xr", "wr"}, "y") + output("y");
  const Net net(quantized_input({1, 2}, layer));
  EXPECT_EQ(net.weights().type.quant, (QuantParams{8, true, -1, {0.5}}));
  EXPECT_THAT(net.run({1, 0}), ElementsAre(50, -63.5F));
}

TEST(Quantized, AnotherScaleOrZeroReadsTheSameIntegersAsOtherReals) {
  const auto read_as = [](const std::string& constants, const std::string& scale, const std::string& zero) {
    return Net(quantized_input({1, 4},
                               constants + node("DequantizeLinear", {"q", scale, zero}, "y") + output("y")),
               {1, 4, 1, 1})
        .run({0.7F, -3, 1.25F, 500});
  };
  EXPECT_THAT(read_as(u8("two", 2), "s", "two"), ElementsAre(-0.5F, -1, 0, 126.5F));
  EXPECT_THAT(read_as(reals("quarter", {}, {0.25F}), "quarter", "z"), ElementsAre(0.25F, 0, 0.5F, 63.75F));
}

}  // namespace
}  // namespace n2d2::onnx

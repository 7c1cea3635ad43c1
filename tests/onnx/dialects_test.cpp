// Operators that stand for several of ONNX compute what these compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/verify.hpp"

#include "onnx_text.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::HasSubstr;

const std::string kMicrosoft = " domain: 'com.microsoft' ";

std::string real(const std::string& name, float value) {
  return "attribute { name: '" + name + "' type: FLOAT f: " + std::to_string(value) + " } ";
}
std::string word(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}
std::string list(const std::string& name, const std::vector<float>& values) {
  std::string text = "attribute { name: '" + name + "' type: FLOATS";
  for (const float value : values) text += " floats: " + std::to_string(value);
  return text + " } ";
}

/// The values at 'y' of a network that reads 'x', and the types of its layers.
struct Result {
  std::vector<float> values;
  std::vector<std::string> types;
  friend bool operator==(const Result&, const Result&) = default;
  friend void PrintTo(const Result& result, std::ostream* out) {
    *out << testing::PrintToString(result.types) << " " << testing::PrintToString(result.values);
  }
};

Result result_of(const std::string& text, const Shape& shape, int opset) {
  const log::Capture quiet;
  const Model model = model_of(text, opset);
  graph::Graph graph;
  const auto x = graph.add_input("sp", {shape, DataType::F32, Layout::Nchw, {}});
  const Imported imported = import_model(graph, model, {x});
  graph.set_outputs({imported.values.at("y")});
  graph::verify(graph);
  Tensor sample(shape);
  for (int64_t i = 0; i < sample.elements(); ++i)
    sample.data<float>()[i] = 0.37F * static_cast<float>(i % 23) - 3;
  compute::Executor executor(graph, {.backend = compute::Backend::Reference});
  executor.forward(sample);
  const Tensor out = executor.read(graph.outputs().at(0));
  Result result{{out.span().begin(), out.span().end()}, {}};
  for (const graph::NodeId id : graph.schedule()) result.types.emplace_back(graph.op(id).type());
  return result;
}

/// x -> integers "q" (scale "s", zero point "z") and "p" ("t", "tz"); "r", "rz" are those of results.
std::string two_inputs(const std::vector<int>& dims) {
  return input("x", dims) + output("y") + reals("s", {}, {0.5}) + u8("z", 3) + reals("t", {}, {0.25}) +
         u8("tz", 100) + reals("r", {}, {0.75}) + u8("rz", 7) + node("QuantizeLinear", {"x", "s", "z"}, "q") +
         node("QuantizeLinear", {"x", "t", "tz"}, "p");
}
std::string back(const std::string& from) {
  return node("DequantizeLinear", {from, "r", "rz"}, "y");
}
std::string reals_of_both() {
  return node("DequantizeLinear", {"q", "s", "z"}, "a") + node("DequantizeLinear", {"p", "t", "tz"}, "b");
}
std::string rounded(const std::string& from) {
  return node("QuantizeLinear", {from, "r", "rz"}, "o") + back("o");
}

struct Pair {
  std::string name, dialect, plain;
  Shape shape{1, 4, 3, 3};
  int opset = 13;
  friend void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }
};

std::vector<Pair> quantized_pairs() {
  const std::vector<int> dims{1, 4, 3, 3};
  const std::string both = two_inputs(dims);
  const auto of_two = [&](const std::string& type, const std::string& plain) {
    return Pair{type,
                both + node(type, {"q", "s", "z", "p", "t", "tz", "r", "rz"}, "o", kMicrosoft) + back("o"),
                both + reals_of_both() + node(plain, {"a", "b"}, "c") + rounded("c")};
  };
  const auto of_one = [&](const std::string& type, const std::string& plain, const std::string& attributes,
                          const std::string& more = "") {
    return Pair{
        type, both + node(type, {"q", "s", "z", "r", "rz"}, "o", kMicrosoft + attributes + more) + back("o"),
        both + reals_of_both() + node(plain, {"a"}, "c", attributes) + rounded("c")};
  };
  const std::string window = attribute("kernel_shape", std::vector<int64_t>{2, 2}) +
                             attribute("pads", std::vector<int64_t>{1, 0, 0, 0});
  return {
      of_two("QLinearAdd", "Add"),
      of_two("QLinearMul", "Mul"),
      of_one("QLinearAveragePool", "AveragePool", window, attribute("channels_last", 0)),
      of_one("QLinearGlobalAveragePool", "GlobalAveragePool", "", attribute("channels_last", 0)),
      of_one("QLinearSigmoid", "Sigmoid", ""),
      of_one("QLinearLeakyRelu", "LeakyRelu", real("alpha", 0.25F)),
      of_one("QLinearSoftmax", "Softmax", attribute("axis", 1), attribute("opset", 13)),
      {"QLinearConcat",
       both +
           node("QLinearConcat", {"r", "rz", "q", "s", "z", "p", "t", "tz"}, "o",
                kMicrosoft + attribute("axis", 1)) +
           back("o"),
       both + reals_of_both() + node("Concat", {"a", "b"}, "c", attribute("axis", 1)) + rounded("c")},
  };
}

std::vector<Pair> gemm_pairs() {
  const std::string both = two_inputs({1, 4}) +
                           integers_of_type(3, "w", {2, 4}, {1, -2, 3, 40, 5, 6, -70, 8}) +
                           reals("ws", {}, {0.125}) + s8("wz", 0);
  const std::string biases = integers_of_type(6, "c", {2}, {10, -20});  // in units of 0.5 x 0.125
  const std::string turned = attribute("transB", 1);
  const std::string plain = both + reals("real_c", {2}, {0.625, -1.25}) + reals_of_both() +
                            node("DequantizeLinear", {"w", "ws", "wz"}, "rw", attribute("axis", 0));
  return {{"QGemm",
           both + biases +
               node("QGemm", {"q", "s", "z", "w", "ws", "wz", "c", "r", "rz"}, "o", kMicrosoft + turned) +
               back("o"),
           plain + node("Gemm", {"a", "rw", "real_c"}, "g", turned) + rounded("g"),
           {1, 4, 1, 1}},
          {"QGemmWithoutBiasToReals",
           both + node("QGemm", {"q", "s", "z", "w", "ws", "wz"}, "y", kMicrosoft + turned),
           plain + node("Gemm", {"a", "rw"}, "y", turned),
           {1, 4, 1, 1}}};
}

std::vector<Pair> fused_pairs() {
  const std::string begin = input("x", {1, 4, 3, 3}) + output("y") +
                            reals("w", {4, 4, 1, 1}, {1, 2, -1, 0, 0, 1, 1, -3, 2, 0, 0, 1, -1, -1, 0, 2}) +
                            reals("bias", {4}, {0.5, -1, 0, 2});
  const auto fused = [&](const std::string& name, const std::string& attributes, const std::string& plain) {
    return Pair{"FusedConv" + name,
                begin + node("FusedConv", {"x", "w", "bias"}, "y", kMicrosoft + attributes),
                begin + node("Conv", {"x", "w", "bias"}, "c") + plain};
  };
  const std::string line = input("x", {1, 4}) + output("y") + reals("w", {2, 4}, {1, 2, -1, 0, 0, 1, 1, -3}) +
                           reals("bias", {2}, {0.5, -1});
  return {
      fused("Relu", word("activation", "Relu"), node("Relu", {"c"}, "y")),
      fused("LeakyRelu", word("activation", "LeakyRelu") + list("activation_params", {0.25}),
            node("LeakyRelu", {"c"}, "y", real("alpha", 0.25F))),
      fused("Clip", word("activation", "Clip") + list("activation_params", {-1, 2}),
            reals("low", {}, {-1}) + reals("high", {}, {2}) + node("Clip", {"c", "low", "high"}, "y")),
      fused("HardSigmoid", word("activation", "HardSigmoid") + list("activation_params", {0.125, 0.25}),
            node("HardSigmoid", {"c"}, "y", real("alpha", 0.125F) + real("beta", 0.25F))),
      fused("None", "", node("Identity", {"c"}, "y")),
      {"FusedConvWithSum",
       begin + node("FusedConv", {"x", "w", "bias", "x"}, "y", kMicrosoft + word("activation", "Relu")),
       begin + node("Conv", {"x", "w", "bias"}, "c") + node("Add", {"c", "x"}, "d") +
           node("Relu", {"d"}, "y")},
      {"FusedGemm",
       line + node("FusedGemm", {"x", "w", "bias"}, "y",
                   kMicrosoft + attribute("transB", 1) + word("activation", "LeakyRelu") +
                       real("activation_alpha", 0.5F)),
       line + node("Gemm", {"x", "w", "bias"}, "g", attribute("transB", 1)) +
           node("LeakyRelu", {"g"}, "y", real("alpha", 0.5F)),
       {1, 4, 1, 1}},
      {"BiasGelu",
       line + reals("four", {4}, {1, -1, 0.5, 0}) + node("BiasGelu", {"x", "four"}, "y", kMicrosoft),
       line + reals("four", {4}, {1, -1, 0.5, 0}) + node("Add", {"x", "four"}, "a") +
           node("Gelu", {"a"}, "y"),
       {1, 4, 1, 1},
       20},
      {"Gelu",
       line + node("Gelu", {"x"}, "y", kMicrosoft),
       line + node("Gelu", {"x"}, "y"),
       {1, 4, 1, 1},
       20},
      {"QuickGelu",
       line + node("QuickGelu", {"x"}, "y", kMicrosoft + real("alpha", 1.5F)),
       line + reals("alpha", {}, {1.5}) + node("Mul", {"x", "alpha"}, "m") + node("Sigmoid", {"m"}, "g") +
           node("Mul", {"x", "g"}, "y"),
       {1, 4, 1, 1}},
  };
}

std::vector<Pair> product_pairs() {
  const std::string map =
      input("x", {1, 2, 3, 4}) + output("y") + reals("half", {}, {0.5}) + node("Relu", {"x"}, "r");
  const auto perm = [](const std::string& from, const std::string& to, const std::vector<int64_t>& order) {
    return node("Transpose", {from}, to, attribute("perm", order));
  };
  const std::string rows = input("x", {1, 5, 6}) + output("y") +
                           reals("w", {4, 6}, std::vector<float>(24, 0.5F)) + perm("x", "t", {1, 0, 2});
  const auto fused = [](const std::vector<std::string>& inputs, const std::string& more,
                        const std::string& type = "FusedMatMul") {
    return node(type, inputs, "y", kMicrosoft + more);
  };
  const Shape row{1, 5, 1, 6};
  return {
      {"SecondTurned",
       map + fused({"x", "r"}, attribute("transB", 1) + real("alpha", 0.5F)),
       map + perm("r", "u", {0, 1, 3, 2}) + node("MatMul", {"x", "u"}, "p") + node("Mul", {"p", "half"}, "y"),
       {1, 2, 3, 4}},
      {"FirstTurned",
       map + fused({"x", "r"}, attribute("transA", 1), "TransposeMatMul"),
       map + perm("x", "u", {0, 1, 3, 2}) + node("MatMul", {"u", "r"}, "y"),
       {1, 2, 3, 4}},
      {"Plain", rows + perm("w", "u", {1, 0}) + fused({"x", "u"}, ""),
       rows + perm("w", "u", {1, 0}) + node("MatMul", {"x", "u"}, "y"), row},
      {"TurnedConstant", rows + fused({"x", "w"}, attribute("transB", 1) + attribute("transBatchA", 0)),
       rows + perm("w", "u", {1, 0}) + node("MatMul", {"x", "u"}, "y"), row},
      {"BatchMovedAndTurned", rows + fused({"x", "t"}, attribute("transBatchB", 1) + attribute("transB", 1)),
       rows + perm("t", "u", {1, 2, 0}) + node("MatMul", {"x", "u"}, "y"), row},
      {"BatchMoved",
       rows + node("Relu", {"x"}, "r") + perm("r", "rt", {0, 2, 1}) +
           fused({"rt", "t"}, attribute("transBatchB", 1)),
       rows + node("Relu", {"x"}, "r") + perm("r", "rt", {0, 2, 1}) + perm("t", "u", {1, 0, 2}) +
           node("MatMul", {"rt", "u"}, "y"),
       row},
      {"FastGelu", rows + node("FastGelu", {"x"}, "y", kMicrosoft),
       rows + node("Gelu", {"x"}, "y", word("approximate", "tanh")), row, 20},
      {"FastGeluWithBiases",
       rows + reals("b", {6}, {1, 2, 3, -1, -2, 0}) + node("FastGelu", {"x", "b"}, "y", kMicrosoft),
       rows + reals("b", {6}, {1, 2, 3, -1, -2, 0}) + node("Add", {"x", "b"}, "s") +
           node("Gelu", {"s"}, "y", word("approximate", "tanh")),
       row, 20},
  };
}

/// As torch.onnx writes a model that torch.ao.quantization has converted.
std::vector<Pair> cast_pairs() {
  const std::string both = two_inputs({1, 4}) +
                           integers_of_type(3, "w", {2, 4}, {1, -2, 3, 40, 5, 6, -70, 8}) +
                           integers_of_type(6, "c", {2}, {10, -20}) + reals("ws", {2}, {0.125, 0.5}) +
                           integers_of_type(3, "wz", {2}, {0, 0}) + reals("cs", {2}, {0.0625, 0.25}) +
                           node("DequantizeLinear", {"w", "ws", "wz"}, "rw", attribute("axis", 0));
  const std::string end = node("Gemm", {"a", "rw", "rc"}, "g", attribute("transB", 1)) + rounded("g");
  return {{"OfIntegersAndZeroPoints",
           both + integers("two", {2}) +
               node("ConstantOfShape", {"two"}, "none",
                    "attribute { name: 'value' type: TENSOR t { data_type: 7 dims: 1 int64_data: 0 } } ") +
               node("Cast", {"none"}, "cz", attribute("to", 6)) +
               node("Cast", {"q"}, "qc", attribute("to", 2)) +
               node("DequantizeLinear", {"qc", "s", "z"}, "a") +
               node("DequantizeLinear", {"c", "cs", "cz"}, "rc", attribute("axis", 0)) + end,
           both + node("DequantizeLinear", {"q", "s", "z"}, "a") +
               node("DequantizeLinear", {"c", "cs"}, "rc", attribute("axis", 0)) + end,
           {1, 4, 1, 1}}};
}

std::vector<Pair> integer_pairs() {
  const std::string line = input("x", {1, 4}) + output("y") +
                           integers_of_type(3, "w", {4, 2}, {1, -2, 3, 40, 5, 6, -70, 8}) + s8("wz", 0) +
                           reals("ws", {2}, {0.125, 0.5});
  const std::string dynamic =
      "node { op_type: 'DynamicQuantizeLinear' input: 'x' output: 'd' output: 'ds' output: 'dz' } ";
  const std::string scaled = node("Cast", {"i"}, "f", attribute("to", 1));
  const std::string map = input("x", {1, 2, 3, 3}) + output("y") +
                          integers_of_type(3, "w", {2, 2, 1, 2}, {1, -2, 3, 40, 5, 6, -70, 8}) +
                          integers_of_type(3, "wz", {2}, {0, 2}) + reals("ws", {}, {0.125});
  return {
      {"MatMulIntegerOfDynamicData",
       line + dynamic + node("MatMulInteger", {"d", "w", "dz", "wz"}, "i") + scaled +
           node("Mul", {"ds", "ws"}, "m") + node("Mul", {"f", "m"}, "y"),
       line + reals("one", {}, {1}) + node("DequantizeLinear", {"w", "one", "wz"}, "rw") +
           node("MatMul", {"x", "rw"}, "f") + node("Mul", {"f", "ws"}, "y"),
       {1, 4, 1, 1}},
      {"ConvIntegerOfDynamicData",
       map + dynamic +
           node("ConvInteger", {"d", "w", "dz", "wz"}, "i",
                attribute("pads", std::vector<int64_t>{0, 0, 0, 1})) +
           scaled + node("Mul", {"ds", "ws"}, "m") + node("Mul", {"f", "m"}, "y"),
       map + reals("one", {2}, {1, 1}) +
           node("DequantizeLinear", {"w", "one", "wz"}, "rw", attribute("axis", 0)) +
           node("Conv", {"x", "rw"}, "f", attribute("pads", std::vector<int64_t>{0, 0, 0, 1})) +
           node("Mul", {"f", "ws"}, "y"),
       {1, 2, 3, 3}},
  };
}

class Dialects : public testing::TestWithParam<Pair> {};

TEST_P(Dialects, ComputeWhatTheOperatorsOfOnnxCompute) {
  const auto& [name, dialect, plain, shape, opset] = GetParam();
  const Result expected = result_of(plain, shape, opset);
  EXPECT_EQ(result_of(dialect, shape, opset), expected);
}

const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Quantized, Dialects, testing::ValuesIn(quantized_pairs()), kName);
INSTANTIATE_TEST_SUITE_P(Gemm, Dialects, testing::ValuesIn(gemm_pairs()), kName);
INSTANTIATE_TEST_SUITE_P(Fused, Dialects, testing::ValuesIn(fused_pairs()), kName);
INSTANTIATE_TEST_SUITE_P(Products, Dialects, testing::ValuesIn(product_pairs()), kName);
INSTANTIATE_TEST_SUITE_P(Casts, Dialects, testing::ValuesIn(cast_pairs()), kName);
INSTANTIATE_TEST_SUITE_P(Integers, Dialects, testing::ValuesIn(integer_pairs()), kName);

TEST(DialectMessages, SayThatScalesOfSamplesBecomeThoseOfCalibration) {
  const log::Capture log;
  model_of(integer_pairs().front().dialect);
  EXPECT_THAT(
      log.text(),
      HasSubstr("node 'd' (DynamicQuantizeLinear): scales of each sample become those of calibration"));
}

/// A scale or integers that something else reads would be others than the file says.
TEST(DialectMessages, RefuseDynamicIntegersThatAreReadElsewhere) {
  const std::string text = integer_pairs().front().dialect;
  const std::string zero = u8("other", 5);
  std::string exchanged = text + zero;
  exchanged.replace(exchanged.find("input: 'dz'"), 11, "input: 'other'");
  for (const std::string& file : {text + output("ds"), text + output("d"), text + output("dz"), exchanged}) {
    try {
      result_of(file, {1, 4, 1, 1}, 13);
      ADD_FAILURE() << "no error";
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr("(DynamicQuantizeLinear): this operator is not imported"));
    }
  }
}

/// Integers that the other type has not would be others.
TEST(DialectMessages, RefuseCastsToNarrowerIntegers) {
  try {
    result_of(two_inputs({1, 4}) + node("Cast", {"q"}, "i", attribute("to", 3)) +
                  node("DequantizeLinear", {"i", "s"}, "y"),
              {1, 4, 1, 1}, 13);
    ADD_FAILURE() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 'i' (Cast): data becomes INT8, only FLOAT is computed with"));
  }
}

TEST(DialectMessages, RefuseChannelsLast) {
  const std::string text =
      two_inputs({1, 4, 3, 3}) + node("QLinearGlobalAveragePool", {"q", "s", "z", "r", "rz"}, "y",
                                      kMicrosoft + attribute("channels_last", 1));
  try {
    model_of(text);
    ADD_FAILURE() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "net.onnx: node 'y' (com.microsoft.QLinearGlobalAveragePool): channels_last=1 is not read"));
  }
}

TEST(WrittenOut, AScalerOfScikitLearnIsADifferenceAndAProduct) {
  const std::string ends = input("x", {0, 3}) + output("y");
  const std::string ml = " domain: 'ai.onnx.ml' ";
  const auto scaler = [&](const std::vector<float>& offset, const std::vector<float>& scale) {
    return result_of(ends + node("Scaler", {"x"}, "y", ml + list("offset", offset) + list("scale", scale)),
                     {1, 3, 1, 1}, 15);
  };
  EXPECT_EQ(scaler({1, -2, 3}, {0.5F, 2, 4}),
            result_of(ends + reals("o", {3}, {1, -2, 3}) + reals("s", {3}, {0.5F, 2, 4}) +
                          node("Sub", {"x", "o"}, "c") + node("Mul", {"c", "s"}, "y"),
                      {1, 3, 1, 1}, 15));
  EXPECT_EQ(scaler({1}, {2}), scaler({1, 1, 1}, {2, 2, 2}));
  const auto refused = [&](const std::string& attributes) {
    try {
      result_of(ends + node("Scaler", {"x"}, "y", ml + attributes), {1, 3, 1, 1}, 15);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no findings");
  };
  EXPECT_THAT(refused(list("offset", {1})),
              HasSubstr("node 'y' (ai.onnx.ml.Scaler): attribute 'scale' is no list of real numbers"));
  EXPECT_THAT(refused(list("offset", {1}) + list("scale", {1}) + attribute("more", 1)),
              HasSubstr("expected one input, and no attributes but offset and scale"));
  EXPECT_THAT(refused(list("offset", {1, 2}) + list("scale", {1})), HasSubstr("(Sub): "));
}

}  // namespace
}  // namespace n2d2::onnx

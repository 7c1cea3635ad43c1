#include "n2d2/onnx/writer.hpp"

#include <gmock/gmock.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include "n2d2/base/random.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/onnx/importer.hpp"
#include "n2d2/ops/all.hpp"

#include "oracle/onnx_values.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Sums of a few dozen float32 products, against double.
constexpr double kTolerance = 1e-5;

graph::Graph parse(const std::string& text) {
  return graph::from_text(text, ops::registry(), "net.txt");
}

Tensor random(const Shape& shape, std::string_view purpose) {
  Tensor out(shape);
  Rng rng(1, std::string(purpose));
  for (float& x : out.span()) x = static_cast<float>(rng.uniform(-2, 2));
  return out;
}

/// "name : f32 2x3 = 0.25 ..." with values that depend on the name.
std::string constant(const std::string& name, const Shape& shape) {
  std::string text = "constant " + name + " : f32 " + shape.text() + " =";
  const Tensor values = random(shape, name);
  for (const float x : values.span()) text += fmt::format(" {}", x);
  return text + "\n";
}

std::string positive(const std::string& name, int64_t size) {
  std::string text = fmt::format("constant {} : f32 {} =", name, size);
  for (int64_t i = 0; i < size; ++i) text += fmt::format(" {}", 0.5 + 0.25 * static_cast<double>(i));
  return text + "\n";
}

::onnx::ModelProto proto(const graph::Graph& graph, Form form = Form::Float) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(write_model(graph, {form, "1"})));
  ::onnx::checker::check_model(model);
  return model;
}

std::vector<std::string> types(const ::onnx::ModelProto& model) {
  std::vector<std::string> out;
  for (const auto& node : model.graph().node()) out.push_back(node.op_type());
  return out;
}

Tensor run(const graph::Graph& graph, const Tensor& input) {
  compute::Executor executor(graph, {.backend = compute::Backend::Reference});
  executor.forward(input);
  return executor.read(graph.outputs().at(0));
}

oracle::Array array_of(const Tensor& tensor) {
  return {tensor.shape().dims(), {tensor.span().begin(), tensor.span().end()}};
}

struct FloatCase {
  const char* name;
  std::string text;
  std::vector<std::string> types;
  bool imports = true;
  /// Whether tests/oracle knows the operators.
  bool is_known = true;
};

std::string name_of(const testing::TestParamInfo<FloatCase>& info) {
  return info.param.name;
}

class FloatForm : public testing::TestWithParam<FloatCase> {};

/// The graph, what the definitions of the operators make of the file, and what the importer reads from it.
TEST_P(FloatForm, MeansWhatTheGraphMeans) {
  const graph::Graph graph = parse(GetParam().text);
  const ::onnx::ModelProto model = proto(graph);
  EXPECT_EQ(types(model), GetParam().types);
  const Tensor input = random(graph.value(graph.inputs().at(0)).type.shape.with_batch(2), "input");
  const Tensor expected = run(graph, input);
  const std::string& name = model.graph().output(0).name();
  if (GetParam().is_known) {
    const auto values = oracle::run_onnx(model, {{model.graph().input(0).name(), array_of(input)}});
    const std::vector<double>& found = values.at(name).v;
    ASSERT_EQ(static_cast<int64_t>(found.size()), expected.elements());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected.span()[i], kTolerance) << i;
  }
  if (!GetParam().imports) return;

  graph::Graph again;
  const auto x = again.add_input("x", graph.value(graph.inputs().at(0)).type);
  const Model read = parse_model(write_model(graph, {Form::Float, "1"}), "written.onnx");
  const Imported imported = import_model(again, read, {x});
  again.set_outputs({imported.values.at(name)});
  graph::verify(again);
  const Tensor round_trip = run(again, input);
  ASSERT_EQ(round_trip.elements(), expected.elements());
  for (int64_t i = 0; i < expected.elements(); ++i)
    EXPECT_NEAR(round_trip.data<float>()[i], expected.data<float>()[i], kTolerance) << i;
}

std::string map(const std::string& rest, const char* shape = "1x2x5x6") {
  return std::string("input x : f32 ") + shape + "\n" + rest + "output y\n";
}

/// A recurrent layer with so many rows of weights, over five steps of three channels.
std::string sequence(int rows, const std::string& output, const std::string& fields) {
  return map(constant("w", {rows, 3}) + constant("r", {rows, 2}) + constant("b", {2 * rows}) + "y : f32 " +
                 output + " = Recurrent(x, w, r, b) " + fields + "\n",
             "1x3x1x5");
}

std::vector<FloatCase> float_cases() {
  const std::string conv = constant("w", {4, 2, 3, 2}) + constant("b", {4});
  return {
      {"Conv",
       map(conv + "y : f32 1x4x3x7 = Conv(x, w, b) KernelDims=\"2 3\" NbOutputs=\"4\" Stride=\"1 2\" "
                  "Padding=\"1 0 1 2\"\n"),
       {"Conv"}},
      {"DilatedConvWithoutBias",
       map(constant("w", {4, 1, 3, 2}) +
           "y : f32 1x4x1x4 = Conv(x, w) KernelDims=\"2 3\" NbOutputs=\"4\" Groups=\"2\" Dilation=\"2 2\"\n"),
       {"Conv"}},
      {"ConvWithClamp",
       map(conv + "y : f32 1x4x3x5 = Conv(x, w, b) KernelDims=\"2 3\" NbOutputs=\"4\" clamp=\"0 inf\"\n"),
       {"Conv", "Relu"}},
      {"ConvWithBounds",
       map(conv + "y : f32 1x4x3x5 = Conv(x, w, b) KernelDims=\"2 3\" NbOutputs=\"4\" clamp=\"-1 2.5\"\n"),
       {"Conv", "Clip"}},
      {"FcOfAMapThenFc",
       map(constant("w", {4, 60}) + constant("v", {3, 4}) + constant("b", {3}) +
           "f : f32 1x4x1x1 = Fc(x, w) NbOutputs=\"4\"\ny : f32 1x3x1x1 = Fc(f, v, b) NbOutputs=\"3\"\n"),
       {"Flatten", "Gemm", "Gemm"}},
      {"ConvBehindFc",
       map(constant("w", {4, 60}) + constant("k", {3, 4, 1, 1}) +
           "f : f32 1x4x1x1 = Fc(x, w) NbOutputs=\"4\"\n"
           "y : f32 1x3x1x1 = Conv(f, k) KernelDims=\"1 1\" NbOutputs=\"3\"\n"),
       {"Flatten", "Gemm", "Reshape", "Conv"}},
      {"MaxPool",
       map("y : f32 1x2x3x3 = Pool(x) PoolDims=\"2 3\" Stride=\"2 2\" Padding=\"0 1 0 1\" Pooling=\"Max\"\n"),
       {"MaxPool"}},
      {"MaxPoolThatSeesZeros",
       map("y : f32 1x2x3x3 = Pool(x) PoolDims=\"2 3\" Stride=\"2 2\" Padding=\"0 1 0 1\" Pooling=\"Max\" "
           "CountZeros=\"1\"\n"),
       {"Pad", "MaxPool"}},
      {"AveragePool",
       map("y : f32 1x2x3x3 = Pool(x) PoolDims=\"2 3\" Stride=\"2 2\" Padding=\"0 1 0 1\" "
           "Pooling=\"Average\"\n"),
       {"AveragePool"}},
      {"GlobalAveragePool",
       map("y : f32 1x2x1x1 = Pool(x) PoolDims=\"6 5\" Pooling=\"Average\"\n"),
       {"GlobalAveragePool"}},
      {"Padding",
       map("y : f32 1x2x6x5 = Padding(x) TopPadding=\"2\" BottomPadding=\"-1\" LeftPadding=\"-1\" "
           "RightPadding=\"0\"\n"),
       {"Pad"},
       false},
      {"BatchNorm",
       map(constant("s", {2}) + constant("b", {2}) + constant("m", {2}) + positive("v", 2) +
           "y : f32 1x2x5x6 = BatchNorm(x, s, b, m, v) Epsilon=\"0.01\"\n"),
       {"BatchNormalization"}},
      {"Sum",
       map("a : f32 1x2x5x6 = Relu(x)\n"
           "y : f32 1x2x5x6 = ElemWise(x, a) Operation=\"Sum\" Weights=\"1 0.5\"\n"),
       {"Relu", "Mul", "Add"}},
      {"SumOfThreeWithShifts",
       map("a : f32 1x2x5x6 = Relu(x)\n"
           "y : f32 1x2x5x6 = ElemWise(x, a, a) Operation=\"Sum\" Shifts=\"1 2\"\n"),
       {"Relu", "Sum", "Add"}},
      {"WeightsOfChannels",
       map("a : f32 1x2x5x6 = Relu(x)\n"
           "y : f32 1x2x5x6 = ElemWise(x, a) Operation=\"Sum\" CoeffMode=\"PerChannel\" Weights=\"1 3\"\n"),
       {"Relu", "Mul", "Mul", "Add"}},
      {"Difference",
       map("a : f32 1x2x5x6 = Relu(x)\n"
           "y : f32 1x2x5x6 = ElemWise(x, a) Operation=\"Sum\" Weights=\"1 -1\"\n"),
       {"Relu", "Sub"}},
      {"Concat", map("a : f32 1x2x5x6 = Relu(x)\ny : f32 1x4x5x6 = Concat(x, a)\n"), {"Relu", "Concat"}},
      {"LeakyRelu", map("y : f32 1x2x5x6 = Relu(x) LeakSlope=\"0.25\"\n"), {"LeakyRelu"}},
      {"LeakyReluWithClipping",
       map("y : f32 1x2x5x6 = Relu(x) LeakSlope=\"0.25\" Clipping=\"1\"\n"),
       {"LeakyRelu", "Clip"}},
      {"Relu6", map("y : f32 1x2x5x6 = Relu(x) Clipping=\"1.5\"\n"), {"Clip"}},
      {"Saturation", map("y : f32 1x2x5x6 = Saturation(x) Threshold=\"0.5\"\n"), {"Clip"}},
      {"Scaling", map("y : f32 1x2x5x6 = Scaling(x) Factor=\"2 -3\"\n"), {"Mul"}},
      {"ScalingByOne", map("y : f32 1x2x5x6 = Scaling(x) Factor=\"1\"\n"), {"Identity"}},
      {"ScalingThatClamps", map("y : f32 1x2x5x6 = Scaling(x) Factor=\"1\" clamp=\"-0.5 1\"\n"), {"Clip"}},
      {"Lstm",
       sequence(8, "1x2x1x5", "HiddenSize=\"2\""),
       {"Reshape", "Transpose", "LSTM", "Transpose", "Reshape"},
       true,
       false},
      {"LastStepOfGrus",
       sequence(12, "1x4x1x1",
                "Cell=\"GRU\" HiddenSize=\"2\" Direction=\"Both\" LinearBeforeReset=\"1\" LastStep=\"1\""),
       {"Reshape", "Transpose", "GRU", "Transpose", "Reshape"},
       true,
       false},
      {"RnnBackwards",
       sequence(2, "1x2x1x5", "Cell=\"RNN\" HiddenSize=\"2\" Direction=\"Reverse\""),
       {"Reshape", "Transpose", "RNN", "Transpose", "Reshape"},
       true,
       false},
      {"Softmax", map("y : f32 1x2x5x6 = Softmax(x)\n"), {"Softmax"}},
      {"SoftmaxOfGroups",
       map("y : f32 1x4x2x3 = Softmax(x) GroupSize=\"2\"\n", "1x4x2x3"),
       {"Reshape", "Softmax", "Reshape"},
       false},
      {"Reshape", map("y : f32 1x4x5x3 = Reshape(x) Dims=\"3 5 4\"\n"), {"Reshape"}},
      {"Dropout", map("y : f32 1x2x5x6 = Dropout(x)\n"), {"Dropout"}},
  };
}

INSTANTIATE_TEST_SUITE_P(WriteModel, FloatForm, testing::ValuesIn(float_cases()), name_of);

/// Only the importer judges these.
std::vector<FloatCase> more_float_cases() {
  const auto judged = [](const char* name, std::string text, std::vector<std::string> types) {
    return FloatCase{name, std::move(text), std::move(types), true, false};
  };
  const auto function = [&](const char* name, std::vector<std::string> types, double alpha = 1,
                            double beta = 0) {
    return judged(
        name,
        map(fmt::format("y : f32 1x2x5x6 = Nonlinearity(x) Function=\"{}\" Alpha=\"{}\" Beta=\"{}\"\n", name,
                        alpha, beta)),
        std::move(types));
  };
  const auto elements = [&](const char* operation, std::vector<std::string> types) {
    return judged(operation,
                  map(fmt::format("a : f32 1x2x5x6 = Nonlinearity(x) Function=\"Softplus\"\n"
                                  "y : f32 1x2x5x6 = ElemWise(x, a) Operation=\"{}\"\n",
                                  operation)),
                  std::move(types));
  };
  return {
      judged("Deconv",
             map(constant("w", {4, 2, 3, 2}) + constant("b", {4}) +
                 "y : f32 1x4x7x12 = Deconv(x, w, b) KernelDims=\"2 3\" NbOutputs=\"4\" Stride=\"2 1\"\n"),
             {"ConvTranspose"}),
      judged("DeconvInGroups",
             map(constant("w", {4, 1, 3, 2}) + "y : f32 1x4x11x7 = Deconv(x, w) KernelDims=\"2 3\" "
                                               "NbOutputs=\"4\" Stride=\"1 2\" Groups=\"2\"\n"),
             {"ConvTranspose"}),
      judged("DepthToSpace", map("y : f32 1x2x4x6 = DepthToSpace(x) BlockSize=\"2\"\n", "1x8x2x3"),
             {"DepthToSpace"}),
      judged("DepthToSpaceChannelFirst",
             map("y : f32 1x2x4x6 = DepthToSpace(x) BlockSize=\"2\" Order=\"CRD\"\n", "1x8x2x3"),
             {"DepthToSpace"}),
      judged("DepthToSpaceCropped",
             map("y : f32 1x2x3x4 = DepthToSpace(x) BlockSize=\"2\" Crop=\"2 1 0 0\"\n", "1x8x2x3"),
             {"DepthToSpace", "Pad"}),
      judged(
          "DepthToSpaceInRows",
          map("y : f32 1x2x2x6 = DepthToSpace(x) BlockSize=\"2\" BlockRows=\"1\" Order=\"CRD\"\n", "1x4x2x3"),
          {"Reshape", "Transpose", "Reshape"}),
      judged("SpaceToDepth",
             map("y : f32 1x8x2x3 = DepthToSpace(x) BlockSize=\"2\" ToDepth=\"1\"\n", "1x2x4x6"),
             {"SpaceToDepth"}),
      judged("BorderOfAValue",
             map("y : f32 1x2x6x9 = Border(x) Mode=\"Constant\" Value=\"-1.5\" TopPadding=\"1\" "
                 "LeftPadding=\"2\" RightPadding=\"1\"\n"),
             {"Pad"}),
      judged("BorderMirrored",
             map("y : f32 1x2x6x9 = Border(x) Mode=\"Reflect\" BottomPadding=\"1\" LeftPadding=\"3\"\n"),
             {"Pad"}),
      judged("BorderRepeated", map("y : f32 1x2x7x6 = Border(x) Mode=\"Edge\" TopPadding=\"2\"\n"), {"Pad"}),
      judged("LayerNorm",
             map(constant("s", {2}) + constant("b", {2}) + "y : f32 1x2x5x6 = LayerNorm(x, s, b)\n"),
             {"ReduceMean", "Sub", "Mul", "ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"}),
      judged("RootMeanSquareNorm",
             map(constant("s", {2}) + "y : f32 1x2x5x6 = LayerNorm(x, s) Centered=\"0\" Epsilon=\"0.5\"\n"),
             {"Mul", "ReduceMean", "Add", "Sqrt", "Div", "Mul"}),
      judged("MatMulOfPixels", map("y : f32 1x30x5x6 = MatMul(x, x) Transposed=\"1\" Factor=\"0.5\"\n"),
             {"Reshape", "Reshape", "Transpose", "MatMul", "Mul", "Reshape"}),
      judged("MatMulInGroups", map("y : f32 1x8x2x2 = MatMul(x, x) Groups=\"2\"\n", "1x8x2x2"),
             {"Reshape", "Reshape", "MatMul", "Reshape"}),
      judged("PixelReshape",
             map("y : f32 1x6x5x2 = PixelReshape(x) Width=\"2\" Height=\"5\" Channels=\"6\"\n"),
             {"Transpose", "Reshape", "Transpose"}),
      judged("LogSoftmax", map("y : f32 1x2x5x6 = LogSoftmax(x)\n"), {"LogSoftmax"}),
      judged("Lrn", map("y : f32 1x4x5x6 = LRN(x) N=\"3\" Alpha=\"0.5\" K=\"1.5\"\n", "1x4x5x6"), {"LRN"}),
      judged("PRelu", map(constant("s", {1, 2, 1, 1}) + "y : f32 1x2x5x6 = PRelu(x, s)\n"), {"PRelu"}),
      judged("ResizeNearest",
             map("y : f32 1x2x10x18 = Resize(x) OutputWidth=\"18\" OutputHeight=\"10\" "
                 "Mode=\"NearestNeighbor\"\n"),
             {"Resize"}),
      judged("ResizeLinear",
             map("y : f32 1x2x7x9 = Resize(x) OutputWidth=\"9\" OutputHeight=\"7\" Mode=\"BilinearTF\" "
                 "Positions=\"HalfPixel\"\n"),
             {"Resize"}),
      judged("Transpose", map("y : f32 1x2x6x5 = Transpose(x) Perm=\"1 0 2\"\n"), {"Transpose"}),
      function("Logistic", {"Sigmoid"}),
      function("Tanh", {"Tanh"}),
      function("Softplus", {"Softplus"}),
      function("Swish", {"Sigmoid", "Mul"}),
      function("HardSigmoid", {"HardSigmoid"}, 0.25, 0.5),
      function("HardSwish", {"HardSigmoid", "Mul"}, 0.25, 0.5),
      function("Elu", {"Elu"}, 0.5),
      function("Celu", {"Celu"}, 0.5),
      function("Selu", {"Selu"}, 1.5, 1.25),
      function("ThresholdedRelu", {"ThresholdedRelu"}, 0.75),
      function("Softsign", {"Softsign"}),
      function("Abs", {"Abs"}),
      function("Acos", {"Acos"}),
      function("Asin", {"Asin"}),
      function("Asinh", {"Asinh"}),
      function("Atan", {"Atan"}),
      function("Atanh", {"Atanh"}),
      function("Ceil", {"Ceil"}),
      function("Cos", {"Cos"}),
      function("Cosh", {"Cosh"}),
      function("Erf", {"Erf"}),
      function("Exp", {"Exp"}),
      function("Floor", {"Floor"}),
      function("Round", {"Round"}),
      function("Sign", {"Sign"}),
      function("Sin", {"Sin"}),
      function("Sinh", {"Sinh"}),
      function("Tan", {"Tan"}),
      function("Log", {"Log"}),
      function("Reciprocal", {"Reciprocal"}),
      function("Sqrt", {"Sqrt"}),
      function("Acosh", {"Acosh"}),
      function("Mish", {"Softplus", "Tanh", "Mul"}),
      function("Power", {"Pow"}, 1.5),
      function("Shrink", {"Shrink"}, 0.25, 0.125),
      function("GeluTanh", {"Mul", "Mul", "Mul", "Add", "Mul", "Sigmoid", "Mul"}),
      elements("Prod", {"Softplus", "Mul"}),
      elements("Div", {"Softplus", "Div"}),
      elements("Max", {"Softplus", "Max"}),
      elements("Min", {"Softplus", "Min"}),
  };
}

INSTANTIATE_TEST_SUITE_P(MoreOperators, FloatForm, testing::ValuesIn(more_float_cases()), name_of);

TEST(WriteModel, TheBatchIsOpenAndEveryTensorHasItsExtents) {
  const ::onnx::ModelProto model =
      proto(parse(map("a : f32 1x2x5x6 = Relu(x)\ny : f32 1x4x5x6 = Concat(x, a)\n")));
  EXPECT_EQ(model.ir_version(), 7);
  EXPECT_EQ(model.opset_import(0).version(), 13);
  EXPECT_EQ(model.producer_name(), "n2d2");
  for (const auto* info : {&model.graph().input(0), &model.graph().output(0), &model.graph().value_info(0)}) {
    const auto& shape = info->type().tensor_type().shape();
    ASSERT_EQ(shape.dim_size(), 4) << info->name();
    EXPECT_EQ(shape.dim(0).dim_param(), "N");
    EXPECT_EQ(shape.dim(3).dim_value(), 6);
  }
}

TEST(WriteModel, ASharedConstantIsWrittenOnce) {
  const ::onnx::ModelProto model =
      proto(parse(map(constant("w", {2, 2, 1, 1}) +
                      "a : f32 1x2x5x6 = Conv(x, w) KernelDims=\"1 1\" NbOutputs=\"2\"\n"
                      "y : f32 1x2x5x6 = Conv(a, w) KernelDims=\"1 1\" NbOutputs=\"2\"\n")));
  EXPECT_EQ(model.graph().initializer_size(), 1);
}

TEST(WriteModel, HelpersGetOutOfTheWayOfNamesOfTheGraph) {
  const ::onnx::ModelProto model =
      proto(parse(map("y_Relu : f32 1x2x5x6 = Relu(x)\ny : f32 1x2x5x6 = Scaling(y_Relu) Factor=\"2\" "
                      "clamp=\"0 inf\"\n")));
  EXPECT_THAT(types(model), ElementsAre("Relu", "Mul", "Relu"));
  EXPECT_EQ(model.graph().node(0).output(0), "y_Relu");
  EXPECT_EQ(model.graph().node(2).output(0), "y");
}

std::string failure(const std::string& text, Form form = Form::Float) {
  try {
    write_model(parse(text), {form, "1"});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WriteModel, ListsEveryNodeWithoutOnnxForm) {
  EXPECT_EQ(failure(map("a : f32 1x2x5x6 = Relu(x) LeakSlope=\"-0.5\" Clipping=\"1\" @ a.ini:3\n"
                        "b : f32 1x2x5x6 = Relu(a) LeakSlope=\"-1\" Clipping=\"2\" @ a.ini:7\n"
                        "y : f32 1x4x5x6 = Concat(a, b)\n")),
            "a.ini:3: export ONNX: [a] Relu: LeakSlope -0.5 below 0 with Clipping\n"
            "a.ini:7: export ONNX: [b] Relu: LeakSlope -1 below 0 with Clipping");
}

constexpr const char* kByte = " quant(8 unsigned -1 0.5)";

std::string integers(std::string text) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, kByte + 1);
  return text;
}

TEST(WriteModel, RefusesWhatOnnxHasNoOperatorFor) {
  EXPECT_EQ(
      failure("input x : f32 1x2x4x6\na : f32 1x2x4x6 = ElemWise(x, x) Operation=\"EuclideanSum\"\n"
              "y : f32 1x8x2x3 = DepthToSpace(a) BlockSize=\"2\" Order=\"CRD\" ToDepth=\"1\"\noutput y\n"),
      "export ONNX: [a] ElemWise: Operation EuclideanSum has no ONNX form here\n"
      "export ONNX: [y] DepthToSpace: Order=CRD with ToDepth: SpaceToDepth puts the block first\n"
      "  hint: Order=DCR");
}

TEST(WriteModel, RefusesFloatLayersInsideAnIntegerGraph) {
  const std::string text = integers(
      "input x : u8 1x2x5x6 @\na : u8 1x2x5x6 @ = Softmax(x)\ny : u8 1x2x5x6 @ = Dropout(a)\noutput y\n");
  for (const Form form : {Form::Qdq, Form::FakeQuantization})
    EXPECT_EQ(failure(text, form),
              "export ONNX: [a] Softmax: has no form in an ONNX file of integers\n"
              "  hint: a float export (-nbbits -32) has one (for 2 findings)\n"
              "export ONNX: [y] Dropout: has no form in an ONNX file of integers");
}

TEST(WriteModel, RefusesMoreThan8BitsInQdq) {
  const std::string text =
      "input x : u16 1x2x5x6 quant(16 unsigned -1 0.5)\n"
      "y : u16 1x2x2x3 quant(16 unsigned -1 0.5) = Pool(x) PoolDims=\"2 2\" Stride=\"2 2\" "
      "Pooling=\"Max\"\noutput y\n";
  EXPECT_EQ(failure(text, Form::Qdq),
            "export ONNX: 16 bits: QuantizeLinear of operator set 13 has 8\n"
            "  hint: -nbbits 8, or OperatorSet=21 (up to 16 bits) or FakeQuantization=1 in the export "
            "parameters");
  EXPECT_EQ(failure(text, Form::FakeQuantization), "no error");
}

TEST(WriteModel, QdqPutsAPairBehindEveryActivation) {
  const ::onnx::ModelProto model =
      proto(parse(integers("input x : u8 1x2x5x6 @\n"
                           "p : u8 1x2x2x3 @ = Pool(x) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Max\"\n"
                           "y : u8 1x4x2x3 @ = Concat(p, p)\noutput y\n")),
            Form::Qdq);
  EXPECT_THAT(types(model), ElementsAre("QuantizeLinear", "DequantizeLinear", "MaxPool", "QuantizeLinear",
                                        "DequantizeLinear", "Concat", "QuantizeLinear", "DequantizeLinear"));
  EXPECT_EQ(model.graph().node(3).output(0), "p_quantized");
  EXPECT_EQ(model.graph().node(4).output(0), "p");
  EXPECT_EQ(model.graph().input(0).type().tensor_type().elem_type(), ::onnx::TensorProto::FLOAT);
}

TEST(WriteModel, AValueThatTwoTargetsWatchIsOneOutput) {
  for (const Form form : {Form::Qdq, Form::FakeQuantization}) {
    const ::onnx::ModelProto model =
        proto(parse(integers("input x : u8 1x2x5x6 @\n"
                             "y : u8 1x2x2x3 @ = Pool(x) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Max\"\n"
                             "output y\noutput y\n")),
              form);
    ASSERT_EQ(model.graph().output_size(), 1);
    EXPECT_EQ(model.graph().output(0).name(), "y");
  }
}

TEST(WriteModel, BordersAndTheLargestOfIntegersHaveForms) {
  const std::string input = "input x : u8 1x1x1x2 @\n";
  const std::string border =
      "constant f : u8 1x1 = 8\nb : u8 1x1x1x3 @ = Border(x, f) Mode=\"Constant\" LeftPadding=\"1\" "
      "Value=\"4.1\"\noutput b\n";
  const ::onnx::ModelProto bordered = proto(parse(integers(input + border)), Form::Qdq);
  const auto values = oracle::run_onnx(bordered, {{"x", {{1, 1, 1, 2}, {1, 3}}}});
  EXPECT_THAT(values.at("b").v, ElementsAre(4, 1, 3));
  const std::string largest =
      "y : u8 1x1x1x2 @ = ElemWise(x, x) Operation=\"Max\" rescale=\"Fixed-point32 0 255 2 : : 4 2\"\n"
      "output y\n";
  for (const Form form : {Form::Qdq, Form::FakeQuantization}) {
    EXPECT_THAT(types(proto(parse(integers(input + border)), form)), Contains("Pad"));
    EXPECT_THAT(types(proto(parse(integers(input + largest)), form)), Contains("Max"));
  }
}

TEST(WriteModel, FewerBitsThan8AreClippedToTheirRange) {
  const std::string four = " quant(4 unsigned -1 0.5)";
  const ::onnx::ModelProto model =
      proto(parse("input x : u8 1x2x5x6" + four + "\ny : u8 1x2x2x3" + four +
                  " = Pool(x) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Max\"\noutput y\n"),
            Form::Qdq);
  EXPECT_EQ(types(model).front(), "Clip");
  const auto values = oracle::run_onnx(model, {{"x", {{1, 2, 5, 6}, std::vector<double>(60, 100)}}});
  EXPECT_EQ(values.at("x_quantized").v.at(0), 15);
  EXPECT_EQ(values.at("y").v.at(0), 7.5);
}

TEST(WrittenOperators, AreSorted) {
  EXPECT_TRUE(std::ranges::is_sorted(written_operators()));
  EXPECT_THAT(written_operators(), ::testing::Contains("Conv"));
}

}  // namespace
}  // namespace n2d2::onnx

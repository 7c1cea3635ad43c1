// ImportOptions::transpose: the network of a file with height and width exchanged, on exchanged samples,
// gives the exchanged values. The plain import is the oracle.
#include "import/import_swapped.hpp"

#include <gmock/gmock.h>

#include "n2d2/ops/conv.hpp"

#include "imported_net.hpp"
#include "passes/net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Values are only moved, or are functions of one value or of the channels of one position.
constexpr double kExact = 0;
// Sums in double precision, added in another order, then rounded to float32: half a unit in the last place of
// each of a few layers, of values that are a few hundred times smaller than their terms at most.
constexpr double kReordered = 1e-4;

/// x and y exchanged, by the definition.
Tensor exchanged(const Tensor& map) {
  const Shape& s = map.shape();
  Tensor out(Shape{s.n(), s.c(), s.w(), s.h()});
  for (int64_t c = 0; c < s.n() * s.c(); ++c)
    for (int64_t y = 0; y < s.h(); ++y)
      for (int64_t x = 0; x < s.w(); ++x)
        out.data<float>()[(c * s.w() + x) * s.h() + y] = map.data<float>()[(c * s.h() + y) * s.w() + x];
  return out;
}

void expect_near(const Tensor& found, const Tensor& expected, double tolerance) {
  ASSERT_EQ(found.shape(), expected.shape());
  double most = 1;
  for (const float x : expected.span()) most = std::max(most, std::abs(static_cast<double>(x)));
  for (int64_t i = 0; i < found.elements(); ++i)
    ASSERT_NEAR(found.data<float>()[i], expected.data<float>()[i], tolerance * most) << i;
}

Shape side(const Shape& shape) {
  return {shape.n(), shape.c(), shape.w(), shape.h()};
}

ImportOptions on_their_side() {
  ImportOptions options;
  options.transpose = true;
  return options;
}

/// The types of the layers of the exchanged network.
std::vector<std::string> expect_exchanged(const std::string& text, const Shape& shape, double tolerance,
                                          int opset = 13) {
  const Net plain(text, shape, {}, opset), turned(text, side(shape), on_their_side(), opset);
  Rng rng(7, "samples");
  for (int sample = 0; sample < 3; ++sample) {
    const Tensor x = testing::random_tensor(shape, rng, -2, 2);
    expect_near(testing::evaluate(turned.graph, exchanged(x)).at(0),
                exchanged(testing::evaluate(plain.graph, x).at(0)), tolerance);
  }
  EXPECT_EQ(turned.graph.nodes().size(), plain.graph.nodes().size());
  for (size_t i = 0; i < plain.imported.layers.size(); ++i) {
    const graph::NodeId node = plain.imported.layers[i].node, other = turned.imported.layers[i].node;
    EXPECT_EQ(other ? turned.graph.node(other).name : "", node ? plain.graph.node(node).name : "");
  }
  for (const graph::NodeId id : plain.graph.nodes())
    EXPECT_TRUE(turned.graph.find_node(plain.graph.node(id).name)) << plain.graph.node(id).name;
  return turned.types();
}

std::string refused(const std::string& text, const Shape& shape) {
  return findings(text, side(shape), on_their_side());
}

/// An initializer of numbers that all differ.
std::string numbers(const std::string& name, const std::vector<int>& dims) {
  int count = 1;
  for (const int extent : dims) count *= extent;
  Rng rng(3, name);
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(rng.uniform(-1, 1)));
  return reals(name, dims, values);
}

std::string mode(const std::string& value) {
  return "attribute { name: 'mode' type: STRING s: '" + value + "' } ";
}

/// 2 channels of 5 rows and 7 columns.
const Shape kMap{1, 2, 5, 7};
std::string of_map() {
  return ends({1, 2, 5, 7});
}

// ---- windows ---------------------------------------------------------------------------------------------

TEST(Transpose, ConvHasItsWindowOnItsSide) {
  const std::string window = attribute("strides", {1, 2}) + attribute("pads", {0, 1, 2, 3}) +
                             attribute("dilations", {2, 1}) + attribute("kernel_shape", {2, 3});
  expect_exchanged(
      of_map() + numbers("w", {4, 2, 2, 3}) + numbers("b", {4}) + node("Conv", {"x", "w", "b"}, "y", window),
      kMap, kReordered);
  const Net turned(of_map() + numbers("w", {4, 2, 2, 3}) + node("Conv", {"x", "w"}, "y", window), side(kMap),
                   on_their_side());
  const auto& conv = turned.only<ops::Conv>();
  EXPECT_EQ(conv.kernel, (Dims{2, 3}));
  EXPECT_EQ(conv.stride, (Dims{1, 2}));
  EXPECT_EQ(conv.dilation, (Dims{2, 1}));
  expect_exchanged(
      of_map() + numbers("w", {4, 1, 3, 2}) + node("Conv", {"x", "w"}, "y", attribute("group", 2)), kMap,
      kReordered);
}

TEST(Transpose, ConvTransposeToo) {
  expect_exchanged(of_map() + numbers("w", {2, 3, 2, 3}) +
                       node("ConvTranspose", {"x", "w"}, "y",
                            attribute("strides", {2, 3}) + attribute("pads", {1, 0, 0, 2}) +
                                attribute("output_padding", {0, 2}) + attribute("dilations", {2, 1})),
                   kMap, kReordered);
}

TEST(Transpose, Pools) {
  const std::string window = attribute("kernel_shape", {2, 3}) + attribute("strides", {1, 2});
  expect_exchanged(of_map() + node("MaxPool", {"x"}, "y", window + attribute("pads", {1, 0, 0, 2})), kMap,
                   kExact);
  expect_exchanged(of_map() + node("AveragePool", {"x"}, "y", window), kMap, kReordered);
  expect_exchanged(of_map() + node("AveragePool", {"x"}, "y", window + attribute("pads", {1, 0, 0, 2})), kMap,
                   kReordered);
  expect_exchanged(of_map() + node("GlobalMaxPool", {"x"}, "y"), kMap, kExact);
  expect_exchanged(of_map() + node("GlobalAveragePool", {"x"}, "y"), kMap, kReordered);
}

TEST(Transpose, PaddingCropAndResize) {
  for (const char* border : {"edge", "reflect"})
    expect_exchanged(
        of_map() + integers("pads", {0, 0, 1, 2, 0, 0, 3, 0}) + node("Pad", {"x", "pads"}, "y", mode(border)),
        kMap, kExact);
  expect_exchanged(of_map() + integers("pads", {0, 0, 1, 2, 0, 0, 3, 0}) + node("Pad", {"x", "pads"}, "y"),
                   kMap, kExact);
  expect_exchanged(of_map() + integers("from", {1, 2}) + integers("to", {4, 6}) + integers("axes", {2, 3}) +
                       node("Slice", {"x", "from", "to", "axes"}, "y"),
                   kMap, kExact);
  const std::string sizes = integers("sizes", {1, 2, 9, 3});
  expect_exchanged(of_map() + sizes + node("Resize", {"x", "", "", "sizes"}, "y"), kMap, kExact);
  expect_exchanged(of_map() + sizes + node("Resize", {"x", "", "", "sizes"}, "y", mode("linear")), kMap,
                   kReordered);
  expect_exchanged(of_map() + reals("scales", {4}, {1, 1, 1.7F, 2.3F}) +
                       node("Resize", {"x", "", "scales"}, "y", mode("linear")),
                   kMap, kReordered);
}

// ---- values and channels ---------------------------------------------------------------------------------

TEST(Transpose, WhatActsOnEachValueOrChannelStays) {
  for (const char* type : {"Relu", "Sigmoid", "Tanh", "Elu", "HardSwish", "Dropout", "Softsign", "LeakyRelu"})
    expect_exchanged(of_map() + node(type, {"x"}, "y"), kMap, kExact, 14);
  expect_exchanged(
      of_map() + reals("lo", {}, {-0.5F}) + reals("hi", {}, {0.25F}) + node("Clip", {"x", "lo", "hi"}, "y"),
      kMap, kExact);
  std::string norm = of_map();
  for (const char* name : {"s", "b", "m"}) norm += numbers(name, {2});
  norm += reals("v", {2}, {0.5F, 2}) + node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y");
  expect_exchanged(norm, kMap, kExact);
  expect_exchanged(of_map() + numbers("f", {2, 1, 1}) + node("Mul", {"x", "f"}, "y"), kMap, kExact);
  expect_exchanged(of_map() + node("LRN", {"x"}, "y", attribute("size", 3)), kMap, kExact);
}

TEST(Transpose, SlopesAndOperandsThatVaryOverTheMapTurn) {
  for (const std::vector<int>& dims : {std::vector{2, 5, 7}, {1, 5, 1}, {7}, {2, 1, 1}}) {
    expect_exchanged(of_map() + numbers("k", dims) + node("PRelu", {"x", "k"}, "y"), kMap, kExact);
    for (const char* type : {"Add", "Mul", "Max"})
      expect_exchanged(of_map() + numbers("k", dims) + node(type, {"x", "k"}, "y"), kMap, kExact);
  }
  expect_exchanged(of_map() + node("Relu", {"x"}, "r") + node("GlobalMaxPool", {"x"}, "g") +
                       node("Mul", {"r", "g"}, "m") + node("Sub", {"m", "x"}, "y"),
                   kMap, kExact);
}

TEST(Transpose, SoftmaxGoesOverTheAxisOfTheFile) {
  for (const int axis : {1, 2, 3})
    for (const char* type : {"Softmax", "LogSoftmax"})
      expect_exchanged(of_map() + node(type, {"x"}, "y", attribute("axis", axis)), kMap, kExact);
  expect_exchanged(ends({1, 6}) + node("Softmax", {"x"}, "y"), {1, 6, 1, 1}, kExact);
  expect_exchanged(ends({1, 6}) + node("Softmax", {"x"}, "y", attribute("axis", 1)), {1, 6, 1, 1}, kExact,
                   11);
}

TEST(Transpose, QuantizedTensorsKeepTheirScales) {
  const std::string text =
      of_map() + numbers("w", {4, 2, 2, 3}) + reals("s", {}, {0.03F}) + s8("z", 3) +
      reals("ws", {4}, {0.01F, 0.02F, 0.03F, 0.04F}) + integers_of_type(3, "wz", {4}, {0, 0, 0, 0}) +
      node("QuantizeLinear", {"x", "s", "z"}, "q") + node("DequantizeLinear", {"q", "s", "z"}, "d") +
      node("QuantizeLinear", {"w", "ws", "wz"}, "wq", attribute("axis", 0)) +
      node("DequantizeLinear", {"wq", "ws", "wz"}, "wd", attribute("axis", 0)) +
      node("Conv", {"d", "wd"}, "y");
  expect_exchanged(text, kMap, kReordered);
  const Net plain(text, kMap), turned(text, side(kMap), on_their_side());
  const auto scales_of = [](const Net& net) {
    return net.graph.value(*net.graph.find_value("y_weights")).type.quant;
  };
  ASSERT_TRUE(scales_of(plain));
  EXPECT_EQ(scales_of(turned), scales_of(plain));
}

// ---- axes that move --------------------------------------------------------------------------------------

TEST(Transpose, ConcatAndTransposeAlongEveryAxis) {
  for (const int axis : {1, 2, 3})
    expect_exchanged(
        of_map() + node("Relu", {"x"}, "r") + node("Concat", {"x", "r"}, "y", attribute("axis", axis)), kMap,
        kExact);
  for (const std::vector<int64_t>& perm :
       {std::vector<int64_t>{0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}})
    expect_exchanged(of_map() + node("Transpose", {"x"}, "y", attribute("perm", perm)), kMap, kExact);
  // Height and width exchanged, a row of pixels becomes channels without a move.
  EXPECT_THAT(
      expect_exchanged(ends({1, 1, 5, 7}) + node("Transpose", {"x"}, "y", attribute("perm", {0, 3, 1, 2})),
                       {1, 1, 5, 7}, kExact),
      ElementsAre("Reshape"));
}

TEST(Transpose, TheWeightsOfAFlatteningFcFollowItsMap) {
  const std::string fc =
      numbers("w", {3, 70}) + numbers("b", {3}) + node("Gemm", {"f", "w", "b"}, "y", attribute("transB", 1));
  EXPECT_THAT(expect_exchanged(of_map() + node("Flatten", {"x"}, "f") + fc, kMap, kReordered),
              ElementsAre("Reshape", "Fc"));
  // Also behind what acts on each value or feature, and where two flattened maps are joined or added.
  std::string deep = of_map() + node("Flatten", {"x"}, "a") + node("Relu", {"a"}, "r");
  for (const char* name : {"s", "bb", "m"}) deep += numbers(name, {70});
  deep += reals("v", {70}, std::vector<float>(70, 0.5F)) + numbers("k", {70}) + numbers("slopes", {70}) +
          node("BatchNormalization", {"r", "s", "bb", "m", "v"}, "n") + node("Max", {"n", "k"}, "o") +
          node("PRelu", {"o", "slopes"}, "p") + node("Sub", {"p", "a"}, "d") + node("Softmax", {"d"}, "e") +
          node("Mul", {"e", "k"}, "f");
  expect_exchanged(deep + fc, kMap, kReordered);
  expect_exchanged(of_map() + node("Flatten", {"x"}, "a") + node("GlobalMaxPool", {"x"}, "g") +
                       node("Flatten", {"g"}, "h") + node("Concat", {"a", "h"}, "f", attribute("axis", 1)) +
                       numbers("w", {72, 3}) + node("MatMul", {"f", "w"}, "y"),
                   kMap, kReordered);
  // And a 1x1 Conv that does what an Fc does.
  expect_exchanged(of_map() + integers("to", {1, 70, 1, 1}) + node("Reshape", {"x", "to"}, "f") +
                       numbers("w", {3, 70, 1, 1}) + node("Conv", {"f", "w"}, "y"),
                   kMap, kReordered);
}

TEST(Transpose, PerFeatureScalesBehindAFlattenFollowTheirFeatures) {
  std::vector<float> scales;
  std::vector<int> zeros;
  for (int i = 0; i < 70; ++i) {
    scales.push_back(0.01F + 0.001F * static_cast<float>(i % 9));
    zeros.push_back(i % 7 * 30 - 90);
  }
  expect_exchanged(of_map() + node("Flatten", {"x"}, "a") + reals("s", {70}, scales) +
                       integers_of_type(3, "z", {70}, zeros) + node("QuantizeLinear", {"a", "s", "z"}, "q") +
                       node("DequantizeLinear", {"q", "s", "z"}, "d") + numbers("k", {70}) +
                       node("Mul", {"d", "k"}, "f") + numbers("w", {70, 3}) + node("MatMul", {"f", "w"}, "y"),
                   kMap, kReordered);
}

TEST(Transpose, ChannelsMayBeShuffledAndPositionsRowed) {
  // A shuffle: channels in groups, positions behind them as one axis.
  expect_exchanged(ends({1, 6, 5, 7}) + integers("groups", {1, 2, 3, 5, 7}) + integers("back", {1, 6, 5, 7}) +
                       node("Reshape", {"x", "groups"}, "g") +
                       node("Transpose", {"g"}, "t", attribute("perm", {0, 2, 1, 3, 4})) +
                       node("Reshape", {"t", "back"}, "y"),
                   {1, 6, 5, 7}, kExact);
  // Positions in a row, functions of the channels of each, and a map again.
  expect_exchanged(of_map() + integers("row", {1, 2, 35}) + integers("back", {1, 3, 5, 7}) +
                       node("Reshape", {"x", "row"}, "r") + numbers("f", {2, 1}) +
                       node("Mul", {"r", "f"}, "m") + numbers("w", {3, 2, 1}) +
                       node("Conv", {"m", "w"}, "c") + node("Softmax", {"c"}, "s", attribute("axis", 1)) +
                       node("LRN", {"s"}, "l", attribute("size", 3)) + node("Reshape", {"l", "back"}, "y"),
                   kMap, kReordered);
}

TEST(Transpose, ARowOfValuesIsAColumn) {
  const std::string net = ends({1, 2, 9}) + numbers("w", {3, 2, 3}) + numbers("m", {4, 2}) +
                          node("Conv", {"x", "w"}, "c", attribute("pads", {1, 1})) +
                          node("MaxPool", {"c"}, "p",
                               attribute("kernel_shape", std::vector<int64_t>{2}) +
                                   attribute("strides", std::vector<int64_t>{2})) +
                          node("Softmax", {"p"}, "s", attribute("axis", 2)) + node("MatMul", {"s", "m"}, "y");
  expect_exchanged(net, {1, 2, 1, 9}, kReordered);
  const Net turned(net, {1, 2, 9, 1}, on_their_side());
  EXPECT_EQ(turned.only<ops::Conv>().kernel, (Dims{1, 3}));
  EXPECT_EQ(turned.imported.dims.at("y"), (std::vector<int64_t>{1, 3, 2}));
  // Samples of one row are a column of the file's.
  EXPECT_EQ(Net(net, {1, 2, 1, 9}, on_their_side()).types().front(), "Reshape");
}

// ---- whole networks --------------------------------------------------------------------------------------

TEST(Transpose, SmallNetworks) {
  EXPECT_THAT(expect_exchanged(small_cnn(), {1, 2, 6, 6}, kReordered),
              ElementsAre("Conv", "BatchNorm", "Relu", "Pool", "Reshape", "Fc", "Softmax"));
}

TEST(Transpose, SeveralInputsAndNamesThatAreTaken) {
  graph::Graph graph;
  const Shape map{1, 2, 7, 5}, pixel{1, 2, 1, 1};
  const auto a = graph.add_input("sp", {map, DataType::F32, Layout::Nchw, {}});
  const auto b = graph.add_input("y_weights", {pixel, DataType::F32, Layout::Nchw, {}});
  const Model model =
      model_of(input("x", {1, 2, 5, 7}) + input("g", {1, 2, 1, 1}) + output("y") +
               numbers("w", {1, 2, 1, 1}) + node("Mul", {"x", "g"}, "m") + node("Conv", {"m", "w"}, "y"));
  const Imported imported = import_model(graph, model, {a, b}, on_their_side());
  graph::verify(graph);
  EXPECT_EQ(graph.value(imported.values.at("y")).type.shape, (Shape{1, 1, 7, 5}));
  EXPECT_EQ(imported.values.at("x"), a);
  EXPECT_EQ(graph.node(imported.layers.back().node).name, "y");
  EXPECT_TRUE(graph.find_value("y_weights_2"));
}

// ---- what is refused -------------------------------------------------------------------------------------

TEST(Transpose, RefusesBlocksOfPixelsAndNamesAllFindings) {
  const std::string block = attribute("blocksize", 2);
  EXPECT_THAT(
      refused(ends({1, 4, 4, 6}) + node("DepthToSpace", {"x"}, "d", block, "up") +
                  node("SpaceToDepth", {"d"}, "y", block),
              {1, 4, 4, 6}),
      AllOf(HasSubstr("net.onnx: node 'up' (DepthToSpace): its channels count through the rows of a block "
                      "of 2x2 pixels before its columns, which no DepthToSpace does with height and width "
                      "exchanged"),
            HasSubstr("node 'y' (SpaceToDepth): its channels"), HasSubstr("without Transpose=1")));
  expect_exchanged(of_map() + node("DepthToSpace", {"x"}, "y", attribute("blocksize", 1)), kMap, kExact);
}

/// `more` reads "r", 2x5x7 seen as 1x10x7 (or as `dims`).
std::string regrouped(const std::string& more, const std::vector<int>& dims = {1, 1, 10, 7}) {
  return of_map() + integers("to", dims) + node("Reshape", {"x", "to"}, "r") + more;
}

std::string takes_not(int slot = 0) {
  return "with height and width exchanged, 'r' regroups the elements of maps into an order that this "
         "operator (input " +
         std::to_string(slot) + ") does not take";
}

TEST(Transpose, RefusesARegroupedMapWhereItsOrderMatters) {
  const std::string w = numbers("w", {1, 1, 3, 3});
  const auto expect_refused = [](const std::string& text, int slot = 0) {
    EXPECT_THAT(refused(text, kMap), HasSubstr(takes_not(slot)));
  };
  expect_refused(regrouped(w + node("Conv", {"r", "w"}, "y")));
  expect_refused(regrouped(w + node("ConvTranspose", {"r", "w"}, "y")));
  expect_refused(regrouped(node("MaxPool", {"r"}, "y", attribute("kernel_shape", {2, 2}))));
  expect_refused(regrouped(integers("pads", {0, 0, 1, 0, 0, 0, 0, 0}) + node("Pad", {"r", "pads"}, "y")));
  expect_refused(regrouped(integers("sizes", {1, 1, 5, 5}) + node("Resize", {"r", "", "", "sizes"}, "y")));
  expect_refused(regrouped(node("DepthToSpace", {"r"}, "y", attribute("blocksize", 1)), {1, 1, 10, 7}));
  expect_refused(regrouped(numbers("k", {10, 1}) + node("Add", {"r", "k"}, "y")));
  expect_refused(regrouped(numbers("k", {10, 1}) + node("PRelu", {"r", "k"}, "y")));
  // Channels and positions mixed.
  const std::vector<int> mixed{1, 7, 10, 1};
  expect_refused(regrouped(node("Softmax", {"r"}, "y", attribute("axis", 1)), mixed));
  expect_refused(regrouped(node("LRN", {"r"}, "y", attribute("size", 3)), mixed));
  expect_refused(regrouped(numbers("k", {7, 1, 1}) + node("Mul", {"r", "k"}, "y"), mixed));
  expect_refused(regrouped(numbers("v", {3, 7, 1, 1}) + node("Conv", {"r", "v"}, "y"), mixed));
  // One finding for what follows from another.
  EXPECT_THAT(refused(regrouped(w + node("Conv", {"r", "w"}, "c") + node("Flatten", {"c"}, "y")), kMap),
              Not(HasSubstr("output")));
  // Beside a map that is turned.
  const std::string back = integers("back", {1, 2, 35, 1}) + node("Reshape", {"x", "back"}, "r");
  expect_refused(of_map() + back + node("MaxPool", {"x"}, "p", attribute("kernel_shape", {5, 1})) +
                 integers("col", {1, 2, 7, 1}) + node("Reshape", {"p", "col"}, "q") +
                 node("Concat", {"r", "q"}, "y", attribute("axis", 2)));
}

TEST(Transpose, RefusesAnOutputInAnotherOrderUnlessItIsLeftOut) {
  const std::string flat = of_map() + node("Relu", {"x"}, "r") + node("Flatten", {"r"}, "f");
  EXPECT_THAT(
      refused(flat + node("Sigmoid", {"f"}, "y"), kMap),
      HasSubstr("net.onnx: output 'y': with height and width exchanged, 'f' regroups the elements of maps "
                "into an order that is not the file's"));
  ImportOptions options = on_their_side();
  options.ignore = {"y"};
  const Net net(flat + numbers("w", {70, 3}) + node("MatMul", {"f", "w"}, "y"), side(kMap), options);
  EXPECT_THAT(net.types(), ElementsAre("Relu", "Reshape"));
}

TEST(Transpose, TheExpectedSizeIsTheExchangedOne) {
  EXPECT_THAT(
      findings(of_map() + node("Relu", {"x"}, "y"), kMap, on_their_side()),
      HasSubstr("input 'x': the file expects 2x5x7, it is given 2x7x5 (channels x height x width, exchanged "
                "by Transpose=1)"));
  EXPECT_THAT(findings(of_map() + node("Relu", {"x"}, "y"), kMap, on_their_side()),
              HasSubstr("hint: they agree with Transpose=0"));
  EXPECT_THAT(findings(of_map() + node("Relu", {"x"}, "y"), side(kMap)),
              HasSubstr("hint: they agree with Transpose=1"));
  EXPECT_THAT(findings(of_map() + node("Relu", {"x"}, "y"), {1, 2, 9, 4}, on_their_side()),
              HasSubstr("hint: IgnoreInputSize=1"));
  ImportOptions options = on_their_side();
  options.ignore_input_size = true;
  const Net net(of_map() + node("Relu", {"x"}, "y"), {1, 2, 9, 4}, options);
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, (Shape{1, 2, 9, 4}));
}

}  // namespace
}  // namespace n2d2::onnx

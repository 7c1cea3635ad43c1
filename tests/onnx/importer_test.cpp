#include <gmock/gmock.h>

#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/scaling.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ImportModel, MakesTheLayersOfASmallNetwork) {
  const Net net(small_cnn(), {1, 2, 6, 6});
  EXPECT_THAT(net.types(), ElementsAre("Conv", "BatchNorm", "Relu", "Pool", "Reshape", "Fc", "Softmax"));
  EXPECT_EQ(net.imported.dims.at("f"), (std::vector<int64_t>{1, 36}));
  EXPECT_EQ(net.imported.dims.at("p"), (std::vector<int64_t>{1, 4, 3, 3}));
  EXPECT_EQ(net.graph.node(*net.graph.find_node("c")).name, "c");
  EXPECT_NEAR(net.only<ops::BatchNorm>().momentum, 0.1, 1e-6);  // ONNX: 0.9 of the old statistic
  EXPECT_EQ(net.imported.layers.front().node_name, "Conv_0");
}

TEST(ImportModel, AConstantSumBecomesBiasesOfTheLayerThatItFollows) {
  const Net net(ends({1, 2}) + reals("w", {2, 3}, {1, 2, 3, 4, 5, 6}) + reals("b", {1, 3}, {10, 20, 30}) +
                    node("MatMul", {"x", "w"}, "m") + node("Add", {"b", "m"}, "y"),
                {1, 2, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("Fc"));
  EXPECT_THAT(net.run({1, 1}), ElementsAre(15, 27, 39));
  EXPECT_EQ(net.imported.values.at("m"), net.imported.values.at("y"));
}

TEST(ImportModel, AConstantSumStaysALayerWhenAnotherNodeReadsTheProduct) {
  const Net net(ends({1, 2}) + reals("w", {2, 2}, {1, 0, 0, 1}) + reals("b", {2}, {10, 20}) +
                    node("MatMul", {"x", "w"}, "m") + node("Add", {"m", "b"}, "a") +
                    node("Add", {"a", "m"}, "y"),
                {1, 2, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("Fc", "BatchNorm", "ElemWise"));
  EXPECT_THAT(net.run({1, 2}), ElementsAre(12, 24));
}

TEST(ImportModel, AProductAndASumOfChannelsAreOneBatchNorm) {
  const Net net(ends({1, 2, 1, 1}) + reals("f", {2, 1, 1}, {2, 3}) + reals("o", {1, 2, 1, 1}, {10, 20}) +
                    node("Mul", {"x", "f"}, "m") + node("Sub", {"m", "o"}, "y"),
                {1, 2, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("BatchNorm"));
  EXPECT_THAT(net.run({1, 1}), ElementsAre(-8, -17));
}

TEST(ImportModel, SubtractsFromAConstantAndDividesByOne) {
  const Net net(ends({1, 2, 1, 1}) + reals("one", {}, {1}) + reals("four", {1}, {4}) +
                    node("Sub", {"one", "x"}, "s") + node("Div", {"s", "four"}, "y"),
                {1, 2, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("BatchNorm", "Scaling"));
  EXPECT_THAT(net.run({3, -3}), ElementsAre(-0.5F, 1));
}

TEST(ImportModel, LeavesOutSumsWithZeroAndProductsWithOne) {
  const Net net(ends() + reals("zero", {2, 1, 1}, {0, 0}) + reals("one", {}, {1}) +
                node("Add", {"x", "zero"}, "a") + node("Mul", {"a", "one"}, "b") + node("Relu", {"b"}, "y"));
  EXPECT_THAT(net.types(), ElementsAre("Relu"));
}

TEST(ImportModel, PadsSameExactlyAlsoWithSteps) {
  // Five pixels, kernel 2, step 2: three outputs need one more pixel, which goes behind (UPPER) or in front
  // (LOWER).
  const std::string text = ends({1, 1, 5, 5}) + reals("w", {1, 1, 2, 2}, {1, 1, 1, 1});
  for (const std::string mode : {"SAME_UPPER", "SAME_LOWER"}) {
    const Net net(text + node("Conv", {"x", "w"}, "y",
                              attribute("strides", {2, 2}) +
                                  "attribute { name: 'auto_pad' type: STRING s: '" + mode + "' }"),
                  {1, 1, 5, 5});
    const Pads pads = net.only<ops::Conv>().padding;
    EXPECT_EQ(pads, mode == "SAME_UPPER" ? (Pads{0, 0, 1, 1}) : (Pads{1, 1, 0, 0}));
    EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 1, 3, 3}));
  }
}

TEST(ImportModel, CeilModeAddsPaddingBehindUnlessAWindowSeesNothingElse) {
  const std::string kernel = attribute("kernel_shape", {2, 2}) + attribute("strides", {2, 2});
  const Net net(ends({1, 1, 5, 5}) + node("MaxPool", {"x"}, "y", kernel + attribute("ceil_mode", 1)),
                {1, 1, 5, 5});
  EXPECT_EQ(net.only<ops::Pool>().padding, (Pads{0, 0, 1, 1}));
  const std::string far = attribute("kernel_shape", {1, 1}) + attribute("strides", {3, 3});
  const Net one(ends({1, 1, 3, 3}) + node("MaxPool", {"x"}, "y", far + attribute("ceil_mode", 1)),
                {1, 1, 3, 3});
  EXPECT_EQ(one.imported.dims.at("y"), (std::vector<int64_t>{1, 1, 1, 1}));
}

TEST(ImportModel, SlicesAndChannelPadsOfAResidualShortcutAreAPoolAndAConv) {
  const Net net(
      ends({1, 1, 3, 3}) + integers("starts", {0, 0}) + integers("ends", {99, 99}) +
          integers("axes", {2, 3}) + integers("steps", {2, 2}) + integers("pads", {0, 1, 0, 0, 0, 1, 0, 0}) +
          node("Slice", {"x", "starts", "ends", "axes", "steps"}, "s") + node("Pad", {"s", "pads"}, "y"),
      {1, 1, 3, 3});
  EXPECT_THAT(net.types(), ElementsAre("Pool", "Conv"));
  EXPECT_THAT(net.run({1, 2, 3, 4, 5, 6, 7, 8, 9}), ElementsAre(0, 0, 0, 0, 1, 3, 7, 9, 0, 0, 0, 0));
}

TEST(ImportModel, ASliceWithAStepStopsAtItsEnd) {
  // Columns 1, 3 of 0..6; a step further there is a column 5 that does not belong to it.
  const Net net(ends({1, 1, 1, 7}) + integers("starts", {1}) + integers("ends", {5}) + integers("axes", {3}) +
                    integers("steps", {2}) + node("Slice", {"x", "starts", "ends", "axes", "steps"}, "y"),
                {1, 1, 1, 7});
  EXPECT_THAT(net.run({0, 1, 2, 3, 4, 5, 6}), ElementsAre(1, 3));
}

TEST(ImportModel, ATensorOfRankThreeIsAMapOfHeightOne) {
  const std::string text = ends({0, 2, 5}) + reals("w", {1, 2, 3}, {1, 1, 1, 1, 1, 1}) +
                           node("Conv", {"x", "w"}, "y", attribute("dilations", std::vector<int64_t>{2}));
  EXPECT_THAT(Net(text, {1, 2, 1, 5}).run({1, 2, 3, 4, 5, 1, 1, 1, 1, 1}), ElementsAre(12));
  EXPECT_THAT(Net(text, {1, 2, 5, 1}).types(), ElementsAre("Reshape", "Conv"));
}

TEST(ImportModel, FlattensAnyInputThatTheFileWantsFlat) {
  const Net net(ends({0, 6}) + reals("w", {6, 1}, {1, 2, 3, 4, 5, 6}) + node("MatMul", {"x", "w"}, "y"),
                {1, 1, 2, 3});
  EXPECT_THAT(net.run({1, 1, 1, 1, 1, 1}), ElementsAre(21));
}

TEST(ImportModel, ClipHasAnyBounds) {
  const std::string text = ends({1, 4}) + reals("lo", {}, {-1}) + reals("hi", {}, {3}) +
                           reals("six", {}, {6}) + reals("one", {}, {1}) + reals("zero", {}, {0});
  EXPECT_THAT(Net(text + node("Clip", {"x", "lo", "hi"}, "y"), {1, 4, 1, 1}).run({-5, -1, 2, 9}),
              ElementsAre(-1, -1, 2, 3));
  EXPECT_THAT(Net(text + node("Clip", {"x", "zero", "six"}, "y"), {1, 4, 1, 1}).run({-5, 5, 6, 9}),
              ElementsAre(0, 5, 6, 6));
  EXPECT_THAT(Net(text + node("Clip", {"x", "", "hi"}, "y"), {1, 4, 1, 1}).run({-5, 5, 3, 9}),
              ElementsAre(-5, 3, 3, 3));
  EXPECT_THAT(Net(text + node("Clip", {"x", "lo", "one"}, "y"), {1, 4, 1, 1}).types(),
              ElementsAre("Saturation"));
}

TEST(ImportModel, ASoftmaxBeforeOperatorSetThirteenGoesOverAllThatFollowsItsAxis) {
  const std::string text = ends({1, 2, 1, 2}) + node("Softmax", {"x"}, "y", attribute("axis", 1));
  for (const float y : Net(text, {1, 2, 1, 2}, {}, 11).run({0, 0, 0, 0})) EXPECT_FLOAT_EQ(y, 0.25F);
  for (const float y : Net(text, {1, 2, 1, 2}, {}, 13).run({0, 0, 0, 0})) EXPECT_FLOAT_EQ(y, 0.5F);
}

TEST(ImportModel, AnIgnoredNodeIsAWire) {
  const std::string text =
      ends() + node("Relu", {"x"}, "a") + node("Hardmax", {"a"}, "b") + node("Relu", {"b"}, "y");
  ImportOptions options;
  options.ignore = {"b"};
  EXPECT_THAT(Net(text, {1, 2, 4, 4}, options).types(), ElementsAre("Relu", "Relu"));
  options.ignore = {"c"};
  EXPECT_THAT(findings(text, {1, 2, 4, 4}, options),
              HasSubstr("Ignore: no node has 'c' as its first output"));
}

TEST(ImportModel, AnIgnoredNodeOfSeveralInputsTakesWhatHangsOnItAlone) {
  const std::string text = input("x", {1, 2, 4, 4}) + output("a") + output("y") + node("Relu", {"x"}, "a") +
                           node("NonMaxSuppression", {"a", "x"}, "boxes") + node("Sqrt", {"boxes"}, "y");
  ImportOptions options;
  options.ignore = {"boxes"};
  EXPECT_THAT(Net(text, {1, 2, 4, 4}, options).types(), ElementsAre("Relu"));
}

TEST(ImportModel, ReportsEveryNodeThatItDoesNotUnderstand) {
  const std::string all = findings(
      ends() + node("Hardmax", {"x"}, "a", "", "first") + node("Relu", {"a"}, "b") +
      node("Gelu2", {"b"}, "c") +
      node("MaxPool", {"x"}, "p", attribute("kernel_shape", {2, 2}) + attribute("dilations", {2, 2})) +
      node("Relu", {"x"}, "r", attribute("slope", 1)) + node("Sum", {"c", "p", "r"}, "y"));
  EXPECT_THAT(all, HasSubstr("net.onnx: node 'first' (Hardmax): depends on the network's input"));
  EXPECT_THAT(all, HasSubstr("node 'c' (Gelu2): this operator is not imported"));
  EXPECT_THAT(all, HasSubstr("node 'p' (MaxPool): dilations other than 1"));
  EXPECT_THAT(all, HasSubstr("node 'r' (Relu): attribute 'slope' is not known for this operator"));
  EXPECT_THAT(all, Not(HasSubstr("(Sum)")));  // its operands have findings of their own
}

TEST(ImportModel, HintsNameTheTensorsToEndAt) {
  const std::string all = findings(ends() + node("Relu", {"x"}, "a") + node("Neg", {"x"}, "b") +
                                   node("Where", {"a", "a", "b"}, "w") + node("Not", {"a"}, "e") +
                                   node("TopK", {"b"}, "k") + node("Sum", {"w", "e", "k"}, "y"));
  EXPECT_THAT(
      all, HasSubstr("node 'e' (Not): depends on the network's input, and is only understood on constants\n"
                     "  hint: '-outputs a' (Outputs=a of an INI section) ends the network in front of it"));
  EXPECT_THAT(
      all, HasSubstr("node 'w' (Where): depends on the network's input, and is only understood on constants\n"
                     "  hint: '-outputs a,b' (Outputs=a b of an INI section)"));
  EXPECT_THAT(all, HasSubstr("hint: do this in the program that calls the network: '-outputs b' "));
  const std::string product =
      input("x", {1, 4}) + output("y") + node("Relu", {"x"}, "a") + node("Gemm", {"a", "a"}, "y");
  EXPECT_THAT(
      findings(product, {1, 4, 1, 1}),
      HasSubstr(
          "node 'y' (Gemm): the matrix (input 1): expected a constant, 'a' depends on the network's input\n"
          "  hint: '-outputs a'"));
}

TEST(ImportModel, CountsNodesOfOneUnknownOperator) {
  std::string text = ends() + node("Relu", {"x"}, "q0");
  for (int i = 0; i < 20; ++i)
    text +=
        node("Quant", {"q" + std::to_string(i)}, i < 19 ? "q" + std::to_string(i + 1) : "y", "domain: 'own'");
  const std::string all = findings(text);
  EXPECT_THAT(all, HasSubstr("node 'q1' (own.Quant): this operator is not imported\n"));
  EXPECT_THAT(all, HasSubstr("20 nodes in all have the operator 'own.Quant' of node 'q1'"));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2) << all;
}

TEST(ImportModel, SuggestsNoOtherOperatorForNamesOfOnnxAndOfOtherDomains) {
  const auto of = [](const std::string& type, const std::string& more = "") {
    return findings(ends() + node("Relu", {"x"}, "a") + node(type, {"a"}, "y", more));
  };
  EXPECT_THAT(of("Rely"), HasSubstr("did you mean 'Relu'?"));
  EXPECT_THAT(of("QLinearReduceMean", "domain: 'com.microsoft'"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(of("QLinearReduceMean", "domain: 'com.microsoft'"), HasSubstr("in the QDQ format"));
  EXPECT_THAT(of("DynamicQuantizeLinear"), Not(HasSubstr("did you mean")));
}

TEST(ImportModel, TheExtentsOfATensorThatTheFileNamesTwiceAreThoseOfOne) {
  const std::string named = tensor_of("value_info", "a", {1, 2, 4, 4});
  EXPECT_THAT(findings(ends() + named + named + node("Unheard", {"x"}, "a") +
                       node("MaxPool", {"a"}, "y", attribute("kernel_shape", {2, 2}))),
              Not(HasSubstr("MaxPool")));
}

TEST(ImportModel, ReadsOnBehindWhatItDoesNotUnderstand) {
  const std::string pool = attribute("kernel_shape", {2, 2}) + attribute("dilations", {2, 2});
  const std::string all =
      findings(ends() + tensor_of("value_info", "b", {0, 2, 6, 6}) + node("Hardmax", {"x"}, "a") +
               node("Unfold", {"a"}, "b") + node("MaxPool", {"b"}, "c", pool) + node("Mul", {"a", "b"}, "d") +
               node("Concat", {"c", "d"}, "y", attribute("axis", 1)));
  EXPECT_THAT(all, HasSubstr("node 'a' (Hardmax)"));
  EXPECT_THAT(all, HasSubstr("node 'b' (Unfold)"));
  EXPECT_THAT(all, HasSubstr("node 'c' (MaxPool): dilations"));
  EXPECT_THAT(all, HasSubstr("node 'd' (Mul): 1x2x4x4 and 1x2x6x6 do not broadcast"));
  EXPECT_THAT(all, Not(HasSubstr("(Concat)")));
}

TEST(ImportModel, RefusesInputsThatAreOpenOrOfAnotherSize) {
  EXPECT_THAT(findings(input("x", {1, 2, 0, 4}) + output("y") + node("Relu", {"x"}, "y")),
              HasSubstr("input 'x': axis 2 is open (dynamic), only the batch may be"));
  EXPECT_THAT(findings(ends({1, 3, 8, 8}) + node("Relu", {"x"}, "y")),
              HasSubstr("the file expects 3x8x8, it is given 2x4x4 (channels x height x width)"));
  EXPECT_THAT(findings(ends({1, 4, 4, 2}) + node("Relu", {"x"}, "y")), HasSubstr("inputs-as-nchw"));
  ImportOptions options;
  options.ignore_input_size = true;
  EXPECT_EQ(findings(ends({1, 3, 8, 8}) + node("Relu", {"x"}, "y"), {1, 2, 4, 4}, options), "no findings");
}

TEST(ImportModel, AveragesOverThePartOfAWindowThatLiesOnTheMap) {
  const std::string pool = attribute("kernel_shape", {3, 3}) + attribute("pads", {1, 1, 1, 1});
  const std::vector<float> ones(8, 1);
  const std::string text = ends({1, 2, 2, 2});
  for (const float y : Net(text + node("AveragePool", {"x"}, "y", pool), {1, 2, 2, 2}).run(ones))
    EXPECT_FLOAT_EQ(y, 1);
  const std::string counted = pool + attribute("count_include_pad", 1);
  for (const float y : Net(text + node("AveragePool", {"x"}, "y", counted), {1, 2, 2, 2}).run(ones))
    EXPECT_FLOAT_EQ(y, 4.0F / 9);
  const Net over(ends({1, 1, 1, 3}) + node("AveragePool", {"x"}, "y",
                                           attribute("kernel_shape", {1, 2}) + attribute("strides", {1, 2}) +
                                               attribute("ceil_mode", 1)),
                 {1, 1, 1, 3});
  EXPECT_THAT(over.run({1, 3, 5}), ElementsAre(2, 5));
  // One tap of the last window hangs over, which does not count; the padding in front does.
  const Net both(ends({1, 1, 1, 4}) + node("AveragePool", {"x"}, "y",
                                           attribute("kernel_shape", {1, 2}) + attribute("strides", {1, 2}) +
                                               attribute("pads", {0, 1, 0, 0}) + attribute("ceil_mode", 1) +
                                               attribute("count_include_pad", 1)),
                 {1, 1, 1, 4});
  EXPECT_THAT(both.run({1, 3, 5, 7}), ElementsAre(0.5F, 4, 7));
}

TEST(ImportModel, RefusesWhatMixesTheBatchWithOtherAxes) {
  EXPECT_THAT(findings(ends() + integers("s", {2, 16}) + node("Reshape", {"x", "s"}, "y")),
              HasSubstr("output 'y': reads 2x16, whose axis 0 is not the batch"));
  EXPECT_THAT(
      findings(ends({1, 2, 3}) + integers("s", {-1}) + node("Reshape", {"x", "s"}, "y"), {1, 2, 1, 3}),
      HasSubstr("1x2x3 becomes 6, which mixes the batch with other axes"));
  EXPECT_THAT(findings(ends() + node("Transpose", {"x"}, "t", attribute("perm", {2, 0, 3, 1})) +
                       node("GlobalAveragePool", {"t"}, "y")),
              HasSubstr("reads a tensor of 4x1x4x2 whose batch is axis 1\n  hint: transpose it in front"));
}

TEST(ImportModel, ConstantsMayBeListsOfAttributes) {
  const Net net(
      ends({1, 2, 1, 1}) +
          node("Constant", {}, "k", "attribute { name: 'value_floats' type: FLOATS floats: 2 floats: 3 }") +
          node("Constant", {}, "s", attribute("value_ints", {2, 1, 1})) + node("Reshape", {"k", "s"}, "f") +
          node("Mul", {"x", "f"}, "y"),
      {1, 2, 1, 1});
  EXPECT_THAT(net.run({1, 1}), ElementsAre(2, 3));
}

TEST(ImportModel, NamesOfTheFileAndOfTheGraphMayBeEqual) {
  const Net net(input("sp", {1, 2, 4, 4}) + output("y") + node("Relu", {"sp"}, "a") +
                node("Relu", {"a"}, "y"));
  EXPECT_EQ(net.imported.layers.size(), 2U);
}

TEST(ImportModel, TheSummandOfAGemmIsOneValueAnOutput) {
  const auto gemm = [](const std::vector<int>& extents) {
    return ends({1, 2}) + reals("m", {2, 2}, {1, 0, 0, 1}) + reals("c", extents, {10, 20}) +
           node("Gemm", {"x", "m", "c"}, "y");
  };
  for (const auto& extents : {std::vector<int>{2}, {1, 2}})
    EXPECT_THAT(Net(gemm(extents), {1, 2, 1, 1}).run({3, 4}), ElementsAre(13, 24));
  EXPECT_THAT(findings(gemm({2, 1}), {1, 2, 1, 1}), HasSubstr("C has extents 2x1, expected 2 real numbers"));
}

TEST(ImportModel, FlattenFromTheFirstAxisJoinsAll) {
  const Net net(ends({1, 2, 1, 2}) + node("Flatten", {"x"}, "y", attribute("axis", 0)), {1, 2, 1, 2});
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, Shape({1, 4, 1, 1}));
  EXPECT_THAT(net.run({1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
}

TEST(ImportModel, OutputsThatNothingReadsMayHaveNames) {
  const std::string pool =
      node("MaxPool", {"x"}, "p", attribute("kernel_shape", {2, 2}) + "output: 'places'");
  EXPECT_EQ(findings(ends() + pool + node("Dropout", {"p"}, "y", "output: 'mask'")), "no findings");
  EXPECT_THAT(findings(ends() + pool + node("Relu", {"places"}, "y")),
              HasSubstr("is used, which is not imported"));
}

TEST(ImportModel, AnInputOfTooManyElementsIsNamed) {
  EXPECT_THAT(findings(ends({1, 2, 65536, 65536}) + node("Relu", {"x"}, "y")),
              HasSubstr("a tensor of 1x2x65536x65536 has 2^31 elements or more"));
}

}  // namespace
}  // namespace n2d2::onnx

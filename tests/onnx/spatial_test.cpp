// Operators that move or resample values.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/transpose.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Extents = std::vector<int64_t>;

std::string text(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}

std::string reals_of(const std::string& name, const std::vector<float>& values) {
  return reals(name, {static_cast<int>(values.size())}, values);
}

// ---- ConvTranspose ---------------------------------------------------------------------------------------

/// One channel, kernel 1 2 3, of two pixels.
std::string row_of_three(const std::string& attributes) {
  return ends({1, 1, 1, 2}) + reals("w", {1, 1, 1, 3}, {1, 2, 3}) +
         node("ConvTranspose", {"x", "w"}, "y", attributes);
}

TEST(ImportConvTranspose, WeightsChangeTheirFirstAxesGroupByGroup) {
  // Channels 0 1 make outputs 0 1, channels 2 3 outputs 2 3.
  const Net net(ends({1, 4, 1, 1}) + reals("w", {4, 2, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8}) +
                    reals("b", {4}, {100, 200, 300, 400}) +
                    node("ConvTranspose", {"x", "w", "b"}, "y", attribute("group", 2)),
                {1, 4, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("Deconv"));
  EXPECT_THAT(net.run({1, 10, 1, 10}), ElementsAre(131, 242, 375, 486));
}

TEST(ImportConvTranspose, PadsCutAndOutputPaddingAddsBehind) {
  const std::string stride = attribute("strides", {1, 2});
  const auto run = [](const std::string& attributes) {
    return Net(row_of_three(attributes), {1, 1, 1, 2}).run({1, 10});
  };
  EXPECT_THAT(run(stride), ElementsAre(1, 2, 13, 20, 30));
  EXPECT_THAT(run(stride + attribute("pads", {0, 1, 0, 2})), ElementsAre(2, 13));
  EXPECT_THAT(run(stride + attribute("output_padding", {0, 1})), ElementsAre(1, 2, 13, 20, 30, 0));
  EXPECT_THAT(run(stride + attribute("pads", {0, 0, 0, 1}) + attribute("output_padding", {0, 1})),
              ElementsAre(1, 2, 13, 20, 30));
  EXPECT_THAT(run(attribute("dilations", {1, 2})), ElementsAre(1, 10, 2, 20, 3, 30));
}

TEST(ImportConvTranspose, SamePadsGiveSoManyPixelsTimesTheStep) {
  const auto run = [](const std::string& mode) {
    return Net(ends({1, 1, 1, 3}) + reals("w", {1, 1, 1, 3}, {1, 2, 3}) +
                   node("ConvTranspose", {"x", "w"}, "y",
                        attribute("strides", {1, 2}) + text("auto_pad", mode)),
               {1, 1, 1, 3})
        .run({1, 10, 100});
  };
  EXPECT_THAT(run("SAME_UPPER"), ElementsAre(1, 2, 13, 20, 130, 200));
  EXPECT_THAT(run("SAME_LOWER"), ElementsAre(2, 13, 20, 130, 200, 300));
}

TEST(ImportConvTranspose, OutputShapeAndSamePadsLeaveTheOddPixelToTheirSide) {
  const std::string stride = attribute("strides", {1, 2});
  const auto run = [&](const std::string& attributes) {
    return Net(row_of_three(stride + attributes), {1, 1, 1, 2}).run({1, 10});
  };
  EXPECT_THAT(run(text("auto_pad", "SAME_UPPER")), ElementsAre(1, 2, 13, 20));
  EXPECT_THAT(run(text("auto_pad", "SAME_LOWER")), ElementsAre(2, 13, 20, 30));
  EXPECT_THAT(run(attribute("output_shape", {1, 4})), ElementsAre(2, 13, 20, 30));
  EXPECT_THAT(run(attribute("output_shape", {1, 4}) + text("auto_pad", "SAME_UPPER")),
              ElementsAre(1, 2, 13, 20));
  EXPECT_THAT(run(attribute("output_shape", {1, 7})), ElementsAre(1, 2, 13, 20, 30, 0, 0));
}

TEST(ImportConvTranspose, ATensorOfRankThreeIsARow) {
  const Net net(ends({1, 1, 2}) + reals("w", {1, 1, 2}, {1, 2}) + node("ConvTranspose", {"x", "w"}, "y"),
                {1, 1, 1, 2});
  EXPECT_THAT(net.run({1, 10}), ElementsAre(1, 12, 20));
  EXPECT_EQ(net.imported.dims.at("y"), (Extents{1, 1, 3}));
}

TEST(ImportConvTranspose, RefusesWhatDoesNotFit) {
  const auto with = [](const std::string& attributes) {
    return findings(row_of_three(attributes), {1, 1, 1, 2});
  };
  EXPECT_THAT(with(attribute("group", 2)),
              HasSubstr("the data has 1 channels, the weights are of 1 in 2 groups"));
  EXPECT_THAT(with(attribute("output_padding", std::vector<int64_t>{1})),
              HasSubstr("attribute 'output_padding' has 1 values, expected 2"));
  EXPECT_THAT(with(attribute("output_shape", {1, 0})), HasSubstr("output_shape has 0, expected at least 1"));
  EXPECT_THAT(with(attribute("pads", {0, 2, 0, 2})), HasSubstr("Padding 2 0 2 0 leaves nothing"));
  EXPECT_THAT(
      findings(ends() + reals("w", {2, 1, 3}, {1, 2, 3, 4, 5, 6}) + node("ConvTranspose", {"x", "w"}, "y")),
      HasSubstr("the weights have extents 2x1x3, the data 1x2x4x4"));
}

// ---- Resize ----------------------------------------------------------------------------------------------

std::string resize(const std::string& attributes, const std::vector<float>& scales) {
  return ends({1, 1, 1, 4}) + reals_of("scales", scales) +
         node("Resize", {"x", "", "scales"}, "y", attributes);
}

TEST(ImportResize, ReadsScalesOrSizesModesAndRoundings) {
  const Shape row{1, 1, 1, 4};
  const std::vector<float> x{0, 10, 20, 30};
  EXPECT_THAT(Net(resize(text("mode", "linear"), {1, 1, 1, 2}), row).run(x),
              ElementsAre(0, 2.5F, 7.5F, 12.5F, 17.5F, 22.5F, 27.5F, 30));
  EXPECT_THAT(Net(resize(text("coordinate_transformation_mode", "asymmetric") + text("nearest_mode", "ceil"),
                         {1, 1, 1, 2}),
                  row)
                  .run(x),
              ElementsAre(0, 10, 10, 20, 20, 30, 30, 30));
  const std::string sizes =
      ends({1, 1, 1, 4}) + integers("sizes", {1, 1, 2, 7}) +
      node("Resize", {"x", "", "", "sizes"}, "y",
           text("mode", "linear") + text("coordinate_transformation_mode", "align_corners"));
  EXPECT_THAT(Net(sizes, row).run(x), ElementsAre(0, 5, 10, 15, 20, 25, 30, 0, 5, 10, 15, 20, 25, 30));
}

TEST(ImportResize, KeepsAScaleThatIsNoRatioOfSizes) {
  const Net net(
      resize(text("mode", "linear") + text("coordinate_transformation_mode", "asymmetric"), {1, 1, 1, 1.4F}),
      {1, 1, 1, 4});
  EXPECT_EQ(net.only<ops::Resize>().output_width, 5);
  EXPECT_THAT(net.run({0, 14, 28, 42}), ElementsAre(0, FloatEq(10), FloatEq(20), FloatEq(30), FloatEq(40)));
  EXPECT_EQ(Net(resize("", {1, 1, 1, 1.5F}), {1, 1, 1, 4}).only<ops::Resize>().scale_x, 0);
}

TEST(ImportResize, UpsampleAndOldOperatorSetsRepeatPixels) {
  const std::string tail = text("mode", "nearest");
  const std::string seven =
      "attribute { name: 'scales' type: FLOATS floats: 1 floats: 1 floats: 1 floats: 2 } ";
  const Shape row{1, 1, 1, 2};
  EXPECT_THAT(Net(ends({1, 1, 1, 2}) + node("Upsample", {"x"}, "y", tail + seven), row, {}, 7).run({1, 2}),
              ElementsAre(1, 1, 2, 2));
  const std::string scales = ends({1, 1, 1, 2}) + reals_of("s", {1, 1, 1, 2});
  EXPECT_THAT(Net(scales + node("Upsample", {"x", "s"}, "y", tail), row, {}, 9).run({1, 2}),
              ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(Net(scales + node("Resize", {"x", "s"}, "y", text("mode", "linear")), row, {}, 10).run({0, 2}),
              ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(
      findings(ends({1, 1, 1, 2}) + reals_of("s", {1, 1, 1, 0.5F}) + node("Resize", {"x", "s"}, "y", tail),
               row, {}, 10),
      HasSubstr("the nearest pixel of a smaller map is not defined before operator set 11"));
}

TEST(ImportResize, OfTheSameSizeIsStillANodeThatMovesNothing) {
  const Net net(resize("", {1, 1, 1, 1}), {1, 1, 1, 4});
  EXPECT_THAT(net.run({1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
}

TEST(ImportResize, RefusesWithReason) {
  const auto with = [](const std::string& attributes, const std::vector<float>& scales = {1, 1, 1, 2}) {
    return findings(resize(attributes, scales), {1, 1, 1, 4});
  };
  EXPECT_THAT(with(text("mode", "cubic")), HasSubstr("mode 'cubic' is not imported, only nearest, linear"));
  EXPECT_THAT(with(text("coordinate_transformation_mode", "tf_crop_and_resize")),
              HasSubstr("coordinate_transformation_mode 'tf_crop_and_resize' is not imported"));
  EXPECT_THAT(with(text("nearest_mode", "up")), HasSubstr("nearest_mode 'up' is not imported"));
  EXPECT_THAT(with(attribute("exclude_outside", 1)),
              HasSubstr("attribute 'exclude_outside' is 1, only 0 is imported"));
  EXPECT_THAT(with("", {1, 2, 1, 2}), HasSubstr("resizes axis 1 of 1x1x1x4"));
  EXPECT_THAT(with("", {1, 1, 2}), HasSubstr("3 scales for 1x1x1x4"));
  EXPECT_THAT(with("", {1, 1, 1, 0}), HasSubstr("scale 0, expected a positive number"));
  EXPECT_THAT(with("", {1, 1, 1, 0.2F}), HasSubstr("an extent of the result is 0, expected 1"));
  EXPECT_THAT(with("", {}), HasSubstr("expected either scales or sizes"));
  EXPECT_THAT(with(text("coordinate_transformation_mode", "align_corners"), {1, 1, 1, 1.3F}),
              HasSubstr("whose last corner lies between pixels"));
}

// ---- Transpose -------------------------------------------------------------------------------------------

TEST(ImportTranspose, MovesAxesOfMapsAndRows) {
  const Net map(ends({1, 2, 1, 3}) + node("Transpose", {"x"}, "y", attribute("perm", {0, 3, 2, 1})),
                {1, 2, 1, 3});
  EXPECT_THAT(map.types(), ElementsAre("Transpose"));
  EXPECT_THAT(map.run({1, 2, 3, 4, 5, 6}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(map.imported.dims.at("y"), (Extents{1, 3, 1, 2}));
  const Net row(ends({1, 2, 3}) + node("Transpose", {"x"}, "y", attribute("perm", {0, 2, 1})), {1, 2, 1, 3});
  EXPECT_THAT(row.run({1, 2, 3, 4, 5, 6}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(row.imported.dims.at("y"), (Extents{1, 3, 2}));
}

TEST(ImportTranspose, IsAReshapeOrNothingWhenNoElementMoves) {
  const std::string last = attribute("perm", {0, 2, 3, 1});
  EXPECT_THAT(Net(ends({1, 1, 2, 3}) + node("Transpose", {"x"}, "y", last), {1, 1, 2, 3}).types(),
              ElementsAre("Reshape"));
  EXPECT_THAT(Net(ends() + node("Transpose", {"x"}, "y", attribute("perm", {0, 1, 2, 3}))).types(),
              IsEmpty());
}

TEST(ImportTranspose, ShufflesChannelsInGroups) {
  // 4 channels as 2 x 2, exchanged.
  const Net net(ends({1, 4, 1, 2}) + integers("five", {1, 2, 2, 1, 2}) + integers("four", {1, 4, 1, 2}) +
                    node("Reshape", {"x", "five"}, "r") +
                    node("Transpose", {"r"}, "t", attribute("perm", {0, 2, 1, 3, 4})) +
                    node("Reshape", {"t", "four"}, "y"),
                {1, 4, 1, 2});
  EXPECT_THAT(net.run({0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(ImportTranspose, RefusesMoreThanThreeGroups) {
  const std::string six = ends({1, 4, 2, 2}) + integers("six", {1, 1, 2, 2, 2, 2}) +
                          node("Reshape", {"x", "six"}, "r") +
                          node("Transpose", {"r"}, "y", attribute("perm", {0, 5, 4, 3, 2, 1}));
  EXPECT_THAT(findings(six, {1, 4, 2, 2}), HasSubstr("moves 4 groups of axes of 1x1x2x2x2x2"));
}

TEST(ImportMatMul, OverTheLastAxisIsAConvBetweenTransposes) {
  const Net net(ends({1, 2, 3}) + reals("w", {3, 2}, {1, 2, 3, 4, 5, 6}) + node("MatMul", {"x", "w"}, "y"),
                {1, 2, 1, 3});
  EXPECT_THAT(net.types(), ElementsAre("Transpose", "Conv", "Transpose"));
  EXPECT_THAT(net.run({1, 0, 0, 1, 1, 1}), ElementsAre(1, 2, 9, 12));
  EXPECT_EQ(net.imported.dims.at("y"), (Extents{1, 2, 2}));
  EXPECT_EQ(net.graph.op(net.imported.layers.at(0).node).type(), "Conv");
  const Net map(ends({1, 1, 2, 3}) + reals("w", {3, 1}, {1, 10, 100}) + node("MatMul", {"x", "w"}, "y"),
                {1, 1, 2, 3});
  EXPECT_THAT(map.run({1, 2, 3, 4, 5, 6}), ElementsAre(321, 654));
  EXPECT_THAT(
      findings(ends({1, 2, 3}) + reals("w", {2, 3}, {1, 2, 3, 4, 5, 6}) + node("MatMul", {"x", "w"}, "y"),
               {1, 2, 1, 3}),
      HasSubstr("the product of 1x2x3 and 2x3, expected a matrix of 3 rows"));
}

TEST(ImportConcat, JoinsAnyAxisBehindTheBatch) {
  const std::string two = ends({1, 2, 2, 1}) + node("Relu", {"x"}, "r");
  const auto run = [&](int64_t axis) {
    const Net net(two + node("Concat", {"x", "r"}, "y", attribute("axis", axis)), {1, 2, 2, 1});
    return net.run({1, -2, 3, -4});
  };
  EXPECT_THAT(run(1), ElementsAre(1, -2, 3, -4, 1, 0, 3, 0));
  EXPECT_THAT(run(2), ElementsAre(1, -2, 1, 0, 3, -4, 3, 0));
  EXPECT_THAT(run(-1), ElementsAre(1, 1, -2, 0, 3, 3, -4, 0));
  const Net row(ends({1, 2, 2}) + node("Concat", {"x", "x"}, "y", attribute("axis", 2)), {1, 2, 1, 2});
  EXPECT_THAT(row.run({1, 2, 3, 4}), ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_EQ(row.imported.dims.at("y"), (Extents{1, 2, 4}));
  EXPECT_THAT(findings(two + node("Concat", {"x", "r"}, "y", attribute("axis", 0)), {1, 2, 2, 1}),
              HasSubstr("along axis 0 of 1x2x2x1: only axes behind the batch are joined"));
}

TEST(ImportSoftmax, GoesOverAnyAxisBehindTheBatch) {
  const std::string at = ends({1, 2, 3, 2});
  const std::vector<float> zeros(12, 0);
  for (const auto& [axis, share] : {std::pair{1, 1.0F / 2}, {2, 1.0F / 3}, {-1, 1.0F / 2}})
    for (const float y :
         Net(at + node("Softmax", {"x"}, "y", attribute("axis", axis)), {1, 2, 3, 2}).run(zeros))
      EXPECT_FLOAT_EQ(y, share);
  // Up to operator set 12 axis 2 takes the last with it.
  for (const float y :
       Net(at + node("Softmax", {"x"}, "y", attribute("axis", 2)), {1, 2, 3, 2}, {}, 12).run(zeros))
    EXPECT_FLOAT_EQ(y, 1.0F / 6);
  const float large = 1000;
  EXPECT_THAT(Net(ends({1, 2, 2}) + node("Softmax", {"x"}, "y"), {1, 2, 1, 2}).run({0, large, large, 0}),
              ElementsAre(0, 1, 1, 0));
}

// ---- DepthToSpace, SpaceToDepth, LRN ---------------------------------------------------------------------

TEST(ImportDepthToSpace, ReadsModeAndBlock) {
  const auto run = [](const std::string& mode) {
    return Net(ends({1, 8, 1, 1}) + node("DepthToSpace", {"x"}, "y", attribute("blocksize", 2) + mode),
               {1, 8, 1, 1})
        .run({0, 1, 2, 3, 4, 5, 6, 7});
  };
  EXPECT_THAT(run(""), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(run(text("mode", "CRD")), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const Net back(ends({1, 2, 2, 2}) + node("SpaceToDepth", {"x"}, "y", attribute("blocksize", 2)),
                 {1, 2, 2, 2});
  EXPECT_THAT(back.run({0, 2, 4, 6, 1, 3, 5, 7}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(findings(ends() + node("DepthToSpace", {"x"}, "y", attribute("blocksize", 2))),
              HasSubstr("2 channels are no multiple of the 4 pixels of a block"));
  EXPECT_THAT(
      findings(ends() + node("DepthToSpace", {"x"}, "y", text("mode", "ABC") + attribute("blocksize", 1))),
      HasSubstr("mode 'ABC', expected DCR or CRD"));
  EXPECT_THAT(findings(ends() + node("SpaceToDepth", {"x"}, "y")), HasSubstr("blocksize is 0, expected 1"));
}

TEST(ImportLrn, AlphaIsSharedByTheNeighbours) {
  const std::string attributes = attribute("size", 3) + "attribute { name: 'alpha' type: FLOAT f: 6 } " +
                                 "attribute { name: 'beta' type: FLOAT f: 1 } " +
                                 "attribute { name: 'bias' type: FLOAT f: 2 } ";
  const Net net(ends({1, 2, 1, 1}) + node("LRN", {"x"}, "y", attributes), {1, 2, 1, 1});
  EXPECT_EQ(net.only<ops::Lrn>().alpha, 2);
  EXPECT_EQ(findings(ends({1, 2}) + node("LRN", {"x"}, "y", attributes), {1, 2, 1, 1}), "no findings");
  EXPECT_THAT(net.run({1, 2}), ElementsAre(FloatEq(1.0F / 12), FloatEq(2.0F / 12)));
  EXPECT_THAT(findings(ends() + node("LRN", {"x"}, "y")), HasSubstr("size is 0, expected 1"));
  EXPECT_THAT(
      findings(ends() + node("LRN", {"x"}, "y",
                             attribute("size", 3) + "attribute { name: 'alpha' type: FLOAT f: -3 } ")),
      HasSubstr("alpha -3 and bias 1, expected none below 0"));
}

// ---- tensors of six axes --------------------------------------------------------------------------------

/// Moves the axes of a tensor by their definition.
std::vector<float> moved(const std::vector<float>& in, const Extents& dims,
                         const std::vector<int64_t>& order) {
  std::vector<float> out;
  Extents index(dims.size(), 0);
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t from = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const size_t place = static_cast<size_t>(
          std::find(order.begin(), order.end(), static_cast<int64_t>(axis)) - order.begin());
      from = from * dims[axis] + index[place];
    }
    out.push_back(in[static_cast<size_t>(from)]);
    for (size_t k = dims.size(); k-- > 0;) {
      if (++index[k] < dims[static_cast<size_t>(order[k])]) break;
      index[k] = 0;
    }
  }
  return out;
}

TEST(ImportTranspose, BlocksOfPixelsBecomeChannelsAndBack) {
  struct Case {
    Shape in;
    std::vector<int> six, out;
    std::vector<int64_t> order;
  };
  const Case cases[] = {{{1, 3, 4, 9}, {1, 3, 2, 2, 3, 3}, {1, 18, 2, 3}, {0, 1, 3, 5, 2, 4}},
                        {{1, 3, 4, 6}, {1, 3, 2, 2, 3, 2}, {1, 12, 2, 3}, {0, 3, 5, 1, 2, 4}},
                        {{1, 3, 4, 6}, {1, 3, 2, 2, 3, 2}, {1, 6, 12}, {0, 2, 4, 1, 3, 5}},
                        {{1, 3, 4, 6}, {1, 3, 2, 2, 3, 2}, {1, 6, 12}, {0, 2, 4, 3, 5, 1}},
                        {{1, 18, 2, 4}, {1, 3, 2, 3, 2, 4}, {1, 3, 4, 12}, {0, 1, 4, 2, 5, 3}},
                        {{1, 18, 2, 4}, {1, 2, 3, 3, 2, 4}, {1, 3, 4, 12}, {0, 3, 4, 1, 5, 2}},
                        {{1, 4, 2, 5}, {1, 1, 2, 2, 2, 5}, {1, 1, 4, 10}, {0, 1, 4, 2, 5, 3}}};
  for (const Case& each : cases) {
    std::vector<float> x(static_cast<size_t>(each.in.elements()));
    std::iota(x.begin(), x.end(), 0.0F);
    const Net net(input("x", {1, static_cast<int>(each.in.c()), static_cast<int>(each.in.h()),
                              static_cast<int>(each.in.w())}) +
                      output("y") + integers("six", each.six) + integers("out", each.out) +
                      node("Reshape", {"x", "six"}, "r") +
                      node("Transpose", {"r"}, "t", attribute("perm", each.order)) +
                      node("Reshape", {"t", "out"}, "y"),
                  each.in);
    EXPECT_EQ(net.run(x), moved(x, {each.six.begin(), each.six.end()}, each.order))
        << ::testing::PrintToString(each.order);
    if (each.out.size() != 4) continue;
    // The Reshapes move nothing, and nothing reads what they make.
    const graph::Node& last = net.graph.node(net.graph.value(net.graph.outputs().at(0)).producer);
    EXPECT_EQ(last.op->type(), "DepthToSpace") << ::testing::PrintToString(each.order);
    EXPECT_EQ(last.inputs.at(0), net.graph.inputs().at(0)) << ::testing::PrintToString(each.order);
  }
}

TEST(ImportConcat, ConstantsAreMapsBesideTheData) {
  for (const int axis : {1, 2, 3}) {
    std::vector<int> of_a{1, 2, 2, 3}, of_c{1, 2, 2, 3};
    of_c[static_cast<size_t>(axis)] = 2;
    std::vector<float> a(12), c(static_cast<size_t>(of_c[1] * of_c[2] * of_c[3]));
    std::iota(a.begin(), a.end(), 1.0F);
    std::iota(c.begin(), c.end(), 100.0F);
    const auto along = attribute("axis", static_cast<int64_t>(axis));
    const std::string ends = input("x", of_a) + output("y");
    // With a second tensor of data in place of the constant, for what Concat means.
    const Net both(ends + reals("c", of_c, c) + node("Concat", {"c", "x"}, "y", along), {1, 2, 2, 3});
    const size_t rows = static_cast<size_t>(of_c[static_cast<size_t>(axis)]);
    size_t inner = 1, outer = 1;
    for (size_t i = 0; i < 4; ++i)
      (static_cast<int>(i) < axis ? outer : inner) *=
          static_cast<int>(i) == axis ? 1 : static_cast<size_t>(of_a[i]);
    std::vector<float> wanted;
    for (size_t o = 0; o < outer; ++o) {
      for (size_t k = 0; k < rows * inner; ++k) wanted.push_back(c[o * rows * inner + k]);
      const size_t own = 12 / outer;
      for (size_t k = 0; k < own; ++k) wanted.push_back(a[o * own + k]);
    }
    EXPECT_EQ(both.run(a), wanted) << axis;
  }
  EXPECT_THAT(
      findings(ends({1, 2, 4, 4}) + reals("c", {1, 1, 4, 4}, std::vector<float>(16, 1)) +
               node("Relu", {"x"}, "r") + node("Concat", {"x", "c", "r"}, "y", attribute("axis", 1))),
      HasSubstr("node 'y' (Concat): joins constants and 2 tensors of 1x5x4x4 that depend on the data"));
}

/// As YOLOv5 decodes boxes: lanes of each anchor are cut, changed and joined again.
TEST(ImportConcat, LanesOfAnchorsAreJoined) {
  std::vector<float> x(2 * 4 * 2 * 3), grid(2 * 2 * 3 * 1);
  std::iota(x.begin(), x.end(), 0.0F);
  std::iota(grid.begin(), grid.end(), 0.5F);
  const std::string five = integers("five", {1, 2, 4, 2, 3}) + integers("rows", {1, -1, 4}) +
                           integers("parts", {1, 1, 2}) + reals("g", {1, 2, 2, 3, 1}, grid) +
                           reals("two", {}, {2});
  const Net net(input("x", {1, 8, 2, 3}) + output("y") + five + node("Reshape", {"x", "five"}, "r") +
                    node("Transpose", {"r"}, "t", attribute("perm", {0, 1, 3, 4, 2})) +
                    "node { op_type: 'Split' input: 't' input: 'parts' output: 'a' output: 'b' output: 'c' " +
                    attribute("axis", 4) + "} " + node("Add", {"a", "g"}, "ag") +
                    node("Mul", {"b", "two"}, "b2") + node("Pow", {"b2", "two"}, "bp") +
                    node("Concat", {"ag", "bp", "c"}, "j", attribute("axis", 4)) +
                    node("Reshape", {"j", "rows"}, "y"),
                {1, 8, 2, 3});
  std::vector<float> wanted = moved(x, {1, 2, 4, 2, 3}, {0, 1, 3, 4, 2});
  for (size_t box = 0; box < 12; ++box) {
    wanted[box * 4] += grid[box];
    wanted[box * 4 + 1] *= 4 * wanted[box * 4 + 1];
  }
  EXPECT_EQ(net.run(x), wanted);
}

/// Numbers for each pixel and lane, the same for all anchors, and numbers for each anchor and lane.
TEST(ImportConcat, GridsAndSizesOfAnchorsHaveOneNumberForSeveralAxes) {
  std::vector<float> x(2 * 4 * 2 * 3), grid(2 * 3 * 2), sizes{2, 3, 5, 7};
  std::iota(x.begin(), x.end(), 0.0F);
  std::iota(grid.begin(), grid.end(), 100.0F);
  const Net net(
      input("x", {1, 8, 2, 3}) + output("y") + integers("five", {1, 2, 4, 2, 3}) +
          integers("rows", {1, -1, 4}) + integers("parts", {2, 2}) + reals("g", {1, 1, 2, 3, 2}, grid) +
          reals("s", {1, 2, 1, 1, 2}, sizes) + node("Reshape", {"x", "five"}, "r") +
          node("Transpose", {"r"}, "t", attribute("perm", {0, 1, 3, 4, 2})) +
          "node { op_type: 'Split' input: 't' input: 'parts' output: 'a' output: 'b' " +
          attribute("axis", 4) + "} " + node("Add", {"a", "g"}, "ag") + node("Mul", {"s", "b"}, "bs") +
          node("Concat", {"ag", "bs"}, "j", attribute("axis", 4)) + node("Reshape", {"j", "rows"}, "y"),
      {1, 8, 2, 3});
  std::vector<float> wanted = moved(x, {1, 2, 4, 2, 3}, {0, 1, 3, 4, 2});
  for (size_t box = 0; box < 12; ++box)
    for (size_t lane = 0; lane < 2; ++lane) {
      wanted[box * 4 + lane] += grid[box % 6 * 2 + lane];
      wanted[box * 4 + 2 + lane] *= sizes[box / 6 * 2 + lane];
    }
  EXPECT_EQ(net.run(x), wanted);
}

}  // namespace
}  // namespace n2d2::onnx

// What operator sets 18 to 25 changed in operators that are imported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/resize.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kEach[] = {18, 19, 20, 21, 22, 23, 24, 25};

std::string text_attribute(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}

std::vector<float> ramp(int count) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<float>(i));
  return out;
}

TEST(LaterSets, OperatorsThatKeepTheirMeaningReadAsBefore) {
  const std::vector<float> in = ramp(72);
  const std::vector<float> before = Net(small_cnn(), {1, 2, 6, 6}).run(in);
  for (const int opset : kEach) EXPECT_EQ(Net(small_cnn(), {1, 2, 6, 6}, {}, opset).run(in), before) << opset;
}

TEST(LaterSets, ReductionsHaveTheirAxesAsAnInput) {
  for (const char* type : {"ReduceMean", "ReduceMax", "ReduceSum"}) {
    const std::string as_attribute =
        ends() +
        node(type, {"x"}, "y", attribute("axes", std::vector<int64_t>{-1, -2}) + attribute("keepdims", 0));
    const std::string as_input =
        ends() + integers("axes", {-1, -2}) +
        node(type, {"x", "axes"}, "y", attribute("keepdims", 0) + attribute("noop_with_empty_axes", 0));
    const std::string old = type == std::string("ReduceSum") ? as_input : as_attribute;
    EXPECT_EQ(Net(as_input, {1, 2, 4, 4}, {}, 18).run(ramp(32)), Net(old).run(ramp(32))) << type;
  }
}

TEST(LaterSets, ASplitSaysItsNumberOfParts) {
  const std::string split = ends({1, 5}) +
                            "node { op_type: 'Split' input: 'x' output: 'y' output: 'b' output: 'c' " +
                            attribute("axis", 1) + attribute("num_outputs", 3) + "} ";
  EXPECT_THAT(Net(split, {1, 5, 1, 1}, {}, 18).run(ramp(5)), ElementsAre(0, 1));
  const std::string last = input("x", {1, 5}) + output("c") +
                           "node { op_type: 'Split' input: 'x' output: 'y' output: 'b' output: 'c' " +
                           attribute("axis", 1) + attribute("num_outputs", 3) + "} ";
  EXPECT_THAT(Net(last, {1, 5, 1, 1}, {}, 18).run(ramp(5)), ElementsAre(4)) << "the last part is smaller";
  const std::string wrong =
      ends({1, 4}) + node("Split", {"x"}, "y", attribute("axis", 1) + attribute("num_outputs", 2));
  EXPECT_THAT(findings(wrong, {1, 4, 1, 1}, {}, 18), HasSubstr("num_outputs is 2, there are 1 outputs"));
}

TEST(LaterSets, APadSaysItsAxes) {
  const std::string pad = ends({1, 1, 1, 2}) + integers("pads", {1, 2}) + reals("value", {}, {0}) +
                          integers("axes", {-1}) + node("Pad", {"x", "pads", "value", "axes"}, "y");
  EXPECT_THAT(Net(pad, {1, 1, 1, 2}, {}, 18).run({3, 4}), ElementsAre(0, 3, 4, 0, 0));
  const std::string wrap = ends({1, 1, 1, 2}) + integers("pads", {0, 0, 0, 1, 0, 0, 0, 1}) +
                           node("Pad", {"x", "pads"}, "y", text_attribute("mode", "wrap"));
  EXPECT_THAT(findings(wrap, {1, 1, 1, 2}, {}, 19), HasSubstr("mode 'wrap' is not imported"));
}

TEST(LaterSets, AResizeSaysItsAxes) {
  const std::string usual = attribute("antialias", 0) +
                            text_attribute("keep_aspect_ratio_policy", "stretch") +
                            text_attribute("mode", "nearest");
  const std::string both = attribute("axes", std::vector<int64_t>{2, 3});
  const auto shape_of = [](const Net& net) { return net.graph.value(net.graph.outputs().at(0)).type.shape; };
  const Net sizes(
      ends() + integers("sizes", {8, 6}) + node("Resize", {"x", "", "", "sizes"}, "y", usual + both),
      {1, 2, 4, 4}, {}, 18);
  EXPECT_EQ(shape_of(sizes), (Shape{1, 2, 8, 6}));
  const Net scales(
      ends() + reals("scales", {2}, {2, 1.5}) + node("Resize", {"x", "", "scales"}, "y", usual + both),
      {1, 2, 4, 4}, {}, 19);
  EXPECT_EQ(shape_of(scales), (Shape{1, 2, 8, 6}));
  EXPECT_EQ(scales.run(ramp(32)), sizes.run(ramp(32)));
}

TEST(LaterSets, RefusesWaysToResizeByName) {
  const auto of = [](const std::string& more) {
    return findings(ends() + integers("sizes", {1, 2, 2, 2}) +
                        node("Resize", {"x", "", "", "sizes"}, "y", text_attribute("mode", "linear") + more),
                    {1, 2, 4, 4}, {}, 19);
  };
  EXPECT_EQ(of(""), "no findings");
  EXPECT_THAT(of(attribute("antialias", 1)),
              HasSubstr("attribute 'antialias' is set, which is not imported"));
  EXPECT_THAT(of(text_attribute("keep_aspect_ratio_policy", "not_larger")),
              HasSubstr("keep_aspect_ratio_policy 'not_larger' is not imported"));
  EXPECT_THAT(of(text_attribute("coordinate_transformation_mode", "half_pixel_symmetric")),
              HasSubstr("coordinate_transformation_mode 'half_pixel_symmetric' is not imported"));
}

TEST(LaterSets, GeluAndSwishAreFunctionsOfOneValue) {
  const auto of = [](const std::string& type, const std::string& more, int opset) {
    return Net(ends({1, 2}) + node(type, {"x"}, "y", more), {1, 2, 1, 1}, {}, opset).run({1, -2});
  };
  EXPECT_THAT(of("Gelu", text_attribute("approximate", "none"), 20),
              ElementsAre(::testing::FloatNear(0.8413447F, 1e-6F), ::testing::FloatNear(-0.0455003F, 1e-6F)));
  EXPECT_THAT(of("Swish", "attribute { name: 'alpha' type: FLOAT f: 2 } ", 24),
              ElementsAre(::testing::FloatNear(0.8807971F, 1e-6F), ::testing::FloatNear(-0.0359724F, 1e-6F)));
  EXPECT_THAT(of("Gelu", text_attribute("approximate", "tanh"), 20),
              ElementsAre(::testing::FloatNear(0.841192F, 1e-6F), ::testing::FloatNear(-0.0454023F, 1e-6F)));
  EXPECT_THAT(findings(ends({1, 2}) + node("Gelu", {"x"}, "y", text_attribute("approximate", "fast")),
                       {1, 2, 1, 1}, {}, 20),
              HasSubstr("approximate 'fast' is not imported, only none and tanh"));
}

TEST(LaterSets, QuantizationSaysMoreThanItMeans) {
  const std::string usual = attribute("saturate", 1) + attribute("block_size", 0) + attribute("axis", 1);
  const auto net = [&](const std::string& quantize, const std::string& dequantize) {
    return ends({1, 2}) + reals("s", {}, {0.5}) + s8("z", 0) +
           node("QuantizeLinear", {"x", "s", "z"}, "q", quantize) +
           node("DequantizeLinear", {"q", "s", "z"}, "y", dequantize);
  };
  EXPECT_THAT(Net(net(usual, attribute("block_size", 0)), {1, 2, 1, 1}, {}, 21).run({0.7F, -100}),
              ElementsAre(0.5F, -64));
  EXPECT_THAT(findings(net(attribute("block_size", 16), ""), {1, 2, 1, 1}, {}, 21),
              HasSubstr("attribute 'block_size' is 16, only 0 is imported"));
  const std::string typed = ends({1, 2}) + reals("s", {}, {0.5}) +
                            node("QuantizeLinear", {"x", "s"}, "q", attribute("output_dtype", 3)) +
                            node("DequantizeLinear", {"q", "s"}, "y", attribute("output_dtype", 1));
  EXPECT_THAT(Net(typed, {1, 2, 1, 1}, {}, 23).run({0.7F, -100}), ElementsAre(0.5F, -64));
  EXPECT_THAT(findings(ends({1, 2}) + reals("s", {}, {0.5}) +
                           node("QuantizeLinear", {"x", "s"}, "y", attribute("output_dtype", 17)),
                       {1, 2, 1, 1}, {}, 23),
              HasSubstr("makes elements of type FLOAT8E4M3FN"));
}

TEST(LaterSets, ElementTypesHaveNames) {
  const auto of = [](int type) {
    return findings(ends({1, 2}) + "initializer { name: 'w' data_type: " + std::to_string(type) +
                        " dims: 2 raw_data: 'ab' } " + node("Add", {"x", "w"}, "y"),
                    {1, 2, 1, 1}, {}, 23);
  };
  EXPECT_THAT(of(17), HasSubstr("tensor 'w' has element type FLOAT8E4M3FN, which is not read"));
  EXPECT_THAT(of(99), HasSubstr("element type number 99"));
  EXPECT_THAT(findings(ends({1, 2}) + node("Cast", {"x"}, "y", attribute("to", 7)), {1, 2, 1, 1}),
              HasSubstr("data becomes INT64, only FLOAT is computed with"));
}

TEST(LaterSets, HalfPrecisionIsComputedInFloat) {
  const std::string text = ends({1, 2}) +
                           node("Cast", {"x"}, "h", attribute("to", 10) + attribute("saturate", 1)) +
                           node("Neg", {"h"}, "n") + node("Cast", {"n"}, "y", attribute("to", 1));
  EXPECT_THAT(Net(text, {1, 2, 1, 1}, {}, 19).run({0.1F, 3}), ElementsAre(-0.1F, -3));
}

}  // namespace
}  // namespace n2d2::onnx

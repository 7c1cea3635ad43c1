#include "n2d2/graph/text.hpp"

#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"

#include "toy_operator.hpp"

namespace n2d2::graph {
namespace {

OperatorRegistry toys() {
  OperatorRegistry registry;
  register_operator<Toy>(registry);
  register_operator<Other>(registry);
  return registry;
}

Graph sample() {
  Graph g;
  const ValueId in = g.add_input("data", image(2, 2, 2));
  const ValueId w = g.add_constant("w", Tensor::from(Shape{2}, {0.1F, -3}));
  const ValueId a = add_toy(g, "a", {in, w}, 2);
  const ValueId b = add_other(g, "b", a);
  g.set_clamp(*g.find_node("a"), Clamp{0, std::numeric_limits<float>::infinity()});
  g.set_rescale(*g.find_node("b"), Rescale{RescaleMode::FixedPoint32, {0.5F}, {7, 8}, 3, -128, 127});
  g.set_type(b, {Shape{1, 4, 2, 2}, DataType::I8, Layout::Nhwc, QuantParams{8, true, -1, {0.25F}}});
  g.set_outputs({b});
  return g;
}

TEST(GraphText, RoundTrips) {
  const std::string text = to_text(sample(), Values::All);
  const Graph again = from_text(text, toys());
  verify(again);
  EXPECT_EQ(to_text(again, Values::All), text);
}

TEST(GraphText, ReadsAsWritten) {
  EXPECT_EQ(to_text(sample(), Values::All),
            "input data : f32 1x2x2x2\n"
            "constant w : f32 2 = 0.1 -3\n"
            "a : f32 1x4x2x2 = Toy(data, w) Scale=\"2\" clamp=\"0 inf\" @ net.ini:7\n"
            "b : i8 1x4x2x2 nhwc quant(8 signed -1 0.25) = Other(a) rescale=\"Fixed-point32 -128 127 3 : 0.5 "
            ": 7 8\"\n"
            "output b\n");
}

TEST(GraphText, KeepsTheThresholdsThatScalesWereRoundedFrom) {
  Graph g = sample();
  TensorType type = g.value(*g.find_value("b")).type;
  type.quant->threshold = {31.7500001};
  g.set_type(*g.find_value("b"), type);
  const std::string text = to_text(g, Values::All);
  EXPECT_NE(text.find("quant(8 signed -1 0.25 of 31.7500001)"), std::string::npos);
  const Graph again = from_text(text, toys());
  EXPECT_EQ(again.value(*again.find_value("b")).type.quant->threshold, type.quant->threshold);
}

TEST(GraphText, NamesLineExpectedAndFound) {
  const auto message = [](std::string_view text) -> std::string {
    try {
      from_text(text, toys(), "g.txt");
    } catch (const ModelError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("input data : f32 2x2\n"), "g.txt:1: graph text: expected a shape 1xCxHxW, got '2x2'");
  EXPECT_EQ(message("input data : f32 1x1x1x1\na : f32 1x1x1x1 = Tou(data)\n"),
            "g.txt:2: graph text: unknown operator 'Tou'; did you mean 'Toy'?");
  EXPECT_EQ(message("a : f32 1x1x1x1 = Toy(data)\n"),
            "g.txt:1: graph text: expected the name of a value above, got 'data'");
  EXPECT_EQ(message("input data : f32 1x1x2x2\na : f32 1x1x4x2 = Toy(data)\n"),
            "g.txt:2: graph text: expected the shape 1x1x2x2, got '1x1x4x2'");
  EXPECT_EQ(message("input data : f32 1x1x2x2\na : f32 1x1x2x2, f32 1x1x2x2 = Toy(data)\n"),
            "g.txt:2: graph text: expected 1 outputs, got 'f32 1x1x2x2, f32 1x1x2x2'");
  EXPECT_EQ(message("constant w : f32 0x2 = 1\n"), "g.txt:1: graph text: expected extents >= 1, got '0x2'");
  EXPECT_EQ(message("constant w : f32 2 = 1\n"), "g.txt:1: graph text: expected 2 values, got '1 values'");
  EXPECT_EQ(message("constant w : f32 2 # 00ff\n"),
            "g.txt:1: graph text: expected '= values' (a hash cannot be read back), got 'f32 2 # 00ff'");
}

}  // namespace
}  // namespace n2d2::graph

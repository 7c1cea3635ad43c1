#include "n2d2/graph/text.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(GraphText, HasWhatASumStartsFromWhereItIsNotZero) {
  Graph g = sample();
  Rescale rescale = *g.node(*g.find_node("b")).rescale;
  rescale.start = -8589934592;
  g.set_rescale(*g.find_node("b"), rescale);
  const std::string text = to_text(g, Values::All);
  EXPECT_NE(text.find("rescale=\"Fixed-point32 -128 127 3 -8589934592 : 0.5 : 7 8\""), std::string::npos);
  EXPECT_EQ(to_text(from_text(text, toys()), Values::All), text);
  EXPECT_NE(to_json(g, Values::All).find("\"start\": -8589934592"), std::string::npos);
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

TEST(GraphText, KeepsZeroPointsWhereThereAreSome) {
  for (const double zero : {127.5, -10.0, 1.0 / 3}) {
    Graph g = sample();
    TensorType type = g.value(*g.find_value("b")).type;
    type.quant->threshold = {31.75};
    type.quant->zero_point = zero;
    g.set_type(*g.find_value("b"), type);
    const std::string text = to_text(g, Values::All);
    const Graph again = from_text(text, toys());
    EXPECT_EQ(again.value(*again.find_value("b")).type.quant, type.quant) << text;
    EXPECT_EQ(to_text(again, Values::All), text);
    EXPECT_NE(to_json(g, Values::Hash).find("\"zero_point\""), std::string::npos);
  }
  EXPECT_EQ(to_json(sample(), Values::Hash).find("zero_point"), std::string::npos);
}

/// What is said about a text.
std::string message(std::string_view text, int first_line = 1) {
  try {
    from_text(text, toys(), "g.txt", first_line);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

TEST(GraphText, ReadsEveryBitOfAFloat) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> values{
      -0.0F, Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest(), 1.1754942e-38F,
      0.1F,  16777217.0F,          8589973504.0F, 1.00000012F};
  Graph g;
  const ValueId w = g.add_constant("w", Tensor::from(Shape{static_cast<int64_t>(values.size())}, values));
  g.set_outputs({w});
  const Graph again = from_text(to_text(g, Values::All), toys());
  EXPECT_EQ(*again.value(*again.find_value("w")).constant, *g.value(w).constant);
}

TEST(GraphText, NamesAreData) {
  const std::vector<std::string> names{"a b",  "input",    "c : f32 1 = Toy(d) @ e:1", "q\"\\\n", "\xff",
                                       "x,y)", "p:0/r.s-t"};
  Graph g;
  ValueId last = g.add_input("output", image(1, 2, 2));
  for (const std::string& name : names) last = add_other(g, name, last);
  g.set_outputs({last});
  const std::string text = to_text(g);
  EXPECT_NE(text.find("\n\"c : f32 1 = Toy(d) @ e:1\" : f32 1x1x2x2 = Other(\"input\")"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n\"q\\x22\\x5c\\x0a\" : "), std::string::npos) << text;
  const Graph again = from_text(text, toys());
  EXPECT_EQ(to_text(again), text);
  for (const std::string& name : names) EXPECT_TRUE(again.find_node(name)) << name;
}

TEST(GraphText, PlacesAreData) {
  Graph g;
  const ValueId in = g.add_input("x", image(1, 1, 1));
  g.add(std::make_unique<Other>(), "a", {in}, {"my \"net\" @ 2.ini", 7});
  const Graph again = from_text(to_text(g), toys());
  EXPECT_EQ(again.node(*again.find_node("a")).origin, (SourceLocation{"my \"net\" @ 2.ini", 7}));
}

TEST(GraphText, AConstantStandsBeforeTheFirstNodeThatReadsIt) {
  Graph g;
  const ValueId in = g.add_input("x", image(1, 1, 1));
  const ValueId old = g.add_constant("old", Tensor::from(Shape{1}, {1}));
  const ValueId w = g.add_constant("w", Tensor::from(Shape{1}, {2}));
  const ValueId a = add_toy(g, "a", {in, old}, 1);
  const ValueId b = add_toy(g, "b", {a, w}, 1);
  g.replace_uses(old, w);  // the first use of w is that of b
  g.set_outputs({b});
  const std::string text = to_text(g, Values::All);
  EXPECT_EQ(to_text(from_text(text, toys()), Values::All), text);
}

TEST(GraphText, ReportsEveryLineOnce) {
  EXPECT_EQ(message("input x : f32 1x1x2x2\n"
                    "a : f32 1x1x2x2 = Tou(x)\n"
                    "b : f32 1x1x2x2 = Other(a)\n"
                    "c : f32 1x1x2x2 = Other(y)\n"
                    "output b\noutput z\n",
                    41),
            "g.txt:42: graph text: unknown operator 'Tou'; did you mean 'Toy'?\n"
            "g.txt:44: graph text: expected the name of a value above, got 'y'\n"
            "g.txt:46: graph text: expected the name of a value above, got 'z'");
}

TEST(GraphText, RefusesWhatItsOwnTextNeverSays) {
  const std::string in = "input x : f32 1x1x2x2\n";
  const auto node = [&](const std::string& rest) { return message(in + "a : f32 1x1x2x2" + rest + "\n"); };
  const auto says = [](const std::string& what) { return "g.txt:2: graph text: " + what; };
  EXPECT_EQ(node(" = Toy(x) Scal=\"2\""), "g.txt:2: [a] Scal: unknown field; did you mean 'Scale'?");
  EXPECT_EQ(node(" = Toy(x) Scale=\"2\" Scale=\"2\""), says("expected each field once, got 'Scale'"));
  EXPECT_EQ(node(" = Toy(x) Scale=\"2\\n\""), says("expected '\\xNN' after '\\', got '2\\n'"));
  EXPECT_EQ(node(" = Toy(x) delegate=\"npu\""), says("expected no delegate: it is not read back, got 'npu'"));
  EXPECT_EQ(node(" = Toy(x) rescale=\"Fixed-point32 0 1 99 : : 1\""),
            says("expected a shift of 0 to 50, got '99'"));
  EXPECT_EQ(node(" = Toy(x"), says("expected ')' after the inputs, got ''"));
  EXPECT_EQ(node(" = Toy(x) clamp=\"nan 1\""), says("expected a finite number, got 'nan'"));
  EXPECT_EQ(node(" quant(8 signed -1 0.5 0.5) = Toy(x)"), says("expected 1 scales, got '2'"));
  EXPECT_EQ(node(" quant(8 signed 1 0) = Toy(x)"), says("expected a scale other than 0, got '0'"));
  EXPECT_EQ(node(" quant(8 signed -1 -1) = Toy(x)"), says("expected a scale above 0, got '-1'"));
  EXPECT_EQ(node(" quant(8 signed 1 -1 of 2) = Toy(x)"),
            says("expected a threshold below 0, as its scale is, got '2'"));
  EXPECT_EQ(node(" quant(8 signed 4 1) = Toy(x)"), says("expected an axis of -1 to 3, got '4'"));
  EXPECT_EQ(node(" quant(99 signed -1 1) = Toy(x)"), says("expected 2 to 63 bits, got '99'"));
  EXPECT_EQ(node(" quant(8 signed -1 1 zero nan) = Toy(x)"), says("expected a finite zero point, got 'nan'"));
  EXPECT_EQ(node(" quant(8 signed -1 1 zero) = Toy(x)"), says("expected a finite number, got 'zero'"));
  EXPECT_EQ(node(" quant(8 maybe -1 1) = Toy(x)"), says("expected signed or unsigned, got 'maybe'"));
  EXPECT_EQ(message("constant w : f32 2 = 1 inf\n"),
            "g.txt:1: graph text: expected a finite number, got 'inf'");
  EXPECT_EQ(message("constant w : i8 2 = 1 128\n"),
            "g.txt:1: graph text: expected an integer of i8, got '128'");
  EXPECT_EQ(message("constant w : f32 65536x65536 = 1\n"),
            "g.txt:1: tensor of shape 65536x65536: more than 2^31 - 1 elements");
}

TEST(GraphJson, SaysWhatTheTextSays) {
  const auto json = nlohmann::json::parse(to_json(sample(), Values::All));
  const auto& values = json.at("values");
  EXPECT_EQ(values.at(json.at("inputs").at(0).get<size_t>()).at("name"), "data");
  EXPECT_EQ(values.at(json.at("outputs").at(0).get<size_t>()).at("name"), "b");
  const auto& a = json.at("nodes").at(0);
  EXPECT_EQ(a.at("operator"), "Toy");
  EXPECT_EQ(a.at("fields").at("Scale"), "2");
  EXPECT_EQ(a.at("clamp").at("lo"), 0);
  EXPECT_TRUE(a.at("clamp").at("hi").is_null());
  EXPECT_EQ(a.at("origin").at("line"), 7);
  const auto& w = values.at(a.at("in").at(1).get<size_t>());
  EXPECT_EQ(w.at("data").at(0).get<float>(), 0.1F);
  const auto& b = json.at("nodes").at(1);
  EXPECT_EQ(b.at("rescale").at("multiplier"), (std::vector<int>{7, 8}));
  const auto& quant = values.at(b.at("out").at(0).get<size_t>()).at("quantization");
  EXPECT_EQ(quant.at("bits"), 8);
  EXPECT_EQ(quant.at("scale").at(0), 0.25);
}

TEST(GraphJson, HasHashesWhereValuesAreMany) {
  const Graph g = sample();
  const auto json = nlohmann::json::parse(to_json(g));
  const std::string hash = json.at("values").at(1).at("hash");
  EXPECT_NE(to_text(g).find("constant w : f32 2 # " + hash), std::string::npos);
  EXPECT_FALSE(json.at("values").at(1).contains("data"));
}

TEST(GraphJson, NamesAreData) {
  Graph g;
  const ValueId in = g.add_input("x", image(1, 1, 1));
  add_other(g, "\",{\n\xff", in);
  const auto json = nlohmann::json::parse(to_json(g));
  EXPECT_EQ(json.at("nodes").at(0).at("name"), "\",{\n\xef\xbf\xbd");
}

TEST(GraphText, NamesLineExpectedAndFound) {
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

// Files with functions of their own, and with conditions that constants decide.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHead =
    "ir_version: 8 opset_import { version: 18 } opset_import { domain: 'own' version: 1 } ";

std::string call(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                 const std::string& more = "") {
  return node(type, inputs, output, "domain: 'own' " + more);
}

/// A function that adds its second input, then a Relu of its slope.
std::string scaled_function() {
  return "functions { name: 'Shifted' domain: 'own' input: 'a' input: 'b' output: 'c' attribute: 'slope' "
         "opset_import { version: 18 } " +
         node("Add", {"a", "b"}, "sum") +
         node("LeakyRelu", {"sum"}, "c", "attribute { name: 'alpha' ref_attr_name: 'slope' type: FLOAT } ") +
         "} ";
}

std::string slope(const std::string& value) {
  return "attribute { name: 'slope' type: FLOAT f: " + value + " } ";
}

::onnx::ModelProto proto(const std::string& text) {
  ::onnx::ModelProto model;
  if (!google::protobuf::TextFormat::ParseFromString(text, &model)) throw ModelError("test: not a model");
  return model;
}

/// What the model of one input 1x2x1x1 makes of it.
std::vector<float> run(const ::onnx::ModelProto& model_proto, const std::vector<float>& in) {
  const Model model = parse_model(model_proto.SerializeAsString(), "net.onnx");
  graph::Graph graph;
  const auto x =
      graph.add_input("sp", {{1, static_cast<int64_t>(in.size()), 1, 1}, DataType::F32, Layout::Nchw, {}});
  const Imported imported = import_model(graph, model, {x});
  graph.set_outputs({imported.values.at(model.outputs().at(0))});
  graph::verify(graph);
  compute::Executor executor(graph, {.backend = compute::Backend::Reference});
  executor.forward(Tensor::from(graph.value(x).type.shape, in));
  const Tensor out = executor.read(graph.outputs().at(0));
  return {out.span().begin(), out.span().end()};
}

std::string findings_of(const std::string& text) {
  try {
    run(proto(text), {1, 2});
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no findings";
}

TEST(OwnFunctions, AreWrittenOutAtEachCall) {
  const std::string text = kHead + scaled_function() + "graph { " + ends({1, 2, 1, 1}) +
                           reals("one", {1}, {1}) + reals("ten", {1}, {-10}) +
                           call("Shifted", {"x", "one"}, "m", slope("0.5")) +
                           call("Shifted", {"m", "ten"}, "y", slope("0.25")) + "}";
  EXPECT_THAT(run(proto(text), {3, -5}), ElementsAre(-1.5F, -3));
}

TEST(OwnFunctions, NamesInsideAreThoseOfTheCall) {
  const std::string text = kHead + scaled_function() + "graph { " + ends({1, 2, 1, 1}) +
                           reals("one", {1}, {1}) + reals("sum", {1}, {1}) +
                           call("Shifted", {"x", "sum"}, "m", slope("0")) +
                           call("Shifted", {"m", "one"}, "y", slope("0")) + "}";
  const Model model = parse_model(proto(text).SerializeAsString(), "net.onnx");
  EXPECT_EQ(model.tensors(), (std::vector<std::string>{"m/sum", "m", "y/sum", "y"}));
}

TEST(OwnFunctions, AnAttributeThatACallLeavesOutIsThatOfTheFunctionOrOfTheOperator) {
  const std::string text = kHead + scaled_function() + "graph { " + ends({1, 2, 1, 1}) +
                           reals("one", {1}, {0}) + call("Shifted", {"x", "one"}, "y") + "}";
  EXPECT_THAT(run(proto(text), {3, -5}),
              ElementsAre(3, ::testing::FloatEq(-0.05F)));  // LeakyRelu alone: 0.01
  ::onnx::ModelProto with_default = proto(text);
  ::onnx::AttributeProto half;
  half.set_name("slope");
  half.set_type(::onnx::AttributeProto::FLOAT);
  half.set_f(0.5);
  auto* function = with_default.mutable_functions(0);
  function->GetReflection()->MutableUnknownFields(function)->AddLengthDelimited(11, half.SerializeAsString());
  EXPECT_THAT(run(with_default, {3, -5}), ElementsAre(3, -2.5F));
}

TEST(OwnFunctions, CallOthersAndPassInputsOn) {
  const std::string outer =
      "functions { name: 'Outer' domain: 'own' input: 'p' input: 'unused' output: 'q' output: 'p' "
      "opset_import { "
      "version: 18 } opset_import { domain: 'own' version: 1 } " +
      node("Constant", {}, "two", "attribute { name: 'value_float' type: FLOAT f: 2 } ") +
      call("Shifted", {"p", "two"}, "q", slope("0")) + "} ";
  const std::string text = kHead + scaled_function() + outer + "graph { " + ends({1, 2, 1, 1}) +
                           "node { op_type: 'Outer' domain: 'own' input: 'x' output: 'm' output: 'same' } " +
                           node("Add", {"m", "same"}, "y") + "}";
  EXPECT_THAT(run(proto(text), {3, -5}), ElementsAre(8, -5));
}

TEST(OwnFunctions, OfOneNameAreToldApartByTheirOverload) {
  const auto of = [](const std::string& type) {
    return "functions { name: 'F' domain: 'own' input: 'a' output: 'b' opset_import { version: 18 } " +
           node(type, {"a"}, "b") + "} ";
  };
  ::onnx::ModelProto model = proto(kHead + of("Neg") + of("Relu") + "graph { " + ends({1, 2, 1, 1}) +
                                   call("F", {"x"}, "m") + call("F", {"m"}, "y") + "}");
  const auto set = [](google::protobuf::Message* message, int field) {
    message->GetReflection()->MutableUnknownFields(message)->AddLengthDelimited(field, "other");
  };
  set(model.mutable_functions(1), 13);
  set(model.mutable_graph()->mutable_node(1), 8);
  EXPECT_THAT(run(model, {3, -5}), ElementsAre(0, 5));
}

TEST(OwnFunctions, MeanWhatTheirOwnOperatorSetSays) {
  // Softmax flattens up to operator set 12, and goes over one axis after it.
  const std::string text =
      "ir_version: 8 opset_import { version: 13 } opset_import { domain: 'own' version: 1 } "
      "functions { name: 'F' domain: 'own' input: 'a' output: 'b' opset_import { version: 12 } " +
      node("Softmax", {"a"}, "b", attribute("axis", 1)) + "} graph { " + ends({1, 2, 1, 1}) +
      integers("dims", {1, 1, 2, 1}) + node("Reshape", {"x", "dims"}, "r") + call("F", {"r"}, "y") + "}";
  EXPECT_THAT(run(proto(text), {0, 0}), ElementsAre(0.5F, 0.5F));
}

TEST(OwnFunctions, RefusesThoseThatHaveNoEnd) {
  const std::string self =
      "functions { name: 'F' domain: 'own' input: 'a' output: 'b' opset_import { version: 18 } " +
      call("F", {"a"}, "b") + "} ";
  EXPECT_THAT(findings_of(kHead + self + "graph { " + ends({1, 2, 1, 1}) + call("F", {"x"}, "y") + "}"),
              HasSubstr("net.onnx: the file's function 'F' calls itself"));
  // Each of 40 functions calls the one before twice.
  std::string doubling =
      kHead +
      "functions { name: 'F0' domain: 'own' input: 'a' output: 'b' opset_import { version: "
      "18 } } ";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "F" + std::to_string(i - 1);
    doubling += "functions { name: 'F" + std::to_string(i) +
                "' domain: 'own' input: 'a' output: 'b' opset_import { version: 18 } " +
                call(before, {"a"}, "m") + call(before, {"m"}, "b") + "} ";
  }
  EXPECT_THAT(findings_of(doubling + "graph { " + ends({1, 2, 1, 1}) + call("F39", {"x"}, "y") + "}"),
              HasSubstr("the graph has more than 100000 nodes when its functions are written out"));
}

TEST(OwnFunctions, RefusesCallsThatDoNotFit) {
  const auto of = [](const std::string& body) {
    return findings_of(kHead + scaled_function() + "graph { " + ends({1, 2, 1, 1}) + reals("one", {1}, {1}) +
                       body + "}");
  };
  EXPECT_THAT(of(call("Shifted", {"x", "one", "one"}, "y")),
              HasSubstr("node 'y' has 3 inputs and 1 outputs, the file's function 'Shifted' 2 and 1"));
  EXPECT_THAT(of(call("Shifted", {"x", "one"}, "y", attribute("alpha", 1))),
              HasSubstr("attribute 'alpha' is none of the file's function 'Shifted'"));
  EXPECT_THAT(of(call("Other", {"x"}, "y")), HasSubstr("(own.Other): this operator is not imported"));
}

// ---- conditions
// --------------------------------------------------------------------------------------------

std::string branch(const std::string& name, const std::string& body, const std::string& result) {
  return "attribute { name: '" + name + "' type: GRAPH g { " + body + " output { name: '" + result +
         "' } } } ";
}

/// y = If(x has `channels` channels): Neg(a), else a + 1 of a = Relu(x), which nothing else reads.
std::string decided(int channels) {
  return "graph { " + ends({1, 2, 1, 1}) + integers("channels", {channels}) + integers("one", {1}) +
         node("Relu", {"x"}, "a") + node("Shape", {"x"}, "shape") +
         node("Gather", {"shape", "one"}, "found") + node("Equal", {"found", "channels"}, "same") +
         node("If", {"same"}, "y",
              branch("then_branch", node("Neg", {"a"}, "r"), "r") +
                  branch("else_branch", reals("k", {1}, {1}) + node("Add", {"a", "k"}, "r"), "r")) +
         "}";
}

TEST(Conditions, OneBranchTakesThePlaceOfTheIf) {
  EXPECT_THAT(run(proto(kHead + decided(2)), {3, -5}), ElementsAre(-3, 0));
  EXPECT_THAT(run(proto(kHead + decided(4)), {3, -5}), ElementsAre(4, 1));
}

TEST(Conditions, ABranchMayPassATensorOn) {
  const std::string text =
      kHead + "graph { " + ends({1, 2, 1, 1}) +
      node("Constant", {}, "yes",
           "attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: 1 } } ") +
      node("Relu", {"x"}, "a") +
      node("If", {"yes"}, "m",
           branch("then_branch", "", "a") + branch("else_branch", node("Neg", {"x"}, "r"), "r")) +
      node("Neg", {"m"}, "y") + "}";
  EXPECT_THAT(run(proto(text), {3, -5}), ElementsAre(-3, 0));
}

TEST(Conditions, AreDecidedInsideFunctionsToo) {
  const std::string function =
      "functions { name: 'F' domain: 'own' input: 'a' output: 'b' attribute: 'flag' opset_import { version: "
      "18 } " +
      node("Constant", {}, "c", "attribute { name: 'value_int' ref_attr_name: 'flag' type: INT } ") +
      node("If", {"c"}, "b",
           branch("then_branch", node("Neg", {"a"}, "r"), "r") +
               branch("else_branch", node("Relu", {"a"}, "r"), "r")) +
      "} ";
  const std::string text = kHead + function + "graph { " + ends({1, 2, 1, 1}) +
                           call("F", {"x"}, "m", attribute("flag", 1)) +
                           call("F", {"m"}, "y", attribute("flag", 0)) + "}";
  EXPECT_THAT(run(proto(text), {3, -5}), ElementsAre(0, 5));
}

TEST(Conditions, RefusesThoseThatDependOnTheInputAndOtherLoops) {
  const std::string branches = branch("then_branch", node("Neg", {"x"}, "r"), "r") +
                               branch("else_branch", node("Relu", {"x"}, "r"), "r");
  EXPECT_THAT(
      findings_of(kHead + "graph { " + ends({1, 2, 1, 1}) + node("If", {"x"}, "y", branches) + "}"),
      HasSubstr(
          "node 'y' (If): the condition (input 0): expected a constant, 'x' depends on the network's input"));
  EXPECT_THAT(
      findings_of(kHead + "graph { " + ends({1, 2, 1, 1}) + node("Loop", {"", "", "x"}, "y") + "}"),
      HasSubstr("node 'y' (Loop): this operator is not imported\n  hint: export the model with its loops "
                "written out"));
  EXPECT_THAT(
      findings_of(kHead + "graph { " + ends({1, 2, 1, 1}) +
                  node("If", {"x"}, "y", branch("then_branch", node("Neg", {"nothing"}, "r"), "r")) + "}"),
      HasSubstr("node 'y' (If): no 'else_branch'"));
}

TEST(Conditions, FindingsInABranchNameItsNode) {
  const std::string text = kHead + "graph { " + ends({1, 2, 1, 1}) + integers("one", {1}) +
                           node("If", {"one"}, "m",
                                branch("then_branch", node("Xyzzy", {"x"}, "r"), "r") +
                                    branch("else_branch", node("Relu", {"x"}, "r"), "r")) +
                           node("Relu", {"m"}, "y") + "}";
  EXPECT_EQ(findings_of(text).substr(0, 64),
            "net.onnx: node 'm' (Xyzzy): this operator is not imported\n  hint");
}

}  // namespace
}  // namespace n2d2::onnx

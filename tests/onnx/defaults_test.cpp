// Does an attribute that is left out mean what the operator's schema says it means?
#include <numeric>

#include <gmock/gmock.h>
#include <onnx/defs/schema.h>

#include "n2d2/graph/text.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

/// One node "x" -> "y" among constants, with attributes that are always there; the attribute that may be left
/// out, and another value for it, which must make a difference.
struct Case {
  std::string op, inputs, more, attribute, other;
  int opset = 13;
  /// What the specification says in words where the schema holds no default value.
  std::string said = {};
};

std::string real(const std::string& name, double value) {
  return fmt::format("attribute {{ name: '{}' type: FLOAT f: {} }} ", name, value);
}

std::string of_schema(const Case& c) {
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(c.op, c.opset);
  if (schema == nullptr) throw ModelError("no schema of " + c.op);
  ::onnx::AttributeProto attribute = schema->attributes().at(c.attribute).default_value;
  if (attribute.type() == ::onnx::AttributeProto::UNDEFINED) throw ModelError(c.op + " has no default");
  attribute.set_name(c.attribute);
  std::string text;
  google::protobuf::TextFormat::PrintToString(attribute, &text);
  return "attribute { " + text + " } ";
}

std::string imported(const Case& c, const std::string& attribute) {
  const std::vector<float> two{0.5F, 0.25F};
  std::vector<float> counting(64);
  std::iota(counting.begin(), counting.end(), 0.0F);
  const bool is_flat = c.op == "Gemm";
  const int channels = c.op == "DepthToSpace" ? 8 : 2;
  std::string constants = input("x", is_flat ? std::vector<int>{1, 8} : std::vector<int>{1, channels, 4, 4}) +
                          output("y") + reals("w", {2, 2, 2, 2}, std::vector<float>(16, 0.25F)) +
                          reals("two", {2}, two) + reals("m", {8, 8}, counting) +
                          reals("b", {8}, std::vector<float>(8, 3));
  std::vector<std::string> inputs{"x"};
  for (const std::string& name : words(c.inputs)) inputs.push_back(name == "-" ? "" : name);
  const Shape shape = is_flat ? Shape{1, 8, 1, 1} : Shape{1, channels, 4, 4};
  const std::string node_text = node(c.op, inputs, "y", c.more + attribute);
  try {
    return graph::to_text(Net(constants + node_text, shape, {}, c.opset).graph, graph::Values::All);
  } catch (const ModelError& error) {
    return error.what();
  }
}

const std::string kKernel = attribute("kernel_shape", {2, 2});

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"BatchNormalization", "two two two two", "", "epsilon", real("epsilon", 1e-3)},
      {"BatchNormalization", "two two two two", "", "epsilon", real("epsilon", 1e-3), 7},
      {"Gemm", "m b", "", "alpha", real("alpha", 2)},
      {"Gemm", "m b", "", "beta", real("beta", 2)},
      {"Gemm", "m b", "", "transB", attribute("transB", 1)},
      {"LeakyRelu", "", "", "alpha", real("alpha", 0.2)},
      {"HardSigmoid", "", "", "alpha", real("alpha", 0.5)},
      {"HardSigmoid", "", "", "beta", real("beta", 0.25)},
      {"Elu", "", "", "alpha", real("alpha", 0.5)},
      {"LRN", "", attribute("size", 3), "alpha", real("alpha", 0.5)},
      {"LRN", "", attribute("size", 3), "beta", real("beta", 0.5)},
      {"LRN", "", attribute("size", 3), "bias", real("bias", 0.5)},
      {"Softmax", "", "", "axis", attribute("axis", 1)},
      {"Softmax", "", "", "axis", attribute("axis", 2), 11},
      {"LogSoftmax", "", "", "axis", attribute("axis", 1)},
      {"Flatten", "", "", "axis", attribute("axis", 2)},
      {"Conv", "w", "", "group", attribute("group", 2)},
      {"Conv", "w", "", "strides", attribute("strides", {2, 2}), 13, attribute("strides", {1, 1})},
      {"Conv", "w", "", "dilations", attribute("dilations", {2, 2}), 13, attribute("dilations", {1, 1})},
      {"Conv", "w", "", "pads", attribute("pads", {0, 1, 1, 0}), 13, attribute("pads", {0, 0, 0, 0})},
      {"Conv", "w", "", "kernel_shape", "", 13, kKernel},
      {"ConvTranspose", "w", "", "group", attribute("group", 2)},
      {"ConvTranspose", "w", "", "output_padding", attribute("output_padding", {1, 0}), 13,
       attribute("output_padding", {0, 0})},
      {"MaxPool", "", attribute("kernel_shape", {3, 3}) + attribute("strides", {2, 2}), "ceil_mode",
       attribute("ceil_mode", 1)},
      {"MaxPool", "", kKernel, "strides", attribute("strides", {2, 2}), 13, attribute("strides", {1, 1})},
      {"AveragePool", "", kKernel + attribute("pads", {1, 1, 1, 1}), "count_include_pad",
       attribute("count_include_pad", 1)},
      {"Transpose", "", "", "perm", attribute("perm", {0, 1, 2, 3}), 13, attribute("perm", {3, 2, 1, 0})},
      {"DepthToSpace", "", attribute("blocksize", 2), "mode",
       "attribute { name: 'mode' type: STRING s: 'CRD' } "},
      {"ReduceMean", "", attribute("axes", {2, 3}), "keepdims", ""},
      {"Pad", "", attribute("pads", {0, 0, 1, 1, 0, 0, 1, 1}), "value", real("value", 2), 10},
  };
  return all;
}

TEST(Defaults, AreThoseOfTheSchema) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(fmt::format("{} {} opset {}", c.op, c.attribute, c.opset));
    const std::string left_out = imported(c, "");
    EXPECT_EQ(imported(c, c.said.empty() ? of_schema(c) : c.said), left_out);
    if (c.other.empty()) continue;
    EXPECT_NE(imported(c, c.other), left_out);
  }
}

}  // namespace
}  // namespace n2d2::onnx

// A part of a file, between named tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_text.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x -> a (node "first") -> b -> c, d of b, y of c and d; b has its extents.
std::string diamond() {
  return input("x", {1, 2, 4, 4}) + output("y") + tensor_of("value_info", "b", {1, 2, 4, 4}) +
         node("Relu", {"x"}, "a", "", "first") + node("Relu", {"a"}, "b") + node("Neg", {"b"}, "c") +
         node("Tanh", {"b"}, "d") + node("Add", {"c", "d"}, "y");
}

std::string findings(const std::string& text, const Ends& ends) {
  try {
    part_of(model_of(text), ends);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no findings";
}

TEST(PartOfAFile, EndsAtTensorsAndAtNodes) {
  const Model part = part_of(model_of(diamond()), {{}, {"d", "first", "a"}});
  EXPECT_THAT(part.outputs(), ElementsAre("d", "a"));
  EXPECT_THAT(part.tensors(), ElementsAre("a", "b", "d"));
  EXPECT_EQ(part.inputs().at(0).name, "x");
}

TEST(PartOfAFile, BeginsAtTensors) {
  const Model part = part_of(model_of(diamond()), {{"b"}, {}});
  EXPECT_THAT(part.outputs(), ElementsAre("y"));
  EXPECT_THAT(part.tensors(), ElementsAre("c", "d", "y"));
  ASSERT_EQ(part.inputs().size(), 1U);
  EXPECT_EQ(part.inputs()[0].name, "b");
  EXPECT_EQ(part.inputs()[0].dims, (std::vector<int64_t>{1, 2, 4, 4}));
  EXPECT_THAT(part_of(model_of(diamond()), {{"b"}, {"c"}}).tensors(), ElementsAre("c"));
}

TEST(PartOfAFile, WithoutNamesIsTheFile) {
  EXPECT_THAT(part_of(model_of(diamond()), {}).tensors(), ElementsAre("a", "b", "c", "d", "y"));
}

TEST(PartOfAFile, KnowsWhichInputsHaveTheirChannelsLast) {
  const std::string text =
      input("x", {1, 4, 5, 2}) + output("y") + tensor_of("value_info", "s", {1, 4, 5, 2}) +
      node("Resize", {"x"}, "s") +
      node("Transpose", {"s"}, "t", attribute("perm", std::vector<int64_t>{0, 3, 1, 2})) +
      node("Relu", {"t"}, "y");
  EXPECT_FALSE(model_of(text).inputs().at(0).channels_last);
  EXPECT_TRUE(part_of(model_of(text), {{"s"}, {}}).inputs().at(0).channels_last);
}

TEST(PartOfAFile, RefusesNamesThatTheFileHasNot) {
  EXPECT_EQ(findings(diamond(), {{}, {"bb"}}),
            "net.onnx: outputs: the file has no tensor 'bb'; did you mean 'b'?");
  EXPECT_THAT(findings(diamond(), {{"nothing"}, {}}), HasSubstr("inputs: the file has no tensor 'nothing'"));
}

TEST(PartOfAFile, RefusesInputsOfUnknownExtentsAndOnesThatAreNotEnough) {
  EXPECT_EQ(findings(diamond(), {{"a"}, {}}),
            "net.onnx: inputs: the file does not say the extents of 'a'\n  hint: "
            "onnx.shape_inference.infer_shapes writes "
            "them into it");
  const std::string text = input("x", {1, 2, 4, 4}) + output("y") +
                           tensor_of("value_info", "b", {1, 2, 4, 4}) + node("Relu", {"x"}, "b") +
                           node("Add", {"b", "x"}, "y");
  EXPECT_EQ(findings(text, {{"b"}, {}}),
            "net.onnx: inputs: node 'y' (Add) reads 'x', an input that is left out\n  hint: name 'x', too");
  EXPECT_EQ(findings(text, {{"b", "x"}, {}}), "no findings");
}

/// x times a rate that is an input of one number, of this element type of TensorProto.
std::string rated(int type, const std::string& dims = "") {
  return input("x", {1, 3}) + "input { name: 'rate' type { tensor_type { elem_type: " + std::to_string(type) +
         " shape {" + dims + "} } } } " + output("y") + node("Cast", {"rate"}, "r", attribute("to", 1)) +
         node("Mul", {"x", "r"}, "y");
}

TEST(PartOfAFile, InputsOfOneNumberMayBeConstants) {
  for (const int type : {1, 7})  // float32, int64
    for (const char* dims : {"", " dim { dim_value: 1 }", " dim { dim_param: 'N' }"}) {
      const Model model = model_of(rated(type, dims));
      ASSERT_EQ(model.inputs().size(), 2U);
      EXPECT_TRUE(model.inputs()[1].is_number()) << dims;
      EXPECT_EQ(model.inputs()[1].holds_integers, type == 7);
      const Model part = part_of(model, {{}, {}, constants_of(model, " rate = 16000 ")});
      ASSERT_EQ(part.inputs().size(), 1U);
      EXPECT_EQ(part.inputs()[0].name, "x");
    }
  const auto refused = [](const std::string& text, const std::string& constants) {
    const Model model = model_of(text);
    try {
      part_of(model, {{}, {}, constants_of(model, constants)});
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no findings");
  };
  EXPECT_EQ(refused(rated(7), "rate=0.5"), "net.onnx: constants: input 'rate' holds integers, got 0.5");
  EXPECT_EQ(refused(rated(1), "rate=0.5"), "no findings");
  EXPECT_EQ(refused(rated(1), "x=1"), "net.onnx: constants: input 'x' is 1x3, expected one number");
  EXPECT_EQ(refused(rated(1), "speed=1"), "net.onnx: constants: the file has no input 'speed'");
  for (const char* text : {"rate", "rate=fast", "rate=1,rate=2"})
    EXPECT_THAT(refused(rated(1), text),
                HasSubstr("net.onnx: constants: expected '<input>=<number>' between commas, got 'rate"))
        << text;
}

}  // namespace
}  // namespace n2d2::onnx

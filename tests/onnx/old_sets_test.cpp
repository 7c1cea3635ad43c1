// What operator sets 1 to 6 wrote in another way than set 7.
#include <gmock/gmock.h>

#include "n2d2/ops/batchnorm.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

std::string text_attribute(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}
std::string real_attribute(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: FLOAT f: " + value + " } ";
}

const Shape kMap{1, 2, 1, 2};
const std::vector<float> kValues{1, 2, 3, 4};

Net old_net(int opset, const std::string& nodes) {
  return Net(ends({1, 2, 1, 2}) + reals("c", {2}, {10, 20}) + nodes, kMap, {}, opset);
}
std::string refusal(int opset, const std::string& nodes) {
  return findings(ends({1, 2, 1, 2}) + reals("c", {2}, {10, 20}) + nodes, kMap, {}, opset);
}

TEST(OldSets, AnOperandBeginsAtAnAxis) {
  const std::string channels = attribute("broadcast", 1) + attribute("axis", 1);
  for (const int opset : {1, 6}) {
    EXPECT_THAT(old_net(opset, node("Add", {"x", "c"}, "y", channels)).run(kValues),
                ElementsAre(11, 12, 23, 24));
    EXPECT_THAT(old_net(opset, node("Mul", {"x", "c"}, "y", attribute("broadcast", 1))).run(kValues),
                ElementsAre(10, 40, 30, 80))
        << "without an axis at the end";
  }
  EXPECT_THAT(refusal(7, node("Add", {"x", "c"}, "y", channels)),
              HasSubstr("attribute 'axis', 'broadcast' is not known for this operator (operator set 7)"));
  EXPECT_THAT(refusal(6, reals("w", {2, 2}, {1, 2, 3, 4}) +
                             node("Add", {"x", "w"}, "y", attribute("broadcast", 1) + attribute("axis", 3))),
              HasSubstr("an operand of 2x2 at axis 3 of 1x2x1x2"));
}

TEST(OldSets, AnOperandOfDataIsOneValueAChannel) {
  const std::string gate = node("GlobalAveragePool", {"x"}, "p") + node("Flatten", {"p"}, "f");
  const Net net =
      old_net(6, gate + node("Mul", {"x", "f"}, "y", attribute("broadcast", 1) + attribute("axis", 0)));
  EXPECT_THAT(net.run(kValues), ElementsAre(1.5F, 3, 10.5F, 14));
  EXPECT_THAT(refusal(6, gate + node("Reshape", {"f"}, "v", attribute("shape", {2, 1})) +
                             node("Mul", {"x", "v"}, "y", attribute("broadcast", 1) + attribute("axis", 1))),
              HasSubstr("net.onnx: node"));
}

TEST(OldSets, SlopesAreThoseOfChannels) {
  EXPECT_THAT(old_net(6, node("Neg", {"x"}, "n") + node("PRelu", {"n", "c"}, "y")).run(kValues),
              ElementsAre(-10, -20, -60, -80));
}

TEST(OldSets, ABatchNormalizationSaysThatItIsOfInference) {
  const auto norm = [](const std::string& more) {
    return reals("one", {2}, {1, 1}) + reals("none", {2}, {0, 0}) +
           node("BatchNormalization", {"x", "c", "none", "none", "one"}, "y",
                real_attribute("epsilon", "0") + attribute("consumed_inputs", {0, 0, 0, 1, 1}) + more);
  };
  EXPECT_THAT(old_net(5, norm(attribute("is_test", 1))).run(kValues), ElementsAre(10, 20, 60, 80));
  EXPECT_THAT(refusal(5, norm("")), HasSubstr("attribute 'training_mode' is 1, only 0 is imported"));
  EXPECT_THAT(refusal(6, norm(attribute("is_test", 1))),
              HasSubstr("attribute 'consumed_inputs' is not known"));
}

TEST(OldSets, AttributesHaveTheirOldForms) {
  EXPECT_THAT(old_net(5, node("Cast", {"c"}, "i", text_attribute("to", "INT32")) +
                             node("Cast", {"i"}, "r", text_attribute("to", "FLOAT")) +
                             node("Add", {"x", "r"}, "y", attribute("broadcast", 1) + attribute("axis", 1)))
                  .run(kValues),
              ElementsAre(11, 12, 23, 24));
  EXPECT_EQ(old_net(4, node("Reshape", {"x"}, "y", attribute("shape", {0, -1}))).imported.dims.at("y"),
            (std::vector<int64_t>{1, 4}));
  EXPECT_THAT(
      old_net(1, node("Pad", {"x"}, "y", attribute("paddings", {0, 0, 0, 1, 0, 0, 0, 0}))).run(kValues),
      ElementsAre(0, 1, 2, 0, 3, 4));
  EXPECT_EQ(old_net(3, node("Concat", {"x", "x"}, "y")).imported.dims.at("y"),
            (std::vector<int64_t>{1, 4, 1, 2}));
  EXPECT_THAT(old_net(6, node("Dropout", {"x"}, "y", attribute("is_test", 1))).run(kValues),
              ElementsAre(1, 2, 3, 4));
  const std::string doubled = real_attribute("width_scale", "2") + real_attribute("height_scale", "1") +
                              text_attribute("mode", "nearest");
  EXPECT_THAT(old_net(1, node("Upsample", {"x"}, "y", doubled)).run(kValues),
              ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
}

TEST(OldSets, ASeluHasTheNumbersOfItsSet) {
  EXPECT_THAT(old_net(5, node("Selu", {"x"}, "y")).run({1000, 0, 0, 0}),
              ElementsAre(FloatNear(1050.7F, 1e-3F), 0, 0, 0));
  EXPECT_THAT(old_net(6, node("Selu", {"x"}, "y")).run({1000, 0, 0, 0}),
              ElementsAre(FloatNear(1050.701F, 1e-3F), 0, 0, 0));
}

TEST(OldSets, AFileWithoutASetHasTheFirst) {
  ::onnx::ModelProto proto = proto_of(ends({1, 2, 1, 2}) + node("Concat", {"x", "x"}, "y"), 13);
  proto.clear_opset_import();
  EXPECT_THROW(parse_model(proto.SerializeAsString(), "net.onnx"), ModelError) << "IR version 3 says it";
  proto.set_ir_version(2);
  EXPECT_EQ(parse_model(proto.SerializeAsString(), "net.onnx").outputs().size(), 1U);
  proto.add_opset_import()->set_domain("ai.onnx.ml");
  EXPECT_THROW(parse_model(proto.SerializeAsString(), "net.onnx"), ModelError) << "other domains have one";
}

}  // namespace
}  // namespace n2d2::onnx

#include <fstream>

#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"

#include "onnx_text.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::HasSubstr;

std::string findings(const std::function<void()>& body) {
  try {
    body();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no findings";
}

std::string findings(const std::string& graph, int opset = 13) {
  return findings([&] { model_of(graph, opset); });
}

TEST(ReadModel, KnowsInputsThatAreNoWeights) {
  const Model model = model_of(small_cnn() + input("w", {4, 2, 3, 3}));
  ASSERT_EQ(model.inputs().size(), 1U);
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(model.inputs()[0].dims, (std::vector<int64_t>{-1, 2, 6, 6}));
  EXPECT_EQ(model.outputs(), std::vector<std::string>{"y"});
}

// A line feed would end a comment of generated code, an escape sequence would reach a terminal.
TEST(ReadModel, GivesCleanNamesToTensorsAndNodes) {
  const log::Capture notices;
  const std::string control = "a\\n#define b\\033", longest(200, 'l');
  const Model model =
      model_of(input("x", {1, 2}) + node("Relu", {"x"}, control, "", "n\\r") +
               node("Relu", {control}, "a_#define b_") + node("Relu", {"a_#define b_"}, longest + "1") +
               node("Relu", {longest + "1"}, longest + "2") + output(longest + "2"));
  EXPECT_EQ(model.tensors(),
            (std::vector<std::string>{"a_#define b__2", "a_#define b_", longest, longest + "_2"}));
  EXPECT_EQ(model.outputs(), std::vector<std::string>{longest + "_2"});
  EXPECT_THAT(notices.text(),
              HasSubstr("net.onnx: 4 names with control characters or of more than 200 bytes"));
}

TEST(ReadModel, RefusesWhatIsNoFile) {
  EXPECT_EQ(findings([] { read_model("/no/such/net.onnx"); }), "/no/such/net.onnx: no such file");
  EXPECT_EQ(findings([] { read_model("/dev/zero"); }), "/dev/zero: expected a regular file, found a device");
  EXPECT_THAT(findings([] { parse_model("version https://git-lfs.github.com/spec/v1\n", "net.onnx"); }),
              HasSubstr("net.onnx: not an ONNX file, or a truncated or corrupt one"));
}

TEST(ReadModel, RefusesEveryTruncation) {
  const std::string bytes = proto_of(small_cnn()).SerializeAsString();
  for (size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(parse_model(bytes.substr(0, size), "net.onnx"), ModelError) << size;
}

TEST(ReadModel, RefusesOperatorSetsOfWhichItKnowsNothing) {
  EXPECT_THAT(findings(small_cnn(), 0), HasSubstr("operator set 0 is not read, expected 1 to"));
  EXPECT_THAT(findings(small_cnn(), newest_opset() + 1),
              HasSubstr("operator set 26 is not read, expected 1 to 25"));
}

TEST(ReadModel, ReportsEverythingAtOnce) {
  const std::string all = findings(
      small_cnn() +
          "initializer { name: 'far' data_type: 1 dims: 2 data_location: EXTERNAL external_data { key: "
          "'location' value: 'far.bin' } } initializer { name: 'large' data_type: 1 dims: 65536 dims: 65536 "
          "} "
          "initializer { name: 'short' data_type: 1 dims: 4 raw_data: 'abc' }",
      99);
  EXPECT_THAT(all, HasSubstr("operator set 99"));
  EXPECT_THAT(
      all, HasSubstr("tensor 'far', whose values are in another file: 'far.bin' has no folder to look in"));
  EXPECT_THAT(all, HasSubstr("a tensor of 65536x65536 has 2^31 elements or more"));
  EXPECT_THAT(all, HasSubstr("tensor 'short' holds 3 bytes, its extents ask for 16"));
}

TEST(ReadModel, RefusesCyclesAndTensorsWithoutOrWithTwoProducers) {
  const std::string ends = input("x", {1, 2, 4, 4}) + output("y");
  EXPECT_THAT(
      findings(ends + node("Add", {"x", "b"}, "a") + node("Relu", {"a"}, "b") + node("Relu", {"b"}, "y")),
      HasSubstr("the graph has a cycle; nodes in it or behind it: 'a', 'b', 'y'"));
  EXPECT_THAT(findings(ends + node("Relu", {"z"}, "y")),
              HasSubstr("node 'y' (Relu): input 'z': no node makes it"));
  EXPECT_THAT(findings(ends + node("Relu", {"x"}, "y") + node("Relu", {"x"}, "y")),
              HasSubstr("tensor 'y' has two producers"));
  EXPECT_THAT(findings(ends), HasSubstr("no graph with nodes"));
}

TEST(ReadModel, SortsNodesAndDropsThoseThatNothingNeeds) {
  const Model model = model_of(input("x", {1, 2, 4, 4}) + output("y") + node("Relu", {"a"}, "y") +
                               node("Unheard", {"x"}, "side") + node("Relu", {"x"}, "a"));
  graph::Graph graph;
  const auto x = graph.add_input("sp", {Shape{1, 2, 4, 4}, DataType::F32, Layout::Nchw, {}});
  const Imported imported = import_model(graph, model, {x});
  ASSERT_EQ(imported.layers.size(), 2U);
  EXPECT_EQ(imported.layers[0].output, "a");
}

}  // namespace
}  // namespace n2d2::onnx

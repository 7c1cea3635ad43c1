// Networks that end with the choice of a class.
#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Shape kVector{1, 3, 1, 1};

std::string arg(const std::string& type, const std::string& more) {
  return ends({1, 3}) + node(type, {"x"}, "y", more);
}
std::string axis(int64_t value) {
  return attribute("axis", value);
}

TEST(EndAtScores, AnArgMaxAtTheEndLeavesTheScores) {
  const log::Capture log;
  const Net net(arg("ArgMax", axis(1) + attribute("keepdims", 0)), kVector);
  EXPECT_THAT(net.run({1, 5, 2}), ElementsAre(1, 5, 2));
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 3}));
  EXPECT_THAT(log.text(),
              HasSubstr("node 'y' (ArgMax): the network ends before it, with the scores; the class "
                        "is the index of the largest"));
}

TEST(EndAtScores, WhatMovesOrCastsTheIndexGoesToo) {
  const log::Capture quiet;
  const Net net(ends({1, 3}) + integers("flat", {-1}) + node("Softmax", {"x"}, "p") +
                    node("ArgMax", {"p"}, "a", axis(-1)) + node("Cast", {"a"}, "i", attribute("to", 6)) +
                    node("Reshape", {"i", "flat"}, "y"),
                kVector);
  EXPECT_THAT(net.types(), ElementsAre("Softmax"));
}

TEST(EndAtScores, TheLargestScoreIsTheSmallestDistance) {
  const log::Capture log;
  EXPECT_THAT(Net(arg("ArgMin", axis(1)), kVector).run({1, 5, 2}), ElementsAre(-1, -5, -2));
  EXPECT_THAT(log.text(), HasSubstr("index of the smallest, which has the largest score here"));
}

TEST(EndAtScores, TheLargestValuesAndTheirIndicesAreTheScores) {
  const log::Capture quiet;
  const std::string top = input("x", {1, 3}) + output("v") + output("i") + integers("k", {2}) +
                          "node { op_type: 'TopK' input: 'x' input: 'k' output: 'v' output: 'i' } ";
  const Net net(top, kVector);
  EXPECT_THAT(net.run({1, 5, 2}), ElementsAre(1, 5, 2));
  const Model model = model_of(top);
  EXPECT_THAT(model.outputs(), ElementsAre("v"));
  EXPECT_THAT(model.scores(), ElementsAre("v"));
}

TEST(EndAtScores, AlsoWhereOutputsAreNamed) {
  const log::Capture quiet;
  const Model whole = model_of(ends({1, 3}) + node("ArgMax", {"x"}, "a", axis(1)) +
                               node("Cast", {"a"}, "c", attribute("to", 1)) + node("Relu", {"c"}, "y"));
  EXPECT_THAT(whole.scores(), ElementsAre());
  EXPECT_THAT(part_of(whole, {{}, {"a"}}).scores(), ElementsAre("a"));
}

TEST(EndAtScores, AClassThatIsUsedOrOfTheBatchIsRefused) {
  EXPECT_THAT(findings(ends({1, 3}) + node("ArgMax", {"x"}, "a", axis(1)) +
                           node("Cast", {"a"}, "c", attribute("to", 1)) + node("Relu", {"c"}, "y"),
                       kVector),
              HasSubstr("node 'a' (ArgMax): depends on the network's input"));
  EXPECT_THAT(findings(arg("ArgMax", ""), kVector), HasSubstr("node 'y' (ArgMax): depends on the network's"))
      << "along the batch";
  EXPECT_THAT(findings(arg("ArgMax", axis(-2)), kVector), HasSubstr("node 'y' (ArgMax): depends on"));
}

TEST(EndAtScores, AnIndexOfConstantsStaysOne) {
  const Model model = model_of(ends({1, 3}) + output("c") + node("Relu", {"x"}, "y") +
                               reals("v", {1, 3}, {1, 5, 2}) + node("ArgMax", {"v"}, "c", axis(1)));
  EXPECT_THAT(model.scores(), ElementsAre());
}

}  // namespace
}  // namespace n2d2::onnx

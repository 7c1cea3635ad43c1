// Inputs of one axis get a batch of 1 in front of it.
#include <gmock/gmock.h>

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Shape kVector{1, 4, 1, 1};
const std::vector<float> kValues{1, 2, 3, 4};

std::string vector() {
  return input("x", {4}) + output("y");
}

TEST(SingleRows, ASensorOfOneAxisIsARow) {
  const Net net(vector() + reals("mean", {4}, {1, 1, 1, 1}) + reals("m", {4, 2}, {1, 0, 0, 1, 1, 0, 0, 1}) +
                    reals("b", {2}, {10, 20}) + node("Sub", {"x", "mean"}, "c") +
                    node("MatMul", {"c", "m"}, "p") + node("Add", {"p", "b"}, "s") + node("Relu", {"s"}, "y"),
                kVector);
  EXPECT_THAT(net.run(kValues), ElementsAre(12, 24));
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 2}));
}

TEST(SingleRows, UnsqueezeAndReshapeGiveItItsOtherAxes) {
  const std::string conv = reals("w", {1, 1, 2}, {1, 1}) + node("Conv", {"u", "w"}, "y");
  for (const std::string& nodes :
       {integers("a", {0, 1}) + node("Unsqueeze", {"x", "a"}, "u"),
        integers("s", {1, 1, 4}) + node("Reshape", {"x", "s"}, "u"),
        integers("one", {-1}) + integers("a", {1, -3}) + node("Reshape", {"x", "one"}, "f") +
            node("Unsqueeze", {"f", "a"}, "u")}) {
    const Net net(vector() + nodes + conv, kVector);
    EXPECT_THAT(net.run(kValues), ElementsAre(3, 5, 7)) << nodes;
    EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 1, 3})) << nodes;
  }
}

TEST(SingleRows, ASoftmaxIsOverTheRow) {
  for (const int64_t axis : {0, -1})
    EXPECT_THAT(
        Net(vector() + node("Softmax", {"x"}, "y", attribute("axis", axis)), kVector).run({0, 0, 0, 0}),
        ElementsAre(0.25F, 0.25F, 0.25F, 0.25F));
}

TEST(SingleRows, WhatDoesSomethingElseWithTheAxisIsRefused) {
  const std::string refused = "input 'x': rank 1, expected a batch axis and others";
  EXPECT_THAT(findings(vector() + node("ReduceMean", {"x"}, "y"), kVector), HasSubstr(refused));
  EXPECT_THAT(
      findings(vector() + reals("m", {3, 4}, std::vector<float>(12, 1)) + node("Add", {"x", "m"}, "y"),
               kVector),
      HasSubstr(refused))
      << "a constant of more axes makes rows of it";
  EXPECT_THAT(findings(vector() + integers("a", {1}) + node("Unsqueeze", {"x", "a"}, "y"), kVector),
              HasSubstr(refused))
      << "its elements would be samples";
  EXPECT_THAT(findings(input("x", {0}) + output("y") + node("Relu", {"x"}, "y"), kVector), HasSubstr(refused))
      << "an open extent";
}

}  // namespace
}  // namespace n2d2::onnx

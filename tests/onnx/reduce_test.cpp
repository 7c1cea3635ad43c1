// Operators that join axes.
#include <numeric>

#include <gmock/gmock.h>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/pool.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string over(const std::vector<int64_t>& axes) {
  return attribute("axes", axes);
}

const Shape kMap{1, 2, 2, 3};
const std::vector<float> kValues{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 30};

Net reduced(const std::string& type, const std::vector<int64_t>& axes, bool keeps = true) {
  return Net(ends({1, 2, 2, 3}) +
                 node(type, {"x"}, "y", attribute("axes", axes) + attribute("keepdims", keeps ? 1 : 0)),
             kMap, {}, 12);
}

TEST(ImportReduce, OneAxisOfAMapIsAPoolOfOneRowOrColumn) {
  const Net rows = reduced("ReduceMean", {2});
  EXPECT_THAT(rows.types(), ElementsAre("Pool"));
  EXPECT_EQ(rows.only<ops::Pool>().kernel, (Dims{1, 2}));
  EXPECT_THAT(rows.run(kValues), ElementsAre(1.5F, 2.5F, 3.5F, 11.5F, 12.5F, 21));
  const Net columns = reduced("ReduceMax", {-1});
  EXPECT_THAT(columns.types(), ElementsAre("Pool"));
  EXPECT_EQ(columns.only<ops::Pool>().kernel, (Dims{3, 1}));
  EXPECT_THAT(columns.run(kValues), ElementsAre(2, 5, 12, 30));
  EXPECT_EQ(columns.imported.dims.at("y"), (std::vector<int64_t>{1, 2, 2, 1}));
}

TEST(ImportReduce, OneAxisAfterTheOtherIsTheMeanOfTheMap) {
  const Net net(ends({1, 2, 2, 3}) + node("ReduceMean", {"x"}, "c", over({3}) + attribute("keepdims", 0)) +
                    node("ReduceMean", {"c"}, "y", over({2}) + attribute("keepdims", 0)),
                kMap, {}, 12);
  EXPECT_THAT(net.run(kValues), ElementsAre(2.5F, 15));
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 2}));
}

TEST(ImportReduce, ASumIsAMeanTimesTheNumberOfValues) {
  const Net net = reduced("ReduceSum", {2, 3}, false);
  EXPECT_THAT(net.types(), ElementsAre("Pool", "Scaling"));
  EXPECT_THAT(net.run(kValues), ElementsAre(15, 90));
}

TEST(ImportReduce, ChannelsAreJoinedByAConv) {
  const Net mean = reduced("ReduceMean", {1});
  EXPECT_THAT(mean.types(), ElementsAre("Conv"));
  EXPECT_THAT(mean.run(kValues), ElementsAre(5, 6, 7, 8, 9, 17.5F));
  EXPECT_EQ(mean.imported.dims.at("y"), (std::vector<int64_t>{1, 1, 2, 3}));
  const Net sum = reduced("ReduceSum", {1}, false);
  EXPECT_THAT(sum.types(), ElementsAre("Conv", "Reshape"));
  EXPECT_THAT(sum.run(kValues), ElementsAre(10, 12, 14, 16, 18, 35));
  EXPECT_EQ(sum.imported.dims.at("y"), (std::vector<int64_t>{1, 2, 3}));
}

TEST(ImportReduce, OtherAxesBesideEachOtherAreRowsOfAView) {
  EXPECT_THAT(reduced("ReduceMax", {1}).run(kValues), ElementsAre(10, 11, 12, 13, 14, 30));
  EXPECT_THAT(reduced("ReduceMax", {1, 2}, false).run(kValues), ElementsAre(13, 14, 30));
  EXPECT_THAT(reduced("ReduceMean", {1, 2, 3}, false).run(kValues), ElementsAre(8.75F));
  EXPECT_THAT(reduced("ReduceSum", {1, 2}).run(kValues), ElementsAre(26, 30, 49));
}

TEST(ImportReduce, AxesOfOneElementMoveNothing) {
  const Net net(ends({1, 2, 1, 3}) + node("ReduceSum", {"x"}, "y", over({2}) + attribute("keepdims", 0)),
                {1, 2, 1, 3}, {}, 12);
  EXPECT_THAT(net.types(), IsEmpty());
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 2, 3}));
}

TEST(ImportReduce, IsALayerByTheNameOfItsOutput) {
  for (const auto& axes : std::vector<std::vector<int64_t>>{{1}, {2}, {2, 3}, {1, 2}}) {
    const Net net = reduced("ReduceMean", axes);
    EXPECT_TRUE(net.graph.find_node("y")) << axes.front();
  }
}

TEST(ImportReduce, OfConstantsIsAConstant) {
  const auto fold = [](const std::string& type, const std::string& more) {
    const Net net(ends({1, 3}) + reals("c", {2, 3}, {1, 2, 3, 4, 5, 12}) + node(type, {"c"}, "r", more) +
                      node("Mul", {"x", "r"}, "y"),
                  {1, 3, 1, 1}, {}, 12);
    return net.run({1, 1, 1});
  };
  const std::string rows = over({0}) + attribute("keepdims", 0);
  EXPECT_THAT(fold("ReduceSum", rows), ElementsAre(5, 7, 15));
  EXPECT_THAT(fold("ReduceMean", rows), ElementsAre(2.5F, 3.5F, 7.5F));
  EXPECT_THAT(fold("ReduceProd", rows), ElementsAre(4, 10, 36));
  EXPECT_THAT(fold("ReduceMin", rows), ElementsAre(1, 2, 3));
  EXPECT_THAT(fold("ReduceMax", ""), ElementsAre(12, 12, 12));
}

TEST(ImportReduce, OfExtentsCountsElements) {
  const Net net(ends({1, 2, 2, 3}) + integers("zero", {0}) + integers("minus", {-1}) +
                    node("Shape", {"x"}, "shape") + node("ReduceProd", {"shape"}, "all", over({0})) +
                    node("Concat", {"zero", "all"}, "flat", attribute("axis", 0)) +
                    node("Reshape", {"x", "flat"}, "y"),
                kMap);
  EXPECT_EQ(net.imported.dims.at("y"), (std::vector<int64_t>{1, 12}));
}

TEST(ImportReduce, RefusesTheBatchAndAxesApart) {
  const auto refusal = [](const std::string& more) {
    return findings(ends({1, 2, 2, 3}) + node("ReduceMean", {"x"}, "y", more), kMap, {}, 12);
  };
  EXPECT_EQ(refusal(""),
            "net.onnx: node 'y' (ReduceMean): reduces the batch of 1x2x2x3\n"
            "  hint: axes=[2, 3] joins height and width, axes=[1] the channels");
  EXPECT_EQ(refusal(over({1, 3})),
            "net.onnx: node 'y' (ReduceMean): reduces axes of 1x2x2x3 that do not lie beside each other\n"
            "  hint: reduce them one after the other");
  EXPECT_THAT(findings(ends({1, 2, 2, 3}) + node("ReduceProd", {"x"}, "y"), kMap, {}, 12),
              HasSubstr("node 'y' (ReduceProd): depends on the network's input"));
}

}  // namespace
}  // namespace n2d2::onnx

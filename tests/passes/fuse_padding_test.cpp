#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

using ops::Pooling;

struct FusePadding : ::testing::Test {
  Net net{Shape{1, 2, 5, 5}};
};

TEST_F(FusePadding, AddsItsSidesToThoseOfTheConv) {
  ops::Conv conv;
  conv.kernel = {3, 3};
  conv.nb_outputs = 3;
  conv.padding = {1, 0, 0, 0};
  net.graph.set_outputs({net.conv("conv", net.padding("pad", net.data, {1, 2, 3, 4}), conv)});
  EXPECT_LT(change(net, "fuse_padding"), 1e-6);
  EXPECT_FALSE(net.has("pad"));
  EXPECT_EQ(net.as<ops::Conv>("conv").padding, (Pads{2, 2, 3, 4}));
  EXPECT_EQ(run_pass(net.graph, "fuse_padding"), 0);
}

TEST_F(FusePadding, ServesSeveralReaders) {
  const ValueId pad = net.padding("pad", net.data, {1, 1, 1, 1});
  net.graph.set_outputs({net.conv("conv", pad, 3, 3), net.pool("avg", pad, Pooling::Average, 2)});
  EXPECT_LT(change(net, "fuse_padding"), 1e-6);
  EXPECT_FALSE(net.has("pad"));
}

TEST_F(FusePadding, FusesTwoInARow) {
  const ValueId pad = net.padding("pad2", net.padding("pad1", net.data, {1, 0, 0, 0}), {0, 1, 0, 0});
  net.graph.set_outputs({net.conv("conv", pad, 3, 3)});
  EXPECT_LT(change(net, "fuse_padding"), 1e-6);
  EXPECT_EQ(net.as<ops::Conv>("conv").padding, (Pads{1, 1, 0, 0}));
}

TEST_F(FusePadding, MakesAMaxPoolCountTheZerosOfUnknownValues) {
  net.graph.set_outputs({net.pool("max", net.padding("pad", net.data, {1, 1, 1, 1}), Pooling::Max, 2)});
  EXPECT_EQ(change(net, "fuse_padding"), 0);
  EXPECT_FALSE(net.has("pad"));
  EXPECT_TRUE(net.as<ops::Pool>("max").count_zeros);
}

TEST_F(FusePadding, LetsAMaxPoolOfValuesThatAreNotNegativeIgnoreThem) {
  const ValueId relu = net.relu("relu", net.data);
  net.graph.set_outputs(
      {net.pool("max", net.padding("pad", relu, {1, 1, 1, 1}), Pooling::Max, 2, {0, 0, 0, 0})});
  EXPECT_EQ(change(net, "fuse_padding"), 0);
  EXPECT_FALSE(net.has("pad"));
  EXPECT_FALSE(net.as<ops::Pool>("max").count_zeros);
}

TEST_F(FusePadding, CountsZerosWhereAWindowHoldsNothingElse) {
  const ValueId relu = net.relu("relu", net.data);
  net.graph.set_outputs({net.pool("max", net.padding("pad", relu, {2, 2, 2, 2}), Pooling::Max, 2)});
  EXPECT_EQ(change(net, "fuse_padding"), 0);
  EXPECT_TRUE(net.as<ops::Pool>("max").count_zeros);
}

TEST_F(FusePadding, OneSideIsEnoughForAWindowOfZerosAlone) {
  for (const Pads& pads : {Pads{2, 0, 0, 0}, Pads{0, 2, 0, 0}, Pads{0, 0, 2, 0}, Pads{0, 0, 0, 2}}) {
    Net one{Shape{1, 2, 5, 5}};
    one.graph.set_outputs(
        {one.pool("max", one.padding("pad", one.relu("relu", one.data), pads), Pooling::Max, 2)});
    EXPECT_EQ(change(one, "fuse_padding"), 0);
    EXPECT_TRUE(one.as<ops::Pool>("max").count_zeros) << pads.left << pads.top << pads.right << pads.bottom;
  }
}

TEST_F(FusePadding, StaysBeforeAMaxPoolThatIgnoresItsOwnPadding) {
  net.graph.set_outputs(
      {net.pool("max", net.padding("pad", net.data, {1, 1, 1, 1}), Pooling::Max, 3, {1, 1, 1, 1})});
  EXPECT_EQ(run_pass(net.graph, "fuse_padding"), 0);
  EXPECT_TRUE(net.has("pad"));
}

TEST_F(FusePadding, StaysWhereItCropsOrLeavesTheGraphOrFeedsAnotherLayer) {
  const ValueId crop = net.padding("crop", net.data, {-1, 0, 0, 0});
  const ValueId shown = net.padding("shown", net.data, {1, 0, 0, 0});
  const ValueId shared = net.padding("shared", net.data, {1, 0, 0, 0});
  net.graph.set_outputs({net.conv("c1", crop, 2, 3), net.conv("c2", shown, 2, 3), shown,
                         net.conv("c3", shared, 2, 3), net.relu("relu", shared)});
  EXPECT_EQ(run_pass(net.graph, "fuse_padding"), 0);
}

}  // namespace
}  // namespace n2d2::testing

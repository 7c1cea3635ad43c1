#include <gtest/gtest.h>

#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/resize.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

struct RemoveIdentity : ::testing::Test {
  Net net{Shape{1, 2, 4, 4}};
};

TEST_F(RemoveIdentity, DropsLayersThatChangeNothing) {
  ValueId x = net.reshape("same", net.data, {4, 4, 2});
  x = net.scaling("one", x, {1, 1});
  x = net.padding("none", net.concat("alone", {x}), {});
  x = net.relu("again", net.relu("relu", x, 0, 6));
  x = net.saturation("wide", x, 7);
  net.graph.set_outputs({net.fc("fc", x, 2)});
  EXPECT_EQ(change(net, "remove_identity"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_TRUE(net.has("relu"));
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

TEST_F(RemoveIdentity, DropsReshapesInFrontOfAnFc) {
  const ValueId x = net.reshape("r2", net.reshape("r1", net.data, {2, 4, 4}), {1, 1, -1});
  net.graph.set_outputs({net.fc("fc", x, 2)});
  EXPECT_EQ(change(net, "remove_identity"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 1U);
}

TEST_F(RemoveIdentity, DropsWhatMovesOrResamplesNothing) {
  ops::DepthToSpace blocks;
  ops::Resize resize;
  resize.output_width = resize.output_height = 4;
  resize.mode = ops::ResizeMode::BilinearTF;
  ValueId x = net.transpose("stays", net.data, {0, 1, 2, 3});
  x = net.layer("blocks", blocks, {x});
  for (const auto positions : {ops::ResizePositions::Asymmetric, ops::ResizePositions::AlignCorners,
                               ops::ResizePositions::HalfPixel, ops::ResizePositions::PytorchHalfPixel}) {
    resize.positions = positions;
    x = net.layer("resize" + std::to_string(static_cast<int>(positions)), resize, {x});
  }
  net.graph.set_outputs({net.fc("fc", x, 2)});
  EXPECT_EQ(change(net, "remove_identity"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 1U);
}

TEST_F(RemoveIdentity, KeepsWhatMovesOrResamplesSomething) {
  ops::Resize resize;
  resize.output_width = resize.output_height = 4;
  resize.positions = ops::ResizePositions::TfHalfPixel;
  resize.mode = ops::ResizeMode::BilinearTF;
  ValueId x = net.layer("shifted", resize, {net.data});
  resize.positions = ops::ResizePositions::Asymmetric;
  resize.scale_x = 1.1;
  x = net.layer("scaled", resize, {x});
  net.graph.set_outputs({net.transpose("moved", x, {1, 0, 2})});
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

TEST_F(RemoveIdentity, KeepsWhatChangesSomething) {
  ValueId x = net.reshape("flat", net.data, {1, 1, -1});
  x = net.saturation("narrow", net.scaling("two", x, {2}), 1);
  x = net.relu("leaky", x, 0.5);
  net.graph.set_outputs({net.concat("pair", {x, x})});
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

TEST_F(RemoveIdentity, KeepsAScalingThatChangesIntegers) {
  net.graph.set_outputs({net.scaling("one", net.data, {1})});
  net.graph.set_rescale(net.node("one").id, Rescale{RescaleMode::FloatingPoint, {0.5F}, {}, 0, -128, 127});
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

}  // namespace
}  // namespace n2d2::testing

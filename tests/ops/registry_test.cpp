#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/all.hpp"

namespace n2d2::ops {
namespace {

TEST(Registry, KnowsEveryOperatorAndMakesIt) {
  EXPECT_THAT(registry().names(),
              ::testing::ElementsAre("BatchNorm", "Border", "ChannelPool", "Concat", "Conv", "Deconv",
                                     "DepthToSpace", "Dropout", "ElemWise", "FakeQuantize", "Fc", "LRN",
                                     "LayerNorm", "LogSoftmax", "MatMul", "Nonlinearity", "Normalize",
                                     "PRelu", "Padding", "PixelReshape", "Pool", "QuantizeActivation",
                                     "Recurrent", "Relu", "Reshape", "Resize", "Saturation", "Scaling",
                                     "Softmax", "TargetBias", "Threshold", "Transpose", "Unpool"));
  for (const std::string& name : registry().names()) {
    const auto op = registry().find(name)->make();
    EXPECT_EQ(op->type(), name);
    EXPECT_TRUE(op->clone()->equals(*op));
  }
}

}  // namespace
}  // namespace n2d2::ops

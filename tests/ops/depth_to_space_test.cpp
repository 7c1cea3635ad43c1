#include "n2d2/ops/depth_to_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using testing::infer_error;

DepthToSpace make(int block, BlockOrder order, bool to_depth = false) {
  DepthToSpace op;
  op.block_size = block;
  op.order = order;
  op.to_depth = to_depth;
  return op;
}

TEST(DepthToSpace, ChannelsBecomeBlocksInBothOrders) {
  constexpr int64_t kBlock = 2, kChannels = 3, kHeight = 2, kWidth = 4;
  const Tensor x = testing::spread({2, kChannels * kBlock * kBlock, kHeight, kWidth}, 1);
  for (const BlockOrder order : {BlockOrder::Dcr, BlockOrder::Crd}) {
    const Tensor y = testing::forward(make(kBlock, order), {x});
    ASSERT_EQ(y.shape(), (Shape{2, kChannels, kHeight * kBlock, kWidth * kBlock}));
    int64_t at = 0;
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < kChannels; ++c)
        for (int64_t h = 0; h < kHeight * kBlock; ++h)
          for (int64_t w = 0; w < kWidth * kBlock; ++w) {
            const int64_t i = h % kBlock, j = w % kBlock;
            const int64_t deep =
                order == BlockOrder::Dcr ? (i * kBlock + j) * kChannels + c : (c * kBlock + i) * kBlock + j;
            const int64_t from =
                ((n * kChannels * kBlock * kBlock + deep) * kHeight + h / kBlock) * kWidth + w / kBlock;
            EXPECT_EQ(y.data<float>()[at++], x.data<float>()[from]);
          }
  }
}

TEST(DepthToSpace, ToDepthIsTheWayBack) {
  const Tensor x = testing::spread({2, 18, 2, 1}, 1);
  for (const BlockOrder order : {BlockOrder::Dcr, BlockOrder::Crd})
    EXPECT_EQ(testing::forward(make(3, order, true), {testing::forward(make(3, order), {x})}), x);
}

TEST(DepthToSpace, GradientsAgreeWithFiniteDifferences) {
  for (const BlockOrder order : {BlockOrder::Dcr, BlockOrder::Crd}) {
    testing::expect_gradients(make(2, order), {{2, 8, 1, 2}});
    testing::expect_gradients(make(2, order, true), {{2, 2, 2, 4}});
  }
}

TEST(DepthToSpace, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(infer_error(make(2, BlockOrder::Dcr), {{1, 6, 2, 2}}),
            "6 channels are no multiple of BlockSize x BlockSize = 4");
  EXPECT_EQ(infer_error(make(2, BlockOrder::Dcr, true), {{1, 6, 2, 3}}),
            "BlockSize 2 does not divide a map of 3x2 (width x height)");
  EXPECT_EQ(infer_error(make(0, BlockOrder::Dcr), {{1, 4, 2, 2}}), "BlockSize is 0, expected at least 1");
}

}  // namespace
}  // namespace n2d2::ops

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
            "6 channels are no multiple of the 4 pixels of a block");
  EXPECT_EQ(infer_error(make(2, BlockOrder::Dcr, true), {{1, 6, 2, 3}}),
            "a block of 2x2 does not divide a map of 3x2 (width x height)");
  EXPECT_EQ(infer_error(make(0, BlockOrder::Dcr), {{1, 4, 2, 2}}), "BlockSize is 0, expected at least 1");
}

TEST(DepthToSpace, CropsWhatItMakes) {
  const Tensor x = testing::spread({2, 12, 2, 3}, 1);
  DepthToSpace op = make(2, BlockOrder::Crd);
  op.block_rows = 3;
  const Tensor whole = testing::forward(op, {x});
  ASSERT_EQ(whole.shape(), (Shape{2, 2, 6, 6}));
  op.crop = {1, 2, 0, 1};  // left, top, right, bottom
  const Tensor part = testing::forward(op, {x});
  ASSERT_EQ(part.shape(), (Shape{2, 2, 3, 5}));
  for (int64_t plane = 0; plane < 4; ++plane)
    for (int64_t y = 0; y < 3; ++y)
      for (int64_t column = 0; column < 5; ++column)
        EXPECT_EQ(part.data<float>()[(plane * 3 + y) * 5 + column],
                  whole.data<float>()[(plane * 6 + y + 2) * 6 + column + 1]);
  testing::expect_gradients(op, {{2, 12, 2, 3}});
}

TEST(DepthToSpace, RefusesACropOfEverythingAndOneOfDepth) {
  DepthToSpace op = make(2, BlockOrder::Dcr);
  op.crop = {2, 0, 2, 0};
  EXPECT_EQ(infer_error(op, {{1, 4, 2, 2}}), "Crop 2 0 2 0 leaves nothing of a map of 4x4 (width x height)");
  op.to_depth = true;
  EXPECT_EQ(infer_error(op, {{1, 4, 2, 2}}), "Crop 2 0 2 0 has no meaning with ToDepth");
}

}  // namespace
}  // namespace n2d2::ops

#include "n2d2/ops/channel_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

/// Output 0 reads channels 0 and 2, output 1 channel 1.
ChannelPool make(Pooling pooling) {
  ChannelPool op;
  op.pooling = pooling;
  op.nb_outputs = 2;
  op.connections = {1, 0, 0, 1, 1, 0};
  return op;
}

TEST(ChannelPool, TakesTheMaximumOrTheMeanOfItsChannels) {
  const Tensor x = Tensor::from({1, 3, 1, 2}, {1, -2, 8, 9, 4, -6});
  EXPECT_THAT(testing::values(testing::forward(make(Pooling::Max), {x})), ElementsAre(4, -2, 8, 9));
  EXPECT_THAT(testing::values(testing::forward(make(Pooling::Average), {x})), ElementsAre(2.5F, -4, 8, 9));
}

TEST(ChannelPool, GradientsAgreeWithFiniteDifferences) {
  for (const Pooling pooling : {Pooling::Max, Pooling::Average})
    testing::expect_gradients(make(pooling), {{2, 3, 2, 2}});
}

TEST(ChannelPool, SaysWhatIsWrongWithItsTable) {
  ChannelPool op = make(Pooling::Max);
  EXPECT_EQ(testing::infer_error(op, {{1, 4, 1, 1}}),
            "Connections has 6 values, expected 8 (4 channels x 2 outputs)");
  op.connections = {1, 0, 1, 0, 1, 0};
  EXPECT_EQ(testing::infer_error(op, {{1, 3, 1, 1}}), "output 1 reads no channel");
}

}  // namespace
}  // namespace n2d2::ops

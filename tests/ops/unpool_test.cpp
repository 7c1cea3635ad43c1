#include "n2d2/ops/unpool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

Unpool make(Pooling pooling, Dims kernel, Dims stride, Pads padding = {}) {
  Unpool op;
  op.pooling = pooling;
  op.kernel = kernel;
  op.stride = stride;
  op.padding = padding;
  return op;
}

TEST(Unpool, PutsAValueWhereThePoolFoundTheLargest) {
  const Tensor pooled = Tensor::from({1, 1, 2, 4}, {1, 2, 0, 0, 4, 3, 0, 7});
  const Tensor x = Tensor::from({1, 1, 1, 2}, {5, -6});
  EXPECT_THAT(testing::values(testing::forward(make(Pooling::Max, {2, 2}, {2, 2}), {x, pooled})),
              ElementsAre(0, 0, 0, 0, 5, 0, 0, -6));
}

TEST(Unpool, AddsWhereWindowsFoundTheSamePixel) {
  const Tensor pooled = Tensor::from({1, 1, 1, 3}, {1, 9, 2});
  const Tensor x = Tensor::from({1, 1, 1, 2}, {5, 6});
  EXPECT_THAT(testing::values(testing::forward(make(Pooling::Max, {2, 1}, {1, 1}), {x, pooled})),
              ElementsAre(0, 11, 0));
}

TEST(Unpool, SpreadsAnAverageOverItsWindow) {
  const Tensor pooled = Tensor::from({1, 1, 1, 4}, {1, 2, 3, 4});
  const Tensor x = Tensor::from({1, 1, 1, 2}, {4, 6});
  EXPECT_THAT(testing::values(testing::forward(make(Pooling::Average, {2, 1}, {2, 1}), {x, pooled})),
              ElementsAre(2, 2, 3, 3));
}

TEST(Unpool, IsTheTransposeOfItsPool) {
  for (const Pooling pooling : {Pooling::Max, Pooling::Average}) {
    Pool pool;
    pool.pooling = pooling;
    pool.kernel = {3, 3};
    pool.stride = {2, 2};
    pool.padding = {1, 1, 1, 1};
    const Tensor map = testing::spread({2, 3, 5, 7}, 1), x = testing::spread({2, 3, 3, 4}, 2);
    EXPECT_EQ(testing::forward(make(pooling, {3, 3}, {2, 2}, {1, 1, 1, 1}), {x, map}).shape(), map.shape());
    const Tensor back = testing::backward(pool, {map}, x)[0];
    const Tensor up = testing::forward(make(pooling, {3, 3}, {2, 2}, {1, 1, 1, 1}), {x, map});
    for (int64_t i = 0; i < map.elements(); ++i)
      EXPECT_NEAR(up.data<float>()[i], back.data<float>()[i], 1e-6F);
  }
}

TEST(Unpool, GradientsAgreeWithFiniteDifferences) {
  for (const Pooling pooling : {Pooling::Max, Pooling::Average})
    testing::expect_gradients(make(pooling, {3, 2}, {2, 2}),
                              {testing::spread({2, 2, 2, 2}, 1), testing::spread({2, 2, 4, 5}, 2)}, false,
                              {1});
}

TEST(Unpool, SaysWhatDoesNotFitThePool) {
  const Unpool op = make(Pooling::Max, {2, 2}, {2, 2});
  EXPECT_EQ(testing::infer_error(op, {{1, 2, 3, 2}, {1, 2, 4, 4}}),
            "the height is 3, expected 2, that of the output of the pool");
  EXPECT_EQ(testing::infer_error(op, {{1, 3, 2, 2}, {1, 2, 4, 4}}),
            "3 channels, expected 2, those of the pool");
  EXPECT_EQ(testing::infer_error(op, {{1, 2, 2, 2}, {1, 2, 5, 5}}), "");
  EXPECT_EQ(
      testing::infer_error(make(Pooling::Max, {3, 1}, {2, 1}, {1, 0, 1, 0}), {{1, 1, 1, 3}, {1, 1, 1, 6}}),
      "windows end 1 pixels behind a width of 5; the pool has to see all of its input");
}

}  // namespace
}  // namespace n2d2::ops

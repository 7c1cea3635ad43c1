#include "n2d2/ops/dropout.hpp"

#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

Tensor ones(const Shape& shape) {
  Tensor out(shape);
  out.fill(1);
  return out;
}

TEST(Dropout, IsTheIdentityWhenNotTraining) {
  const Tensor x = testing::spread({2, 3, 2, 2}, 0);
  EXPECT_EQ(testing::forward(Dropout(), {x}), x);
}

TEST(Dropout, ScalesWhatItKeeps) {
  Dropout op;
  op.probability = 0.75;
  const Tensor y = testing::forward(op, {ones({1, 100, 4, 4})}, true, {3, "drop", 0, 0});
  int kept = 0;
  for (const float v : y.span()) {
    EXPECT_TRUE(v == 0 || v == 4);
    kept += v != 0;
  }
  EXPECT_NEAR(kept, 400, 60);  // binomial: 17 a standard deviation
}

TEST(Dropout, DropsTheSameValuesBackward) {
  const graph::RandomKey key{3, "drop", 7, 16};
  const Tensor x = ones({2, 3, 4, 4});
  EXPECT_EQ(testing::forward(Dropout(), {x}, true, key), testing::backward(Dropout(), {x}, x, true, key)[0]);
}

TEST(Dropout, MaskDependsOnSeedNodeStepAndSample) {
  const Tensor x = ones({2, 3, 4, 4});
  const auto mask = [&](const graph::RandomKey& key) { return testing::forward(Dropout(), {x}, true, key); };
  const Tensor y = mask({1, "a", 1, 0});
  EXPECT_EQ(y, mask({1, "a", 1, 0}));
  EXPECT_FALSE(y == mask({2, "a", 1, 0}));
  EXPECT_FALSE(y == mask({1, "b", 1, 0}));
  EXPECT_FALSE(y == mask({1, "a", 2, 0}));
  EXPECT_FALSE(y == mask({1, "a", 1, 2}));
}

TEST(Dropout, MaskOfASampleDoesNotDependOnItsBatch) {
  const Tensor two = testing::forward(Dropout(), {ones({2, 3, 4, 4})}, true, {1, "a", 1, 0});
  const Tensor one = testing::forward(Dropout(), {ones({1, 3, 4, 4})}, true, {1, "a", 1, 1});
  for (int64_t i = 0; i < 48; ++i) EXPECT_EQ(one.data<float>()[i], two.data<float>()[48 + i]);
}

}  // namespace
}  // namespace n2d2::ops

#include "n2d2/ops/fc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;

Fc make(int outputs) {
  Fc op;
  op.nb_outputs = outputs;
  return op;
}

TEST(Fc, FlattensChannelThenRowThenColumn) {
  const Tensor y = testing::forward(
      make(2), {Tensor::from({1, 2, 1, 2}, {1, 2, 3, 4}),
                Tensor::from({2, 4}, {1, 10, 100, 1000, 1, 0, 0, 0}), Tensor::from({2}, {0.5F, 0})});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 1}));
  EXPECT_THAT(testing::values(y), ElementsAre(4321.5F, 1));
}

TEST(Fc, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(make(3), {{4, 2, 2, 3}, {3, 12}, {3}});
  testing::expect_gradients(make(3), {{2, 5, 1, 1}, {3, 5}});
}

TEST(Fc, TakesItsWeightsAsUnitVectors) {
  Fc op = make(2);
  op.normalize = true;
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 2, 1, 1}, {1, 10}), Tensor::from({2, 2}, {3, 4, 0, 0.1F})});
  EXPECT_NEAR(y.data<float>()[0], 8.6F, 1e-5F);
  EXPECT_NEAR(y.data<float>()[1], 10, 1e-3F);
  testing::expect_gradients(op, {{2, 2, 2, 1}, {2, 4}, {2}});
}

TEST(Fc, DropsConnectionsOfEachSampleWhileLearning) {
  Fc op = make(40);
  op.drop_connect = 0.25;
  Tensor x(Shape{2, 10, 1, 1}), weights(Shape{40, 10});
  x.fill(1);
  weights.fill(1);
  const graph::RandomKey key{3, "fc", 7, 0};
  const Tensor y = testing::forward(op, {x, weights}, true, key);
  double kept = 0;
  bool differ = false;
  for (int64_t o = 0; o < 40; ++o) {
    kept += (y.data<float>()[o] + y.data<float>()[40 + o]) / 4;
    differ = differ || y.data<float>()[o] != y.data<float>()[40 + o];
  }
  EXPECT_NEAR(kept, 200, 50);  // binomial: 12 a standard deviation
  EXPECT_TRUE(differ);
  EXPECT_EQ(testing::forward(op, {x, weights}).data<float>()[0], 10);
  const Tensor alone = testing::forward(op, {Tensor::from({1, 10, 1, 1}, std::vector<float>(10, 1)), weights},
                                        true, {3, "fc", 7, 1});
  for (int64_t o = 0; o < 40; ++o) EXPECT_EQ(alone.data<float>()[o], y.data<float>()[40 + o]);
}

TEST(Fc, GradientsAreThoseOfTheConnectionsThatAreKept) {
  Fc op = make(3);
  op.drop_connect = 0.5;
  testing::expect_gradients(op, {testing::spread({2, 4, 1, 1}, 1), testing::spread({3, 4}, 2)}, true);
  op.normalize = true;
  testing::expect_gradients(op, {testing::spread({2, 4, 1, 1}, 1), testing::spread({3, 4}, 2)}, true);
}

TEST(Fc, SaysWhichShapeIsWrong) {
  EXPECT_EQ(infer_error(make(3), {{1, 2, 2, 3}, {3, 10}}),
            "input 0 has 12 values a sample (2x2x3), weights expect 10");
  EXPECT_EQ(infer_error(make(3), {{1, 2, 2, 3}, {4, 12}}), "weights have shape 4x12, expected 3x12");
  EXPECT_EQ(infer_error(make(3), {{1, 2, 2, 3}, {3, 12}, {4}}), "biases have shape 4, expected 3");
  EXPECT_EQ(infer_error(make(0), {{1, 2, 2, 3}, {3, 12}}), "NbOutputs is 0, expected at least 1");
}

}  // namespace
}  // namespace n2d2::ops

#include "n2d2/ops/transpose.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::values;

Transpose make(std::vector<int> perm) {
  Transpose op;
  op.perm = std::move(perm);
  return op;
}

const std::vector<std::vector<int>> kOrders{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

TEST(Transpose, PermCountsFromXAndNamesTheInputAxis) {
  const Tensor x = Tensor::from({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = testing::forward(make({1, 0, 2, 3}), {x});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 3, 2}));
  EXPECT_THAT(values(y), ElementsAre(1, 4, 2, 5, 3, 6));
  // X of the output is Z of the input: channels last.
  EXPECT_EQ(testing::forward(make({2, 0, 1}), {x}).shape(), (Shape{1, 2, 3, 1}));
}

TEST(Transpose, EveryOrderMovesEachElementOfEachSample) {
  const Tensor x = testing::spread({2, 2, 3, 4}, 1);
  for (const auto& perm : kOrders) {
    const Tensor y = testing::forward(make(perm), {x});
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 2; ++c)
        for (int64_t h = 0; h < 3; ++h)
          for (int64_t w = 0; w < 4; ++w) {
            const int64_t at[3] = {w, h, c};
            const int64_t ox = at[perm[0]], oy = at[perm[1]], oz = at[perm[2]];
            const Shape& s = y.shape();
            EXPECT_EQ(y.data<float>()[((n * s.c() + oz) * s.h() + oy) * s.w() + ox],
                      x.data<float>()[((n * 2 + c) * 3 + h) * 4 + w]);
          }
  }
}

TEST(Transpose, TwoInARowAreOne) {
  const Tensor x = testing::spread({1, 2, 3, 4}, 1);
  for (const auto& a : kOrders)
    for (const auto& b : kOrders) {
      const Tensor twice = testing::forward(make(b), {testing::forward(make(a), {x})});
      EXPECT_EQ(testing::forward(make(b).after(make(a)), {x}), twice);
    }
  EXPECT_TRUE(make({1, 2, 0}).after(make({2, 0, 1})).is_identity());
  EXPECT_FALSE(make({1, 2, 0}).is_identity());
}

TEST(Transpose, GradientsAgreeWithFiniteDifferences) {
  for (const auto& perm : kOrders) testing::expect_gradients(make(perm), {{2, 2, 3, 2}});
}

TEST(Transpose, RefusesWhatIsNoOrderOrMovesTheBatch) {
  for (const std::vector<int>& perm : {std::vector<int>{0, 1}, {0, 0, 1}, {0, 1, 3, 2}, {0, 1, 3}, {}})
    EXPECT_THAT(testing::infer_error(make(perm), {{1, 2, 3, 4}}),
                ::testing::HasSubstr("expected an order of 0 1 2, with 3 (the batch) last or left out"));
}

}  // namespace
}  // namespace n2d2::ops

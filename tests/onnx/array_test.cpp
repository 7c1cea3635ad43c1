#include "read/array.hpp"

#include <gtest/gtest.h>

namespace n2d2::onnx {
namespace {

TEST(Array, CountsElementsBelowTwoToTheThirtyOne) {
  EXPECT_EQ(elements_of({2, 3, 4}), 24);
  EXPECT_EQ(elements_of({}), 1);
  EXPECT_EQ(elements_of({0, int64_t{1} << 62}), 0);
  EXPECT_EQ(elements_of({1, (int64_t{1} << 31) - 1}), (int64_t{1} << 31) - 1);
  EXPECT_THROW(elements_of({2, int64_t{1} << 30}), ModelError);
  EXPECT_THROW(elements_of({int64_t{1} << 62, int64_t{1} << 62}), ModelError);
  EXPECT_THROW(elements_of({-1, 4}), ModelError);
}

TEST(Array, DoesNotFoldConstantsOfMoreThanTwoToTheTwentyFive) {
  EXPECT_EQ(Array{}.like({8, 8}).size(), 64);
  EXPECT_THROW(Array{}.like({1 << 14, 1 << 13}), ModelError);
}

TEST(Array, BroadcastsLikeNumpy) {
  EXPECT_EQ(broadcast({3, 1, 5}, {4, 1}), (Extents{3, 4, 5}));
  EXPECT_EQ(broadcast({}, {2}), (Extents{2}));
  EXPECT_THROW(broadcast({3}, {4}), ModelError);
}

TEST(Array, WalksBothOperandsOfABroadcast) {
  std::vector<std::pair<int64_t, int64_t>> seen;
  for_broadcast({2, 3}, {2, 1}, {3}, [&](int64_t i, int64_t a, int64_t b) {
    EXPECT_EQ(i, static_cast<int64_t>(seen.size()));
    seen.emplace_back(a, b);
  });
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
}

}  // namespace
}  // namespace n2d2::onnx

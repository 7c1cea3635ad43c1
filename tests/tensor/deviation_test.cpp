#include "n2d2/tensor/deviation.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(Deviation, IsThatOfTheDefinition) {
  Deviation d;
  EXPECT_EQ(d.sqnr(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.cosine(), 1);
  d.add(3, 3);
  d.add(4, 3);
  EXPECT_DOUBLE_EQ(d.sqnr(), 10 * std::log10(25.0));
  EXPECT_DOUBLE_EQ(d.cosine(), 21 / (5 * std::sqrt(18.0)));
  EXPECT_DOUBLE_EQ(d.mean_squared_error(), 0.5);
  Deviation nothing;
  nothing.add(0, 1);
  EXPECT_EQ(nothing.sqnr(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(nothing.cosine(), 0);
  d += nothing;
  EXPECT_EQ(d.count, 3);
  EXPECT_DOUBLE_EQ(d.error_squares, 2);
}

}  // namespace
}  // namespace n2d2

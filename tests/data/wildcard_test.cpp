#include "files/wildcard.hpp"

#include <gtest/gtest.h>

namespace n2d2::data {
namespace {

TEST(Wildcard, StarFitsAnyRun) {
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("*.png", "a/b.png"));
  EXPECT_TRUE(fits("a*b*c", "aXbbYc"));
  EXPECT_FALSE(fits("a*b", "abc"));
}

TEST(Wildcard, SingleFitsOneCharacter) {
  EXPECT_TRUE(fits("a?c", "abc"));
  EXPECT_FALSE(fits("a?c", "ac"));
  EXPECT_FALSE(fits("a+c", "abc"));
  EXPECT_TRUE(fits("a+c", "abc", "?+"));
}

}  // namespace
}  // namespace n2d2::data

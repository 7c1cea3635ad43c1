#include "drawn.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

template <class... More>
bool is_drawn_by(const char* draw, std::string_view name, More... more) {
  const char* before = std::getenv("N2D2_DRAW");
  const std::string kept = before == nullptr ? "all" : before;
  setenv("N2D2_DRAW", draw, 1);
  const bool drawn = is_drawn(name, more...);
  setenv("N2D2_DRAW", kept.c_str(), 1);
  return drawn;
}

/// The check value of CRC-32 is 0xCBF43926: drawn.py, which has zlib's, takes the same cases.
TEST(Drawn, TakesACaseByTheCrcOfItsName) {
  for (int draw = 0; draw < 16; ++draw)
    EXPECT_EQ(is_drawn_by(std::to_string(draw).c_str(), "123456789"), draw % 8 == 0xCBF43926U % 8) << draw;
  EXPECT_TRUE(is_drawn_by("all", "123456789"));
  for (int draw = 0; draw < 16; ++draw)
    EXPECT_EQ(is_drawn_by(std::to_string(draw).c_str(), "123456789", 4U), draw % 4 == 0xCBF43926U % 4)
        << draw;
}

TEST(Drawn, TakesTheFirstRandomCasesInEveryRunAndEachOtherInOneOfEight) {
  for (uint64_t number = 0; number < 100; ++number) {
    int runs = 0;
    for (int draw = 0; draw < 8; ++draw)
      runs += is_drawn_by(std::to_string(draw).c_str(), "network", number, uint64_t{10}) ? 1 : 0;
    EXPECT_EQ(runs, number < 10 ? 8 : 1) << number;
  }
}

}  // namespace
}  // namespace n2d2

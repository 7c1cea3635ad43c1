#include "drawn.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

template <class IsTaken>
bool taken_by(const char* draw, IsTaken is_taken) {
  const char* before = std::getenv("N2D2_DRAW");
  const std::string kept = before == nullptr ? "all" : before;
  setenv("N2D2_DRAW", draw, 1);
  const bool taken = is_taken();
  setenv("N2D2_DRAW", kept.c_str(), 1);
  return taken;
}

template <class... More>
bool is_drawn_by(const char* draw, std::string_view name, More... more) {
  return taken_by(draw, [&] { return is_drawn(name, more...); });
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

TEST(Drawn, TakesTheFirstRandomCasesInEveryRunAndEachOtherInOneOfSixteen) {
  for (uint64_t number = 0; number < 100; ++number) {
    int runs = 0;
    for (int draw = 0; draw < 16; ++draw)
      runs += is_drawn_by(std::to_string(draw).c_str(), "network", number, uint64_t{10}) ? 1 : 0;
    EXPECT_EQ(runs, number < 10 ? 16 : 1) << number;
  }
}

/// drawn.py takes the same: numbers 0, 1 and 2 of three by draws 3, 2 and 1.
TEST(Drawn, TakesOneAlternativeInEachRunAndEachInTurn) {
  const auto is_taken = [](const char* draw, uint64_t number) {
    return taken_by(draw, [&] { return is_in_turn(number, 3); });
  };
  for (const auto& [draw, number] : {std::pair("0", 0U), {"1", 2U}, {"2", 1U}, {"3", 0U}, {"14", 1U}})
    for (uint64_t other = 0; other < 3; ++other)
      EXPECT_EQ(is_taken(draw, other), other == number) << draw << " " << other;
  for (uint64_t number = 0; number < 3; ++number) EXPECT_TRUE(is_taken("all", number));
}

}  // namespace
}  // namespace n2d2

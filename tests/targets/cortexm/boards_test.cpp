#include "boards.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "cores.hpp"

namespace n2d2::targets::cortexm {
namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

TEST(Boards, AreSortedWithoutRegardToCase) {
  const auto all = boards();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Part& a, const Part& b) {
    return lower_case(a.name) < lower_case(b.name);
  }));
}

TEST(Boards, HaveCoresThatExportsAreFor) {
  for (const Part& part : boards())
    EXPECT_TRUE(std::any_of(cores().begin(), cores().end(), [&](const Core& core) {
      return core.name == part.core;
    })) << part.name;
}

TEST(Boards, HaveWholeKilobytesOfRamAndAClock) {
  for (const Part& part : boards()) {
    EXPECT_GT(part.ram, 0) << part.name;
    EXPECT_EQ(part.ram % 1024, 0) << part.name;
    EXPECT_EQ(part.flash % 1024, 0) << part.name;
    EXPECT_TRUE(8 <= part.megahertz && part.megahertz <= 1000) << part.name;
  }
}

TEST(Boards, AreFoundInLettersOfEitherCase) {
  ASSERT_NE(find_board("stm32f446re"), nullptr);
  EXPECT_EQ(find_board("stm32f446re")->name, "STM32F446RE");
  EXPECT_EQ(find_board("NRF52840")->core, "m4");
  EXPECT_EQ(find_board("STM32F446"), nullptr);
  EXPECT_EQ(find_board(""), nullptr);
}

TEST(Boards, ThatAreUnknownAreNamedNearestOrAll) {
  EXPECT_EQ(unknown_board("STM32F446R"), "unknown part 'STM32F446R'; did you mean 'STM32F446RE'?");
  EXPECT_NE(unknown_board("Z80").find("unknown part 'Z80'; known: AMA3B1KK "), std::string::npos);
}

TEST(Boards, HaveACoreWhateverInstructionsItDoesWithout) {
  const Part& part = *find_board("nRF5340");
  EXPECT_TRUE(has_core(part, "m33"));
  EXPECT_TRUE(has_core(part, "m33+nodsp"));
  EXPECT_FALSE(has_core(part, "m3"));
  EXPECT_FALSE(has_core(*find_board("RP2040"), "m0"));
}

}  // namespace
}  // namespace n2d2::targets::cortexm

#include "n2d2/base/text.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(ParseInteger, AcceptsGroupsRealsAndExponents) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("1,281,167"), 1281167);
  EXPECT_EQ(parse_integer("22500.0"), 22500);
  EXPECT_EQ(parse_integer("-2.9"), -2);
  EXPECT_EQ(parse_integer("1e6"), 1000000);
  for (const char* bad : {"", "1,28", "12,3456", ",1", "1x", "x", "1 2", "0x10", "1e40"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
}

TEST(ParseReal, RefusesWhatIsNotANumber) {
  EXPECT_EQ(parse_real("1,000.5"), 1000.5);
  EXPECT_EQ(parse_real("-.5e1"), -5.0);
  for (const char* bad : {"inf", "nan", "", "1.0.0", "1.5,000"}) EXPECT_FALSE(parse_real(bad)) << bad;
}

TEST(PrintReal, RoundTrips) {
  EXPECT_EQ(print_real(0.1F), "0.1");
  EXPECT_EQ(parse_real(print_real(1.0 / 3)), 1.0 / 3);
}

TEST(Words, KeepQuotedBlanks) {
  EXPECT_EQ(words("a  \"b c\" d"), (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_TRUE(words("  ").empty());
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
}

TEST(Nearest, FindsNearMissesOnly) {
  const std::vector<std::string> known{"Conv", "Fc", "Pool"};
  EXPECT_EQ(nearest("FC", known), "Fc");
  EXPECT_EQ(nearest("Convv", known), "Conv");
  EXPECT_FALSE(nearest("Transformer", known));
}

TEST(Names, BecomeIdentifiersAndFileNames) {
  EXPECT_EQ(c_identifier("conv1.1/x"), "conv1_1_x");
  EXPECT_EQ(c_identifier("1x1"), "_1x1");
  EXPECT_EQ(file_name("a:b|c"), "a_b_c");
}

TEST(WithThousands, GroupsByThree) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(with_thousands(-123456), "-123,456");
}

}  // namespace
}  // namespace n2d2

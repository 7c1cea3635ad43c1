#include "n2d2/base/text.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(ParseInteger, AcceptsGroupsRealsAndExponents) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("1,281,167"), 1281167);
  EXPECT_EQ(parse_integer("22500.0"), 22500);
  EXPECT_EQ(parse_integer("-2.9e0"), -2) << "as arithmetic of an INI file writes it";
  for (const char* fraction : {"-2.9", "20.9", "0.5", "2.09e1", "1,281.5"})
    EXPECT_FALSE(parse_integer(fraction)) << fraction;
  EXPECT_EQ(parse_integer("1e6"), 1000000);
  for (const char* bad : {"", "1,28", "12,3456", ",1", "1x", "x", "1 2", "0x10", "1e40"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
}

TEST(ParseWhole, RefusesFractions) {
  EXPECT_EQ(parse_whole("22500.0"), 22500);
  EXPECT_EQ(parse_whole("-5"), -5);
  EXPECT_EQ(parse_whole("9,007,199,254,740,993"), 9007199254740993);
  for (const char* bad : {"1.5", "-0.5", "1e-1", "7\n8", "1 2", ""}) EXPECT_FALSE(parse_whole(bad)) << bad;
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
  EXPECT_FALSE(nearest("Pool", known)) << "what is there already is no suggestion";
  const std::vector<std::string> long_ones{std::string(200, 'k'), std::string(300, 'k')};
  EXPECT_EQ(nearest(std::string(199, 'k'), long_ones), long_ones[0]);
  EXPECT_EQ(nearest(std::string(199, 'k') + 'j', long_ones), long_ones[0]);
  EXPECT_FALSE(nearest(std::string(201, 'k'), long_ones));  // whatever it is near to
  EXPECT_FALSE(nearest(std::string(10'000'000, 'k'), long_ones));
}

TEST(Nearest, IsNeverEmptyNorWithoutAnythingInCommon) {
  EXPECT_FALSE(nearest("b", std::vector<std::string>{"", "a"}));
  EXPECT_FALSE(nearest("", std::vector<std::string>{"", "a"}));
  EXPECT_EQ(nearest("b", std::vector<std::string>{"", "a", "ab"}), "ab");
  EXPECT_EQ(did_you_mean("b", std::vector<std::string>{""}), "");
}

TEST(Names, BecomeIdentifiersAndFileNames) {
  EXPECT_EQ(c_identifier("conv1.1/x"), "conv1_1_x");
  EXPECT_EQ(c_identifier("1x1"), "_1x1");
  EXPECT_EQ(file_name("a:b|c"), "a_b_c");
}

TEST(FileNames, AreDifferentForDifferentNames) {
  const std::vector<std::string> names{
      "a/b", "a_b", "a:b", "c/d", "a/b", std::string(300, 'x'), std::string(301, 'x')};
  const auto files = file_names(names);
  EXPECT_EQ(files[1], "a_b");
  EXPECT_EQ(files[3], "c_d");
  EXPECT_EQ(files[4], files[0]);
  EXPECT_TRUE(files[0].starts_with("a_b~")) << files[0];
  EXPECT_EQ(std::set<std::string>(files.begin(), files.end()).size(), 6U);
  for (const std::string& file : files) EXPECT_LE(file.size(), 209U);
}

TEST(FileNames, DoNotDependOnTheOrder) {
  const std::vector<std::string> names{"a/b", "a:b", "a|b", "a_b"}, back(names.rbegin(), names.rend());
  auto files = file_names(names), turned = file_names(back);
  std::reverse(turned.begin(), turned.end());
  EXPECT_EQ(files, turned);
  // A name that looks like one of ours keeps it.
  const std::vector<std::string> more{"a/b", "a:b", files[0]};
  EXPECT_EQ(file_names(more)[2], files[0]);
  EXPECT_NE(file_names(more)[0], files[0]);
}

TEST(Presentable, ShowsControlCharactersAsWhatTheyAre) {
  EXPECT_EQ(presentable("a\x1b[2Jb\x7f\r"), "a\\x1b[2Jb\\x7f\\x0d");
  EXPECT_EQ(presentable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(presentable("a\tb\n  hint: \xc3\xa9"), "a\tb\n  hint: \xc3\xa9");
}

TEST(Presentable, CutsWhatNobodyReads) {
  EXPECT_EQ(presentable("got '" + std::string(10'000'000, 'x') + "'"),
            "got '" + std::string(499, 'x') + "... (10,000,002 bytes)");
  EXPECT_EQ(presentable(std::string(1000, 'x')), std::string(1000, 'x'));
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "ab ";
  EXPECT_EQ(presentable(many), many.substr(0, 5000) + "... (30,000 bytes)");
  std::string umlauts = "x";  // 499 of two bytes end in the middle of one
  for (int i = 0; i < 1000; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(presentable(umlauts), umlauts.substr(0, 499) + "... (2,001 bytes)");
}

TEST(WithThousands, GroupsByThree) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(with_thousands(-123456), "-123,456");
}

}  // namespace
}  // namespace n2d2

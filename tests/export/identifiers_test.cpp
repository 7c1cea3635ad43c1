#include "n2d2/export/identifiers.hpp"

#include <gtest/gtest.h>

namespace n2d2::exporter {
namespace {

using Names = std::vector<std::string>;

TEST(Identifiers, KeepNamesThatAreIdentifiers) {
  EXPECT_EQ(identifiers({"conv1", "Conv_2_a", "NULL", "int"}), (Names{"conv1", "Conv_2_a", "NULL", "int"}));
}

TEST(Identifiers, HaveLettersDigitsAndSingleUnderscores) {
  EXPECT_EQ(identifiers({"a/b.c", "__x", "_X", "a__b", "end_", "1x1", "*/", "\n", "", "d\xc3\xa9j\xc3\xa0"}),
            (Names{"a_b_c", "x", "X_2", "a_b", "end", "layer_1x1", "layer", "layer_2", "layer_3", "d_j"}));
}

TEST(Identifiers, DifferAlsoWhenCaseIsIgnored) {
  EXPECT_EQ(identifiers({"Pool", "pool", "POOL"}), (Names{"Pool", "pool_2", "POOL_3"}));
}

TEST(Identifiers, OfCleanNamesDoNotDependOnOtherLayers) {
  EXPECT_EQ(identifiers({"a/b", "a.b", "a_b_2", "a_b"}), (Names{"a_b_3", "a_b_4", "a_b_2", "a_b"}));
}

TEST(Identifiers, LeaveTheStemsOfTheDriverAndOfFileSystems) {
  EXPECT_EQ(identifiers({"env", "Max", "total", "forward", "aux", "COM1", "lpt9", "com10"}),
            (Names{"env_2", "Max_2", "total_2", "forward_2", "aux_2", "COM1_2", "lpt9_2", "com10"}));
}

TEST(Identifiers, AreShort) {
  const Names out =
      identifiers({std::string(3000, 'a'), std::string(3001, 'a'), std::string(71, 'b') + "/c"});
  EXPECT_EQ(out[0], std::string(72, 'a'));
  EXPECT_EQ(out[1], std::string(72, 'a') + "_2");
  EXPECT_EQ(out[2], std::string(71, 'b'));
}

TEST(QuotedName, IsOneLineThatEndsNoComment) {
  EXPECT_EQ(quoted_name("conv1"), "\"conv1\"");
  EXPECT_EQ(quoted_name("a\n\"b\"?\?/\\\x80"), "\"a\\x0a\\x22b\\x22\\x3f\\x3f/\\x5c\\x80\"");
}

TEST(StringLiteral, HoldsAnyBytes) {
  EXPECT_EQ(string_literal("tabby, cat"), "\"tabby, cat\"");
  EXPECT_EQ(string_literal("a\"\\?\n1\xff"), "\"a\\042\\134\\077\\0121\\377\"");
}

}  // namespace
}  // namespace n2d2::exporter

#include "n2d2/export/packages.hpp"

#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

namespace n2d2::exporter {
namespace {

TEST(PackageIdentifier, HasLowerCaseLettersDigitsAndSingleUnderscores) {
  EXPECT_EQ(package_identifier("lenet5"), "n2d2_lenet5");
  EXPECT_EQ(package_identifier("MobileNet v2-1.0"), "n2d2_mobilenet_v2_1_0");
  EXPECT_EQ(package_identifier("__a__b__"), "n2d2_a_b");
  EXPECT_EQ(package_identifier("9"), "n2d2_9");
  EXPECT_EQ(package_identifier("d\xc3\xa9j\xc3\xa0"), "n2d2_d_j");
}

TEST(PackageIdentifier, IsThereForEveryName) {
  EXPECT_EQ(package_identifier(""), "n2d2_network");
  EXPECT_EQ(package_identifier("\xe2\x80\xae"), "n2d2_network");
  EXPECT_EQ(package_identifier("</a>"), "n2d2_a");
  EXPECT_EQ(package_identifier(std::string(3000, 'a')), "n2d2_" + std::string(43, 'a'));
  EXPECT_EQ(package_identifier(std::string(42, 'a') + "-b"), "n2d2_" + std::string(42, 'a'));
}

TEST(Zip, HasNoTimesAndStoresFiles) {
  const std::string zip = zip_of({{"a/b.txt", "123456789"}});
  // CRC-32 of "123456789" is 0xcbf43926.
  const std::string entry("\x14\0\0\x08\0\0\0\0\x21\0\x26\x39\xf4\xcb\x09\0\0\0\x09\0\0\0\x07\0\0\0", 26);
  const std::string local = "PK\x03\x04" + entry + "a/b.txt123456789";
  const std::string central = "PK\x01\x02" + std::string("\x14\x03", 2) + entry +
                              std::string("\0\0\0\0\0\0\0\0\xa4\x81\0\0\0\0", 14) + "a/b.txt";
  const std::string end("PK\x05\x06\0\0\0\0\x01\0\x01\0\x35\0\0\0\x2e\0\0\0\0\0", 22);
  EXPECT_EQ(zip, local + central + end);
}

TEST(PackageFormats, AreWords) {
  for (const std::string& format : package_formats())
    EXPECT_TRUE(std::all_of(format.begin(), format.end(), [](char c) { return c == '-' || std::islower(c); }))
        << format;
}

}  // namespace
}  // namespace n2d2::exporter

#include "n2d2/base/error.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

namespace n2d2 {
namespace {

TEST(Diagnostic, PrintsPlaceMessageAndHint) {
  EXPECT_EQ((Diagnostic{{"a.ini", 3}, "[c] Stride: expected x", "try 1"}.text()),
            "a.ini:3: [c] Stride: expected x\n  hint: try 1");
  EXPECT_EQ((Diagnostic{{}, "message", ""}.text()), "message");
}

TEST(Diagnostic, ShowsNoControlCharacters) {
  EXPECT_EQ((Diagnostic{{"a\x1b.ini", 3}, "got '\x07'", ""}.text()), "a\\x1b.ini:3: got '\\x07'");
  log::Capture log;
  log::notice("got '{}'", "\x1b[31m");
  EXPECT_EQ(log.text(), "got '\\x1b[31m'\n");
}

TEST(Diagnostics, ReportsAllErrorsInFileOrder) {
  Diagnostics d;
  d.error({"a.ini", 9}, "second");
  d.error({"a.ini", 2}, "first");
  try {
    d.finish<ConfigError>();
    FAIL() << "did not throw";
  } catch (const ConfigError& e) {
    EXPECT_STREQ(e.what(), "a.ini:2: first\na.ini:9: second");
  }
}

TEST(Diagnostics, KeyWarningsBecomeErrorsWhenStrict) {
  log::Capture log;
  Diagnostics relaxed(false), strict(true);
  relaxed.warn_key({"a.ini", 1}, "unknown key");
  EXPECT_NO_THROW(relaxed.finish<ConfigError>());
  EXPECT_EQ(log.text(), "a.ini:1: unknown key\n");
  strict.warn_key({"a.ini", 1}, "unknown key");
  EXPECT_THROW(strict.finish<ConfigError>(), ConfigError);
}

TEST(Check, NamesThePlaceAndTheValues) {
  try {
    N2D2_CHECK(1 == 2, "got {}", 7);
    FAIL() << "did not throw";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("internal error: got 7"), std::string::npos);
  }
}

}  // namespace
}  // namespace n2d2

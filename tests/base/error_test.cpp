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

TEST(Error, SaysAHintOfSeveralFindingsOnce) {
  const auto finding = [](int line, const char* message, const char* hint) {
    return Diagnostic{{"a.ini", line}, message, hint};
  };
  const ConfigError error({finding(1, "a", "try 1"), finding(2, "b", "try 2"), finding(3, "c", "try 1"),
                           finding(4, "d", ""), finding(5, "e", "try 1")});
  EXPECT_EQ(std::string(error.what()),
            "a.ini:1: a\n  hint: try 1 (for 3 findings)\na.ini:2: b\n  hint: try 2\na.ini:3: c\na.ini:4: d\n"
            "a.ini:5: e");
  EXPECT_EQ(error.findings()[4].hint, "try 1");
  Diagnostics diagnostics;
  for (int line = 1; line <= 2; ++line) diagnostics.warn({"a.ini", line}, "w", "look");
  const log::Capture capture;
  diagnostics.finish<ConfigError>();
  EXPECT_EQ(capture.text(), "a.ini:1: w\n  hint: look (for 2 findings)\na.ini:2: w\n");
}

}  // namespace
}  // namespace n2d2

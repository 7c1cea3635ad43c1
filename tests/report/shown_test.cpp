#include "shown.hpp"

#include <gtest/gtest.h>

#include "report/hostile_names.hpp"

namespace n2d2::report {
namespace {

TEST(Shown, LeavesTextAsItIs) {
  EXPECT_EQ(shown("conv1 \xE5\xB1\x82 <b>"), "conv1 \xE5\xB1\x82 <b>");
}

TEST(Shown, NamesCharactersThatTurnOrHideText) {
  EXPECT_EQ(shown("a\xE2\x80\xAE"
                  "b"),
            "aU+202Eb");
  EXPECT_EQ(shown("\xE2\x80\xA8\xEF\xBB\xBF\xC2\x85"), "U+2028U+FEFFU+0085");
  EXPECT_EQ(shown(std::string_view("\0\x1B", 2)), "\\x00\\x1b");
}

TEST(Shown, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(shown("a\xFF"), "a\xEF\xBF\xBD");
  EXPECT_EQ(shown("\xC0\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(shown("\xED\xA0\x80").find("\xED"), std::string::npos);
  EXPECT_EQ(shown("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Shown, ShowsWhatWasShownAsItIs) {
  for (int seed = 0; seed < kHostileNames; ++seed) {
    const std::string once = shown(hostile_name(seed));
    EXPECT_EQ(shown(once), once) << seed;
  }
}

TEST(Html, HasNoCharacterThatMeansSomething) {
  EXPECT_EQ(html("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  for (int seed = 0; seed < kHostileNames; ++seed)
    EXPECT_EQ(html(hostile_name(seed)).find_first_of("<>\"'"), std::string::npos) << seed;
}

}  // namespace
}  // namespace n2d2::report

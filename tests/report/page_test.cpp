// report.html: what can be read without its script, and that nothing in it comes from elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/sha256.hpp"
#include "n2d2/report/write.hpp"

#include "report/hostile_names.hpp"
#include "report/sample_report.hpp"

namespace n2d2::report {
namespace {

using ::testing::HasSubstr;

size_t count(const std::string& text, std::string_view what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Page, IsTheSameBytesForTheSameReport) {
  EXPECT_EQ(write_html(sample_report(9)), write_html(sample_report(9)));
}

TEST(Page, CanBeReadWithoutItsScript) {
  const std::string page = write_html(sample_report(4));
  EXPECT_THAT(page, HasSubstr("<h1>conv_net</h1>"));
  EXPECT_THAT(page, HasSubstr("<dt>RAM</dt><dd><b>1,280 bytes</b>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">conv1</th><td>Conv</td><td>8x5x4</td>"));
  EXPECT_THAT(page, HasSubstr("<title>conv1: 599 bytes, from 640 to 1,239</title>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">command</th><td>n2d2 conv.ini -export CPP</td>"));
  EXPECT_THAT(page, HasSubstr("<pre>[conv]: something to know\n</pre>"));
  EXPECT_THAT(page, HasSubstr("The peak is at step 0, conv1."));
  EXPECT_EQ(count(page, "<g class=\"node\""), 4U);
  EXPECT_EQ(count(page, "<g class=\"map\""), 3U);
}

TEST(Page, ShowsEachPartThatARunHas) {
  const std::string page = write_html(sample_report(4));
  EXPECT_EQ(count(page, "<figure class=\"histogram\""), 4U);
  EXPECT_THAT(page, HasSubstr("conv1: 0.100 % clipped"));
  EXPECT_THAT(
      page,
      HasSubstr(
          "<td>conv1</td><td>weights</td><td class=\"n\">8</td><td class=\"n\">25.0 \xC2\xB1 1.0</td>"));
  EXPECT_EQ(count(page, "<svg class=\"confusion\""), 3U);
  EXPECT_THAT(page, HasSubstr("<title>expected conv_b, found conv_a: 2</title>"));
  EXPECT_THAT(page, HasSubstr("<td>conv.png</td><td>conv</td><td>a</td><td>b</td>"));
  EXPECT_EQ(count(page, "<polyline"), 2U);
  EXPECT_THAT(page, HasSubstr("<td>2</td><td>dominated</td><td>beaten by 1</td>"));
  EXPECT_THAT(page, HasSubstr("<td>weights</td><td class=\"n\">900</td><td class=\"n\">90.0</td>"));
  EXPECT_THAT(page, HasSubstr("<p>Classes: 0 conv, 1 b</p>"));
  EXPECT_THAT(page, HasSubstr("<pre><code>network.propagate(conv);\n</code></pre>"));
}

TEST(Page, LeavesOutPartsThatARunHasNot) {
  const std::string page = write_html(Report());
  EXPECT_EQ(count(page, "<section"), 0U);
  EXPECT_EQ(count(page, "<table"), 0U);
}

TEST(Page, HasNoNumberThatIsNone) {
  const std::string page = write_html(sample_report(9));
  for (const char* what : {"\"nan\"", "\"inf\"", "\"-nan\"", " nan ", " inf "})
    EXPECT_EQ(count(page, what), 0U) << what;
}

TEST(Page, LoadsNothing) {
  const std::string page = write_html(sample_report(20));
  for (const char* what : {"http:", "https:", " src=", "href=", "url(", "@import", "innerHTML", "eval("})
    EXPECT_EQ(count(page, what), 0U) << what;
  EXPECT_EQ(count(page, "<script"), 2U);
  EXPECT_EQ(count(page, "</script>"), 2U);
  EXPECT_EQ(count(page, " style="), 0U);
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; script-src 'sha256-"));
}

TEST(Page, HasTextWhereNamesAreScripts) {
  const size_t scripts = count(write_html(sample_report(3)), "<");
  for (int seed = 0; seed < kHostileNames; ++seed) {
    const std::string page = write_html(sample_report(3, hostile_name(seed)));
    ASSERT_EQ(count(page, "<script"), 2U) << seed;
    ASSERT_EQ(count(page, "<img"), 0U) << seed;
    ASSERT_EQ(count(page, "<!--"), 0U) << seed;
    ASSERT_EQ(count(page, "\xE2\x80\xAE"), 0U) << seed;
    // As many tags as with other names, but for names that have no room in a picture.
    ASSERT_LE(count(page, "<"), scripts) << seed;
    for (const char c : page)
      ASSERT_TRUE(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t') << seed;
  }
}

TEST(Page, OfNothingIsAPage) {
  const std::string page = write_html(Report());
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_EQ(count(page, "<svg"), 0U);
}

TEST(Page, IsSmall) {
  EXPECT_LT(write_html(sample_report(66)).size(), 300'000U);
}

}  // namespace
}  // namespace n2d2::report

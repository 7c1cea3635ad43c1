// A page of two reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/report/write.hpp"

#include "report/hostile_names.hpp"
#include "report/sample_report.hpp"

namespace n2d2::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Comparison, ShowsWhatDiffers) {
  const Report a = sample_report(4);
  Report b = a;
  b.tiles[0].value = "1,920 bytes", b.tiles[0].number = 1920;
  b.layers[2].kernel = "fc", b.layers[3].flash = *a.layers[3].flash * 2;
  b.layers.pop_back();
  const std::string page = write_comparison(a, b, "first", "second");
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">RAM</th><td class=\"n\">1,280 bytes</td>"
                              "<td class=\"n\"><b>1,920 bytes</b></td><td class=\"n\">+50.0 %</td>"));
  EXPECT_THAT(
      page,
      HasSubstr("<th scope=\"row\">conv2</th><td class=\"n\">conv2d</td><td class=\"n\"><b>fc</b></td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">first</th><th scope=\"col\">second</th>"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("script-src 'none'"));
}

TEST(Comparison, OfEqualReportsSaysSo) {
  const std::string page = write_comparison(sample_report(4), sample_report(4), "a", "b");
  EXPECT_THAT(page, HasSubstr("The figures of all layers are the same."));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
}

TEST(Comparison, HasTextWhereNamesAreScripts) {
  for (int seed = 0; seed < kHostileNames; ++seed) {
    const std::string name = hostile_name(seed);
    const std::string page =
        write_comparison(sample_report(3, name), sample_report(4, name), name, name + "2");
    ASSERT_EQ(page.find("<script"), std::string::npos) << seed;
    ASSERT_EQ(page.find("<img"), std::string::npos) << seed;
    ASSERT_EQ(page.find("\xE2\x80\xAE"), std::string::npos) << seed;
  }
}

}  // namespace
}  // namespace n2d2::report

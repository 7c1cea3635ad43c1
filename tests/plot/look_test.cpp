#include "look.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "n2d2/plot/chart.hpp"
#include "n2d2/plot/matrix.hpp"
#include "n2d2/plot/timeline.hpp"

#include "plot_files.hpp"

namespace n2d2::plot {
namespace {

/// The rules of report.html for white paper: what stands before those for dark screens.
std::string style() {
  std::ifstream in(N2D2_SOURCE_DIR "/src/report/page.css");
  std::stringstream text;
  text << in.rdbuf();
  return text.str().substr(0, text.str().find("@media"));
}

/// "--ink" as it stands in the style.
std::string value_in(const std::string& style, const std::string& name) {
  const size_t at = style.find(name + ":");
  if (at == std::string::npos) return "";
  const size_t from = at + name.size() + 1;
  return style.substr(from, style.find_first_of(";}", from) - from);
}

std::string text_of(Color color) {
  std::string out = "#";
  for (const double part : {color.r, color.g, color.b})
    for (const int shift : {4, 0})
      out += "0123456789abcdef"[(static_cast<int>(part * 255 + 0.5) >> shift) & 15];
  return out;
}

TEST(Look, HasTheColoursOfTheReport) {
  const std::string css = style();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(text_of(palette(i)), value_in(css, "--c" + std::to_string(i))) << i;
  EXPECT_EQ(text_of(palette(10)), text_of(palette(0)));
  EXPECT_EQ(text_of(palette(kLimit)), value_in(css, "--bad"));
  EXPECT_EQ(text_of(kInk), value_in(css, "--ink"));
  EXPECT_EQ(text_of(kDim), value_in(css, "--dim"));
  EXPECT_EQ(text_of(kRule), value_in(css, "--rule"));
}

TEST(Look, TintsAsTheReportDoes) {
  std::ifstream in(N2D2_SOURCE_DIR "/src/report/page.css");
  std::stringstream text;
  text << in.rdbuf();
  const std::string css = text.str();
  EXPECT_NE(css.find(".block{fill-opacity:.55;"), std::string::npos);
  EXPECT_NE(css.find(".bars{fill-opacity:.7}"), std::string::npos);
  EXPECT_EQ(kBlockOpacity, 0.55);
  EXPECT_EQ(kBarOpacity, 0.7);
  for (const int step : {1, 2, 3, 4, 5, 6, 7}) {
    const int percent = static_cast<int>(100 * tint(step) + 0.5);
    EXPECT_NE(css.find(".o" + std::to_string(step) + "{fill-opacity:." + std::to_string(percent) + "}"),
              std::string::npos)
        << step;
  }
  EXPECT_NE(css.find(".o8{fill-opacity:1}"), std::string::npos);
  EXPECT_NEAR(tint(8), 1, 0.011);
}

TEST(Look, TintsByTheLogarithmOfACount) {
  EXPECT_EQ(tint_step(1, 1), 8);
  EXPECT_EQ(tint_step(1, 1'000'000), 1) << "one among a million is seen";
  EXPECT_EQ(tint_step(1000, 1'000'000), 4);
  for (int64_t count = 1, before = 1; count < 1'000'000; count *= 2) {
    EXPECT_GE(tint_step(count, 1'000'000), before);
    before = tint_step(count, 1'000'000);
  }
}

TEST(Look, MarksAStepOfATimeline) {
  Timeline timeline;
  timeline.boxes.push_back({"a", 0, 0, 2, 0, 10});
  timeline.x_names = {"a", "b"};
  const std::string plain = png_of(draw(timeline));
  timeline.marked = 1;
  const std::string marked = png_of(draw(timeline));
  EXPECT_NE(marked, plain);
  timeline.marked = 0;
  EXPECT_NE(png_of(draw(timeline)), marked);
}

}  // namespace
}  // namespace n2d2::plot

#include "n2d2/plot/canvas.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

#include "plot_files.hpp"

namespace n2d2::plot {
namespace {

TEST(Canvas, WritesSvgAndPngOfTheStatedSize) {
  Canvas canvas(120, 80);
  canvas.rectangle(10, 10, 50, 20, palette(0));
  canvas.text(5, 70, "conv1", 12, palette(1), Align::Left, 45);
  const std::string svg = svg_of(canvas);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("viewBox=\"0 0 120 80\""), std::string::npos);
  const std::string png = png_of(canvas);
  ASSERT_GT(png.size(), 24u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png[19], 120);  // width and height are big-endian words at 16 and 20
  EXPECT_EQ(png[23], 80);
}

TEST(Canvas, WiderTextTakesMoreRoom) {
  const Canvas canvas(10, 10);
  EXPECT_GT(canvas.text_width("conv1 conv1", 12), canvas.text_width("conv1", 12));
  EXPECT_GT(canvas.text_width("conv1", 24), canvas.text_width("conv1", 12));
}

TEST(Canvas, ClipKeepsDrawingInside) {
  Canvas clipped(20, 20), blank(20, 20), open(20, 20);
  clipped.push_clip(0, 0, 5, 5);
  clipped.rectangle(10, 10, 5, 5, palette(0));
  clipped.pop_clip();
  open.rectangle(10, 10, 5, 5, palette(0));
  EXPECT_EQ(png_of(clipped), png_of(blank));
  EXPECT_NE(png_of(open), png_of(blank));
}

TEST(Canvas, SaysWhichFileCannotBeWritten) {
  const Canvas canvas(10, 10);
  const std::string file = testing::TempDir() + "no/such/folder/a";
  const std::string hint = "\n  hint: the folder must exist and be writable";
  try {
    canvas.write_png(file);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        file + ": expected a file that can be written, got: error while writing to output stream" + hint);
  }
  EXPECT_THROW(canvas.write_svg(file), ConfigError);
}

TEST(Canvas, RefusesAnImpossibleSize) {
  EXPECT_THROW(Canvas(0, 10), InternalError);
  EXPECT_THROW(Canvas(10, 20000), InternalError);
}

TEST(Canvas, TintsReachWhiteAndBlack) {
  EXPECT_DOUBLE_EQ(lighter(palette(3), 1).b, 1);
  EXPECT_DOUBLE_EQ(darker(palette(3), 1).r, 0);
  EXPECT_DOUBLE_EQ(palette(12).g, palette(2).g);
}

}  // namespace
}  // namespace n2d2::plot

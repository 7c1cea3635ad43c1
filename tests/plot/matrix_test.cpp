#include "n2d2/plot/matrix.hpp"

#include <gtest/gtest.h>

#include "plot_files.hpp"

namespace n2d2::plot {
namespace {

Matrix classes(int count) {
  Matrix matrix{
      "net", "expected", "estimated", {}, [](int row, int column) { return row == column ? 9 : 0; }};
  for (int i = 0; i < count; ++i) matrix.names.push_back("class " + std::to_string(i));
  return matrix;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

TEST(Matrix, NamesEveryClassInTextOfItsOwnUpToAHundred) {
  for (const int count : {1, 2, 10, 20, 21, 99, 100}) {
    const MatrixLayout layout = matrix_layout(count);
    EXPECT_EQ(layout.name_every, 1) << count;
    EXPECT_GE(layout.text_size, 11) << count;
    EXPECT_GE(layout.cell, layout.text_size + 2) << count;  // names of neighbours do not meet
    EXPECT_EQ(layout.has_counts, count <= 20);
  }
}

TEST(Matrix, NamesSomeOfManyClassesWithinTheLargestDrawing) {
  for (const int count : {101, 1000, 5000}) {
    const MatrixLayout layout = matrix_layout(count);
    EXPECT_GE(layout.cell * layout.name_every, layout.text_size + 2) << count;
    EXPECT_LE(layout.cell * count, 8000) << count;
  }
}

TEST(Matrix, DrawsATintForEachCellThatCounts) {
  const std::string svg = svg_of(draw(classes(30)));
  Matrix more = classes(30);
  more.count = [](int row, int column) { return row == column ? 9 : row == 3 && column == 4 ? 1 : 0; };
  EXPECT_EQ(count_of(svg_of(draw(more)), "<path"), count_of(svg, "<path") + 1);
}

TEST(Matrix, WritesEqualFilesForEqualMatrices) {
  EXPECT_EQ(svg_of(draw(classes(12))), svg_of(draw(classes(12))));
  EXPECT_NE(svg_of(draw(classes(12))), svg_of(draw(classes(13))));
}

TEST(Matrix, IsAsWideAsItsNamesAndCutsLongOnes) {
  Matrix longer = classes(10), endless = classes(10);
  longer.names[3] = "class of a longer name";
  EXPECT_GT(draw(longer).width(), draw(classes(10)).width());
  endless.names[3] = std::string(5000, 'x');
  EXPECT_LT(draw(endless).width(), 1000);
}

TEST(Matrix, FoldsAThousandClassesAndLosesNoCount) {
  Matrix many = classes(1003);
  many.count = [](int row, int column) { return row == column ? 9 : row == 1002 && column == 0 ? 4 : 0; };
  const Matrix few = folded(many);
  ASSERT_EQ(few.names.size(), 92U);  // eleven a cell
  EXPECT_EQ(few.names.front(), "class 0 .. class 10");
  EXPECT_EQ(few.names.back(), "class 1001 .. class 1002");
  EXPECT_EQ(few.title, "net (11 x 11 classes a cell)");
  EXPECT_EQ(few.count(0, 0), 99);
  EXPECT_EQ(few.count(91, 91), 18);
  EXPECT_EQ(few.count(91, 0), 4);
  EXPECT_LT(draw(many).width(), 2000);
  EXPECT_EQ(folded(classes(200)).names.size(), 200U);
}

TEST(Matrix, IsAnEmptyFrameWithoutClasses) {
  EXPECT_GT(png_of(draw(classes(0))).size(), 100U);
}

}  // namespace
}  // namespace n2d2::plot

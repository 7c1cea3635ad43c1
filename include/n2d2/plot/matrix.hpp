// How does a confusion matrix look? Counts as tints, with the names of rows and columns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "n2d2/plot/canvas.hpp"

namespace n2d2::plot {

struct Matrix {
  std::string title, row_title, column_title;
  /// Names of the rows and, in the same order, of the columns; long names are cut.
  std::vector<std::string> names;
  /// Count of row and column, both in [0, names.size()).
  std::function<int64_t(int row, int column)> count;
};

/// At most 100 names: of more than 200 classes, neighbours are added up, as many to a cell of the drawing as
/// it takes.
/// "first .. last" names them, and the title says how many they are.
Matrix folded(const Matrix& matrix);

/// The room that a matrix of so many classes has.
struct MatrixLayout {
  double cell = 0;          ///< pixels of the side of a cell
  double text_size = 0;     ///< of the names
  int name_every = 1;       ///< names of rows and columns 0, n, 2n, ... are shown: all of them up to 100
  bool has_counts = false;  ///< counts stand in the cells
};
MatrixLayout matrix_layout(int classes);

/// Tinted by the logarithm of the count, in eight steps as in report.html: one error among thousands is seen;
/// cells of the diagonal and beside it differ in colour. Names stand at all rows and columns up to 100
/// classes, at some of more; counts stand in the cells up to 20. An empty matrix is an empty frame.
Canvas draw(const Matrix& matrix);

}  // namespace n2d2::plot

#include "n2d2/plot/matrix.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "n2d2/base/bytes.hpp"

#include "axis.hpp"

namespace n2d2::plot {

namespace {

constexpr int kNamed = 100, kCounted = 20, kUnfolded = 200;
constexpr size_t kNameLetters = 24;
/// Numbers in tints above this opacity are white.
constexpr double kDark = 0.9;

std::string short_name(const std::string& name, size_t longest = kNameLetters) {
  if (name.size() <= longest) return name;
  return std::string(beginning(name, longest - 1)) + "\xE2\x80\xA6";  // an ellipsis
}

struct Frame {
  MatrixLayout layout;
  double left = 0, top = 0, size = 0;
  double at(int index) const { return index * layout.cell; }
};

void draw_names(Canvas& canvas, const Matrix& matrix, const Frame& f) {
  const auto count = static_cast<int>(matrix.names.size());
  const double middle = f.layout.cell / 2, drop = f.layout.text_size * 0.35;
  for (int i = 0; i < count; i += f.layout.name_every) {
    const std::string name = short_name(matrix.names[static_cast<size_t>(i)]);
    canvas.text(f.left - 6, f.top + f.at(i) + middle + drop, name, f.layout.text_size, kDim, Align::Right);
    canvas.text(f.left + f.at(i) + middle + drop, f.top + f.size + 6, name, f.layout.text_size, kDim,
                Align::Right, 90);
  }
}

void draw_cells(Canvas& canvas, const Matrix& matrix, const Frame& f) {
  const auto count = static_cast<int>(matrix.names.size());
  int64_t most = 1;
  for (int row = 0; row < count; ++row)
    for (int column = 0; column < count; ++column) most = std::max(most, matrix.count(row, column));
  for (int row = 0; row < count; ++row)
    for (int column = 0; column < count; ++column) {
      const int64_t n = matrix.count(row, column);
      if (n == 0) continue;
      const double opacity = tint(tint_step(n, most));
      const double x = f.left + f.at(column), y = f.top + f.at(row);
      canvas.rectangle(x, y, f.layout.cell, f.layout.cell,
                       with_opacity(palette(row == column ? 0 : 1), opacity));
      if (f.layout.has_counts)
        canvas.text(x + f.layout.cell / 2, y + f.layout.cell / 2 + 4, std::to_string(n), 11,
                    opacity > kDark ? Color{1, 1, 1} : kInk, Align::Center);
    }
}

}  // namespace

Matrix folded(const Matrix& matrix) {
  const auto count = static_cast<int>(matrix.names.size());
  if (count <= kUnfolded) return matrix;
  const int side = (count + kNamed - 1) / kNamed;
  Matrix out{fmt::format("{} ({} x {} classes a cell)", matrix.title, side, side),
             matrix.row_title,
             matrix.column_title,
             {},
             {}};
  for (int first = 0; first < count; first += side) {
    const int last = std::min(first + side, count) - 1;
    const std::string &from = matrix.names[static_cast<size_t>(first)],
                      &to = matrix.names[static_cast<size_t>(last)];
    out.names.push_back(first == last ? from
                                      : short_name(from, kNameLetters / 2 - 2) + " .. " +
                                            short_name(to, kNameLetters / 2 - 2));
  }
  out.count = [count, side, cells = matrix.count](int row, int column) {
    int64_t sum = 0;
    for (int r = row * side; r < std::min((row + 1) * side, count); ++r)
      for (int c = column * side; c < std::min((column + 1) * side, count); ++c) sum += cells(r, c);
    return sum;
  };
  return out;
}

MatrixLayout matrix_layout(int classes) {
  MatrixLayout out;
  out.has_counts = classes <= kCounted;
  // Cells are as high as a name up to 100 classes; then they shrink until the drawing has its largest size.
  out.cell = classes <= kCounted ? 40
             : classes <= kNamed ? 14
                                 : std::max(1.0, std::min(14.0, 8000.0 / classes));
  out.text_size = classes <= kCounted ? 12 : 11;
  while (out.cell * out.name_every < 13) ++out.name_every;
  return out;
}

Canvas draw(const Matrix& whole) {
  const Matrix matrix = folded(whole);
  const auto count = static_cast<int>(matrix.names.size());
  Frame f;
  f.layout = matrix_layout(count);
  f.size = std::max(120.0, f.at(count));
  double longest = 0;
  const Canvas ruler(1, 1);
  for (const std::string& name : matrix.names)
    longest = std::max(longest, ruler.text_width(short_name(name), f.layout.text_size));
  f.left = 44 + longest;
  f.top = 44;
  const double below = 14 + longest + 28;
  const double width = std::max(f.left + f.size + 24, ruler.text_width(matrix.title, kTitleSize) + 24);
  Canvas canvas(static_cast<int>(width) + 1, static_cast<int>(f.top + f.size + below) + 1);
  canvas.text(12, 24, matrix.title, kTitleSize, kInk);
  draw_cells(canvas, matrix, f);
  if (f.layout.cell >= 8)
    for (int i = 1; i < count; ++i) {
      canvas.line(f.left, f.top + f.at(i), f.left + f.size, f.top + f.at(i), kRule, 0.5);
      canvas.line(f.left + f.at(i), f.top, f.left + f.at(i), f.top + f.size, kRule, 0.5);
    }
  canvas.frame(f.left, f.top, f.size, f.size, kRule);
  draw_names(canvas, matrix, f);
  canvas.text(20, f.top + f.size / 2, matrix.row_title, kTextSize, kDim, Align::Center, 90);
  canvas.text(f.left + f.size / 2, canvas.height() - 12, matrix.column_title, kTextSize, kDim, Align::Center);
  return canvas;
}

}  // namespace n2d2::plot

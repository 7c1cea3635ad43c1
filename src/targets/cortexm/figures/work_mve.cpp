#include <array>

#include "work.hpp"

namespace n2d2::targets::cortexm {

namespace {

constexpr int kStep = 16;

/// As conv2d_mve.hpp and window_mve.hpp compute.
namespace mve_conv {

enum Term {
  kCall,
  kLines,
  kLineTiles,
  kShortRows,
  kLongRows,
  kLongSteps,
  kAnyTiles,
  kGathers,
  kFilledSteps,
  kTileSteps,
  kTileLoops,
  kTileGroups,
  kFullEnds,
  kFewCalls,
  kFewGroups,
  kSingleSteps,
  kSingleGroups,
  kOutputs,
  kGroups,
  kTerms
};
constexpr std::array<std::string_view, kTerms> kNames{"call",
                                                      "rows",
                                                      "tiles",
                                                      "short rows",
                                                      "long rows",
                                                      "steps of rows",
                                                      "tiles at borders",
                                                      "windows",
                                                      "filled steps",
                                                      "steps of tiles",
                                                      "loops of tiles",
                                                      "outputs of tiles",
                                                      "ends of 16",
                                                      "other ends",
                                                      "outputs of other ends",
                                                      "steps of pixels",
                                                      "outputs of pixels",
                                                      "blocks of outputs",
                                                      "groups"};

/// Instructions of four outputs with weights of 4 bits over those with bytes, of a tile and of a pixel.
constexpr double kNarrowTile = 28.0 / 22, kNarrowPixel = 11.0 / 7;

struct Walk {
  Walk(const CallShape& shape, Work& work) : s(shape), w(work) {
    c = s.in_c / s.groups, outputs = s.out_c / s.groups, steps = parts_of(s.kernel_h * s.kernel_w * c, kStep);
    runs = s.kernel_w == 1 || (s.dilation_x == 1 && s.in_pixel == c);
    const int reach = s.in_w - 1 - (s.kernel_w - 1) * s.dilation_x + s.pad_x;
    first = std::max(parts_of(s.pad_x, s.stride_x), s.border_left);
    end = std::min(reach < 0 || !runs ? 0 : reach / s.stride_x + 1, s.out_w - s.border_right) - 1;
  }

  void run_all(program::Rows rows) {
    w[kCall] += 1;
    if (s.groups == 1) return rows_of(rows);
    for (int y = rows.first; y < rows.first + rows.count; ++y)
      for (int g = 0; g < s.groups; ++g) w[kGroups] += 1, rows_of({y, 1});
  }

 private:
  void rows_of(program::Rows rows) {
    const int pixels = rows.count * s.out_w, size = s.tile_pixels;
    const bool is_flat = s.kernel_w == 1 && s.kernel_h == 1 && s.stride_x == 1 && s.stride_y == 1 &&
                         s.pad_x == 0 && s.pad_y == 0 && s.in_ring == 0 && s.out_ring == 0 &&
                         s.in_w == s.out_w && s.in_row == s.in_w * s.in_pixel && !s.has_borders();
    w[kLines] += is_flat ? 1 : rows.count;
    for (int at = 0; at < pixels; at += size) {
      const int y = rows.first + at / s.out_w, x = at % s.out_w;
      const bool two = size == 2 && at + 1 < pixels;
      if (two && (is_flat || (x >= first && x < end && s.rows_inside(y) == s.kernel_h)))
        line_tile();
      else
        any_tile(y, x, two);
    }
  }
  void line_tile() {
    w[kLineTiles] += 1;
    copy(s.kernel_h == 1 ? 1 : s.kernel_h, s.kernel_w * c, 2);
    tile(true);
  }
  void any_tile(int y, int x, bool two) {
    w[kAnyTiles] += 1;
    gather(y, x);
    if (!two) return tile(false);
    const int next_y = x + 1 == s.out_w ? y + 1 : y, next_x = x + 1 == s.out_w ? 0 : x + 1;
    gather(next_y, next_x);
    if (kind(y, x) == kind(next_y, next_x)) return tile(true);
    tile(false), tile(false);
  }
  void gather(int y, int x) {
    const int rows = s.rows_inside(y), columns = s.columns_inside(x);
    w[kGathers] += 1;
    if (rows < s.kernel_h || columns < s.kernel_w)
      w[kFilledSteps] += parts_of(s.kernel_h * s.kernel_w * c, kStep);
    if (columns == 0 || rows == 0) return;
    runs ? copy(rows, columns * c, 1) : copy(rows * columns, c, 1);
  }
  void copy(int rows, int bytes, int windows) {
    const double all = static_cast<double>(rows) * windows;
    if (bytes <= kStep)
      w[kShortRows] += all;
    else
      w[kLongRows] += all, w[kLongSteps] += all * parts_of(bytes, kStep);
  }
  int kind(int y, int x) const {
    const auto border = [](int i, int size, int leading, int trailing) {
      return i < leading ? i : i < size - trailing ? leading : i;
    };
    return border(y, s.out_h, s.border_top, s.border_bottom) * s.out_w +
           border(x, s.out_w, s.border_left, s.border_right);
  }
  void tile(bool two) {
    for (int left = outputs; left > 0; left -= kStep) {
      const int n = std::min(left, kStep), groups = parts_of(n, 4);
      w[kOutputs] += 1;
      if (two)
        w[kTileGroups] += groups * (s.is_narrow ? kNarrowTile : 1), w[kTileSteps] += groups * steps,
            w[kTileLoops] += groups * parts_of(steps, 4);
      else
        w[kSingleGroups] += groups * (s.is_narrow ? kNarrowPixel : 1), w[kSingleSteps] += groups * steps;
      if (two && n == kStep)
        w[kFullEnds] += 1;
      else
        w[kFewCalls] += two ? 2 : 1, w[kFewGroups] += (two ? 2 : 1) * groups;
    }
  }

  const CallShape& s;
  Work& w;
  int c, outputs, steps, first, end;
  bool runs;
};

void add(const CallShape& shape, program::Rows rows, Work& work) {
  Walk(shape, work).run_all(rows);
}

}  // namespace mve_conv

/// As depthwise_mve.hpp computes.
namespace mve_depthwise {

enum Term {
  kCall,
  kRows,
  kPieces,
  kBlocks,
  kColumns,
  kUnits,
  kStored,
  kOddColumns,
  kOddPixels,
  kFilled,
  kTerms
};
constexpr std::array<std::string_view, kTerms> kNames{
    "call",   "rows",        "pieces",     "blocks of channels", "columns", "windows of 16 channels",
    "stores", "odd columns", "odd pixels", "filled steps"};
constexpr int kColumn = 64;

void add_piece(const CallShape& s, int unit, int x, int pixels, Work& w) {
  const int column = kColumn / unit, blocks = parts_of(s.out_c, kStep);
  int first = x * s.stride_x - s.pad_x;
  int columns = (pixels - 1) * s.stride_x + (s.kernel_w - 1) * s.dilation_x + 1;
  const int left = first < 0 ? std::min(-first, columns) : 0;
  first += left, columns -= left;
  const int right = first + columns > s.in_w ? std::min(first + columns - s.in_w, columns) : 0;
  columns -= right;
  if (columns % unit != 0 && first + columns < s.in_w) ++columns;
  w[kPieces] += 1, w[kBlocks] += blocks;
  w[kColumns] += blocks * (columns / unit), w[kOddColumns] += blocks * (columns % unit);
  w[kUnits] += blocks * parts_of(pixels, unit), w[kStored] += blocks * (pixels / unit);
  w[kOddPixels] += blocks * (pixels % unit), w[kFilled] += (left + right) * column / kStep;
}

void add(const CallShape& s, program::Rows rows, Work& w) {
  w[kCall] += 1, w[kRows] += rows.count;
  const int unit = s.in_c == 8 && s.in_pixel == 8 && s.out_pixel == 8 && s.stride_x == 1 ? 2 : 1;
  const int stride = unit * s.stride_x, column = kColumn / unit;
  const int room = s.piece_bytes - (3 * s.dilation_x + unit - stride) * column;
  const int most = std::max(1, unit * (room / (stride * column + kColumn)));
  const int count = parts_of(s.out_w, most), size = unit * parts_of(parts_of(s.out_w, count), unit);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < s.out_w; x += size) add_piece(s, unit, x, std::min(size, s.out_w - x), w);
}

}  // namespace mve_depthwise

constexpr std::array kWorkOfMve{WorkOf{"conv2d_mve", mve_conv::kNames, mve_conv::add},
                                WorkOf{"fc_mve", mve_conv::kNames, mve_conv::add},
                                WorkOf{"depthwise_mve", mve_depthwise::kNames, mve_depthwise::add}};

}  // namespace

std::span<const WorkOf> work_of_mve() {
  return kWorkOfMve;
}

}  // namespace n2d2::targets::cortexm

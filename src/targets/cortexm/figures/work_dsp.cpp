#include <array>

#include "work.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// As conv_tiles_dsp.hpp and gather_dsp.hpp compute.
namespace dsp_conv {

enum Term {
  kCall,
  kPieces,
  kTiles,
  kSingles,
  kRows,
  kQuads,
  kTails,
  kCleared,
  kTaps,
  kTapQuads,
  kStrips,
  kStripBytes,
  kPixelRows,
  kPixelQuads,
  kParts,
  kPartBytes,
  kTileWords,
  kTilePairs,
  kTileBlocks,
  kTileOdd,
  kSingleWords,
  kSinglePairs,
  kSingleBlocks,
  kTerms
};
constexpr std::array<std::string_view, kTerms> kNames{"call",
                                                      "pieces",
                                                      "tiles",
                                                      "single pixels",
                                                      "rows of tiles",
                                                      "words of rows",
                                                      "ends of rows",
                                                      "cleared words",
                                                      "taps",
                                                      "words of taps",
                                                      "strips",
                                                      "bytes of strips",
                                                      "rows of pixels",
                                                      "words of pixels",
                                                      "parts of rows",
                                                      "bytes of parts",
                                                      "products of tiles",
                                                      "pairs of tiles",
                                                      "blocks of tiles",
                                                      "odd outputs",
                                                      "products of pixels",
                                                      "pairs of pixels",
                                                      "blocks of pixels"};
/// With weights of 4 bits: instructions of a word and of a pair of outputs over those with bytes.
constexpr double kNarrowTile = 110.0 / 102, kNarrowPixel = 37.0 / 32, kNarrowPair = 1.5;
constexpr int kPairsOfBlock = 4, kBytesOfPart = 32, kBytesOfStrip = 64;

constexpr int run_words(int n) {
  return n / 4 * 2 + (n % 4 + 1) / 2;
}

struct Walk {
  Walk(const CallShape& shape, program::Rows rows, Work& work) : s(shape), w(work), rows_(rows) {
    in_w = s.in_w, in_h = s.in_h, out_w = s.out_w;
    group_c = s.in_c / s.groups, run = s.kernel_w * group_c;
    runs = s.kernel_w == 1 || (s.dilation_x == 1 && s.in_pixel == group_c);
    outputs = s.out_c / s.groups, pairs = s.is_narrow ? parts_of(outputs, 4) * 2 : (outputs + 1) / 2;
    words = parts_of(s.kernel_h * run_words(run), 4);
  }

  void run_all() {
    w[kCall] += 1;
    int n = s.out_w, lines = rows_.count, first = rows_.first * s.out_w;
    const bool is_joined = s.groups == 1 && !s.has_borders();
    if (is_joined) n *= lines, lines = lines > 0 ? 1 : 0;
    const bool is_one_row = s.kernel_w == 1 && s.kernel_h == 1 && s.stride_x == 1 && s.stride_y == 1 &&
                            is_joined && s.pad_x == 0 && s.pad_y == 0 && s.in_w == s.out_w &&
                            s.in_h == s.out_h && s.in_ring == 0 && s.out_ring == 0 &&
                            s.in_row == s.in_w * s.in_pixel;
    if (is_one_row) in_w = out_w = n, in_h = 1, first = 0;
    for (int i = 0; i < lines; ++i) line(first + i * n, n);
  }

 private:
  int border(int i, int size, int leading, int trailing) const {
    return i < leading ? i : i < size - trailing ? leading : i;
  }
  int kind(int oy, int ox) const {
    return border(oy, s.out_h, s.border_top, s.border_bottom) * s.out_w +
           border(ox, s.out_w, s.border_left, s.border_right);
  }
  void line(int first, int n) {
    const int pixels = s.tile_pixels, tiles = pixels > 1 ? n / pixels : 0;
    for (int i = 0; i < tiles; ++i) {
      const int at = first + i * pixels, oy = at / out_w, ox = at % out_w;
      if (s.has_borders() && kind(oy, ox) != kind(oy, ox + pixels - 1))
        for (int p = 0; p < pixels; ++p) single(oy, ox + p);
      else
        tile(oy, ox);
    }
    for (int at = first + tiles * pixels; at < first + n; ++at) single(at / out_w, at % out_w);
  }
  void tile(int oy, int ox) {
    const double g = s.groups;
    w[kPieces] += 1, w[kTiles] += g;
    w[kTileWords] += g * pairs * words * (s.is_narrow ? kNarrowTile : 1);
    w[kTilePairs] += g * pairs * (s.is_narrow ? kNarrowPair : 1);
    w[kTileBlocks] += g * parts_of(pairs, kPairsOfBlock), w[kTileOdd] += g * (outputs % 2) * s.tile_pixels;
    for (int i = 0; i < s.groups; ++i) gather(oy, ox);
  }
  void single(int oy, int ox) {
    const double g = s.groups;
    w[kPieces] += 1, w[kSingles] += g;
    w[kSingleWords] += g * pairs * words * (s.is_narrow ? kNarrowPixel : 1), w[kSinglePairs] += g * pairs;
    w[kSingleBlocks] += g * parts_of(pairs, kPairsOfBlock);
    for (int i = 0; i < s.groups; ++i) pixel(oy, ox);
  }
  void gather(int oy, int ox) {
    const int pixels = s.tile_pixels, x0 = ox * s.stride_x - s.pad_x;
    const int columns = (pixels - 1) * s.stride_x + s.kernel_w;
    const int rows = CallShape::inside(oy * s.stride_y - s.pad_y, s.kernel_h, s.dilation_y, in_h);
    if (runs && ox + pixels <= out_w && x0 >= 0 && x0 + columns <= in_w) return widen(rows, pixels);
    if (group_c % 4 == 0) {
      const double taps = s.kernel_h * s.kernel_w;
      w[kTaps] += taps * parts_of(group_c, kBytesOfStrip), w[kTapQuads] += taps * group_c / 4;
      return;
    }
    if (runs && s.in_pixel == group_c && ox + pixels <= out_w && columns * group_c <= kBytesOfStrip) {
      const int inside = std::min(columns, in_w - x0) - std::max(0, -x0);
      w[kStrips] += 1, w[kStripBytes] += static_cast<double>(rows) * inside * group_c;
      return widen(rows, pixels);
    }
    for (int p = 0; p < pixels; ++p) {
      pixel(oy, ox);
      if (++ox == out_w) ox = 0, ++oy;
    }
  }
  void widen(int rows, int pixels) {
    w[kRows] += rows, w[kQuads] += rows * (run / 4), w[kTails] += run % 4 != 0 ? rows : 0;
    w[kCleared] += (s.kernel_h - rows) * run_words(run) * pixels;
  }
  void pixel(int oy, int ox) {
    const int x0 = ox * s.stride_x - s.pad_x;
    const int rows = CallShape::inside(oy * s.stride_y - s.pad_y, s.kernel_h, s.dilation_y, in_h);
    const int columns = CallShape::inside(x0, s.kernel_w, s.dilation_x, in_w);
    w[kPixelRows] += s.kernel_h;
    if (runs && columns == s.kernel_w) {
      w[kPixelQuads] += rows * (run / 4 + (run % 4 != 0 ? 1 : 0));
      w[kCleared] += (s.kernel_h - rows) * run_words(run);
    } else if (runs && run <= kBytesOfPart) {
      w[kParts] += rows, w[kPartBytes] += rows * columns * group_c;
      w[kPixelQuads] += rows * parts_of(run, 4), w[kCleared] += (s.kernel_h - rows) * run_words(run);
    } else {
      w[kCleared] += s.kernel_h * run_words(run);
      w[kParts] += runs ? rows : rows * columns;
      if (group_c % 4 == 0)
        w[kPixelQuads] += rows * columns * group_c / 4;
      else
        w[kPartBytes] += rows * columns * group_c;
    }
  }

  const CallShape& s;
  Work& w;
  program::Rows rows_;
  int in_w, in_h, out_w, group_c, run, outputs, pairs, words;
  bool runs;
};

void add(const CallShape& shape, program::Rows rows, Work& work) {
  Walk(shape, rows, work).run_all();
}

}  // namespace dsp_conv

/// As depthwise_dsp.hpp computes.
namespace dsp_depthwise {

enum Term { kCall, kRows, kPixels, kCoded, kQuads, kQuadTaps, kPlain, kPlainTaps, kTerms };
constexpr std::array<std::string_view, kTerms> kNames{"call",
                                                      "rows",
                                                      "pixels",
                                                      "pixels by words",
                                                      "four channels",
                                                      "taps of four channels",
                                                      "channels by bytes",
                                                      "taps by bytes"};

void add(const CallShape& s, program::Rows rows, Work& w) {
  w[kCall] += 1, w[kRows] += rows.count, w[kPixels] += static_cast<double>(rows.count) * s.out_w;
  const int quads = s.in_c / 4;
  for (int oy = rows.first; oy < rows.first + rows.count; ++oy)
    for (int ox = 0; ox < s.out_w; ++ox) {
      const int inside = s.rows_inside(oy), columns = s.columns_inside(ox);
      const bool is_coded = inside >= 2 && columns >= 2 && quads > 0;
      if (is_coded) w[kCoded] += 1, w[kQuads] += quads, w[kQuadTaps] += quads * inside * columns;
      const int plain = is_coded ? s.in_c % 4 : s.in_c;
      w[kPlain] += plain, w[kPlainTaps] += plain * inside * columns;
    }
}

}  // namespace dsp_depthwise

constexpr std::array kWorkOfDsp{WorkOf{"conv2d_dsp", dsp_conv::kNames, dsp_conv::add},
                                WorkOf{"conv2d_dsp_small", dsp_conv::kNames, dsp_conv::add},
                                WorkOf{"fc_dsp", dsp_conv::kNames, dsp_conv::add},
                                WorkOf{"depthwise_dsp", dsp_depthwise::kNames, dsp_depthwise::add}};

}  // namespace

std::span<const WorkOf> work_of_dsp() {
  return kWorkOfDsp;
}

}  // namespace n2d2::targets::cortexm

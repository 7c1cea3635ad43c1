#include <array>

#include "work.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// As conv2d_scalar.hpp and gather_scalar.hpp compute.
namespace scalar_conv {

enum Term {
  kCall,
  kFours,
  kGathers,
  kRows,
  kOtherRows,
  kTaps,
  kInputs,
  kSignedInputs,
  kPairProducts,
  kPairs,
  kSegments,
  kOdd,
  kTerms
};
constexpr std::array<std::string_view, kTerms> kNames{
    "call",     "tiles",           "gathered tiles",         "rows of one row",   "rows of several rows",
    "taps",     "inputs of tiles", "signed inputs of tiles", "products of tiles", "pairs of tiles",
    "segments", "odd outputs"};
constexpr int kPixels = 4, kSegment = 128, kZeros = 64;

struct Pixel {
  int y, x;
};

struct Walk {
  Walk(const CallShape& shape, Work& work) : s(shape), w(work) {
    channels = s.in_c / s.groups, outputs = s.out_c / s.groups;
    inputs = parts_of(s.kernel_w * s.kernel_h * channels, 4) * 4;
  }

  void run_all(program::Rows rows) {
    w[kCall] += 1;
    std::vector<Pixel> four;
    for (int y = rows.first; y < rows.first + rows.count; ++y)
      for (int x = 0; x < s.out_w; ++x) {
        if (!four.empty() && kind(four.front()) != kind({y, x})) tile(four);
        four.push_back({y, x});
        if (four.size() == kPixels || (s.groups > 1 && x + 1 == s.out_w)) tile(four);
      }
    if (!four.empty()) tile(four);
  }

 private:
  int kind(const Pixel& p) const {
    const auto border = [](int i, int size, int leading, int trailing) {
      return i < leading ? i : i < size - trailing ? leading : i;
    };
    return s.has_borders() ? border(p.y, s.out_h, s.border_top, s.border_bottom) * s.out_w +
                                 border(p.x, s.out_w, s.border_left, s.border_right)
                           : 0;
  }
  void tile(std::vector<Pixel>& four) {
    const int pairs = (outputs + 1) / 2;
    bool inside_width = true;
    for (const Pixel& p : four) inside_width = inside_width && s.columns_inside(p.x) == s.kernel_w;
    const bool runs = inside_width && s.dilation_x == 1 && s.in_pixel == channels;
    const bool is_one_row = four.front().y == four.back().y;
    w[kFours] += 1;
    const double g = s.groups;
    w[kGathers] += g, w[kPairs] += g * pairs, w[kPairProducts] += g * pairs * inputs;
    w[kSegments] += g * pairs * parts_of(inputs, kSegment), w[kOdd] += g * (outputs % 2);
    for (int ky = 0; ky < s.kernel_h; ++ky) row(four, ky, runs, is_one_row);
    four.clear();
  }
  void row(const std::vector<Pixel>& four, int ky, bool runs, bool is_one_row) {
    const double g = s.groups, n = s.kernel_w * channels;
    bool all_inside = true;
    for (const Pixel& p : four) {
      const int y = p.y * s.stride_y - s.pad_y + ky * s.dilation_y;
      all_inside = all_inside && y >= 0 && y < s.in_h;
    }
    w[kInputs] += g * n, w[kSignedInputs] += s.is_signed ? g * n : 0;
    if (runs && is_one_row && all_inside)
      w[kRows] += g;
    else if (runs && all_inside)
      w[kOtherRows] += g;
    else
      w[kOtherRows] += g, w[kTaps] += g * s.kernel_w * parts_of(channels, kZeros);
  }

  const CallShape& s;
  Work& w;
  int channels, outputs, inputs;
};

void add(const CallShape& shape, program::Rows rows, Work& work) {
  Walk(shape, work).run_all(rows);
}

}  // namespace scalar_conv

/// As depthwise_scalar.hpp computes.
namespace scalar_depthwise {

enum Term {
  kCall,
  kRows,
  kOnes,
  kOneChannels,
  kOneTaps,
  kTwos,
  kTwoChannels,
  kTwoRows,
  kWide,
  kPlain,
  kPlainTaps,
  kTerms
};
constexpr std::array<std::string_view, kTerms> kNames{"call",
                                                      "rows",
                                                      "single pixels",
                                                      "channels of pixels",
                                                      "taps of pixels",
                                                      "two pixels",
                                                      "channels of two",
                                                      "rows of two",
                                                      "rows of two apart",
                                                      "channels in loops",
                                                      "taps in loops"};

void add_row(const CallShape& s, int oy, Work& w) {
  const double c = s.in_c;
  const int inside = s.rows_inside(oy);
  if (inside < 2 || s.in_w < 2 || s.pad_x > 1 || (s.out_w - 1) * s.stride_x - s.pad_x + 2 > s.in_w) {
    w[kPlain] += c * s.out_w;
    for (int x = 0; x < s.out_w; ++x) w[kPlainTaps] += c * inside * s.columns_inside(x);
    return;
  }
  for (int x = 0; x < s.out_w;) {
    const int ix = x * s.stride_x - s.pad_x;
    if (ix >= 0 && ix + s.stride_x + 3 <= s.in_w && s.stride_x <= 2 && x + 1 < s.out_w) {
      w[kTwos] += 1, w[kTwoChannels] += c, w[s.stride_x == 1 ? kTwoRows : kWide] += c * inside, x += 2;
    } else {
      w[kOnes] += 1, w[kOneChannels] += c, w[kOneTaps] += c * inside * s.columns_inside(x), x += 1;
    }
  }
}

void add(const CallShape& s, program::Rows rows, Work& w) {
  w[kCall] += 1, w[kRows] += rows.count;
  for (int oy = rows.first; oy < rows.first + rows.count; ++oy) add_row(s, oy, w);
}

}  // namespace scalar_depthwise

constexpr std::array kWorkOfScalar{
    WorkOf{"conv2d_scalar", scalar_conv::kNames, scalar_conv::add},
    WorkOf{"depthwise_scalar", scalar_depthwise::kNames, scalar_depthwise::add}};

}  // namespace

std::span<const WorkOf> work_of_scalar() {
  return kWorkOfScalar;
}

}  // namespace n2d2::targets::cortexm

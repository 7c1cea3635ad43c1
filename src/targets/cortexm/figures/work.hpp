// How often does a call do what costs instructions? Counted from shapes, as the kernels of
// export/CPP_CortexM/kernels are built; figures/costs.cpp says what each of it costs on each machine.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::targets::cortexm {

/// The fields of a call's config that work depends on, by their names there.
struct CallShape {
  int in_w = 1, in_h = 1, in_c = 1, out_w = 1, out_h = 1, out_c = 1;
  int in_pixel = 1, in_row = 0, in_ring = 0, out_pixel = 1, out_row = 0, out_ring = 0, bottom_up = 0;
  int kernel_w = 1, kernel_h = 1, stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1;
  int pad_x = 0, pad_y = 0, groups = 1;
  int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0;
  int tile_pixels = 1, piece_bytes = 0;
  int inputs = 1;  ///< maps that it reads
  bool is_signed = false, is_depthwise = false, is_whole_map = false;
  bool is_narrow = false;   ///< weights have 4 bits, in the order of the kernel
  bool has_fields = false;  ///< weights have fewer than 8 bits, in the order of narrow.hpp

  bool has_borders() const { return (border_top | border_bottom | border_left | border_right) != 0; }
  /// Taps along an axis that are on the map, for a window whose first tap is at `start`.
  static int inside(int start, int taps, int dilation, int size) {
    int n = 0;
    for (int k = 0; k < taps; ++k) n += start + k * dilation >= 0 && start + k * dilation < size ? 1 : 0;
    return n;
  }
  int rows_inside(int oy) const { return inside(oy * stride_y - pad_y, kernel_h, dilation_y, in_h); }
  int columns_inside(int ox) const { return inside(ox * stride_x - pad_x, kernel_w, dilation_x, in_w); }
};

/// Rounded up.
inline constexpr int parts_of(int n, int size) {
  return (n + size - 1) / size;
}

/// How often each term of a kernel is done.
using Work = std::vector<double>;

/// What is counted of a kernel.
struct WorkOf {
  std::string_view kernel;
  std::span<const std::string_view> terms;
  /// Adds the work for output rows `rows`, whose count is not -1.
  void (*add)(const CallShape& shape, program::Rows rows, Work& work);
};

/// That of a kernel by its name; of those that have none of their own, what any layer does.
const WorkOf& work_of(std::string_view kernel);
std::span<const WorkOf> work_of_dsp();
std::span<const WorkOf> work_of_mve();
std::span<const WorkOf> work_of_scalar();
const WorkOf& work_of_any();

}  // namespace n2d2::targets::cortexm

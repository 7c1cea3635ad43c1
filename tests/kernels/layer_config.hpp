// Answers: which fields does a kernel read? As the framework's host run passes them. Bound is int or float.
#pragma once

namespace n2d2::kernels_test {

template <class Bound>
struct Config {
  int in_w = 1, in_h = 1, in_c = 1, in_pixel = 1, in_row = 1, in_ring = 0, in_first = 0, in_turn = 0;
  int out_w = 1, out_h = 1, out_c = 1, out_pixel = 1, out_row = 1, out_ring = 0, out_first = 0, out_turn = 0;
  int bottom_up = 0, ordered = 1;
  Bound lo = 0, hi = 0;
  int shift = 0, factor_step = 0, parallel = 0;
  int kernel_w = 1, kernel_h = 1, dilation_x = 1, dilation_y = 1, groups = 1;
  int pool_w = 1, pool_h = 1, count_zeros = 0;
  int by_count = 0, counted_x = 0, counted_y = 0, counted_w = 0, counted_h = 0;
  int stride_x = 1, stride_y = 1, pad_x = 0, pad_y = 0, pad_value = 0;
  int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0;
  int packed = 0, matrix = 1, whole_rows = 1, small_factors = 0;
  int out_offset = 0;
  int left = 0, top = 0;
  Bound threshold = 0;
  int64_t start = 0;
};

}  // namespace n2d2::kernels_test

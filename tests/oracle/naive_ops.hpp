// Answers: what must a layer compute, written so plainly that one look is enough?
//
// Judges the kernels and the exported project; shares no code with them. Values are int64_t (integer
// networks) or double (float networks), maps are dense HWC. Integer layers return accumulators; rescale_*
// turns one into an output.
#pragma once

#include <cstdint>
#include <vector>

namespace n2d2::oracle {

// A map of h rows, w pixels, c channels; v[(y * w + x) * c + k].
template <class T>
struct Map {
  int h = 0, w = 0, c = 0;
  std::vector<T> v;

  Map() = default;
  Map(int rows, int columns, int channels);
  T& at(int y, int x, int k);
  T at(int y, int x, int k) const;
  // As at(), and 0 outside the map: zero padding.
  T padded(int y, int x, int k) const;
};

// Window of a convolution or a pool: size, stride, dilation, and padding left and top.
struct Window {
  int w = 1, h = 1, stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1, pad_x = 0, pad_y = 0;
};

// The map with pixels of `value` beside it, as many as windows of an output of h rows and w pixels can see.
template <class T>
Map<T> framed(const Map<T>& in, const Window& window, int h, int w, T value) {
  const int right = (w - 1) * window.stride_x + (window.w - 1) * window.dilation_x + 1 - window.pad_x;
  const int bottom = (h - 1) * window.stride_y + (window.h - 1) * window.dilation_y + 1 - window.pad_y;
  Map<T> out(window.pad_y + std::max(in.h, bottom), window.pad_x + std::max(in.w, right), in.c);
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x)
      for (int k = 0; k < out.c; ++k) {
        const int row = y - window.pad_y, column = x - window.pad_x;
        const bool is_map = row >= 0 && row < in.h && column >= 0 && column < in.w;
        out.at(y, x, k) = is_map ? in.at(row, column, k) : value;
      }
  return out;
}
// A window that begins at the corner of what framed() makes.
inline Window within(Window window) {
  window.pad_x = window.pad_y = 0;
  return window;
}

// bias[o] + sum of x * weights[o][ky][kx][c of the group] for an output of h rows and w pixels.
// Weights [bias.size()][window.h][window.w][in.c / groups].
template <class T>
Map<T> conv(const Map<T>& in, const Window& window, int h, int w, int groups, const std::vector<T>& weights,
            const std::vector<T>& bias);

// A convolution with a row of biases for each kind of pixel: rows [kinds along y][kinds along x][outputs].
template <class T>
Map<T> conv_with_rows(const Map<T>& in, const Window& window, int h, int w, int groups,
                      const std::vector<T>& weights, const std::vector<T>& rows, int outputs);

// Numbers of the outputs along an axis, from 0 on: a window that reaches beyond [0, in) has one of its own,
// neighbours that do not share one.
std::vector<int> kinds_along(int in, int out, int kernel, int stride, int dilation, int pad);

// bias[o] + sum of x * weights[o][y][x][c]; a map of one pixel.
template <class T>
Map<T> fc(const Map<T>& in, const std::vector<T>& weights, const std::vector<T>& bias);

// Sum over the whole window, padding counting as zeros.
template <class T>
Map<T> window_sum(const Map<T>& in, const Window& window, int h, int w);

// Largest value of the window; outside the map: zeros if count_zeros, else not there. 0 for a window wholly
// outside.
template <class T>
Map<T> max_pool(const Map<T>& in, const Window& window, int h, int w, bool count_zeros);

// sum over p of in[p] * multiplier[p].
template <class T>
Map<T> weighted_sum(const std::vector<Map<T>>& in, const std::vector<T>& multiplier);

// The sum and the product of all operands, where a map of one row, one column or one channel is repeated to
// the size given.
template <class T>
Map<T> repeated(const Map<T>& in, int h, int w, int c);
template <class T>
Map<T> product(const std::vector<Map<T>>& in);

// Each value's entry: row `channel` (or the only one) of a table whose entry i stands for the integer i, or i
// - entries.
Map<int64_t> look_up(const Map<int64_t>& in, const std::vector<int64_t>& table, int64_t entries);

// Shares of groups of channels in units of 2^-24: powers of the distance to the largest, divided by their
// sum.
Map<int64_t> shares(const Map<int64_t>& in, int group, const std::vector<int64_t>& powers);

// Channels of all maps, one map after the other.
template <class T>
Map<T> concat(const std::vector<Map<T>>& in);

// Per pixel the first of the largest channels; of a single channel whether it is above the threshold.
template <class T>
std::vector<int32_t> argmax(const Map<T>& in, T threshold);

// Floating-point: float32(x) * s, clamped to [lo, hi], nearest, ties to even.
int64_t rescale_float(int64_t x, float s, int64_t lo, int64_t hi);
// Fixed-point: floor((x * m + 2^(f-1)) / 2^f), clamped to [lo, hi]; without the half if
// f = 0.
int64_t rescale_fixed(int64_t x, int64_t m, int f, int64_t lo, int64_t hi);
// Single-shift and Double-shift: a term x << (e - e_i) for each of the exponents e_i,
// the last and largest of which is e; (sum of the terms + 2^(e-1)) >> e, clamped.
int64_t rescale_shifted(int64_t x, const std::vector<int>& exponents, int64_t lo, int64_t hi);

}  // namespace n2d2::oracle

// Answers: what does a layer of convolutions compute, in plain loops, and where do its maps lie?
#pragma once

#include <cmath>
#include <vector>

#include "scalar_report.hpp"

namespace n2d2::scalar_test {

/// The config of a layer as the host run passes it.
struct LayerConfig {
  int in_w, in_h, in_c, in_pixel, in_row, in_ring, in_first, in_turn;
  int out_w, out_h, out_c, out_pixel, out_row, out_ring, out_first, out_turn;
  int bottom_up, ordered, lo, hi, shift, factor_step, parallel;
  int kernel_w, kernel_h, stride_x, stride_y, dilation_x, dilation_y, pad_x, pad_y, groups;
  int border_top, border_bottom, border_left, border_right;
};

/// A map of bytes in a memory: gaps between pixels and rows, or a ring that wraps once.
struct Map {
  int h, w, c, pixel, row, ring = 0, first = 0, turn = 0;

  static Map dense(int h, int w, int c) { return {h, w, c, c, w * c}; }
  static Map draw(Draw& draw, int h, int w, int c) {
    Map m = dense(h, w, c);
    if (draw.one_in(3)) m.pixel = c + draw.in(1, 3), m.row = w * m.pixel;
    if (draw.one_in(3)) m.row += draw.in(1, 5);
    if (draw.one_in(3)) m.ring = h, m.first = draw.in(0, h - 1), m.turn = h * m.row + draw.in(0, 7);
    return m;
  }
  /// Rows before the wrap lie behind all others, at most a turn lower.
  int start() const { return ring > 0 ? turn : 0; }
  int bytes() const { return start() + h * row; }
  int at(int y, int x, int channel) const {
    const int wraps = ring > 0 && y + first >= ring ? 1 : 0;
    return start() + y * row - wraps * turn + x * pixel + channel;
  }
};

inline int kind_of_border(int i, int size, int leading, int trailing) {
  if (i < leading) return i;
  const int middle = size - leading - trailing;
  if (i < leading + middle) return leading;
  return i - middle + (middle > 0 ? 1 : 0);
}

/// A layer with everything that it reads.
struct Layer {
  LayerConfig c{};
  Map from, to;
  bool depthwise = false, signed_in = false, signed_out = false, fixed = false;
  std::vector<int8_t> weights;  // of a convolution [o][ky][kx][c], depthwise [ky][kx][c]
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;
  std::vector<uint8_t> memory;  // of the input

  int channels() const { return c.in_c / c.groups; }
  int taps() const { return c.kernel_w * c.kernel_h; }
  int bias_rows() const { return static_cast<int>(bias.size()) / c.out_c; }
  int input(int y, int x, int channel) const {
    if (y < 0 || y >= c.in_h || x < 0 || x >= c.in_w) return 0;
    const uint8_t byte = memory[static_cast<size_t>(from.at(y, x, channel))];
    return signed_in ? static_cast<int8_t>(byte) : byte;
  }
  int32_t bias_of(int y, int x, int o) const {
    const int columns = kind_of_border(c.out_w - 1, c.out_w, c.border_left, c.border_right) + 1;
    const int row = kind_of_border(y, c.out_h, c.border_top, c.border_bottom);
    const int column = kind_of_border(x, c.out_w, c.border_left, c.border_right);
    return bias[static_cast<size_t>((row * columns + column) * c.out_c + o)];
  }
  int32_t sum(int y, int x, int o) const {
    int32_t sum = bias_of(y, x, o);
    const int first = depthwise ? o : o / (c.out_c / c.groups) * channels();
    for (int ky = 0; ky < c.kernel_h; ++ky)
      for (int kx = 0; kx < c.kernel_w; ++kx)
        for (int i = 0; i < (depthwise ? 1 : channels()); ++i) {
          const int tap = ky * c.kernel_w + kx;
          const int w = weights[static_cast<size_t>(depthwise ? tap * c.out_c + o
                                                              : (o * taps() + tap) * channels() + i)];
          sum += w * input(y * c.stride_y - c.pad_y + ky * c.dilation_y,
                           x * c.stride_x - c.pad_x + kx * c.dilation_x, first + i);
        }
    return sum;
  }
  /// The output by its definition: (x * m + 2^(f-1)) >> f, or float32 with ties to even.
  int output(int y, int x, int o) const {
    const int32_t s = sum(y, x, o);
    if (fixed) {
      const int64_t v =
          (static_cast<int64_t>(s) * multiplier[static_cast<size_t>(o)] + (int64_t{1} << (c.shift - 1))) >>
          c.shift;
      return static_cast<int>(v < c.lo ? c.lo : v > c.hi ? c.hi : v);
    }
    const volatile float product = static_cast<float>(s) * factor[static_cast<size_t>(o)];
    const float low = product > static_cast<float>(c.lo) ? product : static_cast<float>(c.lo);
    return static_cast<int>(rintf(low < static_cast<float>(c.hi) ? low : static_cast<float>(c.hi)));
  }
};

inline int out_size(int in, int kernel, int dilation, int stride, int pad_both) {
  return (in + pad_both - (kernel - 1) * dilation - 1) / stride + 1;
}

/// Sets what follows from the maps, and draws weights, biases and factors.
inline void fill(Draw& draw, Layer& l) {
  LayerConfig& c = l.c;
  c.in_w = l.from.w, c.in_h = l.from.h, c.in_c = l.from.c, c.in_pixel = l.from.pixel, c.in_row = l.from.row;
  c.in_ring = l.from.ring, c.in_first = l.from.first, c.in_turn = l.from.turn;
  c.out_w = l.to.w, c.out_h = l.to.h, c.out_c = l.to.c, c.out_pixel = l.to.pixel, c.out_row = l.to.row;
  c.out_ring = l.to.ring, c.out_first = l.to.first, c.out_turn = l.to.turn;
  c.lo = l.signed_out ? -128 : 0, c.hi = l.signed_out ? 127 : 255, c.factor_step = 1;
  const int window = l.taps() * (l.depthwise ? 1 : l.channels());
  const bool extremes = draw.one_in(4);
  l.memory.resize(static_cast<size_t>(l.from.bytes()));
  for (uint8_t& b : l.memory)
    b = static_cast<uint8_t>(extremes ? (l.signed_in ? draw.one_in(2) ? 0x80 : 0x7f : 255)
                                      : draw.word() >> 13);
  l.weights.resize(static_cast<size_t>(window) * c.out_c);
  for (int8_t& w : l.weights)
    w = static_cast<int8_t>(extremes ? (draw.one_in(2) ? -128 : 127) : draw.in(-128, 127));
  const int rows = (kind_of_border(c.out_h - 1, c.out_h, c.border_top, c.border_bottom) + 1) *
                   (kind_of_border(c.out_w - 1, c.out_w, c.border_left, c.border_right) + 1);
  l.bias.resize(static_cast<size_t>(rows) * c.out_c);
  for (int32_t& b : l.bias) b = draw.in(-100, 155) * 64;
  for (int o = 0; o < c.out_c; ++o) {
    const float s = draw.one_in(5)
                        ? 1.0F / static_cast<float>(1 << draw.in(3, 14))
                        : static_cast<float>(draw.in(500, 1500)) * 0.0002F / static_cast<float>(window + 3);
    l.factor.push_back(draw.one_in(20) ? s * 40.0F : draw.one_in(30) ? s * 1e-5F : o % 8 == 5 ? -s : s);
    l.multiplier.push_back(
        static_cast<int32_t>(static_cast<double>(s < 0.49F ? s : 0.49F) * std::ldexp(1.0, c.shift)));
  }
}

/// Factors as they are in networks.
inline void set_usual_factors(Draw& draw, Layer& l) {
  const int window = l.taps() * (l.depthwise ? 1 : l.channels());
  for (size_t o = 0; o < l.factor.size(); ++o) {
    l.factor[o] = static_cast<float>(draw.in(500, 1500)) * 0.0002F / static_cast<float>(window + 3);
    l.multiplier[o] = static_cast<int32_t>(static_cast<double>(l.factor[o]) * 4294967296.0);
  }
}

/// Thousandths of an instruction a product, in fixed point and with floats, on M3 and on M0+.
struct Recorded {
  int fixed_m3, float_m3, fixed_m0plus, float_m0plus;
};

/// Prints a count of a line "count <layer>", of which that with floats is the second. False: it is more
/// than 5 % above what is recorded.
inline bool is_within(bool fixed, uint32_t n, const Recorded& recorded, int products) {
#if N2D2_LONG_PRODUCT
  const int most = (fixed ? recorded.fixed_m3 : recorded.float_m3) * 105 / 100;
#else
  const int most = (fixed ? recorded.fixed_m0plus : recorded.float_m0plus) * 105 / 100;
#endif
  const auto thousandths =
      static_cast<int>(static_cast<uint64_t>(n) * 1000 / static_cast<uint32_t>(products));
  print(fixed ? ": fixed " : ", float ", thousandths);
  if (thousandths > most) print(" (more than ", most, ")");
  if (!fixed) print(" thousandths of an instruction a product\n");
  return thousandths <= most;
}

}  // namespace n2d2::scalar_test

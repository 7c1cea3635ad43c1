/// What do the firmware tests of the DSP kernels share: random layers, maps in memory, and plain loops as
/// judge?
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#if defined(__ARM_ARCH_PROFILE)
inline int semihosting(int operation, const void* argument) {
  register int r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory", "cc");
  return r0;
}
inline void print(const std::string& text) {
  semihosting(4, text.c_str());
}
#else
#include <cstdio>
inline void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}
#endif

namespace dsp_test {

struct Random {
  uint32_t state;
  uint32_t next() {
    state = state * 1664525U + 1013904223U;
    return state >> 8;
  }
  int in(int low, int high) { return low + static_cast<int>(next() % static_cast<uint32_t>(high - low + 1)); }
  bool one_in(int n) { return in(1, n) == 1; }
};

/// A map of bytes somewhere in a memory; rows wrap as plane.hpp draws it.
struct Map {
  int h, w, c, pixel, row, ring = 0, first = 0, turn = 0, start = 0, size = 0;
  int at(int y, int x, int channel) const {
    return start + y * row - (ring > 0 ? (y + first) / ring * turn : 0) + x * pixel + channel;
  }
};

/// Places a map with random pitches and, if `rings`, a random wrap.
inline Map place(Random& random, int h, int w, int c, bool rings) {
  Map m{h, w, c, c, w * c};
  if (random.one_in(4)) m.pixel = c + random.in(1, 9);
  m.row = w * m.pixel + (random.one_in(4) ? random.in(1, 9) : 0);
  m.start = random.in(0, 7), m.size = m.start + h * m.row + 8;
  if (!rings || !random.one_in(4)) return m;
  m.ring = h, m.first = random.in(0, h - 1);
  const int further = random.in(0, 40);
  m.turn = h * m.row + further;
  m.start += m.first * m.row + further, m.size += h * m.row + further;
  return m;
}

/// A config with members; every kernel of the family reads some of them.
struct Config {
  int in_w, in_h, in_c, in_pixel, in_row, in_ring, in_first, in_turn;
  int out_w, out_h, out_c, out_pixel, out_row, out_ring, out_first, out_turn;
  int kernel_w, kernel_h, stride_x, stride_y, dilation_x, dilation_y, pad_x, pad_y, groups;
  int lo, hi, shift, factor_step, bottom_up, ordered;
  int border_top, border_bottom, border_left, border_right;
  int tile_pixels;
  int64_t start;
};

inline void set_maps(Config& c, const Map& in, const Map& out) {
  c.in_w = in.w, c.in_h = in.h, c.in_c = in.c, c.in_pixel = in.pixel, c.in_row = in.row;
  c.in_ring = in.ring, c.in_first = in.first, c.in_turn = in.turn;
  c.out_w = out.w, c.out_h = out.h, c.out_c = out.c, c.out_pixel = out.pixel, c.out_row = out.row;
  c.out_ring = out.ring, c.out_first = out.first, c.out_turn = out.turn;
}

/// A layer with its memories; weights are [out][kernel_h][kernel_w][channels of a group].
struct Layer {
  Config config;
  Map in, out;
  bool in_signed, out_signed, fixed;
  bool narrow = false;  // weights of 4 bits
  std::vector<uint8_t> source, target;
  std::vector<int8_t> weights;
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;
  int bias_columns = 1;

  int group_c() const { return config.in_c / config.groups; }
  int window() const { return config.kernel_w * config.kernel_h * group_c(); }

  int input(int y, int x, int c) const {
    if (y < 0 || y >= in.h || x < 0 || x >= in.w) return 0;
    const uint8_t v = source[static_cast<size_t>(in.at(y, x, c))];
    return in_signed ? static_cast<int8_t>(v) : v;
  }
  static int kind(int i, int size, int leading, int trailing) {
    if (i < leading) return i;
    const int middle = size > leading + trailing ? 1 : 0;
    return i < size - trailing ? leading : leading + middle + i - (size - trailing);
  }
  int64_t sum(int y, int x, int o) const {
    const Config& c = config;
    const int row = kind(y, c.out_h, c.border_top, c.border_bottom) * bias_columns +
                    kind(x, c.out_w, c.border_left, c.border_right);
    int64_t s = bias[static_cast<size_t>(row * c.out_c + o)];
    const int group = o / (c.out_c / c.groups);
    for (int ky = 0; ky < c.kernel_h; ++ky)
      for (int kx = 0; kx < c.kernel_w; ++kx)
        for (int i = 0; i < group_c(); ++i)
          s += input(y * c.stride_y - c.pad_y + ky * c.dilation_y,
                     x * c.stride_x - c.pad_x + kx * c.dilation_x, group * group_c() + i) *
               weights[static_cast<size_t>(((o * c.kernel_h + ky) * c.kernel_w + kx) * group_c() + i)];
    return s;
  }
  uint8_t output(int y, int x, int o) const {
    const int64_t s = sum(y, x, o);
    int64_t v;
    if (fixed) {
      v = (s * multiplier[static_cast<size_t>(o)] + (int64_t{1} << 31)) >> 32;
    } else {
      const float scaled = static_cast<float>(static_cast<int32_t>(s)) * factor[static_cast<size_t>(o)];
      v = static_cast<int64_t>(std::rint(std::min(std::max(scaled, -1000.0F), 1000.0F)));
    }
    return static_cast<uint8_t>(std::min<int64_t>(std::max<int64_t>(v, config.lo), config.hi));
  }
  /// The target after output rows [first, first + count).
  void judge(std::vector<uint8_t>& memory, int first, int count) const {
    for (int y = first; y < first + count; ++y)
      for (int x = 0; x < out.w; ++x)
        for (int o = 0; o < out.c; ++o) memory[static_cast<size_t>(out.at(y, x, o))] = output(y, x, o);
  }
  std::string text() const {
    const Config& c = config;
    std::string s;
    for (const int v : {in.h,        in.w,           in.c,
                        in.pixel,    in.row,         in.ring,
                        out.h,       out.w,          out.c,
                        out.pixel,   out.row,        out.ring,
                        c.kernel_h,  c.kernel_w,     c.stride_y,
                        c.stride_x,  c.dilation_y,   c.dilation_x,
                        c.pad_y,     c.pad_x,        c.groups,
                        c.bottom_up, c.tile_pixels,  c.border_top + c.border_left,
                        int{narrow}, int{in_signed}, int{out_signed},
                        int{fixed}})
      s += ' ', s += std::to_string(v);
    return s;
  }
};

/// Fills inputs, weights (no -128), biases and factors, so that outputs take all values.
inline void fill(Random& random, Layer& l, size_t weights, int bias_rows) {
  l.config.lo = l.out_signed ? -128 : 0, l.config.hi = l.out_signed ? 127 : 255;
  l.config.shift = 32, l.config.factor_step = 1;
  l.source.resize(static_cast<size_t>(l.in.size)), l.target.resize(static_cast<size_t>(l.out.size));
  const bool extremes = random.one_in(6);
  for (uint8_t& x : l.source)
    x = static_cast<uint8_t>(extremes ? (random.one_in(2) ? 0xff : 0x80) : random.in(0, 255));
  for (uint8_t& x : l.target) x = static_cast<uint8_t>(random.in(0, 255));
  l.weights.resize(weights);
  for (int8_t& w : l.weights)
    w = static_cast<int8_t>(extremes ? (random.one_in(2) ? 127 : -127) : random.in(-127, 127));
  if (l.narrow)
    for (int8_t& w : l.weights) w = static_cast<int8_t>(w / 16 * 16);
  const auto outputs = static_cast<size_t>(l.config.out_c);
  l.bias.resize(outputs * static_cast<size_t>(bias_rows));
  for (int32_t& b : l.bias) b = random.in(-20000, 20000);
  l.factor.resize(outputs), l.multiplier.resize(outputs);
  const float spread = 90.0F * std::sqrt(static_cast<float>(l.window())) * 73.0F / 128.0F;
  for (size_t o = 0; o < outputs; ++o) {
    l.factor[o] =
        random.one_in(5) ? 1.0F / 256.0F : static_cast<float>(random.in(300, 2000)) * 0.001F / spread;
    if (random.one_in(8)) l.factor[o] = -l.factor[o];  // of weights that stand for their negative
    l.multiplier[o] =
        static_cast<int32_t>(static_cast<double>(std::clamp(l.factor[o], -0.49F, 0.49F)) * 4294967296.0);
  }
}

/// Compares memories and prints the layer at the first difference.
inline bool same(const Layer& l, const std::vector<uint8_t>& got, const std::vector<uint8_t>& wanted,
                 const char* what) {
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != wanted[i]) {
      print("DIFFERENT " + std::string(what) + " at byte " + std::to_string(i) + ": " +
            std::to_string(got[i]) + ", wanted " + std::to_string(wanted[i]) + ";" + l.text() + "\n");
      return false;
    }
  return true;
}

/// Rows from the first to the last, or back, a few at a time.
template <class Run>
bool check_ranges(Random& random, const Layer& l, Run& run) {
  std::vector<uint8_t> got = l.target, wanted = l.target;
  l.judge(wanted, 0, l.out.h);
  const int most = random.one_in(2) ? l.out.h : random.in(1, 3);
  for (int done = 0; done < l.out.h; done += most) {
    const int count = std::min(most, l.out.h - done);
    run(l, l.config.bottom_up ? l.out.h - done - count : done, count, l.source.data(), got.data());
  }
  return same(l, got, wanted, "ranges");
}

/// The output takes the place of dead input rows.
template <class Run>
bool check_overlap(const Layer& l, Run& run) {
  if (l.in.ring != 0 || l.out.ring != 0) return true;
  const Config& c = l.config;
  const int reach = (c.kernel_h - 1) * c.dilation_y;
  int apart = -(1 << 20);  // elements that the output begins before the input, or ends behind it
  for (int y = 0; y < l.out.h; ++y) {
    if (c.bottom_up == 0) {
      const int first = std::min(std::max(y * c.stride_y - c.pad_y, 0), l.in.h - 1);
      apart = std::max(apart, (y + 1) * l.out.row - first * l.in.row);
    } else {
      const int last = std::min(y * c.stride_y - c.pad_y + reach, l.in.h - 1);
      apart = std::max(apart, (last + 1) * l.in.row - y * l.out.row);
    }
  }
  const int shift = std::max(apart, 0) + 8;
  Layer both = l;
  const int size = std::max(l.in.size, l.out.size) + shift + 64;
  both.in.start = c.bottom_up == 0 ? std::max(apart, 0) + 4 : std::max(-apart, 0) + 4;
  both.out.start = both.in.start + (c.bottom_up == 0 ? -apart : apart);
  if (both.out.start < 0 || both.out.start + l.out.size > size + 4096) return true;
  std::vector<uint8_t> memory(static_cast<size_t>(size) + 4096, 0x11);
  for (int y = 0; y < l.in.h; ++y)
    for (int x = 0; x < l.in.w; ++x)
      for (int i = 0; i < l.in.c; ++i)
        memory[static_cast<size_t>(both.in.at(y, x, i))] = l.source[static_cast<size_t>(l.in.at(y, x, i))];
  run(both, 0, l.out.h, memory.data(), memory.data());
  for (int y = 0; y < l.out.h; ++y)
    for (int x = 0; x < l.out.w; ++x)
      for (int o = 0; o < l.out.c; ++o)
        if (memory[static_cast<size_t>(both.out.at(y, x, o))] != l.output(y, x, o)) {
          print("DIFFERENT where the output overlaps the input;" + l.text() + "\n");
          return false;
        }
  return true;
}

/// Row by row through rolling buffers: only the rows of the windows are there.
template <class Run>
bool check_stream(const Layer& l, Run& run) {
  const Config& c = l.config;
  const int reach = (c.kernel_h - 1) * c.dilation_y + 1;
  Layer s = l;
  s.in.ring = reach + 1, s.in.first = 1, s.in.turn = s.in.ring * l.in.row;
  s.in.start = 4 + l.in.row, s.in.size = s.in.start + s.in.ring * l.in.row + 8;
  s.out.ring = 2, s.out.first = 0, s.out.turn = 2 * l.out.row, s.out.start = 3,
  s.out.size = 11 + 2 * l.out.row;
  set_maps(s.config, s.in, s.out);
  for (int i = 0; i < l.out.h; ++i) {
    const int y = c.bottom_up ? l.out.h - 1 - i : i;
    std::vector<uint8_t> source(static_cast<size_t>(s.in.size), 0x77),
        target(static_cast<size_t>(s.out.size), 0x55);
    for (int ky = 0; ky < c.kernel_h; ++ky) {
      const int iy = y * c.stride_y - c.pad_y + ky * c.dilation_y;
      if (iy < 0 || iy >= l.in.h) continue;
      for (int x = 0; x < l.in.w; ++x)
        for (int k = 0; k < l.in.c; ++k)
          source[static_cast<size_t>(s.in.at(iy, x, k))] = l.source[static_cast<size_t>(l.in.at(iy, x, k))];
    }
    std::vector<uint8_t> wanted = target;
    for (int x = 0; x < l.out.w; ++x)
      for (int o = 0; o < l.out.c; ++o) wanted[static_cast<size_t>(s.out.at(y, x, o))] = l.output(y, x, o);
    run(s, y, 1, source.data(), target.data());
    if (!same(l, target, wanted, "stream")) return false;
  }
  return true;
}

/// Size of an input whose windows end about where it does.
inline int size_of_input(Random& random, int outputs, int stride, int kernel, int dilation, int pad) {
  return std::max(1, (outputs - 1) * stride + (kernel - 1) * dilation + 1 - pad - random.in(0, 2));
}

}  // namespace dsp_test

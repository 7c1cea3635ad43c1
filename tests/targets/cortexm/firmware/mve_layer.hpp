// Answers: how is a random layer of a kernel for MVE made, stored, and computed by plain loops?
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../../../../src/targets/cortexm/layouts/mve.hpp"
#include "mve_report.hpp"

namespace n2d2::mve_test {

namespace layouts = n2d2::targets::cortexm::mve;

/// The config of every kernel; plain members, as in process.
struct Config {
  int in_w = 1, in_h = 1, in_c = 1, in_pixel = 1, in_row = 1, in_ring = 0, in_first = 0, in_turn = 0;
  int out_w = 1, out_h = 1, out_c = 1, out_pixel = 1, out_row = 1, out_ring = 0, out_first = 0, out_turn = 0;
  int kernel_w = 1, kernel_h = 1, stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1, pad_x = 0,
      pad_y = 0;
  int groups = 1, lo = 0, hi = 255, shift = 32, bottom_up = 0;
  int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0;

  int tile_pixels = 2, piece_bytes = layouts::kMostPieceBytes;

  bool has_borders() const { return border_top + border_bottom + border_left + border_right > 0; }
  int window() const { return kernel_h * kernel_w * in_c / groups; }
};

enum class Kind { Conv, Fc, Depthwise };

inline const char* name_of(Kind kind) {
  return kind == Kind::Conv ? "conv2d" : kind == Kind::Fc ? "fc" : "depthwise";
}

/// A layer with its weights in plain order: [out][kernel_h][kernel_w][in], depthwise
/// [kernel_h][kernel_w][out].
struct Layer {
  Kind kind = Kind::Conv;
  Config c;
  bool narrow = false;  // weights of 4 bits
  std::vector<int8_t> weights;
  std::vector<int32_t> biases;
  std::vector<float> floats;
  std::vector<int32_t> fixed;
  std::vector<uint8_t> map;  // dense input
};

/// The class of output i along an axis, by the words of conv.hpp: one for each leading one, one for all
/// between (if there are any), one for each trailing one.
inline int border_class(int i, int size, int leading, int trailing) {
  const int between = std::max(0, size - leading - trailing);
  if (i < leading) return i;
  if (i < leading + between) return leading;
  return leading + (between > 0 ? 1 : 0) + (i - leading - between);
}

/// Sum of the products of output (y, x, o), and its bias.
template <class In>
int64_t plain_sum(const Layer& layer, int y, int x, int o) {
  const Config& c = layer.c;
  const int columns = border_class(c.out_w - 1, c.out_w, c.border_left, c.border_right) + 1;
  const int row = c.has_borders() ? border_class(y, c.out_h, c.border_top, c.border_bottom) * columns +
                                        border_class(x, c.out_w, c.border_left, c.border_right)
                                  : 0;
  int64_t sum = layer.biases[static_cast<size_t>(row * c.out_c + o)];
  const int of_group = c.in_c / c.groups, first = o / (c.out_c / c.groups) * of_group;
  for (int ky = 0; ky < c.kernel_h; ++ky)
    for (int kx = 0; kx < c.kernel_w; ++kx) {
      const int iy = y * c.stride_y - c.pad_y + ky * c.dilation_y,
                ix = x * c.stride_x - c.pad_x + kx * c.dilation_x;
      if (iy < 0 || iy >= c.in_h || ix < 0 || ix >= c.in_w) continue;
      for (int i = 0; i < of_group; ++i) {
        const int channel = layer.kind == Kind::Depthwise ? o : first + i;
        const int tap = ky * c.kernel_w + kx;
        const int weight = layer.kind == Kind::Depthwise ? tap * c.out_c + o
                                                         : (o * c.kernel_h * c.kernel_w + tap) * of_group + i;
        sum +=
            int64_t{static_cast<In>(layer.map[static_cast<size_t>((iy * c.in_w + ix) * c.in_c + channel)])} *
            layer.weights[static_cast<size_t>(weight)];
        if (layer.kind == Kind::Depthwise) break;
      }
    }
  return sum;
}

inline int64_t plain_round(int64_t sum, float factor) {
  const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * factor;
  if (scaled <= -1000.F || scaled >= 1000.F) return scaled < 0 ? -1000 : 1000;
  return static_cast<int64_t>(std::nearbyintf(scaled));
}
inline int64_t plain_round(int64_t sum, int32_t factor) {
  return (sum * factor + (int64_t{1} << 31)) >> 32;
}

template <class Factor>
Factor factor_of(const Layer& layer, int o) {
  if constexpr (sizeof(Factor) == sizeof(float) && Factor(0.5F) != Factor(0))
    return layer.floats[static_cast<size_t>(o)];
  else
    return layer.fixed[static_cast<size_t>(o)];
}

/// The dense output of a layer.
template <class In, class Out, class Factor>
std::vector<Out> plain_output(const Layer& layer) {
  const Config& c = layer.c;
  const int lo = Out(-1) < Out(1) ? -128 : 0, hi = lo + 255;
  std::vector<Out> out;
  out.reserve(static_cast<size_t>(c.out_h * c.out_w * c.out_c));
  for (int y = 0; y < c.out_h; ++y)
    for (int x = 0; x < c.out_w; ++x)
      for (int o = 0; o < c.out_c; ++o) {
        const int64_t value = plain_round(plain_sum<In>(layer, y, x, o), factor_of<Factor>(layer, o));
        out.push_back(static_cast<Out>(std::clamp<int64_t>(value, lo, hi)));
      }
  return out;
}

/// Fills weights, biases, factors and the map of a layer whose config is set.
inline void fill(Layer& layer, Draw& draw) {
  const Config& c = layer.c;
  const int window = layer.kind == Kind::Depthwise ? c.kernel_h * c.kernel_w : c.window();
  const int rows = c.has_borders()
                       ? (border_class(c.out_h - 1, c.out_h, c.border_top, c.border_bottom) + 1) *
                             (border_class(c.out_w - 1, c.out_w, c.border_left, c.border_right) + 1)
                       : 1;
  layer.weights.resize(static_cast<size_t>(c.out_c * window));
  for (int8_t& w : layer.weights) w = layer.narrow ? static_cast<int8_t>(16 * draw.in(-7, 7)) : draw.byte();
  layer.biases.resize(static_cast<size_t>(rows * c.out_c));
  for (int32_t& b : layer.biases) b = draw.in(-8000, 8000);
  layer.floats.clear(), layer.fixed.clear();
  for (int o = 0; o < c.out_c; ++o) {
    // Ties between integers, too: factors that are powers of two.
    const float f = draw.one_in(4) ? 1.F / static_cast<float>(1 << draw.in(5, 12))
                                   : static_cast<float>(draw.in(1, 1000)) / 60000.F /
                                         std::sqrt(static_cast<float>(window));
    layer.floats.push_back(draw.one_in(8) ? -f : f);  // of weights that stand for their negative
    layer.fixed.push_back(static_cast<int32_t>(layer.floats.back() * 4294967296.0));
  }
  layer.map.resize(static_cast<size_t>(c.in_h * c.in_w * c.in_c));
  for (uint8_t& x : layer.map) x = static_cast<uint8_t>(draw.below(256));
}

}  // namespace n2d2::mve_test

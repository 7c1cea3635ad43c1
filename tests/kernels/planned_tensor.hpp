// Answers: how does a test put a map into a strided buffer or a ring of rows, and get it back?
//
// Addresses are computed here from the memory plan's words (origin, stride, turn), not by the kernels'
// plane.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/layer_config.hpp"
#include "oracle/naive_ops.hpp"
#include "plane.hpp"

namespace n2d2::kernels_test {

using oracle::Map;
using oracle::Window;

template <class T>
using BoundOf = std::conditional_t<std::is_same_v<T, float>, float, int>;
template <class T>
using ValueOf = std::conditional_t<std::is_same_v<T, float>, double, int64_t>;

// Where a tensor lies in a memory: straight from `origin` on, or in a ring whose first position is at
// `origin`. Rows that pass the end of a ring whose `wrapped` is not `origin` go on there (such a ring is
// passed once).
struct Placement {
  int h = 1, w = 1, c = 1;
  int pixel = 1, row = 1;
  int origin = 0, ring = 0, first = 0, wrapped = 0;

  int row_start(int y) const {
    if (ring == 0) return origin + y * row;
    const int position = first + y;
    return position < ring ? origin + position * row : wrapped + position % ring * row;
  }
  // Element of the memory that holds channel k of pixel (x, y).
  int element(int y, int x, int k) const { return row_start(y) + x * pixel + k; }
  // Element that the pointer of the tensor points to.
  int start() const { return row_start(0); }
  int turn() const { return ring > 0 ? origin + ring * row - wrapped : 0; }
  // Elements of the memory.
  int end() const { return std::max(origin, ring > 0 ? wrapped : 0) + (ring > 0 ? ring : h) * row; }
};

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}
  // Any number of [lo, hi], whose size is below 2^32.
  int in(int lo, int hi) {
    const unsigned size = static_cast<unsigned>(hi) - static_cast<unsigned>(lo) + 1;
    return static_cast<int>(static_cast<unsigned>(lo) + engine_() % size);
  }
  bool one_in(int n) { return in(1, n) == 1; }

  // A tensor somewhere in a memory: dense, strided, with gaps between rows, or in a ring.
  Placement place(int h, int w, int c) {
    Placement p{h, w, c};
    p.pixel = one_in(2) ? c : c + in(0, 3);
    p.row = w * p.pixel + (one_in(4) ? in(0, 5) : 0);
    p.origin = p.wrapped = in(0, 5);
    if (one_in(2)) return p;
    if (one_in(2)) {  // passed again and again, if it were longer
      p.ring = h + in(0, 3), p.first = in(0, p.ring - 1);
    } else {  // passed once, by a distance that is no multiple of a row
      p.ring = h, p.first = in(0, h - 1);
      p.wrapped = in(0, 3), p.origin = p.wrapped + in(0, 7);
    }
    return p;
  }

  template <class T>
  std::vector<T> values(size_t n, int64_t lo, int64_t hi) {
    std::vector<T> v(n);
    for (T& x : v)
      x = static_cast<T>(lo + static_cast<int64_t>(engine_() % static_cast<uint64_t>(hi - lo + 1)));
    return v;
  }

  // Any value of an integer type; small integers in half steps for float.
  template <class T>
  Map<ValueOf<T>> map(int h, int w, int c) {
    Map<ValueOf<T>> m(h, w, c);
    if constexpr (std::is_same_v<T, float>) {
      for (double& x : m.v) x = 0.5 * in(-16, 16);
    } else {
      m.v = values<int64_t>(m.v.size(), std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    }
    return m;
  }

 private:
  std::mt19937 engine_;
};

template <class T>
void write(const Map<ValueOf<T>>& map, const Placement& p, std::vector<T>& memory) {
  for (int y = 0; y < map.h; ++y)
    for (int x = 0; x < map.w; ++x)
      for (int k = 0; k < map.c; ++k) memory.at(p.element(y, x, k)) = static_cast<T>(map.at(y, x, k));
}

// A memory of garbage that holds the map at its placement.
template <class T>
std::vector<T> memory_with(const Map<ValueOf<T>>& map, const Placement& p, Generator& random) {
  std::vector<T> memory = random.values<T>(p.end(), 0, 100);
  write<T>(map, p, memory);
  return memory;
}

template <class T>
Map<ValueOf<T>> read(const std::vector<T>& memory, const Placement& p) {
  Map<ValueOf<T>> map(p.h, p.w, p.c);
  for (int y = 0; y < p.h; ++y)
    for (int x = 0; x < p.w; ++x)
      for (int k = 0; k < p.c; ++k) map.at(y, x, k) = memory.at(p.element(y, x, k));
  return map;
}

// Memory with the placement's elements set to zero: what a kernel must leave alone.
template <class T>
std::vector<T> surroundings(std::vector<T> memory, const Placement& p) {
  write<T>(Map<ValueOf<T>>(p.h, p.w, p.c), p, memory);
  return memory;
}

template <class C>
void set_in(C& c, const Placement& p) {
  c.in_w = p.w, c.in_h = p.h, c.in_c = p.c, c.in_pixel = p.pixel, c.in_row = p.row;
  c.in_ring = p.ring, c.in_first = p.first, c.in_turn = p.turn();
}

template <class C>
void set_out(C& c, const Placement& p) {
  c.out_w = p.w, c.out_h = p.h, c.out_c = p.c, c.out_pixel = p.pixel, c.out_row = p.row;
  c.out_ring = p.ring, c.out_first = p.first, c.out_turn = p.turn();
}

// All rows of an output.
inline N2D2_Export::Rows all_rows(const Placement& p) {
  return {0, p.h};
}

template <class C>
void set_window(C& c, const Window& k) {
  c.kernel_w = c.pool_w = k.w, c.kernel_h = c.pool_h = k.h, c.stride_x = k.stride_x, c.stride_y = k.stride_y;
  c.dilation_x = k.dilation_x, c.dilation_y = k.dilation_y, c.pad_x = k.pad_x, c.pad_y = k.pad_y;
}

// Leading and trailing windows along an axis that reach beyond [0, in); all are leading ones where no other
// is.
inline std::pair<int, int> clipped(int in, int out, int kernel, int stride, int dilation, int pad) {
  const auto is_whole = [&](int o) {
    return o * stride - pad >= 0 && o * stride - pad + (kernel - 1) * dilation < in;
  };
  int leading = 0, trailing = 0;
  while (leading < out && !is_whole(leading)) ++leading;
  while (leading + trailing < out && !is_whole(out - 1 - trailing)) ++trailing;
  return {leading, trailing};
}

// Gives each kind of border its biases, for maps of these extents; returns how many rows of them there are.
template <class C>
int set_borders(C& c, const Window& k, int in_h, int in_w, int out_h, int out_w) {
  std::tie(c.border_top, c.border_bottom) = clipped(in_h, out_h, k.h, k.stride_y, k.dilation_y, k.pad_y);
  std::tie(c.border_left, c.border_right) = clipped(in_w, out_w, k.w, k.stride_x, k.dilation_x, k.pad_x);
  const auto kinds = [](int size, int ends) { return ends + (size > ends ? 1 : 0); };
  return kinds(out_h, c.border_top + c.border_bottom) * kinds(out_w, c.border_left + c.border_right);
}

// Rescaling parameters of `outputs` channels such that sums of about `magnitude` fill the output type.
template <class Out, class Factor>
struct Rescaling {
  Config<BoundOf<Out>> bounds;  // lo, hi, shift, factor_step
  std::vector<Factor> factor;

  Rescaling(Generator& random, int outputs, double magnitude) {
    if constexpr (std::is_same_v<Out, float>) {
      bounds.lo = random.one_in(2) ? 0.0F : -1e30F;
      bounds.hi = random.one_in(2) ? 6.0F : 1e30F;
      factor.assign(1, 0.0F);
    } else {
      bounds.lo = random.one_in(3) ? 0 : std::numeric_limits<Out>::min();
      bounds.hi = std::numeric_limits<Out>::max() - (random.one_in(3) ? random.in(1, 90) : 0);
      bounds.factor_step = random.in(0, 1);
      factor.resize(bounds.factor_step == 0 ? 1 : outputs);
      const double scale = std::numeric_limits<Out>::max() / magnitude;
      if constexpr (!std::is_same_v<Factor, float>)
        while (bounds.shift < 30 && scale * 2 * static_cast<double>(int64_t(1) << (bounds.shift + 1)) < 32767)
          ++bounds.shift;
      for (Factor& f : factor) {
        const double real = scale * random.in(20, 200) / (random.one_in(8) ? -100.0 : 100.0);
        if constexpr (std::is_same_v<Factor, float>)
          f = static_cast<float>(real);
        else
          f = static_cast<Factor>(real * static_cast<double>(int64_t(1) << bounds.shift)) + random.in(0, 1);
      }
    }
  }

  template <class C>
  void set(C& c) const {
    c.lo = bounds.lo, c.hi = bounds.hi, c.shift = bounds.shift, c.factor_step = bounds.factor_step;
  }

  // The outputs that the specification derives from accumulators.
  Map<ValueOf<Out>> apply(Map<ValueOf<Out>> sums) const {
    for (size_t i = 0; i < sums.v.size(); ++i) {
      const Factor f = factor[i % sums.c * bounds.factor_step];
      if constexpr (std::is_same_v<Out, float>)
        sums.v[i] = sums.v[i] < bounds.lo ? bounds.lo : (sums.v[i] > bounds.hi ? bounds.hi : sums.v[i]);
      else if constexpr (std::is_same_v<Factor, float>)
        sums.v[i] = oracle::rescale_float(sums.v[i], f, bounds.lo, bounds.hi);
      else
        sums.v[i] = oracle::rescale_fixed(sums.v[i], f, bounds.shift, bounds.lo, bounds.hi);
    }
    return sums;
  }
};

inline std::string describe(const Window& k) {
  return " kernel " + std::to_string(k.w) + "x" + std::to_string(k.h) + " stride " +
         std::to_string(k.stride_x) + "," + std::to_string(k.stride_y) + " dilation " +
         std::to_string(k.dilation_x) + "," + std::to_string(k.dilation_y) + " pad " +
         std::to_string(k.pad_x) + "," + std::to_string(k.pad_y);
}

inline std::string describe(const char* name, const Placement& p) {
  return std::string(" ") + name + " " + std::to_string(p.w) + "x" + std::to_string(p.h) + "x" +
         std::to_string(p.c) + " pixel " + std::to_string(p.pixel) + " row " + std::to_string(p.row) +
         " ring " + std::to_string(p.ring) + " first " + std::to_string(p.first);
}

}  // namespace n2d2::kernels_test

// Random sums and pools on MVE instructions against plain loops. Exits with 1 at the first difference,
// which it prints; then prints what a sum and pools of networks take. Without MVE it judges the portable
// form.
#include <algorithm>
#include <cmath>
#include <vector>

#include "elemwise.hpp"
#include "mve_report.hpp"
#include "pool.hpp"

#if !defined(N2D2_LAYERS)
#define N2D2_LAYERS 200
#endif

namespace n2d2::mve_test {
namespace {

namespace kernels = N2D2_EXPORT_NAMESPACE;

struct View {
  int w = 1, h = 1, c = 1, pixel = 1, row = 1, ring = 0, first = 0, turn = 0;

  std::ptrdiff_t at(int y, int x) const {
    return std::ptrdiff_t{y} * row - (ring > 0 ? std::ptrdiff_t{(y + first) / ring} * turn : 0) +
           std::ptrdiff_t{x} * pixel;
  }
  std::ptrdiff_t start() const { return std::ptrdiff_t{first} * row; }
  size_t size() const { return static_cast<size_t>(h * row + 16); }
};

/// `rings`: the view may be a buffer of the whole map that wraps.
View draw_view(Draw& draw, int h, int w, int c, bool rings) {
  View v = {w, h, c, c, 0, 0, 0, 0};
  if (draw.one_in(4)) v.pixel += draw.in(1, 9);
  v.row = w * v.pixel + (draw.one_in(3) ? draw.in(1, 9) : 0);
  if (rings && h > 1 && draw.one_in(3)) v.ring = h, v.first = draw.in(1, h - 1), v.turn = h * v.row;
  return v;
}

std::vector<uint8_t> draw_bytes(Draw& draw, size_t n) {
  std::vector<uint8_t> out(n);
  for (uint8_t& x : out) x = static_cast<uint8_t>(draw.one_in(8) ? 255 * draw.below(2) : draw.below(256));
  return out;
}

struct Operand {
  int in_w, in_h, in_c, in_pixel, in_row, in_ring, in_first, in_turn;
  int32_t multiplier;
  int is_signed;
};
Operand operand_of(const View& v, int32_t multiplier, bool is_signed) {
  return {v.w, v.h, v.c, v.pixel, v.row, v.ring, v.first, v.turn, multiplier, is_signed ? 1 : 0};
}
/// The fields of sums and pools.
struct Config {
  int in_w = 1, in_h = 1, in_c = 1, in_pixel = 1, in_row = 1, in_ring = 0, in_first = 0, in_turn = 0;
  int out_w = 1, out_h = 1, out_c = 1, out_pixel = 1, out_row = 1, out_ring = 0, out_first = 0, out_turn = 0;
  int pool_w = 1, pool_h = 1, stride_x = 1, stride_y = 1, pad_x = 0, pad_y = 0, count_zeros = 0, by_count = 0;
  int counted_x = 0, counted_y = 0, counted_w = 1, counted_h = 1, parallel = 0, ordered = 1;
  int lo = 0, hi = 255, shift = 0, factor_step = 0, bottom_up = 0;
  int64_t start = 0;
};
void set_in(Config& c, const View& v) {
  c.in_w = v.w, c.in_h = v.h, c.in_c = v.c, c.in_pixel = v.pixel, c.in_row = v.row;
  c.in_ring = v.ring, c.in_first = v.first, c.in_turn = v.turn;
}
void set_out(Config& c, const View& v) {
  c.out_w = v.w, c.out_h = v.h, c.out_c = v.c, c.out_pixel = v.pixel, c.out_row = v.row;
  c.out_ring = v.ring, c.out_first = v.first, c.out_turn = v.turn;
}

template <class T>
int64_t element(const std::vector<uint8_t>& bytes, const View& v, int y, int x, int i) {
  return static_cast<T>(bytes[static_cast<size_t>(v.start() + v.at(y, x) + i)]);
}

bool differs(const char* what, const std::vector<uint8_t>& got, const std::vector<uint8_t>& wanted,
             const Config& c) {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (got[i] != wanted[i]) {
      print(what, ": byte ", static_cast<int64_t>(i), " is ", int{got[i]}, ", not ", int{wanted[i]}, ": in ",
            c.in_h, "x", c.in_w, "x", c.in_c, " out ", c.out_h, "x", c.out_w, " pixel ", c.out_pixel,
            " shift ", c.shift);
      print(" pool ", c.pool_h, "x", c.pool_w, " lo ", c.lo, " hi ", c.hi, " bottom_up ", c.bottom_up, "\n");
      return true;
    }
  return false;
}

template <class A, class B, class Out>
bool sum_agrees(Draw& draw) {
  const int h = draw.in(1, 5), w = draw.in(1, 7), channels = draw.in(1, 40);
  const View a = draw_view(draw, h, w, draw.one_in(8) ? 1 : channels, true),
             b = draw_view(draw, h, w, channels, true);
  const View v = draw_view(draw, h, w, channels, true);
  Config c;
  set_out(c, v);
  const bool is_signed = Out(-1) < Out(1);
  c.lo = is_signed ? -128 : 0, c.hi = c.lo + (draw.one_in(4) ? 100 : 255), c.bottom_up = draw.below(2);
  const int bits = draw.in(4, 30);
  c.shift = draw.one_in(4) ? draw.in(0, 40) : std::max(0, bits - draw.in(0, 2));
  const auto multiplier = [&] {
    const int32_t m = draw.below(1 << std::min(bits, 23)) << std::max(0, bits - 23) | draw.below(256);
    return draw.one_in(3) ? -m : m;
  };
  const Operand first = operand_of(a, multiplier(), A(-1) < A(1)),
                second = operand_of(b, multiplier(), B(-1) < B(1));
  if (draw.one_in(2))
    c.start = (draw.in(-255, 255) * (int64_t{1} << c.shift) >> draw.in(0, 4)) + draw.in(-100000, 100000);
  const std::vector<uint8_t> x = draw_bytes(draw, a.size()), y = draw_bytes(draw, b.size());
  std::vector<uint8_t> out(v.size(), 0x5a), wanted = out;
  const kernels::Rows rows = {draw.below(h), 1}, all = {0, h}, some = draw.one_in(4) ? rows : all;
  kernels::sum(c, some, reinterpret_cast<Out*>(out.data() + v.start()),
               kernels::operand(first, reinterpret_cast<const A*>(x.data() + a.start())),
               kernels::operand(second, reinterpret_cast<const B*>(y.data() + b.start())));
  for (int r = some.first; r < some.first + some.count; ++r)
    for (int p = 0; p < w; ++p)
      for (int i = 0; i < channels; ++i) {
        const int64_t total = c.start + element<A>(x, a, r, p, a.c == 1 ? 0 : i) * first.multiplier +
                              element<B>(y, b, r, p, i) * second.multiplier;
        const int64_t rounded = (total + (c.shift > 0 ? int64_t{1} << (c.shift - 1) : 0)) >> c.shift;
        wanted[static_cast<size_t>(v.start() + v.at(r, p) + i)] =
            static_cast<uint8_t>(std::clamp<int64_t>(rounded, c.lo, c.hi));
      }
  return !differs("sum", out, wanted, c);
}

template <class T>
bool pools_agree(Draw& draw) {
  const bool is_signed = T(-1) < T(1), global = draw.one_in(4);
  Config c;
  const int channels = draw.in(1, 40);
  c.pool_h = global ? draw.in(1, 20) : draw.in(1, 4), c.pool_w = global ? draw.in(1, 20) : draw.in(1, 4);
  if (global && draw.one_in(4)) c.pool_w = draw.in(250, 300), c.pool_h = draw.in(1, 2);
  c.stride_y = draw.in(1, 3), c.stride_x = draw.in(1, 3);
  c.pad_y = draw.below(c.pool_h), c.pad_x = draw.below(c.pool_w);
  const int out_h = global ? 1 : draw.in(1, 4), out_w = global ? 1 : draw.in(1, 4);
  const int h = std::max(1, (out_h - 1) * c.stride_y + c.pool_h - c.pad_y - draw.in(0, 2));
  const int w = std::max(1, (out_w - 1) * c.stride_x + c.pool_w - c.pad_x - draw.in(0, 2));
  const View from = draw_view(draw, h, w, channels, true), to = draw_view(draw, out_h, out_w, channels, true);
  set_in(c, from), set_out(c, to);
  c.lo = is_signed ? -128 : 0, c.hi = draw.one_in(4) ? 100 : c.lo + 255, c.bottom_up = draw.below(2);
  c.count_zeros = draw.below(2), c.shift = 20;
  if (draw.one_in(2)) c.start = draw.in(-3000, 3000);
  const float factor[1] = {1.F / static_cast<float>(c.pool_w * c.pool_h)};
  const int32_t multiplier[1] = {(1 << 20) / (c.pool_w * c.pool_h)};
  const std::vector<uint8_t> x = draw_bytes(draw, from.size());
  const T* in = reinterpret_cast<const T*>(x.data() + from.start());
  std::vector<uint8_t> out[3], wanted[3];
  for (int k = 0; k < 3; ++k) out[k].assign(to.size(), 0x5a), wanted[k] = out[k];
  const kernels::Rows rows = {0, out_h};
  kernels::max_pool(c, rows, in, reinterpret_cast<T*>(out[0].data() + to.start()));
  kernels::average_pool(c, rows, in, reinterpret_cast<T*>(out[1].data() + to.start()), factor);
  kernels::average_pool(c, rows, in, reinterpret_cast<T*>(out[2].data() + to.start()), multiplier);
  for (int oy = 0; oy < out_h; ++oy)
    for (int ox = 0; ox < out_w; ++ox)
      for (int i = 0; i < channels; ++i) {
        int64_t sum = 0, best = -1000;
        int taps = 0;
        for (int ky = 0; ky < c.pool_h; ++ky)
          for (int kx = 0; kx < c.pool_w; ++kx) {
            const int iy = oy * c.stride_y - c.pad_y + ky, ix = ox * c.stride_x - c.pad_x + kx;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w) continue;
            const int64_t value = element<T>(x, from, iy, ix, i);
            sum += value, best = std::max(best, value), ++taps;
          }
        if (taps == 0 || (c.count_zeros && taps < c.pool_w * c.pool_h)) best = std::max<int64_t>(best, 0);
        const size_t at = static_cast<size_t>(to.start() + to.at(oy, ox) + i);
        const auto put = [&](int k, int64_t v) {
          wanted[k][at] = static_cast<uint8_t>(std::clamp<int64_t>(v, c.lo, c.hi));
        };
        put(0, best);
        sum += c.start;
        put(1, static_cast<int64_t>(std::nearbyintf(static_cast<float>(sum) * factor[0])));
        put(2, (sum * multiplier[0] + (1 << 19)) >> 20);
      }
  return !differs("max_pool", out[0], wanted[0], c) &&
         !differs("average_pool, float", out[1], wanted[1], c) &&
         !differs("average_pool, fixed", out[2], wanted[2], c);
}

/// Prints instructions for 1000 elements of a layer of a network; returns whether they are above the limit.
bool exceeds(const char* what, int64_t counted, int64_t elements, int limit) {
  const int64_t rate = counted * 1000 / elements;
  print(rate > limit ? "FAIL " : "     ", what, ": ", rate, " of 1000 elements, limit ", limit, "\n");
  return rate > limit;
}

/// Maps of 16 x 16 pixels and 32 channels.
bool counts_exceed() {
  enum { kSide = 16, kChannels = 32 };
  std::vector<uint8_t> x(kSide * kSide * kChannels, 7), y = x, out = x;
  const View v = {kSide, kSide, kChannels, kChannels, kSide * kChannels, 0, 0, 0};
  const View half = {kSide / 2, kSide / 2, kChannels, kChannels, kSide / 2 * kChannels, 0, 0, 0};
  const View one = {1, 1, kChannels, kChannels, kChannels, 0, 0, 0};
  Config c;
  set_in(c, v), set_out(c, v);
  c.shift = 31;
  const Operand a = operand_of(v, 0x3456789, false), b = operand_of(v, 0x2345678, false);
  const float factor[1] = {1.F / (kSide * kSide)};
  const auto n = static_cast<int64_t>(x.size());
  bool fails = exceeds(
      "sum", instructions([&] {
        kernels::sum(c, {0, kSide}, out.data(), kernels::operand(a, x.data()), kernels::operand(b, y.data()));
      }),
      n, 3200);
  c.start = 12345678901;
  fails |= exceeds(
      "sum that starts", instructions([&] {
        kernels::sum(c, {0, kSide}, out.data(), kernels::operand(a, x.data()), kernels::operand(b, y.data()));
      }),
      n, 3700);
  set_out(c, half);
  c.pool_w = c.pool_h = c.stride_x = c.stride_y = 2;
  fails |= exceeds("max_pool 2x2", instructions([&] {
                     kernels::max_pool(c, {0, kSide / 2}, x.data(), out.data());
                   }),
                   n, 990);
  set_out(c, one);
  c.pool_w = c.pool_h = kSide;
  fails |= exceeds("average_pool of the map", instructions([&] {
                     kernels::average_pool(c, {0, 1}, x.data(), out.data(), factor);
                   }),
                   n, 710);
  return fails;
}

int run() {
  Draw draw(1);
  for (int i = 0; i < N2D2_LAYERS; ++i) {
    const bool sums = sum_agrees<uint8_t, uint8_t, uint8_t>(draw) &&
                      sum_agrees<int8_t, uint8_t, int8_t>(draw) &&
                      sum_agrees<uint8_t, int8_t, uint8_t>(draw) && sum_agrees<int8_t, int8_t, uint8_t>(draw);
    if (!sums || !pools_agree<uint8_t>(draw) || !pools_agree<int8_t>(draw)) return 1;
  }
  print(N2D2_LAYERS, " layers of each kernel agree\n");
  return counts_exceed() ? 1 : 0;
}

}  // namespace
}  // namespace n2d2::mve_test

int main() {
  return n2d2::mve_test::run();
}

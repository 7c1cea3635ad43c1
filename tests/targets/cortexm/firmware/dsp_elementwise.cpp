// Do sums of two tensors and pools with the DSP instructions give the bytes of plain loops?
#include "dsp_check.hpp"
#include "elemwise.hpp"
#include "pool.hpp"

#ifndef CASES
#define CASES 300
#endif

namespace dsp_test {

namespace {

using N2D2_Export::Rows;

struct Summand {
  int in_w, in_h, in_c, in_pixel, in_row, in_ring, in_first, in_turn, multiplier, is_signed;
};

Summand summand(const Map& m, int multiplier, bool is_signed) {
  return {m.w, m.h, m.c, m.pixel, m.row, m.ring, m.first, m.turn, multiplier, is_signed ? 1 : 0};
}

int value(const std::vector<uint8_t>& memory, int at, bool is_signed) {
  const uint8_t v = memory[static_cast<size_t>(at)];
  return is_signed ? static_cast<int8_t>(v) : v;
}

std::vector<uint8_t> bytes(Random& random, int n) {
  std::vector<uint8_t> out(static_cast<size_t>(n));
  const bool extremes = random.one_in(4);
  for (uint8_t& x : out)
    x = static_cast<uint8_t>(extremes ? (random.one_in(2) ? 0xff : 0x80) : random.in(0, 255));
  return out;
}

bool check_sum(Random& random) {
  Layer l{};
  const int h = random.in(1, 5), w = random.in(1, 6), c = random.in(1, 30);
  const Map a = place(random, h, w, c, true), b = place(random, h, w, c, true);
  l.out = place(random, h, w, c, true), l.in = a;
  set_maps(l.config, l.in, l.out);
  const bool signed_a = random.one_in(2), signed_b = random.one_in(2);
  l.out_signed = random.one_in(2), l.in_signed = signed_a;
  l.config.lo = l.out_signed ? -128 : 0, l.config.hi = l.out_signed ? 127 : 255;
  l.config.bottom_up = random.in(0, 1), l.config.shift = random.in(15, 40);
  const int most = random.one_in(3) ? INT32_MAX : 1 << std::min(30, l.config.shift - random.in(0, 2));
  const Summand first = summand(a, random.in(-most / 2, most / 2) + random.in(0, most / 2), signed_a);
  const Summand second = summand(b, random.in(0, 1) * (most - random.in(0, 1000) * (most / 2000)), signed_b);
  if (random.one_in(2))
    l.config.start =
        random.in(-255, 255) * (int64_t{1} << (l.config.shift - random.in(0, 4))) + random.in(-99999, 99999);
  const std::vector<uint8_t> x = bytes(random, a.size), y = bytes(random, b.size);
  std::vector<uint8_t> got = bytes(random, l.out.size), wanted = got;
  for (int row = 0; row < h; ++row)
    for (int column = 0; column < w; ++column)
      for (int i = 0; i < c; ++i) {
        const int64_t s = static_cast<int64_t>(value(x, a.at(row, column, i), signed_a)) * first.multiplier +
                          static_cast<int64_t>(value(y, b.at(row, column, i), signed_b)) * second.multiplier;
        const int64_t v = (l.config.start + s + (int64_t{1} << (l.config.shift - 1))) >> l.config.shift;
        wanted[static_cast<size_t>(l.out.at(row, column, i))] =
            static_cast<uint8_t>(std::min<int64_t>(std::max<int64_t>(v, l.config.lo), l.config.hi));
      }
  const uint8_t *from = x.data() + a.start, *other = y.data() + b.start;
  const auto call = [&](auto* to) {
    N2D2_Export::sum(l.config, Rows{0, h}, to, N2D2_Export::operand(first, from),
                     N2D2_Export::operand(second, other));
  };
  if (l.out_signed)
    call(reinterpret_cast<int8_t*>(got.data() + l.out.start));
  else
    call(got.data() + l.out.start);
  return same(l, got, wanted, "sum");
}

struct PoolConfig : Config {
  int pool_w, pool_h, count_zeros, by_count, counted_x, counted_y, counted_w, counted_h, parallel;
};

struct Pool {
  PoolConfig config;
  Layer layer;
  bool average;
  std::vector<float> factor;
  uint8_t output(int oy, int ox, int c) const {
    const PoolConfig& p = config;
    int64_t sum = 0, best = -1000;
    int taps = 0;
    for (int ky = 0; ky < p.pool_h; ++ky)
      for (int kx = 0; kx < p.pool_w; ++kx) {
        const int y = oy * p.stride_y - p.pad_y + ky, x = ox * p.stride_x - p.pad_x + kx;
        const bool inside = y >= 0 && y < layer.in.h && x >= 0 && x < layer.in.w;
        const int v = layer.input(y, x, c);
        sum += v;
        if (inside || p.count_zeros != 0) best = std::max<int64_t>(best, v);
        taps += inside ? 1 : 0;
      }
    if (!average) return static_cast<uint8_t>(taps == 0 ? 0 : best);
    sum += p.start;
    const auto v = static_cast<int64_t>(std::rint(static_cast<float>(static_cast<int32_t>(sum)) * factor[0]));
    return static_cast<uint8_t>(std::min<int64_t>(std::max<int64_t>(v, p.lo), p.hi));
  }
  template <class T>
  void call(uint8_t* out) const {
    const auto* from = reinterpret_cast<const T*>(layer.source.data() + layer.in.start);
    auto* to = reinterpret_cast<T*>(out + layer.out.start);
    const Rows all{0, layer.out.h};
    if (average)
      N2D2_Export::average_pool(config, all, from, to, factor.data());
    else
      N2D2_Export::max_pool(config, all, from, to);
  }
};

bool check_pool(Random& random) {
  Pool p{};
  Layer& l = p.layer;
  Config c{};
  c.stride_x = random.in(1, 3), c.stride_y = random.in(1, 3), c.pad_x = random.in(0, 2),
  c.pad_y = random.in(0, 2);
  const int channels = random.in(1, 40);
  const bool large = random.one_in(8);
  l.in = place(random, large ? 20 : random.in(1, 8), large ? 19 : random.in(1, 8), channels, true);
  l.out = place(random, large ? 1 : random.in(1, 5), large ? 1 : random.in(1, 5), channels, true);
  set_maps(c, l.in, l.out);
  c.dilation_x = c.dilation_y = 1, c.bottom_up = random.in(0, 1);
  l.in_signed = l.out_signed = random.one_in(2);
  c.lo = l.in_signed ? -128 : 0, c.hi = l.in_signed ? 127 : 255;
  if (random.one_in(2)) c.start = random.in(-3000, 3000);
  l.config = c, p.average = random.one_in(2);
  static_cast<Config&>(p.config) = c;
  p.config.pool_w = large ? l.in.w : random.in(1, 4), p.config.pool_h = large ? l.in.h : random.in(1, 4);
  p.config.count_zeros = random.in(0, 1);
  p.factor = {1.0F / static_cast<float>(p.config.pool_w * p.config.pool_h)};
  l.source = bytes(random, l.in.size);
  std::vector<uint8_t> got = bytes(random, l.out.size), wanted = got;
  for (int y = 0; y < l.out.h; ++y)
    for (int x = 0; x < l.out.w; ++x)
      for (int i = 0; i < channels; ++i) wanted[static_cast<size_t>(l.out.at(y, x, i))] = p.output(y, x, i);
  if (l.in_signed)
    p.call<int8_t>(got.data());
  else
    p.call<uint8_t>(got.data());
  return same(l, got, wanted, p.average ? "average pool" : "max pool");
}

int run_all() {
  Random random{23};
  for (int i = 0; i < CASES; ++i)
    if (!check_sum(random) || !check_pool(random)) return 1;
  print(std::to_string(CASES) + " sums and pools give the bytes of plain loops\n");
  return 0;
}

}  // namespace

}  // namespace dsp_test

int main() {
  return dsp_test::run_all();
}

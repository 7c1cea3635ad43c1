// Do convolutions and fully connected layers with the DSP instructions give the bytes of plain loops?
#include "conv2d_dsp.hpp"
#include "dsp_check.hpp"
#include "fc_dsp.hpp"
#include "layouts/dsp.hpp"

#ifndef CASES
#define CASES 300
#endif

namespace dsp_test {

namespace {

namespace layouts = n2d2::targets::cortexm::dsp;
using N2D2_Export::Rows;

struct Packed {
  std::vector<int8_t> weights;
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;
  std::vector<uint8_t> scratch;
  void* aligned() {
    return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 15) / 16 * 16);
  }
};

Packed pack(const Layer& l, bool fc) {
  const Config& c = l.config;
  const layouts::Filters f{c.out_c, c.kernel_h, c.kernel_w, c.in_c / c.groups, c.groups};
  const int rows = static_cast<int>(l.bias.size()) / c.out_c;
  Packed p{layouts::pack_filters(f, l.weights.data()),
           layouts::pad_outputs(f, l.bias.data(), rows),
           layouts::pad_outputs(f, l.multiplier.data(), 1),
           layouts::pad_outputs(f, l.factor.data(), 1),
           {}};
  p.scratch.assign(layouts::scratch_bytes(f, fc ? 1 : c.tile_pixels) + 32, 0xa5);
  return p;
}

template <class In, class Out, class Factor>
void call(const Layer& l, bool fc, Rows rows, const uint8_t* in, uint8_t* out, Packed& p,
          const Factor* factor) {
  const auto* from = reinterpret_cast<const In*>(in + l.in.start);
  auto* to = reinterpret_cast<Out*>(out + l.out.start);
  if (fc)
    N2D2_Export::fc_dsp(l.config, rows, from, to, p.weights.data(), p.bias.data(), factor, p.aligned());
  else
    N2D2_Export::conv2d_dsp(l.config, rows, from, to, p.weights.data(), p.bias.data(), factor, p.aligned());
}

template <class In, class Out>
void call(const Layer& l, bool fc, Rows rows, const uint8_t* in, uint8_t* out, Packed& p) {
  if (l.fixed)
    call<In, Out>(l, fc, rows, in, out, p, p.multiplier.data());
  else
    call<In, Out>(l, fc, rows, in, out, p, p.factor.data());
}

void run(const Layer& l, bool fc, Rows rows, const uint8_t* in, uint8_t* out, Packed& p) {
  if (l.in_signed)
    l.out_signed ? call<int8_t, int8_t>(l, fc, rows, in, out, p)
                 : call<int8_t, uint8_t>(l, fc, rows, in, out, p);
  else
    l.out_signed ? call<uint8_t, int8_t>(l, fc, rows, in, out, p)
                 : call<uint8_t, uint8_t>(l, fc, rows, in, out, p);
}

/// Rows from the first to the last, or back, a few at a time.
bool check_ranges(Random& random, const Layer& l, bool fc) {
  Packed p = pack(l, fc);
  std::vector<uint8_t> got = l.target, wanted = l.target;
  l.judge(wanted, 0, l.out.h);
  const int most = random.one_in(2) ? l.out.h : random.in(1, 3);
  for (int done = 0; done < l.out.h; done += most) {
    const int count = std::min(most, l.out.h - done);
    run(l, fc, {l.config.bottom_up ? l.out.h - done - count : done, count}, l.source.data(), got.data(), p);
  }
  for (size_t i = p.scratch.size() - 16; i < p.scratch.size(); ++i)
    if (p.scratch[i] != 0xa5) {
      const auto end =
          static_cast<size_t>(static_cast<uint8_t*>(p.aligned()) - p.scratch.data()) + p.scratch.size() - 32;
      if (i < end) continue;
      print("DIFFERENT bytes behind the scratch;" + l.text() + "\n");
      return false;
    }
  return same(l, got, wanted, fc ? "fc" : "convolution");
}

/// The output takes the place of dead input rows.
bool check_overlap(const Layer& l) {
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
  Packed p = pack(l, false);
  run(both, false, {0, l.out.h}, memory.data(), memory.data(), p);
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
bool check_stream(const Layer& l) {
  const Config& c = l.config;
  const int reach = (c.kernel_h - 1) * c.dilation_y + 1;
  Layer s = l;
  s.in.ring = reach + 1, s.in.first = 1, s.in.turn = s.in.ring * l.in.row;
  s.in.start = 4 + l.in.row, s.in.size = s.in.start + s.in.ring * l.in.row + 8;
  s.out.ring = 2, s.out.first = 0, s.out.turn = 2 * l.out.row, s.out.start = 3,
  s.out.size = 11 + 2 * l.out.row;
  set_maps(s.config, s.in, s.out);
  Packed p = pack(l, false);
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
    run(s, false, {y, 1}, source.data(), target.data(), p);
    if (!same(l, target, wanted, "stream")) return false;
  }
  return true;
}

/// Size of an input whose windows end about where it does.
int size_of_input(Random& random, int outputs, int stride, int kernel, int dilation, int pad) {
  return std::max(1, (outputs - 1) * stride + (kernel - 1) * dilation + 1 - pad - random.in(0, 2));
}

Layer random_convolution(Random& random) {
  Layer l{};
  Config& c = l.config;
  c.kernel_h = random.in(1, 5), c.kernel_w = random.in(1, 5);
  if (random.one_in(3)) c.kernel_h = c.kernel_w = 1;
  c.stride_x = random.in(1, 2), c.stride_y = random.in(1, 2), c.dilation_x = c.dilation_y = 1;
  if (random.one_in(6)) c.dilation_x = random.in(1, 2), c.dilation_y = random.in(1, 2);
  c.groups = random.one_in(6) ? random.in(2, 3) : 1;
  int channels = random.one_in(2) ? 4 * random.in(1, 8) : random.in(1, 9);
  if (random.one_in(12)) channels = 4 * random.in(9, 40);
  if (channels > 36) c.kernel_h = random.in(1, 2), c.kernel_w = random.in(1, 2);
  c.in_c = channels * c.groups, c.out_c = random.in(1, channels > 36 ? 18 : 40);
  c.out_c = std::max(1, c.out_c / c.groups) * c.groups;
  c.pad_x = random.in(0, c.kernel_w - 1), c.pad_y = random.in(0, c.kernel_h - 1);
  const bool narrow = random.one_in(5);
  int out_h = random.in(1, 6), out_w = random.in(1, narrow ? 3 : 10);
  int in_h = size_of_input(random, out_h, c.stride_y, c.kernel_h, c.dilation_y, c.pad_y);
  int in_w = size_of_input(random, out_w, c.stride_x, c.kernel_w, c.dilation_x, c.pad_x);
  if (c.kernel_h == 1 && c.kernel_w == 1 && random.one_in(2))
    c.stride_x = c.stride_y = 1, c.pad_x = c.pad_y = 0, in_h = out_h, in_w = out_w;
  l.in = place(random, in_h, in_w, c.in_c, true), l.out = place(random, out_h, out_w, c.out_c, true);
  set_maps(c, l.in, l.out);
  c.bottom_up = random.in(0, 1), c.ordered = 1,
  c.tile_pixels = random.one_in(4)   ? 1
                  : random.one_in(3) ? 2
                                     : 4;
  l.in_signed = random.one_in(2), l.out_signed = random.one_in(2), l.fixed = random.one_in(2);
  int rows = 1;
  if (random.one_in(6)) {
    c.border_top = random.in(0, std::min(1, out_h)),
    c.border_bottom = random.in(0, std::min(2, out_h - c.border_top));
    c.border_left = random.in(0, std::min(2, out_w)),
    c.border_right = random.in(0, std::min(1, out_w - c.border_left));
    l.bias_columns = c.border_left + c.border_right + (out_w > c.border_left + c.border_right ? 1 : 0);
    rows =
        l.bias_columns * (c.border_top + c.border_bottom + (out_h > c.border_top + c.border_bottom ? 1 : 0));
  }
  fill(random, l, static_cast<size_t>(c.out_c) * l.window(), rows);
  return l;
}

Layer random_fc(Random& random) {
  Layer l{};
  Config& c = l.config;
  const int h = random.one_in(2) ? 1 : random.in(1, 4), w = random.one_in(2) ? 1 : random.in(1, 4);
  c.in_c = random.in(1, h * w == 1 ? 300 : 30), c.out_c = random.in(1, 60);
  l.in = place(random, h, w, c.in_c, true);
  l.out = Map{1, 1, c.out_c, c.out_c, c.out_c};
  l.out.start = random.in(0, 7), l.out.size = l.out.start + c.out_c + 8;
  set_maps(c, l.in, l.out);
  c.kernel_h = h, c.kernel_w = w, c.stride_x = c.stride_y = c.dilation_x = c.dilation_y = c.groups = 1;
  c.tile_pixels = 4;
  l.in_signed = random.one_in(2), l.out_signed = random.one_in(2), l.fixed = random.one_in(2);
  fill(random, l, static_cast<size_t>(c.out_c) * l.window(), 1);
  return l;
}

int run_all() {
  Random random{7};
  for (int i = 0; i < CASES; ++i) {
    const Layer l = random_convolution(random);
    if (!check_ranges(random, l, false) || !check_overlap(l) || !check_stream(l)) return 1;
    const Layer f = random_fc(random);
    if (!check_ranges(random, f, true)) return 1;
  }
  print(std::to_string(CASES) + " convolutions and fully connected layers give the bytes of plain loops\n");
  return 0;
}

}  // namespace

}  // namespace dsp_test

int main() {
  return dsp_test::run_all();
}

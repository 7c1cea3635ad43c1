// Do convolutions and fully connected layers with the DSP instructions give the bytes of plain loops?
#include "../../../../src/targets/cortexm/layouts/dsp.hpp"
#include "conv2d_dsp.hpp"
#include "dsp_check.hpp"
#include "fc_dsp.hpp"

#ifndef CASES
#define CASES 300
#endif

namespace dsp_test {

namespace {

namespace layouts = n2d2::targets::cortexm::dsp;
using N2D2_Export::Rows;

struct Packed {
  std::vector<int8_t> weights;
  std::vector<uint8_t> narrow;
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;
  std::vector<uint8_t> scratch;
  size_t size;
  void* odd() { return scratch.data() + 1; }
};

Packed pack(const Layer& l, bool fc) {
  const Config& c = l.config;
  const layouts::Filters f{c.out_c, c.kernel_h, c.kernel_w, c.in_c / c.groups, c.groups};
  const int rows = static_cast<int>(l.bias.size()) / c.out_c;
  Packed p{layouts::pack_filters(f, l.weights.data()),       {},
           layouts::pad_outputs(f, l.bias.data(), rows),     layouts::pad_outputs(f, l.multiplier.data(), 1),
           layouts::pad_outputs(f, l.factor.data(), 1),      {},
           layouts::scratch_bytes(f, fc ? 1 : c.tile_pixels)};
  if (l.narrow) p.narrow = layouts::pack_narrow(f, l.weights.data()), layouts::pad_quads(f, p.bias);
  p.scratch.assign(p.size + 32, 0xa5);
  return p;
}

template <class In, class Out, class Factor>
void call(const Layer& l, bool fc, Rows rows, const uint8_t* in, uint8_t* out, Packed& p,
          const Factor* factor) {
  const auto* from = reinterpret_cast<const In*>(in + l.in.start);
  auto* to = reinterpret_cast<Out*>(out + l.out.start);
  const auto compute = [&](const auto* weights) {
    if (fc)
      N2D2_Export::fc_dsp(l.config, rows, from, to, weights, p.bias.data(), factor, p.odd());
    else
      N2D2_Export::conv2d_dsp(l.config, rows, from, to, weights, p.bias.data(), factor, p.odd());
  };
  if (l.narrow)
    compute(N2D2_Export::narrow<4, 0>(p.narrow.data()));
  else
    compute(p.weights.data());
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

/// Runs a layer, and looks whether the bytes behind the scratch are whole.
struct Runner {
  Packed packed;
  bool fc;
  Runner(const Layer& l, bool fc) : packed(pack(l, fc)), fc(fc) {}
  void operator()(const Layer& l, int first, int count, const uint8_t* in, uint8_t* out) {
    run(l, fc, {first, count}, in, out, packed);
  }
  bool is_whole() {
    const size_t end =
        static_cast<size_t>(static_cast<uint8_t*>(packed.odd()) - packed.scratch.data()) + packed.size;
    return std::all_of(packed.scratch.begin() + static_cast<ptrdiff_t>(end), packed.scratch.end(),
                       [](uint8_t x) { return x == 0xa5; });
  }
};

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
  l.narrow = c.groups == 1 && c.tile_pixels != 2 && random.one_in(2);
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
  l.narrow = random.one_in(2);
  fill(random, l, static_cast<size_t>(c.out_c) * l.window(), 1);
  return l;
}

bool check(Random& random, const Layer& l, bool fc) {
  Runner runner(l, fc);
  if (!check_ranges(random, l, runner) || (!fc && (!check_overlap(l, runner) || !check_stream(l, runner))))
    return false;
  if (!runner.is_whole()) print("DIFFERENT bytes behind the scratch;" + l.text() + "\n");
  return runner.is_whole();
}

int run_all() {
  Random random{7};
  for (int i = 0; i < CASES; ++i) {
    if (!check(random, random_convolution(random), false)) return 1;
    if (!check(random, random_fc(random), true)) return 1;
  }
  print(std::to_string(CASES) + " convolutions and fully connected layers give the bytes of plain loops\n");
  return 0;
}

}  // namespace

}  // namespace dsp_test

int main() {
  return dsp_test::run_all();
}
